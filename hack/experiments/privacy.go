package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sotto/corpus/gold"
	"sotto/corpus/indirect"
	"sotto/corpus/lm"
	"sotto/corpus/recovery"
	"sotto/corpus/utility"
	"sotto/corpus/words"
)

// identifiers are the words of the private calls that a model must not learn.
type identifiers struct{ direct, indirect map[string]bool }

// identify labels words: direct identifiers by the labels of the calls, indirect ones by the graph.
// A word that the generic text has too identifies nobody.
func (d *data) identify() (*identifiers, error) {
	generic := map[string]bool{}
	for _, t := range recovery.Texts(d.generic) {
		for _, w := range t {
			generic[w] = true
		}
	}
	id := &identifiers{map[string]bool{}, map[string]bool{}}
	g, err := indirect.New(indirect.Options{K: 2, N: 1, MaxInMemory: 1 << 30})
	if err != nil {
		return nil, err
	}
	var s words.Splitter
	for _, c := range d.private {
		for _, u := range c.Utterances {
			runes := []rune(u.Text)
			for _, e := range u.Entities {
				for _, w := range s.Texts(string(runes[e.Start:e.End])) {
					if !generic[w] {
						id.direct[w] = true
					}
				}
			}
			if err := g.Add(c.ID, s.Texts(u.Text)); err != nil {
				return nil, err
			}
		}
	}
	return id, g.Identifiers(func(w string) error {
		if !id.direct[w] && !generic[w] {
			id.indirect[w] = true
		}
		return nil
	})
}

// protection is a way to train on the private calls.
type protection struct {
	name string
	// skip has no weight in training; change replaces words.
	skip   func(*identifiers, string) bool
	pseudo bool
}

var protections = []protection{
	{name: "none"},
	{name: "direct", skip: func(id *identifiers, w string) bool { return id.direct[w] }},
	{name: "indirect", skip: func(id *identifiers, w string) bool { return id.indirect[w] }},
	{name: "both", skip: func(id *identifiers, w string) bool { return id.direct[w] || id.indirect[w] }},
	{name: "pseudonymised", pseudo: true},
}

// pseudonym stands for a direct identifier in pseudonymised text, where it is learned as a word.
const pseudonym = "x"

func (d *data) protect(p protection, id *identifiers, passes int) *lm.Model {
	texts := recovery.Texts(d.private)
	if p.pseudo {
		for _, t := range texts {
			for i, w := range t {
				if id.direct[w] {
					t[i] = pseudonym
				}
			}
		}
	}
	o := lm.Options{Passes: passes}
	if p.skip != nil {
		o.Skip = func(w string) bool { return p.skip(id, w) }
	}
	return d.train(texts, o)
}

// predicted returns the words that a model predicts best somewhere in texts, and how often that is
// the word that stands there.
func predicted(m *lm.Model, texts [][]string) (proposed map[string]bool, accuracy float64) {
	proposed = map[string]bool{}
	right, n := 0, 0
	for _, t := range texts {
		for i, w := range t {
			next := m.Next(t[:i], 1)
			if len(next) == 0 {
				continue
			}
			proposed[next[0].Word] = true
			n++
			if next[0].Word == w {
				right++
			}
		}
	}
	return proposed, float64(right) / float64(max(n, 1))
}

func kept(list, proposed map[string]bool) float64 {
	leaked := 0
	for w := range list {
		if proposed[w] {
			leaked++
		}
	}
	return 1 - float64(leaked)/float64(max(len(list), 1))
}

// privacy writes the table of privacy against utility, and returns the plot.
func (d *data) privacy(b *strings.Builder) (string, error) {
	id, err := d.identify()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(b, privacyText, len(id.direct), len(id.indirect))
	b.WriteString("| protection | passes | accuracy on its own calls | accuracy on other calls | privacy | direct | indirect |\n|---|---|---|---|---|---|---|\n")
	all := map[string]bool{}
	for _, list := range []map[string]bool{id.direct, id.indirect} {
		for w := range list {
			all[w] = true
		}
	}
	private, test := recovery.Texts(d.private), recovery.Texts(d.test)
	var curves []curve
	for _, p := range protections {
		c := curve{name: p.name}
		for _, passes := range []int{1, 4, 16} {
			m := d.protect(p, id, passes)
			proposed, own := predicted(m, private)
			_, others := predicted(m, test)
			privacy := kept(all, proposed)
			fmt.Fprintf(b, "| %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f |\n", p.name, passes, own, others, privacy, kept(id.direct, proposed), kept(id.indirect, proposed))
			c.points = append(c.points, [2]float64{privacy, own})
		}
		curves = append(curves, c)
	}
	b.WriteString(privacyFindings)
	return draw(curves), nil
}

// membership writes how well it can be told whether a call was trained on.
func (d *data) membership(b *strings.Builder) error {
	id, err := d.identify()
	if err != nil {
		return err
	}
	b.WriteString(membershipText)
	b.WriteString("| protection | AUC of the loss | calls with a predicted identifier: trained on | not trained on |\n|---|---|---|---|\n")
	for _, p := range protections {
		m := d.protect(p, id, 4)
		inside, outside := losses(m, d.private), losses(m, d.test)
		proposed, _ := predicted(m, recovery.Texts(d.private))
		fmt.Fprintf(b, "| %s | %.3f | %.1f %% | %.1f %% |\n", p.name, auc(inside, outside), 100*share(d.private, id, proposed), 100*share(d.test, id, proposed))
	}
	b.WriteString(membershipFindings)
	return nil
}

// losses are the perplexities of the calls.
func losses(m *lm.Model, conversations []gold.Conversation) (out []float64) {
	for _, c := range conversations {
		out = append(out, perplexityOf(m, recovery.Texts([]gold.Conversation{c})))
	}
	return out
}

// auc is the probability that a call that was trained on is less surprising than one that was not.
func auc(inside, outside []float64) float64 {
	slices.Sort(outside)
	sum := 0.0
	for _, x := range inside {
		below, _ := slices.BinarySearch(outside, x)
		sum += float64(len(outside) - below)
	}
	return sum / float64(max(len(inside)*len(outside), 1))
}

// share is that of the calls with an identifier that a model proposes.
func share(conversations []gold.Conversation, id *identifiers, proposed map[string]bool) float64 {
	n := 0
	for _, c := range conversations {
		if slices.ContainsFunc(recovery.Texts([]gold.Conversation{c}), func(t []string) bool {
			return slices.ContainsFunc(t, func(w string) bool { return proposed[w] && (id.direct[w] || id.indirect[w]) })
		}) {
			n++
		}
	}
	return float64(n) / float64(max(len(conversations), 1))
}

// downstream measures a classifier of calls that is trained on what each strategy makes of them.
func (d *data) downstream(ctx context.Context, b *strings.Builder) error {
	s := utility.Set{Name: "context of a call", Train: examples(append(slices.Clone(d.generic), d.private...)), Test: examples(d.test)}
	r, err := utility.Measure(ctx, []utility.Set{s}, d.seeds, 1)
	if err != nil {
		return err
	}
	b.WriteString(downstreamText)
	if err := r.WriteMarkdown(b); err != nil {
		return err
	}
	b.WriteString(downstreamFindings)
	return nil
}

// firstTurns are enough to know a call's context, and few enough that it is not trivial.
const firstTurns = 4

func examples(conversations []gold.Conversation) (out []utility.Example) {
	for _, c := range conversations {
		e := utility.Example{ID: c.ID, Labels: []string{c.Context}}
		at := 0
		for _, u := range c.Utterances[:min(firstTurns, len(c.Utterances))] {
			for _, s := range u.Entities {
				if k := len(e.Spans); k > 0 && at+s.Start < e.Spans[k-1].End {
					continue
				}
				e.Spans = append(e.Spans, utility.Span{Start: at + s.Start, End: at + s.End, Class: "SLOT_" + s.Type, Type: s.Type})
			}
			e.Text += u.Text + " "
			at = len([]rune(e.Text))
		}
		out = append(out, e)
	}
	return out
}
