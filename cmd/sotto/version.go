package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sotto/processor"
)

func newVersion(sys system) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and policy hash",
		Long: "Prints the version, the commit it was built from and the hash of the policy:\n" +
			"of everything that decides what is masked, the dictionaries included. Two\n" +
			"programs with the same policy give the same output for the same calls.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := loadSettings(sys)
			if err != nil {
				return err
			}
			engine, err := newEngine(settings)
			if err != nil {
				return err
			}
			version, commit := build()
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "version  %s\ncommit   %s\npolicy   %s\n", version, commit, engine.Policy())
			return err
		},
	}
}

// build tells what the Go toolchain recorded of the version control.
func build() (version, commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", "unknown"
	}
	version, commit = info.Main.Version, "unknown"
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified {
		commit += " (modified)"
	}
	return version, commit
}

// loadSettings reads the settings; an error in them is one of configuration.
func loadSettings(sys system) (processor.Settings, error) {
	s, err := processor.LoadSettings(sys.environ)
	if err != nil {
		return s, &commandError{exitUsage, fmt.Errorf("%w; see 'sotto config'", err)}
	}
	return s, nil
}
