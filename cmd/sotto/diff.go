package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sotto/internal/cleandiff"
	"sotto/processor"
	"sotto/schemas"
)

func newDiff(sys system) *cobra.Command {
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
				return usageError("sotto diff takes two arguments, FIRST and SECOND; see 'sotto diff --help'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var c cleandiff.Comparison
			for i, add := range []func(*schemas.CleanEvent){c.Before, c.After} {
				var err error
				if topics {
					err = readCleanTopic(cmd, sys, args[i], since, add)
				} else {
					err = readCleanFile(args[i], add)
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
				return &commandError{exitCheck, fmt.Errorf("the two have no utterance in common: are they the same calls, and are call IDs hashed with the same key?")}
			case r.Revealing > 0:
				return &commandError{exitCheck, fmt.Errorf("the second version reveals words in %d utterances that the first one masks", r.Revealing)}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&topics, "topics", false, "FIRST and SECOND are topics of SOTTO_KAFKA_BROKERS")
	cmd.Flags().DurationVar(&since, "since", 24*time.Hour, "with --topics: compare events of this last span of time")
	cmd.Flags().IntVar(&show, "show", 20, "differences to list")
	return cmd
}

func readCleanTopic(cmd *cobra.Command, sys system, topic string, since time.Duration, add func(*schemas.CleanEvent)) error {
	s, err := loadSettings(sys)
	if err != nil {
		return err
	}
	return processor.ReadClean(cmd.Context(), s, topic, time.Now().Add(-since), add)
}

// maxCleanLine bounds a line: a clean event fits a Kafka message.
const maxCleanLine = 4 << 20

// readCleanFile reads CleanEvent JSON lines, as 'sotto anonymize' writes them.
func readCleanFile(name string, add func(*schemas.CleanEvent)) error {
	f, err := os.Open(name)
	if err != nil {
		return usageError("%v; give an existing file of clean events, or --topics", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxCleanLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var e schemas.CleanEvent
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.CallID == "" {
			return fmt.Errorf("%s: line %d is not a clean event in JSON", name, n)
		}
		add(&e)
	}
	return lines.Err()
}
