package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/internal/gold"
	"sotto/processor/topic"
	"sotto/schemas"
	"sotto/training/corpus/transcripts"
)

// corpusInput is where a corpus comes from: files, or a topic.
type corpusInput struct {
	topic string // clean, final, or "" for files
	files []string
}

func (in *corpusInput) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&in.topic, "topic", "", "read a topic to its present end instead of files: clean (SOTTO_TOPIC_CLEAN) or final (SOTTO_TOPIC_FINAL)")
}

func (in *corpusInput) check(cmd *cobra.Command, files []string) error {
	in.files = files
	switch {
	case in.topic != "" && len(files) > 0:
		return cli.UsageError("files and --topic exclude each other")
	case in.topic == "" && len(files) == 0:
		return cli.UsageError("%s needs FILE or --topic; see '%s --help'", cmd.CommandPath(), cmd.CommandPath())
	case in.topic != "" && in.topic != "clean" && in.topic != "final":
		return cli.UsageError("--topic must be clean or final")
	}
	return nil
}

func (in *corpusInput) name(s *config.Settings) (string, error) {
	if in.topic == "clean" {
		return s.TopicClean, nil
	}
	if s.TopicFinal == "" {
		return "", cli.UsageError("--topic final needs SOTTO_TOPIC_FINAL")
	}
	return s.TopicFinal, nil
}

func (in *corpusInput) each(ctx context.Context, sys cli.System, fn func(*schemas.CleanEvent) error) error {
	if in.topic == "" {
		for _, file := range in.files {
			if err := readTranscripts(file, fn); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := cli.LoadSettings(sys)
	if err != nil {
		return err
	}
	name, err := in.name(&s)
	if err != nil {
		return err
	}
	_, err = topic.Read(ctx, &s, name, nil, func(e topic.Event) error { return fn(e.CleanEvent) })
	return err
}

func readTranscripts(file string, fn func(*schemas.CleanEvent) error) error {
	return missingFile(transcripts.ReadFile(file, fn))
}

func readConversations(file string) ([]gold.Conversation, error) {
	conversations, err := transcripts.Conversations(file)
	return conversations, missingFile(err)
}

func missingFile(err error) error {
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) && missing.Op == "open" {
		return cli.UsageError("%v; name files of calls", err)
	}
	return err
}
