package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sotto/detectors/allowlist"
	"sotto/internal/gold"
	"sotto/research/lm"
	"sotto/research/recovery"
)

// recoverFlags are the flags of sotto-research recover.
type recoverFlags struct {
	model, output    string
	server           recovery.Server
	openai, fillMask string
	keyFile          string
	rate             float64
	options          recovery.Options
	technique, words string
	limit            int
	rounds           int
	base             []string
	own              bool
}

func newRecover() *cobra.Command {
	var f recoverFlags
	cmd := &cobra.Command{
		Use:   "recover FILE... -m MODEL -o FILE",
		Short: "Fill the masks of masked conversations with words that fit",
		Long: "Fills each [MASK] from the left to the right with a word that a language model proposes:\n" +
			"the best one (top1) or one of the k best (topk). The model is the built-in one (-m), or\n" +
			"one behind HTTP: --openai URL, for a server with the completions interface of OpenAI, or\n" +
			"--fill-mask URL, for one that predicts masks. Masks that follow each other count as one.\n\n" +
			"Equal seeds give equal words. The result may hold words of the texts that the model learned:\n" +
			"keep it as secret as the model. Calls that it was trained on are refused without --own-calls.",
		Example: "  sotto-research recover masked.jsonl -m calls.lm --method topk --k 10 --technique allowlist -o recovered.jsonl\n" +
			"  sotto-research recover masked.jsonl --openai http://localhost:8000/v1 --model NAME -o recovered.jsonl",
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := f.check(cmd, files); err != nil {
				return err
			}
			return f.run(cmd, files)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "file to write the conversations to")
	flags.StringVarP(&f.model, "lm", "m", "", "model of 'sotto-research lm'")
	flags.StringVar(&f.openai, "openai", "", "URL of a server, to which /completions is added")
	flags.StringVar(&f.fillMask, "fill-mask", "", "URL of a server that predicts masks")
	flags.StringVar(&f.server.Model, "model", "", "name of the server's model, for --openai")
	flags.StringVar(&f.server.Mask, "mask", "", "mask of the model, for --fill-mask; default: [MASK]")
	flags.StringVar(&f.keyFile, "key-file", "", "file with the key of the server of --openai or --fill-mask")
	flags.DurationVar(&f.server.Timeout, "timeout", 30*time.Second, "time that a request may take")
	flags.IntVar(&f.server.Retries, "retries", 5, "how often a request is repeated that failed for a reason that may pass")
	flags.Float64Var(&f.rate, "rate", 10, "requests a second at most; 0: no limit")
	flags.StringVar(&f.options.Method, "method", recovery.TopK, "top1 or topk")
	flags.IntVar(&f.options.K, "k", 10, "how many words topk chooses from")
	flags.Uint64Var(&f.options.Seed, "seed", 1, "seed of the choice")
	flags.StringVar(&f.technique, "technique", "", "allowlist or vocab, by which the text was masked: words that it kept are avoided")
	flags.StringVar(&f.words, "words", "", "file with the words that --technique kept, if that was not the built-in list")
	flags.IntVar(&f.limit, "limit", 0, "how many words of the file of --words it kept; 0: all")
	flags.IntVar(&f.rounds, "finetune", 0, "how often the built-in model (-m) is trained on the result, and the masks are filled again")
	flags.StringArrayVar(&f.base, "train", nil, "conversations that --finetune also learns from, such as those of the model; may be repeated")
	flags.BoolVar(&f.own, "own-calls", false, "fill calls that the model (-m) was trained on, which may bring back what was masked")
	return cmd
}

// checkOwn refuses calls that the model has learned: it would fill many masks with what was masked.
func (f *recoverFlags) checkOwn(masked []gold.Conversation) error {
	m, ok := f.options.Filler.(recovery.Model)
	if !ok || f.own {
		return nil
	}
	n := 0
	for _, id := range callIDs(masked) {
		if m.TrainedOn(id) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("the model was trained on %d of these %d calls, so it would bring back much of what was masked; "+
		"train it on others with 'sotto-research lm', or ask for it with --own-calls", n, len(masked))
}

func (f *recoverFlags) check(cmd *cobra.Command, files []string) error {
	models := 0
	for _, m := range []string{f.model, f.openai, f.fillMask} {
		if m != "" {
			models++
		}
	}
	switch {
	case len(files) == 0:
		return fmt.Errorf("no masked conversations; see '%s --help'", cmd.CommandPath())
	case f.output == "":
		return errors.New("no file for the conversations; name it with -o FILE")
	case models != 1:
		return errors.New("name one model: with -m, --openai or --fill-mask")
	case f.rounds < 0 || f.rounds > 0 && f.model == "" || len(f.base) > 0 && f.rounds == 0:
		return errors.New("--finetune trains the built-in model (-m), and --train needs --finetune")
	case f.technique == "" && f.words != "" || f.limit < 0 || f.limit > 0 && f.words == "":
		return errors.New("--words needs --technique, and --limit needs --words")
	case f.server.Timeout <= 0 || f.server.Retries < 0 || f.rate < 0:
		return errors.New("--timeout must be over 0, --retries and --rate at least 0")
	}
	if err := f.options.Check(); err != nil {
		return err
	}
	return nil
}

// prepare loads the model and the list.
func (f *recoverFlags) prepare() (err error) {
	switch {
	case f.words != "":
		f.options.Avoid, err = allowlist.ReadFile(f.words, f.limit)
	case f.technique != "":
		f.options.Avoid, err = allowlist.Builtin(f.technique)
	}
	if err != nil {
		return err
	}
	if f.model != "" {
		m, err := lm.Open(f.model)
		if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
			return fmt.Errorf("%w; train a model with 'sotto-research lm'", err)
		}
		f.options.Filler = recovery.Model{Model: m}
		return err
	}
	s := &f.server
	s.URL, s.Kind = f.openai, recovery.OpenAI
	if f.fillMask != "" {
		s.URL, s.Kind = f.fillMask, recovery.FillMask
	}
	if f.rate > 0 {
		s.Interval = time.Duration(float64(time.Second) / f.rate)
	}
	if f.keyFile != "" {
		key, err := os.ReadFile(f.keyFile)
		if err != nil {
			return err
		}
		s.Key = strings.TrimSpace(string(key))
	}
	f.options.Filler = s
	return nil
}

func (f *recoverFlags) run(cmd *cobra.Command, files []string) error {
	if err := f.prepare(); err != nil {
		return err
	}
	masked, err := readConversations(files)
	if err != nil {
		return err
	}
	if err := f.checkOwn(masked); err != nil {
		return err
	}
	base, err := readConversations(f.base)
	if err != nil {
		return err
	}
	filled, err := recovery.FineTune(cmd.Context(), masked, recovery.Texts(base), f.options, f.rounds, f.progress(cmd, len(masked)))
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return errors.New("interrupted; nothing was written")
		}
		return err
	}
	return writeOutput(cmd, f.output, func(w io.Writer) error { return gold.Write(w, filled) })
}

// progress reports how far it is, at most once in five seconds.
func (f *recoverFlags) progress(cmd *cobra.Command, all int) func(round, n int) {
	last := time.Now()
	return func(round, n int) {
		if time.Since(last) < 5*time.Second {
			return
		}
		last = time.Now()
		fmt.Fprintf(cmd.ErrOrStderr(), "round %d of %d: %d of %d conversations\n", round+1, f.rounds+1, n, all)
	}
}
