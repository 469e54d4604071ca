package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/risk"
)

type riskFlags struct {
	json, check bool
	scores      string
	context     string
	page        string
	adversary   adversaryFlags
}

func newRisk(sys cli.System) *cobra.Command {
	var f riskFlags
	cmd := &cobra.Command{
		Use:   "risk FILE...",
		Short: "Score annotated transcripts and check whether the corpus passes",
		Long: "Scores transcripts in which people marked what anonymization missed, and prints\n" +
			"the statistics for each context. A .txt file is one call in annotated text,\n" +
			"(words)[MISSED_TYPE]; ID@NAME.txt is the reading of annotator NAME. Any other\n" +
			"file holds JSON lines: calls with text or utterances, or audit events of calls\n" +
			"with annotations in their text. Calls that were sampled with a known\n" +
			"probability are weighted by it. A call without annotations counts only if it\n" +
			"names its annotator or has \"annotated\": true; otherwise it is not annotated.\n\n" +
			"With --adversary, it reads anonymized calls instead (clean events) and sends them to a\n" +
			"language model, which must say who the people are. --check then says what would be sent.",
		Example: "  sotto risk annotated/*.txt --context sales --page residual-risk.md\n" +
			"  sotto risk audit.jsonl --check\n" +
			"  sotto risk --adversary https://models.example/v1 --model large --results answers.jsonl \\\n" +
			"      --truth truth.jsonl --html adversary.html clean.jsonl",
		Args: cli.SomeArgs("transcripts"),
		RunE: func(cmd *cobra.Command, files []string) error {
			if f.adversary.URL != "" && f.page != "" {
				return cli.UsageError("--page is for annotated calls; --html writes the report of --adversary")
			}
			if f.adversary.URL != "" {
				return f.adversary.run(cmd, sys, f.json, f.check, files)
			}
			return runRisk(cmd, f, files)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.StringVar(&f.scores, "scores", "", "YAML file with scores that replace those of Table 6")
	flags.StringVar(&f.context, "context", "", "context of calls that name none")
	flags.StringVar(&f.page, "page", "", "file to write a page to, in Markdown, for people who decide: what was measured, what is left, what was lost; it has nothing of a call")
	flags.BoolVar(&f.check, "check", false, "exit with status 3 unless all calls are annotated and the corpus passes; with --adversary: say what would be sent, and whether the server answers")
	f.adversary.add(cmd)
	return cmd
}

func runRisk(cmd *cobra.Command, f riskFlags, files []string) error {
	table := risk.Table6()
	if f.scores != "" {
		in, err := os.Open(f.scores)
		if err != nil {
			return cli.UsageError("%v; name a score file that can be read", err)
		}
		table, err = table.ReadScores(in, f.scores)
		in.Close()
		if err != nil {
			return cli.Exit(cli.Usage, err)
		}
	}
	calls, err := readAnnotated(table, files)
	if err != nil {
		return err
	}
	for i := range calls {
		calls[i].Context = cmp.Or(calls[i].Context, f.context)
	}
	report := table.Assess(calls)
	if f.page != "" {
		if err := writeFile(f.page, public, report.WritePage); err != nil {
			return err
		}
	}
	if err := writeReport(cmd.OutOrStdout(), f.json, report); err != nil || !f.check {
		return err
	}
	switch n := report.Total.NotAnnotated; {
	case n > 0:
		return cli.Exit(cli.Check, fmt.Errorf("%d of %d calls are not annotated; name the annotator of those that were read, or leave the others out", n, n+report.Total.Count))
	case !report.Total.Passes:
		return cli.Exit(cli.Check, fmt.Errorf("the corpus does not pass: mean + std is %.1f and must be below %d", report.Total.MeanPlusStd, risk.MaxScore))
	}
	return nil
}

// readAnnotated reads all files and reports all that are not well formed.
func readAnnotated(table *risk.Table, files []string) ([]risk.Transcript, error) {
	var calls []risk.Transcript
	var problems []error
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			return nil, cli.UsageError("%v; name files of annotated transcripts", err)
		}
		if strings.EqualFold(filepath.Ext(file), ".txt") {
			var c risk.Transcript
			if c, err = table.ReadText(in, file); err == nil {
				calls = append(calls, c)
			}
		} else {
			var more []risk.Transcript
			more, err = table.ReadLines(in, file)
			calls = append(calls, more...)
		}
		in.Close()
		if err != nil {
			problems = append(problems, err)
		}
	}
	return calls, errors.Join(problems...)
}
