package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/anonymize/replace"
	"sotto/cmd/internal/cli"
	"sotto/detectors/ner"
	"sotto/internal/gold"
	"sotto/risk"
	"sotto/training/corpus/words"
	"sotto/training/tagger"
)

type trainFlags struct {
	tagger.Options
	output, card string
	annotated    []string
	licences     []string
	lists        string
	composed     int
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
	flags.Uint64Var(&f.Seed, "seed", 0, "seed of every random choice")
	flags.IntVar(&f.Passes, "passes", tagger.DefaultPasses, "passes over the conversations")
	flags.IntVar(&f.Limit, "limit", tagger.DefaultLimit, "most turns that one file contributes to a pass")
	return cmd
}

func runTrain(cmd *cobra.Command, f trainFlags, files []string) error {
	switch {
	case len(files)+len(f.annotated) == 0:
		return cli.UsageError("no labelled conversations; see 'sotto train --help'")
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

// readLabelled reads labelled conversations; each file is a set that is named after
// it.
func readLabelled(files []string) ([]tagger.Set, error) {
	var sets []tagger.Set
	for _, file := range files {
		conversations, err := readGold(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		sets = append(sets, tagger.Set{Name: name, Conversations: conversations})
	}
	return sets, nil
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

// annotatedSet makes a set of transcripts in which annotators marked what
// anonymization had missed. What is marked is a name; tags that stand for what
// was masked, [PERSON_NAME_1], teach nothing of their own kind and are left out
// of learning. Each line is a turn, said by who is named before its colon.
func annotatedSet(calls []risk.Call) tagger.Set {
	s := tagger.Set{Name: "annotated"}
	for i := range calls {
		c := &calls[i]
		conversation := gold.Conversation{ID: c.ID, Source: "annotated", Context: c.Context}
		at := 0
		for _, line := range strings.SplitAfter(c.Text, "\n") {
			runes := []rune(line)
			u := gold.Utterance{Text: strings.TrimRight(line, "\r\n")}
			n := len([]rune(u.Text))
			for _, m := range c.Missed {
				if m.Start >= at && m.End <= at+n {
					u.Entities = append(u.Entities, gold.Span{Start: m.Start - at, End: m.End - at, Type: m.Type})
				}
			}
			for _, tag := range words.Markers(u.Text) {
				u.Entities = append(u.Entities, gold.Span{Start: tag[0], End: tag[1], Type: "OTHER"})
			}
			if speaker, _, ok := strings.Cut(u.Text, ":"); ok && len(speaker) < 30 {
				u.Speaker = strings.ToLower(speaker)
			}
			if n > 0 {
				conversation.Utterances = append(conversation.Utterances, u)
			}
			at += len(runes)
		}
		s.Conversations = append(s.Conversations, conversation)
	}
	return s
}
