package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/files/cleandiff"
	"sotto/processor/topic"
	"sotto/schemas"
)

func newDiff(sys cli.System) *cobra.Command {
	var topics bool
	var since time.Duration
	var show int
	cmd := &cobra.Command{
		Use:   "diff FIRST SECOND",
		Short: "Compare two anonymized versions of the same calls",
		Long: "Compares the clean events of two files, or with --topics of two topics: those of\n" +
			"the live stream and those of a second release with another policy, model or\n" +
			"version. It reports utterances in which words are left that the first version\n" +
			"masks, the other way round, and how often each infoType was found. It prints no\n" +
			"words of the calls. The exit status is 3 if the second version reveals words.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.UsageError("sotto diff takes two arguments, FIRST and SECOND; see 'sotto diff --help'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var c cleandiff.Comparison
			for i, side := range []func(*schemas.CleanEvent){c.Before, c.After} {
				add := func(e *schemas.CleanEvent) error { side(e); return nil }
				var err error
				if topics {
					err = readCleanTopic(cmd, sys, args[i], since, add)
				} else {
					err = readTranscripts(args[i], add)
				}
				if err != nil {
					return err
				}
			}
			r := c.Report()
			if err := r.Write(cmd.OutOrStdout(), show); err != nil {
				return err
			}
			switch {
			case r.Compared == 0:
				return cli.Exit(cli.Check, fmt.Errorf("the two have no utterance in common: are they the same calls, and are call IDs hashed with the same key?"))
			case r.Revealing > 0:
				return cli.Exit(cli.Check, fmt.Errorf("the second version reveals words in %d utterances that the first one masks", r.Revealing))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&topics, "topics", false, "FIRST and SECOND are topics of SOTTO_KAFKA_BROKERS")
	cmd.Flags().DurationVar(&since, "since", 24*time.Hour, "with --topics: compare events of this last span of time")
	cmd.Flags().IntVar(&show, "show", 20, "differences to list")
	return cmd
}

func readCleanTopic(cmd *cobra.Command, sys cli.System, name string, since time.Duration, add func(*schemas.CleanEvent) error) error {
	s, err := cli.LoadSettings(sys)
	if err != nil {
		return err
	}
	return topic.ReadSince(cmd.Context(), &s, name, time.Now().Add(-since), func(e topic.Event) error { return add(e.CleanEvent) })
}
