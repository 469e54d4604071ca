package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/internal/gold"
	"sotto/training/corpus/calls"
)

func readGold(files ...string) (all []gold.Conversation, err error) {
	for _, file := range files {
		conversations, err := calls.ReadFile(file)
		if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
			return nil, cli.UsageError("%v; name files of labelled conversations", err)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, conversations...)
	}
	return all, nil
}

// needLabels is an error if no conversation has a label: figures of what is left would then say that nothing is.
func needLabels(conversations ...[]gold.Conversation) error {
	for _, list := range conversations {
		for _, c := range list {
			for _, u := range c.Utterances {
				if len(u.Entities) > 0 {
					return nil
				}
			}
		}
	}
	return errors.New("the conversations have no labels, so that nothing can be measured; label them, or give others")
}

// Modes of files that commands write. What says as much as the calls is for its owner alone.
const (
	private fs.FileMode = 0o600
	public  fs.FileMode = 0o644
)

// standardOutput is the name of an output that is no file.
const standardOutput = "-"

func writeOutput(cmd *cobra.Command, name string, mode fs.FileMode, write func(io.Writer) error) error {
	if name == standardOutput {
		return write(cmd.OutOrStdout())
	}
	return writeFile(name, mode, write)
}

// reports is where a command says what it wrote: beside the output, not in it.
func reports(cmd *cobra.Command, output string) io.Writer {
	if output == standardOutput {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// writeFile writes a file as a whole or not at all. A device or a pipe, such as /dev/stdout, is not replaced.
func writeFile(name string, mode fs.FileMode, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".sotto-*")
	if err == nil {
		defer os.Remove(f.Name())
		if err = write(f); err == nil {
			err = f.Sync() // before it replaces the old file
		}
		err = errors.Join(err, f.Chmod(mode), f.Close())
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("cannot write the file: %w", err)
	}
	return nil
}

func writeReport(out io.Writer, asJSON bool, report interface{ WriteTable(io.Writer) error }) error {
	if asJSON {
		return writeJSON(out, report)
	}
	return report.WriteTable(out)
}

func writeJSON(out io.Writer, report any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(report)
}
