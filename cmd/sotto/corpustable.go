package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sotto/replace"
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
			"addresses and other values that are made by rule are never learnt, names only\n" +
			"by their parts, and nothing that fewer than --min-calls conversations hold.",
		Example: "  sotto corpus table calls.jsonl -o surrogates.tsv --min-calls 5",
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case len(files) == 0:
				return usageError("no labelled conversations; see '%s --help'", cmd.CommandPath())
			case output == "":
				return usageError("no file for the table; name it with -o TABLE")
			case minCalls < 1:
				return usageError("--min-calls must be at least 1")
			}
			var l replace.Learner
			for _, file := range files {
				if err := learnTable(&l, file); err != nil {
					return err
				}
			}
			t, err := l.Tables(minCalls)
			if err != nil {
				return err
			}
			if len(t.Types()) == 0 {
				return fmt.Errorf("no value is in %d conversations or more; give more of them, or a lower --min-calls", minCalls)
			}
			if err := writePrivate(output, func(f *os.File) error { return l.Write(f, minCalls) }); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s holds surrogates for %d infoTypes.\n", output, len(t.Types()))
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write the table to")
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

// writePrivate writes a file that only its owner can read, whole or not at all.
func writePrivate(path string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".sotto-*") // mode 0600
	if err != nil {
		return fmt.Errorf("cannot write the file: %w", err)
	}
	defer os.Remove(f.Name())
	if err = write(f); err == nil {
		err = f.Sync() // before it replaces the old file
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("cannot write the file: %w", err)
	}
	return nil
}
