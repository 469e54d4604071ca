package main

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/internal/gold"
	"sotto/training/corpus/audit"
	"sotto/training/corpus/export"
)

func newCorpusCanaries() *cobra.Command {
	var keep, output, form string
	var times []int
	cmd := &cobra.Command{
		Use:   "canaries --keep FILE -o ROWS",
		Short: "Make sentences to plant in training data, for audit-model",
		Long: "Makes sentences with a random code, to be learned with an export, and keeps in a file which\n" +
			"they are. Each is a call of its own. After the training, 'sotto corpus audit-model --canaries'\n" +
			"says how far the model gives them away (exposure).\n\n" +
			"The rows are those of 'sotto corpus export': give them to the training beside the shards. With\n" +
			"--form conversations they are labelled conversations without labels.",
		Example: "  sotto corpus canaries --keep canaries.json -o canaries.jsonl\n" +
			"  sotto corpus canaries --keep canaries.json -o canaries.jsonl --times 1,1,10,10,100",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := &audit.Canaries{Times: times}
			switch err := c.Check(); {
			case keep == output && keep != "":
				return cli.UsageError("--keep and -o name one file; the rows would overwrite the list of canaries")
			case keep == "" || output == "":
				return cli.UsageError("name the file that says what was planted with --keep FILE, and that of the rows with -o FILE")
			case err != nil:
				return cli.UsageError("--times: %v", err)
			case form != "rows" && form != "conversations":
				return cli.UsageError("--form must be rows or conversations")
			}
			var seed [8]byte
			_, _ = rand.Read(seed[:]) // never fails
			c.Seed = binary.LittleEndian.Uint64(seed[:])
			if err := writeOutput(cmd, keep, private, func(w io.Writer) error { return json.NewEncoder(w).Encode(c) }); err != nil {
				return err
			}
			return writeOutput(cmd, output, private, func(w io.Writer) error { return writeCanaries(w, c.Planted(), form) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&keep, "keep", "", "file to write what was planted to; keep it from the model")
	flags.StringVarP(&output, "output", "o", "", "file to write the rows to ('-': standard output)")
	flags.IntSliceVar(&times, "times", []int{1, 1, 1, 4, 4, 4, 16, 16, 16}, "how often each canary is planted, separated by commas")
	flags.StringVar(&form, "form", "rows", "rows of an export, or conversations")
	return cmd
}

func writeCanaries(w io.Writer, sentences []string, form string) error {
	if form == "conversations" {
		calls := make([]gold.Conversation, len(sentences))
		for i, s := range sentences {
			calls[i] = gold.Conversation{ID: canaryID(i), Utterances: []gold.Utterance{{Speaker: "customer", Text: s}}}
		}
		return gold.Write(w, calls)
	}
	e := json.NewEncoder(w)
	for i, s := range sentences {
		if err := e.Encode(export.PlainRow(canaryID(i), "customer: ", s)); err != nil {
			return err
		}
	}
	return nil
}

func canaryID(i int) string { return fmt.Sprintf("canary-%d", i+1) }
