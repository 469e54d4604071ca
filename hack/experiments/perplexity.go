package main

import (
	"context"
	"fmt"
	"strings"

	"sotto/corpus/gold"
	"sotto/corpus/lm"
	"sotto/corpus/mask"
	"sotto/corpus/recovery"
	"sotto/corpus/words"
	"sotto/detectors/allowlist"
)

var techniques = []string{mask.AllowList, mask.Vocabulary, mask.Entity}

// perplexityRows name the training texts; neural.py has the same names.
var perplexityRows = []string{
	"no adaptation", "original text", "masks learned (Baseline0)", "masks without weight (Baseline1)", "Top-1", "Top-10", "Top-10, fine-tuned",
}

// masked masks the private calls by a technique.
func (d *data) masked(technique string) ([]gold.Conversation, *allowlist.List, error) {
	var m mask.Masker
	if technique != mask.Entity {
		var err error
		if m.Keep, err = allowlist.Builtin(technique); err != nil {
			return nil, nil, err
		}
	}
	var out []gold.Conversation
	for _, c := range d.private {
		found := make([][]mask.Span, len(c.Utterances))
		if technique == mask.Entity {
			var err error
			if found, err = d.found(&c); err != nil {
				return nil, nil, err
			}
		}
		masked := gold.Conversation{ID: c.ID}
		for i, u := range c.Utterances {
			masked.Utterances = append(masked.Utterances, gold.Utterance{Speaker: u.Speaker, Text: m.Mask(u.Text, found[i])})
		}
		out = append(out, masked)
	}
	return out, m.Keep, nil
}

// found returns what the engine finds, in bytes.
func (d *data) found(c *gold.Conversation) ([][]mask.Span, error) {
	masks, err := d.engine.Anonymize(c)
	if err != nil {
		return nil, err
	}
	out := make([][]mask.Span, len(masks))
	for i := range masks {
		var at []int
		for b := range c.Utterances[i].Text {
			at = append(at, b)
		}
		at = append(at, len(c.Utterances[i].Text))
		for _, m := range masks[i] {
			out[i] = append(out[i], mask.Span{Start: at[m.Start], End: at[m.End]})
		}
	}
	return out, nil
}

// perplexity writes the table of the paper on masking and recovery.
func (d *data) perplexity(ctx context.Context, b *strings.Builder) error {
	test := recovery.Texts(d.test)
	private := recovery.Texts(d.private)
	cells := make([][]string, len(perplexityRows))
	none := fmt.Sprintf("%.1f", perplexityOf(d.train(nil, lm.Options{}), test))
	oracle := fmt.Sprintf("%.1f", perplexityOf(d.train(private, lm.Options{}), test))
	fillModel := lm.Train(func(yield func([]string) bool) {
		for _, t := range recovery.Texts(d.generic) {
			if !yield(t) {
				return
			}
		}
	}, lm.Options{})
	for _, technique := range techniques {
		masked, list, err := d.masked(technique)
		if err != nil {
			return err
		}
		fill := func(method string, seed uint64, rounds int) (float64, error) {
			o := recovery.Options{Filler: recovery.Model{Model: fillModel}, Method: method, K: 10, Seed: seed, Avoid: list}
			filled, err := recovery.FineTune(ctx, masked, recovery.Texts(d.generic), o, rounds, nil)
			if err != nil {
				return 0, err
			}
			return perplexityOf(d.train(recovery.Texts(filled), lm.Options{}), test), nil
		}
		top1, err := fill(recovery.Top1, 1, 0)
		if err != nil {
			return err
		}
		var topk, tuned []float64
		for seed := range uint64(d.seeds) {
			for rounds, values := range []*[]float64{&topk, &tuned} {
				p, err := fill(recovery.TopK, seed+1, rounds)
				if err != nil {
					return err
				}
				*values = append(*values, p)
			}
		}
		texts := recovery.Texts(masked)
		for i, cell := range []string{
			none, oracle,
			fmt.Sprintf("%.1f", perplexityOf(d.train(texts, lm.Options{}), test)),
			fmt.Sprintf("%.1f", perplexityOf(d.train(texts, lm.Options{Skip: func(w string) bool { return w == words.Mask }}), test)),
			fmt.Sprintf("%.1f", top1), spread(topk, 1), spread(tuned, 1),
		} {
			cells[i] = append(cells[i], cell)
		}
	}
	b.WriteString(perplexityText)
	fmt.Fprintf(b, "| trained on generic text and | %s |\n|---|%s\n", strings.Join(techniques, " | "), strings.Repeat("---|", len(techniques)))
	for i, name := range perplexityRows {
		fmt.Fprintf(b, "| %s | %s |\n", name, strings.Join(cells[i], " | "))
	}
	b.WriteString(perplexityFindings)
	return nil
}
