package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/processor/topic"
	"sotto/schemas"
	"sotto/training/corpus/export"
	"sotto/training/corpus/indirect"
	"sotto/training/corpus/transcripts"
)

type exportFlags struct {
	input         corpusInput
	options       export.Options
	blacklist     string
	by, customers string
	individuals   *transcripts.Individuals
	licences      []string
	check         bool
}

func newCorpusExport(sys cli.System) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export -o DIR [FILE...]",
		Short: "Write released calls as training data, with masks for identifiers",
		Long: "Writes calls with release: true into shards of JSON lines or Parquet: text, turns,\n" +
			"entities, indirect identifiers, and for each word whether a model may learn it. Calls\n" +
			"that say the same are written once. A data card is written beside the shards.\n\n" +
			"FILE has clean events of 'sotto anonymize' or of the stream. A call without the policy\n" +
			"and the entities of an engine is raw: it is an error, and nothing is written.\n\n" +
			"Run it again to continue: finished files stay, each call is written once, and a kill\n" +
			"loses nothing that was committed. --check verifies an export instead.",
		Example: "  sotto corpus export --topic clean -o data --format parquet --blacklist blacklist.txt\n" +
			"  sotto corpus export -o data --check",
		RunE: func(cmd *cobra.Command, files []string) error {
			if f.options.Dir == "" {
				return cli.UsageError("no folder for the data; name it with -o DIR")
			}
			if f.check {
				return f.verify(cmd, files)
			}
			if err := f.input.check(cmd, files); err != nil {
				return err
			}
			if f.options.Dir == standardOutput {
				return f.print(cmd, sys)
			}
			return f.run(cmd, sys)
		},
	}
	f.input.addFlag(cmd)
	flags, o := cmd.Flags(), &f.options
	flags.StringVarP(&o.Dir, "output", "o", "", "folder for the data ('-': the rows to standard output)")
	flags.StringVar(&o.Format, "format", export.JSONL, "jsonl or parquet")
	flags.StringVar(&o.Form, "form", export.Rows, "rows (text with masks) or chat (messages)")
	flags.StringVar(&f.blacklist, "blacklist", "", "list of 'sotto corpus blacklist'")
	flags.IntVar(&o.MaxN, "ngrams", 1, "longest n-grams of the list that count")
	flags.Float64Var(&o.Validation, "validation", 0.05, "share of the calls for validation")
	flags.StringVar(&f.by, "by", "call", "what is never in both parts: call or customer")
	flags.StringVar(&f.customers, "customers", "", "file with the customer of each call, for --by customer: call ID, tab, customer")
	flags.IntVar(&o.ShardRows, "shard-rows", 10_000, "rows of a shard at most")
	flags.IntVar(&o.ShardBytes, "shard-bytes", 128<<20, "bytes of text after which shards are written")
	flags.StringArrayVar(&f.licences, "licence", nil, "licence of the calls, for the data card; may be repeated")
	flags.BoolVar(&f.check, "check", false, "check the files of an export against their checksums")
	return cmd
}

// print exports into a folder that is removed, and writes the rows to standard output.
func (f *exportFlags) print(cmd *cobra.Command, sys cli.System) (err error) {
	o := &f.options
	if o.Format != export.JSONL || cmd.Flags().Changed("validation") {
		return cli.UsageError("standard output takes JSON lines without parts: leave --format and --validation out")
	}
	if o.Dir, err = os.MkdirTemp("", "sotto-export-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
	o.Validation = 0
	out := cmd.OutOrStdout()
	cmd.SetOut(cmd.ErrOrStderr())
	if err := f.run(cmd, sys); err != nil {
		return err
	}
	shards, err := filepath.Glob(filepath.Join(o.Dir, export.Train+"-*"))
	for _, shard := range shards {
		var rows []byte
		if rows, err = os.ReadFile(shard); err == nil {
			_, err = out.Write(rows)
		}
		if err != nil {
			return err
		}
	}
	return err
}

func (f *exportFlags) verify(cmd *cobra.Command, files []string) error {
	if len(files) > 0 || f.input.topic != "" {
		return cli.UsageError("--check reads no calls")
	}
	m, err := export.Verify(f.options.Dir)
	if err != nil {
		return cli.Exit(cli.Check, err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "All %d files are intact.\n", len(m.Files))
	return err
}

func (f *exportFlags) prepare() (export.CardInfo, error) {
	info := export.CardInfo{Licences: f.licences, Identifiers: "not looked for"}
	o := &f.options
	o.Settings = f.input.topic + "\n" + f.by
	if f.by != transcripts.ByCall && f.by != transcripts.ByCustomer {
		return info, cli.UsageError("--by must be call or customer")
	}
	var err error
	if f.individuals, err = transcripts.NewIndividuals(f.by, f.customers); err != nil {
		return info, cli.UsageError("%v", err)
	}
	if f.by == transcripts.ByCustomer {
		o.SplitBy = func(c *transcripts.Transcript) (string, error) { return f.individuals.Of(c.Events[0]) }
	}
	if f.blacklist == "" {
		return info, nil
	}
	file, err := cli.OpenInput(f.blacklist)
	if err != nil {
		return info, err
	}
	defer file.Close()
	sum := sha256.New()
	if o.Blacklist, err = indirect.Read(io.TeeReader(file, sum), f.blacklist); err != nil {
		return info, err
	}
	o.Settings += fmt.Sprintf("\n%x", sum.Sum(nil))
	if o.MaxN < 1 || o.MaxN > o.Blacklist.N {
		return info, cli.UsageError("--ngrams must be 1 to %d, the longest n-grams of the list", o.Blacklist.N)
	}
	info.Identifiers = fmt.Sprintf("n-grams of up to %d words that fewer than %d individuals use", o.MaxN, o.Blacklist.K)
	return info, nil
}

func (f *exportFlags) run(cmd *cobra.Command, sys cli.System) error {
	info, err := f.prepare()
	if err != nil {
		return err
	}
	s, err := cli.LoadSettings(sys)
	if err != nil {
		return err
	}
	ctx, stop := cli.UntilSignal(cmd)
	defer stop()
	if err := f.checkFiles(ctx); err != nil {
		return err
	}
	e, err := export.Open(f.options)
	if err != nil {
		return cli.UsageError("%v", err)
	}
	var open int
	if f.input.topic == "" {
		open, err = f.fromFiles(ctx, e, &s)
	} else {
		open, err = f.fromTopic(ctx, e, &s)
	}
	if err != nil {
		return err
	}
	c := e.Counts()
	info.Privacy = privacyOf(&s, slices.Collect(maps.Keys(c.Policies)))
	if err := e.WriteCard(info); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has %d calls for training and %d for validation. %d were not released, %d repeat others, %d have not ended, or only just (SOTTO_CALL_GRACE).\n",
		f.options.Dir, c.Exported[export.Train], c.Exported[export.Validation], c.Withheld, c.Duplicates, open)
	return err
}

// privacyOf returns the privacy account of the settings if they made all of the calls.
func privacyOf(s *config.Settings, policies []string) string {
	engine, err := cli.NewEngine(*s)
	if err != nil || len(policies) != 1 || policies[0] != engine.Policy() {
		return ""
	}
	var b strings.Builder
	account, err := s.PrivacyAccount()
	if err != nil || account.WriteTable(&b) != nil {
		return ""
	}
	return b.String()
}

// checkFiles reads the files before anything is written: every call must be the work of an engine, and customers
// must be those of their calls.
func (f *exportFlags) checkFiles(ctx context.Context) error {
	if f.input.topic != "" {
		return nil
	}
	for _, file := range f.input.files {
		info, err := os.Stat(file)
		if err == nil && info.IsDir() {
			return cli.UsageError("%s is a folder: name the files in it", file)
		}
		if err == nil && !info.Mode().IsRegular() {
			return cli.UsageError("%s is not a regular file, and it must be read twice; write its data to a file first", file)
		}
		if err := readTranscripts(file, func(event *schemas.CleanEvent) error {
			_, err := f.individuals.Of(event)
			return cmp.Or(ctx.Err(), export.CheckOrigin(event), err)
		}); err != nil {
			return err
		}
	}
	return f.individuals.Unmatched()
}

// fromFiles exports the calls of the files, and returns how many have not ended.
func (f *exportFlags) fromFiles(ctx context.Context, e *export.Exporter, s *config.Settings) (open int, err error) {
	for _, file := range f.input.files {
		a := transcripts.NewAssembler(s.CallGrace)
		if err := readTranscripts(file, func(event *schemas.CleanEvent) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := addCalls(e, a.Add(event, 0, 0)); err != nil || !e.Full() {
				return err
			}
			return e.Commit(nil)
		}); err != nil {
			return 0, err
		}
		if err := addCalls(e, a.Flush()); err != nil {
			return 0, err
		}
		open += a.Open()
	}
	return open, e.Commit(nil)
}

func addCalls(e *export.Exporter, calls []*transcripts.Transcript) error {
	for _, c := range calls {
		if err := e.Add(c); err != nil {
			return err
		}
	}
	return nil
}

// fromTopic exports the calls that are complete in a topic, from where the last run stopped. The
// next run reads the others again from their first event.
func (f *exportFlags) fromTopic(ctx context.Context, e *export.Exporter, s *config.Settings) (open int, err error) {
	name, err := f.input.name(s)
	if err != nil {
		return 0, err
	}
	a := transcripts.NewAssembler(s.CallGrace)
	next := map[int32]int64{}
	maps.Copy(next, e.Offsets())
	commit := func() error {
		low := map[int32]int64{}
		for p, at := range next {
			low[p] = a.Low(p, at)
		}
		return e.Commit(low)
	}
	end, err := topic.Read(ctx, s, name, e.Offsets(), func(event topic.Event) error {
		next[event.Partition] = event.Offset + 1
		if e.Has(event.CallID) {
			return nil // from before the last commit, while an older call was open
		}
		if err := export.CheckOrigin(event.CleanEvent); err != nil {
			return fmt.Errorf("%s partition %d offset %d: %w", name, event.Partition, event.Offset, err)
		}
		if err := addCalls(e, a.Add(event.CleanEvent, event.Partition, event.Offset)); err != nil || !e.Full() {
			return err
		}
		return commit()
	})
	if err != nil {
		return 0, err
	}
	next = end
	return a.Open(), commit()
}
