package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"sotto/corpus/transcripts"
	"sotto/internal/gold"
	"sotto/research/lm"
	"sotto/research/recovery"
)

func newLM() *cobra.Command {
	var output string
	var k int
	cmd := &cobra.Command{
		Use:   "lm FILE... -o MODEL",
		Short: "Train the built-in language model, which fills masks",
		Long: "Trains an interpolated Kneser-Ney model of trigrams on conversations (JSON lines or\n" +
			"marked-up text). Words that fewer than k of them use do not enter it, so that it fills no\n" +
			"mask with them. It holds what the conversations say: keep it as secret as them.",
		Example: "  sotto-research lm calls.jsonl -o calls.lm",
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case len(files) == 0:
				return fmt.Errorf("no conversations; see '%s --help'", cmd.CommandPath())
			case output == "":
				return errors.New("no file for the model; name it with -o MODEL")
			case k < 1:
				return errors.New("-k must be at least 1")
			}
			conversations, err := readConversations(files)
			if err != nil {
				return err
			}
			texts := recovery.Texts(conversations)
			shared, rare := sharedWords(conversations, k)
			m := lm.Train(slices.Values(texts), lm.Options{Vocabulary: shared, Closed: true})
			m.Remember(callIDs(conversations))
			if err := writeOutput(cmd, output, m.Write); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s has a model of %d texts with a vocabulary of %d words; %d that fewer than %d conversations use are left out.\n",
				output, len(texts), len(m.Words), rare, k)
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write the model to")
	cmd.Flags().IntVarP(&k, "k", "k", 5, "conversations that must use a word for it to enter the model")
	return cmd
}

func callIDs(conversations []gold.Conversation) (ids []string) {
	for i := range conversations {
		ids = append(ids, conversations[i].ID)
	}
	return ids
}

// sharedWords returns the words that at least k conversations use, and how many others there are.
func sharedWords(conversations []gold.Conversation, k int) (shared []string, rare int) {
	type use struct{ count, last int }
	uses := map[string]use{}
	for i := range conversations {
		for _, text := range recovery.Texts(conversations[i : i+1]) {
			for _, w := range text {
				if u := uses[w]; u.last != i+1 {
					uses[w] = use{u.count + 1, i + 1}
				}
			}
		}
	}
	for _, w := range slices.Sorted(maps.Keys(uses)) {
		if uses[w].count >= k {
			shared = append(shared, w)
		} else {
			rare++
		}
	}
	return shared, rare
}

// readConversations returns the conversations of the files.
func readConversations(files []string) (all []gold.Conversation, err error) {
	for _, file := range files {
		conversations, err := transcripts.Conversations(file)
		if err != nil {
			return nil, err
		}
		all = append(all, conversations...)
	}
	return all, nil
}
