package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/anonymize/replace"
	"sotto/cmd/internal/cli"
)

func newCorpusTable() *cobra.Command {
	var (
		output   string
		minCalls int
	)
	cmd := &cobra.Command{
		Use:   "table FILE... -o TABLE",
		Short: "Learn surrogates from labelled conversations",
		Long: "Counts the labelled values of conversations (JSON lines or marked-up text) and writes a\n" +
			"table for SOTTO_SURROGATE_FILE. Surrogates are then drawn by their relative\n" +
			"frequencies in the corpus (value dissociation) instead of from built-in lists.\n\n" +
			"The table holds what the corpus says: keep it as secret as the corpus. Numbers,\n" +
			"addresses and other values that are made by rule are never learned, names only\n" +
			"by their parts, and nothing that fewer than --min-calls conversations hold.",
		Example: "  sotto corpus table calls.jsonl -o surrogates.tsv --min-calls 5",
		Args:    cli.SomeArgs("labelled conversations"),
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case output == "":
				return cli.UsageError("no file for the table; name it with -o TABLE")
			case minCalls < 1:
				return cli.UsageError("--min-calls must be at least 1")
			}
			var l replace.Learner
			for _, file := range files {
				if err := learnTable(&l, file); err != nil {
					return err
				}
			}
			var text bytes.Buffer
			if err := l.Write(&text, minCalls); err != nil {
				return err
			}
			t, err := replace.ReadTables(text.Bytes())
			if err != nil {
				return err
			}
			if len(t.Types()) == 0 {
				return fmt.Errorf("no value is in %d conversations or more; give more of them, or a lower --min-calls", minCalls)
			}
			if err := writeOutput(cmd, output, private, func(w io.Writer) error { _, err := text.WriteTo(w); return err }); err != nil {
				return err
			}
			_, err = fmt.Fprintf(reports(cmd, output), "%s holds surrogates for %d infoTypes.\n", output, len(t.Types()))
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write the table to ('-': standard output)")
	cmd.Flags().IntVar(&minCalls, "min-calls", 5, "leave out values that fewer conversations hold")
	return cmd
}

func learnTable(l *replace.Learner, file string) error {
	conversations, err := readGold(file)
	if err != nil {
		return err
	}
	for _, c := range conversations {
		id := fmt.Sprintf("%s:%d", file, c.Line)
		for _, u := range c.Utterances {
			text := []rune(u.Text)
			for _, s := range u.Entities {
				l.Add(id, s.Type, string(text[s.Start:s.End]))
			}
		}
	}
	return nil
}
