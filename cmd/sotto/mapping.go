package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sotto/anonymize/intake/mapping"
	"sotto/cmd/internal/cli"
	"sotto/internal/texttable"
	"sotto/schemas"
)

func newMapping(sys cli.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mapping",
		Short: "Try how messages of recognizers become events",
		Long: "A mapping says how the stream reads the messages of a recognizer or a telephony\n" +
			"platform (SOTTO_RAW_FORMAT, docs/vendors.md).",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMappingTry(sys), newMappingShow())
	return cmd
}

func newMappingShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [NAME]",
		Short: "Print a built-in mapping, to change a copy, or the names of all",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(mapping.Names(), "\n"))
				return err
			}
			yaml, ok := mapping.Source(args[0])
			if !ok {
				return cli.UsageError("no mapping %s is built in; 'sotto mapping show' lists them", args[0])
			}
			_, err := cmd.OutOrStdout().Write(yaml)
			return err
		},
	}
}

func newMappingTry(sys cli.System) *cobra.Command {
	var name, key string
	cmd := &cobra.Command{
		Use:   "try FILE",
		Short: "Show what sample messages become, and why some become nothing",
		Long: "Reads sample messages, one a line as JSON or as a form, or one JSON document, and\n" +
			"shows the events that the stream would make of them, with the text that was said.\n" +
			"A line may begin with the key of its record and a tab. For messages of which\n" +
			"nothing comes, and for those that become dead letters, it says why. The exit\n" +
			"status is 3 if there are dead letters.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.UsageError("sotto mapping try takes one argument, FILE; see 'sotto mapping try --help'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			s.RawFormat = cmp.Or(name, s.RawFormat)
			m, err := s.RawMapping()
			if err != nil {
				return cli.Exit(cli.Usage, err)
			}
			if m == nil {
				return cli.UsageError("name a mapping with --mapping or SOTTO_RAW_FORMAT; 'sotto mapping show' lists those that are built in")
			}
			data, err := cli.ReadInput(args[0], func(in io.Reader, _ string) ([]byte, error) { return io.ReadAll(in) })
			if err != nil {
				return err
			}
			return tryMapping(cmd.OutOrStdout(), m, mapping.Records(data, key))
		},
	}
	cmd.Flags().StringVar(&name, "mapping", "", "name of the mapping, or path of its file; default: SOTTO_RAW_FORMAT")
	cmd.Flags().StringVar(&key, "key", "", "key of the records whose lines have none")
	return cmd
}

func tryMapping(w io.Writer, m *mapping.Mapping, records []mapping.Record) error {
	trial := mapping.NewTrial(m)
	events, dropped, dead := 0, 0, 0
	for i, rec := range records {
		for _, o := range trial.Read(rec) {
			var became string
			switch {
			case o.Event != nil:
				events++
				became = describe(o.Event)
			case o.Dropped != "":
				dropped++
				became = "nothing: " + mapping.Drops[o.Dropped]
			default:
				dead++
				became = "dead letter " + o.Reason + ": " + schemas.Explain(o.Reason)
			}
			if _, err := fmt.Fprintf(w, "%4d  %s\n", i+1, texttable.Printable(became)); err != nil {
				return err
			}
		}
	}
	if _, err := fmt.Fprintf(w, "\n%d records: %d events, %d messages of no use, %d dead letters\n", len(records), events, dropped, dead); err != nil {
		return err
	}
	if dead > 0 {
		return cli.Exit(cli.Check, fmt.Errorf("%d messages become dead letters", dead))
	}
	return nil
}

// describe returns an event as a line.
func describe(e *schemas.RawEvent) string {
	parts := []string{string(e.Type), "call " + e.CallID, fmt.Sprint("seq ", e.Seq)}
	if x := e.Speaker; x != nil {
		parts = append(parts, strings.TrimSpace(string(x.Role)+" "+cmp.Or(x.Label, x.ID)))
	}
	line := strings.Join(parts, ", ")
	if e.Text != "" {
		line += ": " + e.Text
	}
	return line
}
