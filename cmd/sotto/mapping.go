package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/anonymize/intake"
	"sotto/anonymize/intake/mapping"
	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/config/kafka"
	"sotto/internal/boundedfile"
	"sotto/internal/texttable"
	"sotto/schemas"
	"sotto/schemas/protobuf"
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
	var schemaFiles []string
	cmd := &cobra.Command{
		Use:   "try FILE",
		Short: "Show what sample messages become, and why some become nothing",
		Long: "Reads sample messages, one a line as JSON or as a form, or one JSON document, and\n" +
			"shows the events that the stream would make of them, with the text that was said.\n" +
			"A line may begin with the key of its record and a tab, with the tab alone if it\n" +
			"has no key, and may be base64 of a record that names its schema, which the\n" +
			"Schema Registry is asked for unless --schema has it; nothing is registered. For\n" +
			"messages of which nothing comes, and for those that become dead letters, it says\n" +
			"why. The exit status is 3 if there are dead letters.",
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
			codec, err := sampleCodec(cmd.Context(), s, schemaFiles)
			if err != nil {
				return cli.Exit(cli.Usage, err)
			}
			return tryMapping(cmd.OutOrStdout(), newSampler(s, codec, m), mapping.Records(data, key))
		},
	}
	cmd.Flags().StringVar(&name, "mapping", "", "name of the mapping, or path of its file; default: SOTTO_RAW_FORMAT")
	cmd.Flags().StringVar(&key, "key", "", "key of the records whose lines have none")
	cmd.Flags().StringArrayVar(&schemaFiles, "schema", nil, "file of the schema of all records that name one, in Avro or .proto; repeat it, with the schemas it refers to before it")
	return cmd
}

// sampleCodec returns what reads the records that name their schema: by the Schema Registry, or by files, the last of which is
// the schema of all.
func sampleCodec(ctx context.Context, s config.Settings, files []string) (*schemas.Codec, error) {
	if len(files) == 0 {
		return kafka.NewReader(ctx, s)
	}
	var texts []string
	for _, name := range files {
		text, err := boundedfile.Read(name, 1<<20)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	schema, err := sampleSchema(files, texts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files[len(files)-1], err)
	}
	return schemas.NewCodec(ctx, schemas.Options{Format: schemas.FormatJSON, Registry: fileRegistry{schema}})
}

// sampleSchema reads the last of some files, which refers to the others.
func sampleSchema(files, texts []string) (*schemas.Schema, error) {
	last := len(files) - 1
	if filepath.Ext(files[last]) != ".proto" {
		return schemas.ParseSchema(texts[last], texts[:last]...)
	}
	imports := map[string]string{} // by each end of its path: nobody knows from where the schema imports it
	for i, name := range files[:last] {
		for path := filepath.ToSlash(name); ; {
			imports[path] = texts[i]
			_, rest, more := strings.Cut(path, "/")
			if !more {
				break
			}
			path = rest
		}
	}
	return protobuf.Parse(texts[last], imports)
}

// fileRegistry is a Schema Registry with one schema, whatever its ID.
type fileRegistry struct{ schema *schemas.Schema }

func (f fileRegistry) Schema(uint32) (*schemas.Schema, error) { return f.schema, nil }

func (fileRegistry) Register(context.Context, string, string, bool) (int, error) { return 0, nil }

// sampler tells what samples become in a stream with the same settings.
type sampler struct {
	codec *schemas.Codec
	trial *mapping.Trial
	value []byte // of the record that is being read, with the ID of its schema
	max   int    // bytes of a value
}

func newSampler(s config.Settings, codec *schemas.Codec, m *mapping.Mapping) *sampler {
	x := &sampler{codec: codec, trial: mapping.NewTrial(m), max: s.MaxRawBytes()}
	rules := s.Intake(nil)
	x.trial.Own = func(mapping.Record) *schemas.RawEvent {
		e, err := codec.DecodeRaw(x.value)
		if err != nil {
			return nil
		}
		return e
	}
	x.trial.Refuse = func(rec mapping.Record, e *schemas.RawEvent) string {
		if reason := rules.Admit(e, 0); reason != "" {
			return reason
		}
		if rec.Key != nil && string(rec.Key) != e.CallID && s.KeyMismatch != "accept" {
			return intake.KeyMismatch
		}
		return ""
	}
	return x
}

// become returns what the messages of a record become.
func (x *sampler) become(rec mapping.Record) ([]mapping.Outcome, error) {
	if len(rec.Value) > x.max {
		return []mapping.Outcome{{Reason: intake.RecordTooLarge}}, nil
	}
	x.value = rec.Value
	value, schema, err := x.codec.Framed(rec.Value)
	if bad, ok := errors.AsType[*schemas.DecodeError](err); ok {
		return []mapping.Outcome{{Reason: bad.Reason}}, nil
	}
	if err != nil {
		return nil, err
	}
	rec.Value, rec.Schema = value, schema
	return x.trial.Read(rec), nil
}

func tryMapping(w io.Writer, samples *sampler, records []mapping.Record) error {
	events, dropped, dead := 0, 0, 0
	for i, rec := range records {
		outcomes, err := samples.become(rec)
		if err != nil {
			return err
		}
		for _, o := range outcomes {
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
