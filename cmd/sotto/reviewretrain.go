package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sotto/anonymize"
	"sotto/cmd/internal/cli"
	"sotto/internal/gold"
	"sotto/review"
	"sotto/review/store"
	"sotto/training/eval"
	"sotto/training/head"
	"sotto/training/tagger"
)

type retrainFlags struct {
	output string
	held   float64
	passes int
}

func newReviewRetrain(sys cli.System, review *reviewFlags) *cobra.Command {
	var f retrainFlags
	cmd := &cobra.Command{
		Use:   "retrain [FILE...] -o MODEL",
		Short: "Train with the annotations, and compare with the model in use",
		Long: "Trains a model on labelled conversations and on the finished annotations of the\n" +
			"store, except for a held-out share of the calls. It then measures both the model\n" +
			"in use (SOTTO_MODEL_FILE, or the built-in one) and the new one on the held-out\n" +
			"calls, and prints both results. It never switches: set SOTTO_MODEL_FILE for that.",
		Example: "  sotto review retrain calls-of-ours.jsonl -o new.model",
		RunE: func(cmd *cobra.Command, files []string) error {
			return runRetrain(cmd, sys, review, f, files)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "file to write the model to ('-': standard output)")
	flags.Float64Var(&f.held, "held-out", 0.2, "share of annotated calls that only evaluation sees, chosen by their IDs")
	flags.IntVar(&f.passes, "passes", head.DefaultPasses, "passes over the conversations at most")
	return cmd
}

func runRetrain(cmd *cobra.Command, sys cli.System, review *reviewFlags, f retrainFlags, files []string) (err error) {
	switch {
	case f.output == "":
		return cli.UsageError("no file for the model; name it with -o MODEL")
	case f.held <= 0 || f.held >= 1:
		return cli.UsageError("--held-out must be more than 0 and less than 1")
	case f.passes < 1:
		return cli.UsageError("--passes must be 1 or more")
	}
	settings, err := cli.LoadSettings(sys)
	if err != nil {
		return err
	}
	s, err := review.openExisting(cmd.Context(), &settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	settings.RawOffsets = true
	old, err := cli.NewEngine(settings)
	if err != nil {
		return err
	}
	sets, err := readLabelled(files)
	if err != nil {
		return err
	}
	held, err := annotations(cmd.Context(), s, f.held, &sets)
	if err != nil {
		return err
	}
	if err := s.Record(cmd.Context(), commandLineUser(), "trained a model", ""); err != nil {
		return err
	}
	data, err := adapt(cmd, f.output, sets, head.Options{Passes: f.passes, Progress: cmd.ErrOrStderr()})
	if err != nil {
		return err
	}
	settings.ModelFile = f.output
	if f.output == standardOutput {
		copied := filepath.Join(os.TempDir(), "sotto-"+rand.Text())
		if err := os.WriteFile(copied, data, private); err != nil {
			return err
		}
		defer os.Remove(copied)
		settings.ModelFile = copied
	}
	fresh, err := cli.NewEngine(settings)
	if err != nil {
		return err
	}
	return compareEngines(reports(cmd, f.output), held, f.output, map[string]*anonymize.Engine{"in use": old, "new": fresh})
}

// annotations adds the annotated calls of the store to the sets, except for those held out, which
// it returns.
func annotations(ctx context.Context, s *store.Store, share float64, sets *[]tagger.Set) (held []eval.Set, err error) {
	for _, m := range []struct {
		mode review.Mode
		name string
	}{{review.Label, "labelled"}, {review.Missed, "missed"}} {
		read, err := s.Read(ctx, m.mode, true)
		if err != nil {
			return nil, err
		}
		var learn, test []gold.Conversation
		for _, c := range review.Conversations(read) {
			if heldBack(c.ID, share) {
				test = append(test, c)
			} else {
				learn = append(learn, c)
			}
		}
		if len(learn) > 0 {
			*sets = append(*sets, tagger.Set{Name: "review-" + m.name, Conversations: learn})
		}
		if len(test) > 0 {
			held = append(held, eval.Set{Name: m.name, Conversations: test})
		}
	}
	if len(held) == 0 {
		return nil, cli.UsageError("no finished annotations are held out, so the models cannot be compared; annotate more calls or raise --held-out")
	}
	return held, nil
}

// heldBack decides by the call's ID, so that a call never moves from evaluation to training.
func heldBack(id string, share float64) bool {
	sum := sha256.Sum256([]byte("held back " + id))
	return float64(sum[0])*256+float64(sum[1]) < share*65536
}

func compareEngines(out io.Writer, held []eval.Set, model string, engines map[string]*anonymize.Engine) error {
	for _, name := range []string{"in use", "new"} {
		result, err := eval.Run(held, eval.Engine(engines[name]), eval.Options{})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\nModel %s, on the annotations held out (policy %s)\n", name, engines[name].Policy())
		if err := result.WriteTable(out, false); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "\nNothing has been switched. To use the new model: SOTTO_MODEL_FILE=%s\n", model)
	return err
}
