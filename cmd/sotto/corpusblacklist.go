package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/detectors/lexicon"
	"sotto/internal/wordhash"
	"sotto/schemas"
	"sotto/training/corpus/indirect"
	"sotto/training/corpus/transcripts"
)

type blacklistFlags struct {
	input     corpusInput
	options   indirect.Options
	by        string
	customers string
	output    string
	common    bool
	json      bool
}

func newCorpusBlacklist(sys cli.System) *cobra.Command {
	var f blacklistFlags
	cmd := &cobra.Command{
		Use:   "blacklist [FILE...]",
		Short: "List the words and n-grams that fewer than k individuals use",
		Long: "Links individuals to the words and n-grams that they use, and lists those that fewer\n" +
			"than k of them use. Such an indirect identifier identifies a person as a name does.\n" +
			"It prints how many there are, by the length of the n-grams.\n\n" +
			"The list says what only one person says: keep it as secret as the corpus.",
		Example: "  sotto corpus blacklist clean.jsonl -o blacklist.txt\n" +
			"  sotto corpus blacklist --topic clean --by customer --customers customers.tsv -o blacklist.txt",
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := f.input.check(cmd, files); err != nil {
				return err
			}
			return f.run(cmd, sys)
		},
	}
	f.input.addFlag(cmd)
	flags := cmd.Flags()
	flags.IntVarP(&f.options.K, "k", "k", 2, "individuals that must use an n-gram for it to be safe")
	flags.IntVarP(&f.options.N, "n", "n", 3, "longest n-grams: 1 to 3 words")
	flags.IntVar(&f.options.MaxGrams, "memory", 20_000_000, "different n-grams at most, all in memory, about 85 bytes each")
	flags.BoolVar(&f.common, "common", false, "for small collections: words of everyday English, of which none is a name, identify nobody")
	flags.StringVar(&f.by, "by", "call", "what an individual is: call, speaker (of a call) or customer")
	flags.StringVar(&f.customers, "customers", "", "file with the customer of each call, for --by customer: call ID, tab, customer")
	flags.StringVarP(&f.output, "output", "o", "", "file to write the list to ('-': standard output); default: only the figures are printed")
	flags.BoolVar(&f.json, "json", false, "print the figures as JSON")
	return cmd
}

func (f *blacklistFlags) run(cmd *cobra.Command, sys cli.System) error {
	by, err := transcripts.NewIndividuals(f.by, f.customers)
	if err != nil {
		return cli.UsageError("%v", err)
	}
	if f.common {
		f.options.Common = everyday
	}
	g, err := indirect.New(f.options)
	if err != nil {
		return cli.UsageError("%v", err)
	}
	ctx, stop := cli.UntilSignal(cmd)
	defer stop()
	if err := f.build(ctx, sys, g, by); err != nil {
		return err
	}
	return f.report(cmd, g)
}

// everyday reports whether a word is one of everyday English and hardly ever a name.
func everyday(word string) bool {
	e := lexicon.LookupHash(wordhash.String(word))
	return e.Common() >= 6 && e.Name() < 4
}

func (f *blacklistFlags) build(ctx context.Context, sys cli.System, g *indirect.Graph, by *transcripts.Individuals) error {
	var turns transcripts.Runs
	err := f.input.each(ctx, sys, func(e *schemas.CleanEvent) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Type != schemas.Utterance {
			return nil
		}
		who, err := by.Of(e)
		if err != nil {
			return err
		}
		for run := range turns.Of(e.Text) {
			if err := g.Add(who, run); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(err, by.Unmatched())
}

func (f *blacklistFlags) report(cmd *cobra.Command, g *indirect.Graph) error {
	var r *indirect.Report
	var err error
	write := func(file io.Writer) (err error) { r, err = g.Report(file); return err }
	if f.output == "" {
		err = write(io.Discard)
	} else {
		err = writeOutput(cmd, f.output, private, write)
	}
	if err != nil {
		return err
	}
	out := reports(cmd, f.output)
	if f.json {
		return writeJSON(out, r)
	}
	if err := r.WriteTable(out); err != nil || f.output == "" || f.output == standardOutput {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s holds the identifiers. It says what only one person says: keep it as secret as the corpus.\n", f.output)
	return err
}
