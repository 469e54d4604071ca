package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/detectors"
	"sotto/detectors/allowlist"
	"sotto/internal/gold"
	"sotto/schemas"
	"sotto/training/corpus/mask"
	"sotto/training/eval"
)

type maskFlags struct {
	techniques []string
	words      string
	limit      int
	output     string
	report     bool
	json       bool
}

func newCorpusMask(sys cli.System) *cobra.Command {
	var f maskFlags
	cmd := &cobra.Command{
		Use:   "mask FILE...",
		Short: "Mask words of conversations, or report what each technique masks",
		Long: "Masks conversations (JSON lines or marked-up text) by one or more techniques:\n\n" +
			"  allowlist  every number, and every word but about 4,200 common ones\n" +
			"  vocab      every number, and every word but about 11,000\n" +
			"  entity     what the engine finds, with the settings of the environment\n\n" +
			"With --words, the list of allowlist or vocab is a file: a word on each line, from the\n" +
			"most frequent one on. --report measures all techniques on labelled conversations and\n" +
			"writes no text.",
		Example: "  sotto corpus mask --technique allowlist calls.jsonl -o masked.jsonl\n" +
			"  sotto corpus mask --report dev/*.jsonl",
		Args: cli.SomeArgs("conversations"),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.report {
				return f.runReport(cmd, sys, files)
			}
			return f.run(cmd, sys, files)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.techniques, "technique", nil, "allowlist, vocab or entity, or entity with one of the others, separated by a comma")
	flags.StringVar(&f.words, "words", "", "file with the words that stay, instead of the built-in list")
	flags.IntVar(&f.limit, "limit", 0, "how many words of that file stay, from the first one on; 0: all")
	flags.StringVarP(&f.output, "output", "o", "", "file to write the masked conversations to ('-': standard output)")
	flags.BoolVar(&f.report, "report", false, "print what the techniques mask and leave")
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
	return cmd
}

func (f *maskFlags) check() error {
	lists := 0
	for _, t := range f.techniques {
		switch t {
		case mask.Entity:
		case mask.AllowList, mask.Vocabulary:
			lists++
		default:
			return cli.UsageError("--technique must be allowlist, vocab or entity")
		}
	}
	switch {
	case f.report:
		if len(f.techniques) > 0 || f.words != "" || f.output != "" {
			return cli.UsageError("--report measures all techniques with their built-in lists and writes no text; it excludes --technique, --words and --output")
		}
	case len(f.techniques) == 0 || lists > 1:
		return cli.UsageError("--technique must be allowlist, vocab or entity, or entity with one of the others")
	case f.output == "":
		return cli.UsageError("no file for the masked conversations; name it with -o FILE")
	case f.words != "" && lists == 0:
		return cli.UsageError("--words needs --technique allowlist or vocab")
	case f.limit < 0 || f.limit > 0 && f.words == "":
		return cli.UsageError("--limit must be 0, or at least 1 with --words")
	}
	return nil
}

// masker is a technique: a list, the engine, or both.
type masker struct {
	mask.Masker
	engine eval.Anonymizer // nil without entity
}

func newMasker(sys cli.System, techniques []string, file string, limit int) (*masker, error) {
	m := &masker{}
	for _, t := range techniques {
		var err error
		switch {
		case t == mask.Entity:
			m.engine, err = entityMasker(sys, "corpus mask")
		case file != "":
			if m.Keep, err = allowlist.ReadFile(file, limit); err != nil {
				err = cli.UsageError("%v", err)
			}
		default:
			m.Keep, err = allowlist.Builtin(t)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

func entityMasker(sys cli.System, command string) (eval.Anonymizer, error) {
	s, err := cli.LoadSettings(sys)
	if err != nil {
		return nil, err
	}
	if err := cli.WithoutRemote(&s, command); err != nil {
		return nil, err
	}
	s.RawOffsets = true
	e, err := cli.NewEngine(s)
	if err != nil {
		return nil, err
	}
	return eval.Engine(e), nil
}

func (m *masker) found(c *gold.Conversation) ([][]gold.Span, error) {
	spans := make([][]gold.Span, len(c.Utterances))
	if m.engine == nil {
		return spans, nil
	}
	found, err := m.engine.Anonymize(c)
	if err != nil {
		return nil, err
	}
	for i := range found {
		for _, s := range found[i] {
			spans[i] = append(spans[i], gold.Span{Start: s.Start, End: s.End})
		}
	}
	return spans, nil
}

func (f *maskFlags) run(cmd *cobra.Command, sys cli.System, files []string) error {
	m, err := newMasker(sys, f.techniques, f.words, f.limit)
	if err != nil {
		return err
	}
	var all []gold.Conversation
	for _, file := range files {
		conversations, err := readConversations(file)
		if err != nil {
			return err
		}
		for n, c := range conversations {
			found, err := m.found(&c)
			if err != nil {
				return fmt.Errorf("%s: call %d: %w", file, n+1, err)
			}
			masked := c
			masked.Utterances = nil
			speakers := speakerWords{}
			for i, u := range c.Utterances {
				masked.Utterances = append(masked.Utterances, gold.Utterance{Speaker: speakers.of(&u), Text: m.Mask(u.Text, found[i])})
			}
			all = append(all, masked)
		}
	}
	return writeOutput(cmd, f.output, private, func(w io.Writer) error { return gold.Write(w, all) })
}

// speakerWords are what masked calls call the speakers of a call that have no role: their own words may be names.
type speakerWords map[string]string

func (s speakerWords) of(u *gold.Utterance) string {
	if role := u.Role(); role != string(schemas.RoleUnknown) || u.Speaker == "" {
		return strings.ToLower(u.Speaker)
	}
	if s[u.Speaker] == "" {
		s[u.Speaker] = fmt.Sprintf("s%d", len(s)+1)
	}
	return s[u.Speaker]
}

func (f *maskFlags) runReport(cmd *cobra.Command, sys cli.System, files []string) error {
	r := mask.Report{Techniques: []string{mask.AllowList, mask.Vocabulary, mask.Entity}}
	var maskers []*masker
	for _, t := range r.Techniques {
		m, err := newMasker(sys, []string{t}, "", 0)
		if err != nil {
			return err
		}
		maskers = append(maskers, m)
	}
	var labelled [][]gold.Conversation
	for _, file := range files {
		conversations, err := readConversations(file)
		if err != nil {
			return err
		}
		labelled = append(labelled, conversations)
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		s := mask.Set{Name: name, Tallies: make([]mask.Tally, len(maskers))}
		for i := range conversations {
			if err := measureMasks(&s, maskers, &conversations[i]); err != nil {
				return fmt.Errorf("%s: call %d: %w", file, i+1, err)
			}
		}
		r.Sets = append(r.Sets, s)
	}
	if err := needLabels(labelled...); err != nil {
		return err
	}
	return writeReport(cmd.OutOrStdout(), f.json, &r)
}

func measureMasks(s *mask.Set, maskers []*masker, c *gold.Conversation) error {
	for k, m := range maskers {
		found, err := m.found(c)
		if err != nil {
			return err
		}
		for i, u := range c.Utterances {
			s.Tallies[k].Add(&m.Masker, u.Text, found[i], directIdentifiers(&u))
		}
	}
	return nil
}

// directIdentifiers are the labelled spans of the infoTypes that are masked by default. Quantities,
// labelled NUMERIC, identify nobody.
func directIdentifiers(u *gold.Utterance) []gold.Span {
	return slices.DeleteFunc(slices.Clone(u.Entities), func(s gold.Span) bool {
		t := detectors.InfoType(s.Type)
		return s.Type == "MONEY" || s.Type == "OTHER" || t == detectors.Numeric || t.OffByDefault()
	})
}
