package main

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/internal/texttable"
)

// walk calls f with a command and all commands below it.
func walk(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		walk(sub, f)
	}
}

func TestEveryCommandIsInAGroupOfTheHelp(t *testing.T) {
	for _, cmd := range cli.Root(cli.System{}, commands).Commands() {
		if cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.Name())
		}
	}
}

// Whoever asks for help reads it in a terminal. Only examples, which are copied, may be wider.
func TestHelpFitsATerminal(t *testing.T) {
	var paths []string
	walk(cli.Root(cli.System{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}, commands), func(cmd *cobra.Command) {
		paths = append(paths, cmd.CommandPath())
	})
	if len(paths) < 25 {
		t.Fatalf("only %d commands: %q", len(paths), paths)
	}
	for _, path := range paths {
		args := append(strings.Fields(path)[1:], "--help")
		o := sotto(t, nil, "", args...)
		if o.code != cli.Done {
			t.Errorf("%s --help: status %d", path, o.code)
		}
		before, after, _ := strings.Cut(o.out, "\nExamples:\n")
		_, after, _ = strings.Cut(after, "\n\n")
		for line := range strings.Lines(before + after) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > texttable.Width {
				t.Errorf("%s --help: a line of %d columns: %q", path, n, line)
			}
		}
	}
}
