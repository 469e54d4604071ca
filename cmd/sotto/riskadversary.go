package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/internal/gold"
	"sotto/risk/adversary"
	"sotto/schemas"
	"sotto/training/corpus/export"
)

// noModel is the value of --adversary that asks no server.
const noModel = "none"

type adversaryFlags struct {
	adversary.Options
	keyFile, truth, results, html string
	limit                         time.Duration
	anonymize, raw                bool
}

func (f *adversaryFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.URL, "adversary", "", "ask a language model behind OpenAI's chat interface at this base URL what clean calls say of people; none: only guess without a model")
	flags.StringVar(&f.Model, "model", "", "with --adversary: name of the server's model")
	flags.StringVar(&f.keyFile, "key-file", "", "with --adversary: file with the key of the server (SOTTO_REMOTE_TOKEN_FILE)")
	flags.StringVar(&f.truth, "truth", "", "with --adversary: file with known facts about the people, to score the answers")
	flags.BoolVar(&f.anonymize, "anonymize", false, "with --adversary: the files are labelled conversations; anonymize them first, and score guesses of the masked values")
	flags.BoolVar(&f.raw, "raw-text", false, "with --adversary: send the text of calls that are not anonymized")
	flags.StringVar(&f.results, "results", "", "with --adversary: file of the answers; an interrupted run goes on from it")
	flags.StringVar(&f.html, "html", "", "with --adversary: file to write the report to as a page; it quotes the calls")
	flags.IntVar(&f.MaxRequests, "max-requests", 1000, "with --adversary: make so many requests at most")
	flags.IntVar(&f.MaxTokens, "max-tokens", 2_000_000, "with --adversary: use about so many tokens at most")
	flags.DurationVar(&f.limit, "time-limit", time.Hour, "with --adversary: stop after this time")
	flags.IntVar(&f.Concurrency, "concurrency", 2, "with --adversary: make so many requests at once")
}

func (f *adversaryFlags) check() error {
	switch {
	case f.URL == noModel:
		return nil
	case !config.IsSafeService(f.URL):
		return cli.UsageError("--adversary must be the base URL of the interface, with https or on this machine, such as https://models.example/v1")
	case f.Model == "" || f.results == "":
		return cli.UsageError("--adversary needs --model, the server's name for the model, and --results, a file for the answers")
	case f.MaxRequests < 1 || f.MaxTokens < 1 || f.limit <= 0 || f.Concurrency < 1 || f.Concurrency > 64:
		return cli.UsageError("--max-requests, --max-tokens and --time-limit must be more than 0, --concurrency from 1 to 64")
	}
	return nil
}

func (f *adversaryFlags) run(cmd *cobra.Command, sys cli.System, asJSON, check bool, files []string) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	calls, truth, err := f.read(sys, files)
	if err != nil {
		return err
	}
	if f.URL == noModel {
		return f.report(cmd, asJSON, adversary.Score(calls, truth, nil))
	}
	if f.Token, err = f.token(sys); err != nil {
		return err
	}
	f.Pause = time.Second
	journal, err := adversary.OpenJournal(f.results)
	if err != nil {
		return cli.Exit(cli.Failed, err)
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	ctx, stop := cli.UntilSignal(cmd)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	if check {
		return f.plan(ctx, cmd, calls, journal)
	}
	answers, refused, err := adversary.Run(ctx, f.Options, calls, journal)
	if err != nil && !errors.Is(err, adversary.ErrLimit) {
		return err
	}
	r := adversary.Score(calls, truth, answers)
	r.Refused, r.Complete = refused, err == nil
	if err := f.report(cmd, asJSON, r); err != nil || r.Complete {
		return err
	}
	return fmt.Errorf("%w; run the command again, with the same --results, to go on", adversary.ErrLimit)
}

// plan says what would be sent, and whether the server answers.
func (f *adversaryFlags) plan(ctx context.Context, cmd *cobra.Command, calls []gold.Conversation, j *adversary.Journal) error {
	requests, tokens := adversary.Plan(calls, f.Model, j)
	fmt.Fprintf(cmd.OutOrStdout(), "%d calls, %d requests to make, about %d tokens with the answers; the limits are %d and %d\n", len(calls), requests, tokens, f.MaxRequests, f.MaxTokens)
	if err := adversary.Probe(ctx, f.Options); err != nil {
		return err
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), "the server answers")
	return err
}

func (f *adversaryFlags) token(sys cli.System) (func() (string, error), error) {
	s, err := cli.LoadSettings(sys)
	if err != nil {
		return nil, err
	}
	s.RemoteTokenFile = cmp.Or(f.keyFile, s.RemoteTokenFile)
	if _, err := s.RemoteToken(); err != nil {
		return nil, cli.UsageError("%v; name a file with the key, with --key-file", err)
	}
	return s.RemoteToken, nil
}

func (f *adversaryFlags) report(cmd *cobra.Command, asJSON bool, r *adversary.Report) error {
	if f.html != "" {
		if err := writeFile(f.html, private, r.WriteHTML); err != nil {
			return err
		}
	}
	return writeReport(cmd.OutOrStdout(), asJSON, r)
}

// read reads the calls and what is known of them.
func (f *adversaryFlags) read(sys cli.System, files []string) (calls []gold.Conversation, truth map[string]*adversary.Truth, err error) {
	truth = map[string]*adversary.Truth{}
	if f.truth != "" {
		in, err := os.Open(f.truth)
		if err != nil {
			return nil, nil, cli.UsageError("%v; name a file with known facts", err)
		}
		truth, err = adversary.ReadTruth(in, f.truth)
		in.Close()
		if err != nil {
			return nil, nil, err
		}
	}
	if f.anonymize {
		calls, err = f.anonymized(sys, truth, files)
	} else {
		calls, err = f.clean(files)
	}
	seen := map[string]bool{}
	for i := range calls {
		if seen[calls[i].ID] {
			return nil, nil, errors.New("two calls have one ID; leave one of them out")
		}
		seen[calls[i].ID] = true
	}
	if err == nil && len(calls) == 0 {
		err = errors.New("the files have no calls")
	}
	return calls, truth, err
}

// clean reads calls that an engine has anonymized, or any with --raw-text.
func (f *adversaryFlags) clean(files []string) (calls []gold.Conversation, err error) {
	for _, file := range files {
		err := readTranscripts(file, func(e *schemas.CleanEvent) error {
			if !f.raw && export.CheckOrigin(e) != nil {
				return errors.New("the call is not the work of an engine; run 'sotto anonymize' first, or send raw text with --raw-text")
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		more, err := readConversations(file)
		if err != nil {
			return nil, err
		}
		calls = append(calls, more...)
	}
	return calls, nil
}

// anonymized anonymizes labelled conversations, and adds what stands behind their tags to the truth.
func (f *adversaryFlags) anonymized(sys cli.System, truth map[string]*adversary.Truth, files []string) ([]gold.Conversation, error) {
	engine, err := entityMasker(sys, "risk --adversary")
	if err != nil {
		return nil, err
	}
	calls, err := readGold(files...)
	if err != nil {
		return nil, err
	}
	for i := range calls {
		c := &calls[i]
		masks, err := engine.Anonymize(c)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", c.Line, err)
		}
		if truth[c.ID] == nil {
			truth[c.ID] = &adversary.Truth{ID: c.ID}
		}
		t := truth[c.ID]
		if t.Tags == nil {
			t.Tags = map[string]string{}
		}
		for k := range c.Utterances {
			text, clean, at := []rune(c.Utterances[k].Text), "", 0
			for _, m := range masks[k] {
				tag := fmt.Sprintf("[%s_%d]", m.Type, m.ID)
				t.Tags[tag] = cmp.Or(t.Tags[tag], string(text[m.Start:m.End]))
				clean, at = clean+string(text[at:m.Start])+tag, m.End
			}
			c.Utterances[k] = gold.Utterance{Speaker: c.Utterances[k].Speaker, Text: clean + string(text[at:])}
		}
	}
	return calls, nil
}
