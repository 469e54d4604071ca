package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/detectors/ner"
	"sotto/detectors/ner/train"
	"sotto/risk"
)

type trainFlags struct {
	output, card string
	annotated    []string
	licences     []string
	lists        string
	composed     int
	seed         uint64
	passes       int
	limit        int
}

func newTrain() *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use:   "train FILE... -o MODEL",
		Short: "Train the statistical tagger from labelled conversations",
		Long: "Trains a model that finds every infoType from labelled conversations (JSON lines\n" +
			"or marked-up text). A twelfth of the\n" +
			"conversations is held out to calibrate the model and to score it. Equal files,\n" +
			"in the same order, and equal settings give an equal model.\n\n" +
			"--annotated adds transcripts in which annotators marked what was missed, in\n" +
			"the forms that 'sotto risk' reads.",
		Example: "  sotto train calls.jsonl -o own.model --card own.md\n" +
			"  sotto train calls.jsonl --annotated audit.jsonl -o own.model",
		RunE: func(cmd *cobra.Command, files []string) error { return runTrain(cmd, f, files) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "file to write the model to ('-': standard output)")
	flags.StringVar(&f.card, "card", "", "write a model card (Markdown) to this file too")
	flags.StringArrayVar(&f.annotated, "annotated", nil, "annotated transcripts to learn from as well")
	flags.StringArrayVar(&f.licences, "licence", nil, "SET=LICENCE for the model card")
	flags.StringVar(&f.lists, "lists", "", "folder of lists of names; adds turns composed of them")
	flags.IntVar(&f.composed, "composed", 30_000, "turns to compose with --lists")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of every random choice")
	flags.IntVar(&f.passes, "passes", train.DefaultPasses, "passes over the conversations")
	flags.IntVar(&f.limit, "limit", train.DefaultLimit, "most turns that one file contributes to a pass")
	return cmd
}

func runTrain(cmd *cobra.Command, f trainFlags, files []string) error {
	switch {
	case len(files)+len(f.annotated) == 0:
		return cli.UsageError("no labelled conversations; see 'sotto train --help'")
	case f.output == "":
		return cli.UsageError("no file for the model; name it with -o MODEL")
	case f.passes < 1 || f.limit < 1:
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
	sets, err := readLabelled(files)
	if err != nil {
		return err
	}
	if len(f.annotated) > 0 {
		calls, err := readAnnotated(risk.Table6(), f.annotated)
		if err != nil {
			return err
		}
		sets = append(sets, annotatedSet(calls))
	}
	if f.lists != "" {
		lists, err := train.ReadLists(f.lists)
		if err != nil {
			return cli.UsageError("%v; name a folder with all lists, see docs/tagger.md", err)
		}
		sets = append(sets, train.Compose(lists, f.composed, f.seed))
	}
	o := train.Options{Seed: f.seed, Passes: f.passes, Limit: f.limit, Progress: cmd.ErrOrStderr()}
	data, report, err := trainTo(cmd, f.output, sets, o)
	if err != nil {
		return err
	}
	if f.card != "" {
		if err := writeFile(f.card, public, func(w io.Writer) error { return writeCard(w, report, o, licences, data) }); err != nil {
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
func trainTo(cmd *cobra.Command, path string, sets []train.Set, o train.Options) (data []byte, report *train.Report, err error) {
	weights, report, err := train.Train(sets, o)
	if err != nil {
		return nil, nil, err
	}
	if data, err = ner.Encode(weights); err != nil {
		return nil, nil, err
	}
	return data, report, writeOutput(cmd, path, public, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// readLabelled reads labelled conversations; each file is a set that is named after
// it.
func readLabelled(files []string) ([]train.Set, error) {
	var sets []train.Set
	for _, file := range files {
		conversations, err := readGold(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		sets = append(sets, train.Set{Name: name, Conversations: conversations})
	}
	return sets, nil
}
