package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"sotto/corpus/lm"
	"sotto/corpus/recovery"
)

func newCorpusLM() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "lm FILE... -o MODEL",
		Short: "Train the built-in language model, which fills masks",
		Long: "Trains an interpolated Kneser-Ney model of trigrams on conversations (JSON lines or\n" +
			"marked-up text). It holds what they say: keep it as secret as them.",
		Example: "  sotto corpus lm calls.jsonl -o calls.lm",
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case len(files) == 0:
				return usageError("no conversations; see '%s --help'", cmd.CommandPath())
			case output == "":
				return usageError("no file for the model; name it with -o MODEL")
			}
			texts, err := readTexts(files)
			if err != nil {
				return err
			}
			m := lm.Train(slices.Values(texts), lm.Options{})
			if err := writePrivate(output, func(f *os.File) error {
				_, err := m.WriteTo(f)
				return err
			}); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has a model of %d texts with a vocabulary of %d words.\n", output, len(texts), m.Words())
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write the model to")
	return cmd
}

// readTexts returns the words of each utterance of the files.
func readTexts(files []string) (texts [][]string, err error) {
	for _, file := range files {
		conversations, err := readConversations(file)
		if err != nil {
			return nil, err
		}
		texts = append(texts, recovery.Texts(conversations)...)
	}
	return texts, nil
}
