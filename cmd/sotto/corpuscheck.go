package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/internal/gold"
	"sotto/internal/texttable"
	"sotto/training/corpus/calls"
)

func newCorpusCheck() *cobra.Command {
	var notes bool
	cmd := &cobra.Command{
		Use:   "check FILE.txt...",
		Short: "Check labelled calls in marked-up text and count them",
		Long: "Reports broken markup, unknown infoTypes and turns without a speaker, and prints\n" +
			"a table of counts. Exits with status 3 if anything is wrong.\n\n" +
			"--notes lists the places where a label may be missing, because the words have one\n" +
			"elsewhere in the call. It quotes the calls. Notes do not change the exit status.\n" +
			"'sotto eval --errors' lists what the engine masks and has no label.",
		Example: "  sotto corpus check training/corpora/calls/train/*.txt\n" +
			"  sotto corpus check --notes calls.txt",
		Args: cli.SomeArgs("marked-up calls"),
		RunE: func(cmd *cobra.Command, files []string) error { return checkCalls(cmd, files, notes) },
	}
	cmd.Flags().BoolVar(&notes, "notes", false, "list the places where a label may be missing; it quotes the calls")
	return cmd
}

func checkCalls(cmd *cobra.Command, files []string, notes bool) error {
	out := cmd.OutOrStdout()
	table := texttable.New("file", "calls", "turns", "labels", "errors", "notes")
	row := func(name string, n *calls.Counts, problems, notes int) {
		table.Row(name, n.Calls, n.Turns, n.Labels, problems, notes)
	}
	var total calls.Counts
	problems, noted := 0, 0
	for _, file := range files {
		report, err := checkFile(file)
		if err != nil {
			return err
		}
		for _, p := range report.Problems {
			fmt.Fprintln(out, p)
		}
		if notes {
			for _, n := range report.Notes {
				fmt.Fprintln(out, n)
			}
		}
		row(file, &report.Counts, len(report.Problems), len(report.Notes))
		total.Add(report.Counts)
		problems, noted = problems+len(report.Problems), noted+len(report.Notes)
	}
	if len(files) > 1 {
		row("total", &total, problems, noted)
	}
	if err := errors.Join(table.Write(out), writeLabels(out, total.ByType)); err != nil {
		return err
	}
	if problems > 0 {
		return cli.Exit(cli.Check, fmt.Errorf("the check found %d errors; correct the lines that it names", problems))
	}
	return nil
}

func checkFile(file string) (*calls.Report, error) {
	if !calls.IsMarkup(file) {
		return nil, cli.UsageError("%s does not end in %s; name files of marked-up calls", file, calls.Extension)
	}
	return cli.ReadInput(file, calls.Check)
}

func writeLabels(out io.Writer, byType map[string]int) error {
	fmt.Fprintln(out)
	labels := texttable.New("infoType", "labels")
	types := slices.SortedFunc(maps.Keys(byType), func(a, b string) int {
		return cmp.Or(byType[b]-byType[a], cmp.Compare(a, b))
	})
	for _, t := range types {
		labels.Row(t, byType[t])
	}
	return labels.Write(out)
}

func newCorpusConvert() *cobra.Command {
	return &cobra.Command{
		Use:   "convert FILE.txt...",
		Short: "Convert labelled calls from marked-up text to JSON lines",
		Long: "Writes the calls to standard output, one JSON object a line, as docs/evaluation.md\n" +
			"describes it. Every command that reads labelled conversations also reads\n" +
			"marked-up text; this one is for other programs.",
		Example: "  sotto corpus convert training/corpora/calls/train/*.txt > gold.jsonl",
		Args:    cli.SomeArgs("marked-up calls"),
		RunE: func(cmd *cobra.Command, files []string) error {
			// Nothing is written if a file cannot be read.
			all, err := readGold(files...)
			if err != nil {
				return err
			}
			return gold.Write(cmd.OutOrStdout(), all)
		},
	}
}
