package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/detectors/encoder"
	"sotto/internal/gold"
	"sotto/risk"
	"sotto/training/corpus/words"
	"sotto/training/head"
	"sotto/training/tagger"
)

const annotatedUsage = "transcripts in which annotators marked what was missed, in the forms that 'sotto risk' reads, to learn from as well"

type trainFlags struct {
	head.Options
	output    string
	annotated []string
}

func newTrain() *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use:   "train FILE... -o MODEL",
		Short: "Adapt detection to labelled conversations of your own",
		Long: "Trains the last layer of the encoder from labelled conversations (JSON lines or\n" +
			"marked-up text), about 80 to 5,000 of them. What the layers below know of the\n" +
			"language stays. Every eighth conversation is held out: training ends when these\n" +
			"are predicted no better. Equal files, in the same order, and equal settings give\n" +
			"an equal model.",
		Example: "  sotto train calls.jsonl -o own.model\n" +
			"  sotto train calls.jsonl --annotated audit.jsonl -o own.model\n" +
			"  SOTTO_MODEL_FILE=own.model sotto eval --gold others.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, files []string) error { return runTrain(cmd, f, files) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "file to write the model to ('-': standard output)")
	flags.StringArrayVar(&f.annotated, "annotated", nil, annotatedUsage)
	flags.Uint64Var(&f.Seed, "seed", 0, "seed of the order in which words are learned from")
	flags.IntVar(&f.Passes, "passes", head.DefaultPasses, "passes over the conversations at most")
	cmd.AddCommand(newTrainTagger())
	return cmd
}

func runTrain(cmd *cobra.Command, f trainFlags, files []string) error {
	switch {
	case len(files)+len(f.annotated) == 0:
		return cli.UsageError("no labelled conversations; see 'sotto train --help'")
	case f.output == "":
		return cli.UsageError("no file for the model; name it with -o MODEL")
	case f.Passes < 1:
		return cli.UsageError("--passes must be 1 or more")
	}
	sets, err := readTraining(files, f.annotated)
	if err != nil {
		return err
	}
	f.Progress = cmd.ErrOrStderr()
	_, err = adapt(cmd, f.output, sets, f.Options)
	return err
}

// adapt trains the last layer of the encoder and writes it to a file or to standard output. It returns what it wrote.
func adapt(cmd *cobra.Command, path string, sets []tagger.Set, o head.Options) ([]byte, error) {
	var calls []gold.Conversation
	for _, s := range sets {
		calls = append(calls, s.Conversations...)
	}
	model := encoder.Builtin()
	layer, report, err := head.Train(cmd.Context(), model, calls, o)
	if err != nil {
		return nil, err
	}
	data, err := model.EncodeHead(layer)
	if err != nil {
		return nil, err
	}
	if err := writeOutput(cmd, path, public, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
		return nil, err
	}
	if report.After == report.Before {
		fmt.Fprintln(cmd.ErrOrStderr(), "sotto: the calls held out are predicted no better after training: the model is the built-in one")
	}
	_, err = fmt.Fprintf(reports(cmd, path), "%s: %d bytes, learned from %d calls; the loss of a word of the %d held out is %.4f, and was %.4f\n",
		path, len(data), report.Learned, report.HeldOut, report.After, report.Before)
	return data, err
}

// readTraining reads labelled conversations and annotated transcripts.
func readTraining(files, annotated []string) ([]tagger.Set, error) {
	sets, err := readLabelled(files)
	if err != nil || len(annotated) == 0 {
		return sets, err
	}
	calls, err := readAnnotated(risk.Table6(), annotated)
	if err != nil {
		return nil, err
	}
	return append(sets, annotatedSet(calls)), nil
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

// annotatedSet makes a set of transcripts in which annotators marked what
// anonymization had missed. What is marked is a name; tags that stand for what
// was masked, [PERSON_NAME_1], teach nothing of their own kind and are left out
// of learning. Each line is a turn, said by who is named before its colon.
func annotatedSet(calls []risk.Transcript) tagger.Set {
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
