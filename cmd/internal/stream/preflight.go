package stream

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/internal/texttable"
	"sotto/processor"
)

func newPreflight(sys cli.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "preflight",
		Short: "Check everything that the stream needs before it runs",
		Long: "Checks, with the settings of the stream, whether brokers, login, Schema Registry,\n" +
			"ACLs, topics, state key and clock are as the stream needs them, and how long a\n" +
			"transaction takes. It reports everything in one run, and tries each ACL. It writes\n" +
			"nothing but records in transactions that it aborts, so that it may run beside the\n" +
			"stream.\n\n" +
			"The exit status is 0 if the stream can run, perhaps with warnings, 3 if a check\n" +
			"failed or could not be made, and 2 if the settings are wrong. 'sotto config --check'\n" +
			"checks the files that the settings name.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			ctx, stop := cli.UntilSignal(cmd)
			defer stop()
			found := processor.Preflight(ctx, s)
			counts := map[processor.Status]int{}
			for _, f := range found {
				counts[f.Status]++
			}
			failed, skipped := counts[processor.StatusFailed], counts[processor.StatusSkipped]
			out := cmd.OutOrStdout()
			if asJSON {
				encoder := json.NewEncoder(out)
				encoder.SetIndent("", "  ")
				err = encoder.Encode(struct {
					OK     bool                `json:"ok"`
					Checks []processor.Finding `json:"checks"`
				}{failed+skipped == 0, found})
			} else {
				err = writeFindings(out, found)
			}
			if err == nil && failed+skipped > 0 {
				err = cli.Exit(cli.Check, fmt.Errorf("%d of %d checks failed, and %d could not be made", failed, len(found), skipped))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func writeFindings(w io.Writer, found []processor.Finding) error {
	table := texttable.New("status", "check", "result")
	table.AlignLeft(1)
	table.AlignLeft(2)
	for _, f := range found {
		result := f.Subject
		if f.Detail != "" {
			result += ": " + f.Detail
		}
		table.Row(f.Status, f.Check, texttable.Printable(result))
	}
	return table.Write(w)
}
