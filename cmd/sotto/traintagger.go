package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/anonymize/replace"
	"sotto/cmd/internal/cli"
	"sotto/detectors/ner"
	"sotto/training/tagger"
)

type trainTaggerFlags struct {
	tagger.Options
	output, card string
	annotated    []string
	licences     []string
	lists        string
	composed     int
}

func newTrainTagger() *cobra.Command {
	var f trainTaggerFlags
	cmd := &cobra.Command{
		Use:   "tagger FILE... -o MODEL",
		Short: "Train the statistical tagger from the beginning",
		Long: "Trains the model that reads together with the encoder, and alone where\n" +
			"SOTTO_READING=fast. It knows nothing but the calls that it is given, so it needs\n" +
			"thousands. A twelfth of them is held out to calibrate the model and to score it.\n" +
			"Equal files, in the same order, and equal settings give an equal model.",
		Example: "  sotto train tagger calls.jsonl -o own.model --card own.md",
		RunE:    func(cmd *cobra.Command, files []string) error { return runTrainTagger(cmd, f, files) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "file to write the model to ('-': standard output)")
	flags.StringVar(&f.card, "card", "", "write a model card (Markdown) to this file too")
	flags.StringArrayVar(&f.annotated, "annotated", nil, annotatedUsage)
	flags.StringArrayVar(&f.licences, "licence", nil, "SET=LICENCE for the model card")
	flags.StringVar(&f.lists, "lists", "", "folder of lists of names; adds turns composed of them")
	flags.IntVar(&f.composed, "composed", 30_000, "turns to compose with --lists")
	flags.Uint64Var(&f.Seed, "seed", 0, "seed of every random choice")
	flags.IntVar(&f.Passes, "passes", tagger.DefaultPasses, "passes over the conversations")
	flags.IntVar(&f.Limit, "limit", tagger.DefaultLimit, "most turns that one file contributes to a pass")
	return cmd
}

func runTrainTagger(cmd *cobra.Command, f trainTaggerFlags, files []string) error {
	switch {
	case len(files)+len(f.annotated) == 0:
		return cli.UsageError("no labelled conversations; see 'sotto train tagger --help'")
	case f.output == "":
		return cli.UsageError("no file for the model; name it with -o MODEL")
	case f.Passes < 1 || f.Limit < 1:
		return cli.UsageError("--passes and --limit must be 1 or more")
	}
	licences := map[string]string{}
	for _, l := range f.licences {
		set, licence, ok := strings.Cut(l, "=")
		if !ok {
			return cli.UsageError("--licence must be SET=LICENCE")
		}
		licences[set] = licence
	}
	sets, err := readTraining(files, f.annotated)
	if err != nil {
		return err
	}
	if f.lists != "" {
		lists, err := tagger.ReadLists(f.lists)
		if err != nil {
			return cli.UsageError("%v; name a folder with all lists, see docs/tagger.md", err)
		}
		sets = append(sets, tagger.Compose(lists, f.composed, f.Seed))
	}
	f.Progress = cmd.ErrOrStderr()
	data, report, err := trainTo(cmd, f.output, sets, f.Options)
	if err != nil {
		return err
	}
	if f.card != "" {
		if err := writeFile(f.card, public, func(w io.Writer) error { return writeCard(w, report, f.Options, licences, data) }); err != nil {
			return err
		}
	}
	held := 0
	for _, s := range report.Sets {
		held += s.Held
	}
	if held == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "sotto: too few conversations to hold any out: the model is neither calibrated nor scored")
	}
	_, err = fmt.Fprintf(reports(cmd, f.output), "%s: %d bytes\n", f.output, len(data))
	return err
}

// trainTo trains a model and writes it to a file or to standard output. It returns what it wrote.
func trainTo(cmd *cobra.Command, path string, sets []tagger.Set, o tagger.Options) (data []byte, report *tagger.Report, err error) {
	weights, report, err := tagger.Train(sets, o)
	if err != nil {
		return nil, nil, err
	}
	if data, err = ner.Encode(weights); err != nil {
		return nil, nil, err
	}
	return data, report, writeOutput(cmd, path, public, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// writeCard writes the model card, with the privacy that surrogates give to
// what this model finds: its recall bounds the share that is replaced.
func writeCard(w io.Writer, r *tagger.Report, o tagger.Options, licences map[string]string, model []byte) error {
	if err := r.WriteCard(w, o, licences, model); err != nil {
		return err
	}
	choice, err := replace.ParseChoice("entity")
	if err != nil {
		return err
	}
	// The account does not depend on the key: nothing is drawn.
	plan, err := replace.New(replace.Config{Choice: choice, Independent: true, Key: make([]byte, 32)})
	if err != nil {
		return err
	}
	overall, byType := r.Recall()
	const heading = "\nPrivacy of independent surrogates (`SOTTO_STRATEGY=entity`, `SOTTO_ENTITY_MODE=independent`) for names that only this\n" +
		"model finds, p being its recall of held-out words (docs/replacement.md; with tags epsilon is 0):\n\n```text\n"
	if _, err := io.WriteString(w, heading); err != nil {
		return err
	}
	if err := plan.Account(slices.Sorted(maps.Keys(byType)), &replace.Recall{Overall: overall, ByType: byType}).WriteTable(w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "```\n")
	return err
}
