package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"sotto/anonymize"
	"sotto/config"
	"sotto/internal/batch"
	"sotto/schemas"
)

func newAnonymize(sys system) *cobra.Command {
	var text, explain bool
	cmd := &cobra.Command{
		Use:   "anonymize [FILE]",
		Short: "Anonymize a file of events or of plain text, without Kafka",
		Long: "Reads RawEvent JSON lines (standard input without FILE, or with '-') and writes\n" +
			"CleanEvent JSON lines in the same order; calls may be interleaved. With --text\n" +
			"it reads plain 'Speaker: words' lines of one call and writes the same.\n\n" +
			"A line that cannot be read is reported by its number, without its text; the\n" +
			"rest is processed and the exit status is 1. Interim hypotheses are dropped.\n\n" +
			"Surrogates (SOTTO_STRATEGY) are drawn with the key of SOTTO_STATE_KEY_FILE, so that\n" +
			"another run gives the same ones. Without it a random key is used and not kept.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%s takes one FILE at most; see '%s --help'", cmd.CommandPath(), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSettings(sys)
			if err != nil {
				return err
			}
			s.RawOffsets = true
			e, err := newEngine(s)
			if err != nil {
				return err
			}
			in := cmd.InOrStdin()
			if len(args) == 1 && args[0] != "-" {
				f, err := openInput(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			stderr := cmd.ErrOrStderr()
			intake, err := s.FileIntake()
			if err != nil {
				return &commandError{exitUsage, err}
			}
			gate := s.Gate()
			job := batch.Job{
				Engine:  e,
				Judge:   func(context string, sum *schemas.CallSummary) { gate.Judge(context, sum) },
				Admit:   intake.Admit,
				Publish: intake.Publish,
				Explain: explain,
				Report:  func(line int, problem string) { fmt.Fprintf(stderr, "sotto: line %d: %s\n", line, problem) },
			}
			process := job.Events
			if text {
				process = job.Text
			}
			n, err := process(cmd.Context(), in, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			if n.Interim > 0 {
				fmt.Fprintf(stderr, "sotto: %d interim hypotheses dropped\n", n.Interim)
			}
			if n.Bad > 0 {
				return fmt.Errorf("%d of %d lines could not be processed; they are named above and missing from the output", n.Bad, n.Lines)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&text, "text", false, "read and write plain 'Speaker: words' lines of one call")
	cmd.Flags().BoolVar(&explain, "explain", false, "report for each masked span which detector found it, on what evidence, and which findings lost to it")
	return cmd
}

func newEngine(s config.Settings) (*anonymize.Engine, error) {
	e, err := s.NewEngine()
	if err != nil {
		return nil, &commandError{exitUsage, err}
	}
	return e, nil
}

// openInput opens a file for reading. The error says what to do.
func openInput(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError("there is no file %s; give an existing FILE, or none to read standard input", path)
	case err != nil:
		return nil, usageError("%v; give a FILE that can be read", err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, usageError("%s is a folder; give a FILE", path)
	}
	return f, nil
}
