package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sotto/config"
)

func newVersion(sys system) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and policy hash",
		Long: "Prints the version, the commit it was built from and the hash of the policy:\n" +
			"of everything that decides what is masked, the dictionaries included. Two\n" +
			"programs with the same policy give the same output for the same calls; where\n" +
			"surrogates are drawn, with the same state key.",
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

// The Makefile sets these with -ldflags, from git.
var buildVersion, buildCommit string

// build returns the version and the commit. What -ldflags did not set is what the Go toolchain
// recorded: the module's version, and the commit of the working tree.
func build() (version, commit string) {
	version, commit = buildVersion, buildCommit
	if info, ok := debug.ReadBuildInfo(); ok {
		v, c := recorded(info)
		version, commit = cmp.Or(version, v), cmp.Or(commit, c)
	}
	return cmp.Or(version, "unknown"), cmp.Or(commit, "unknown")
}

func recorded(info *debug.BuildInfo) (version, commit string) {
	modified := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				modified = "-dirty"
			}
		}
	}
	if commit != "" {
		commit += modified
	}
	return info.Main.Version, commit
}

// loadSettings reads the settings. An error is a configuration error.
func loadSettings(sys system) (config.Settings, error) {
	s, err := config.Load(sys.environ)
	if err != nil {
		return s, &commandError{exitUsage, fmt.Errorf("%w; see 'sotto config'", err)}
	}
	return s, nil
}
