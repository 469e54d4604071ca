package main

import (
	"os"
	"path/filepath"
	"strings"

	"sotto/anonymize"
	"sotto/corpus/calls"
	"sotto/corpus/noise"
	"sotto/detectors/ner"
	"sotto/detectors/ner/train"
	"sotto/eval"
	"sotto/internal/gold"
)

// figures are what a training and a measurement give, in percent, and in points for the risk.
type figures struct {
	// Calls are the conversations of sets whose names begin with "calls", Noisy copies of them as
	// recognizers would have written them, All every set.
	Calls, Noisy, All set
}

type set struct{ Chars, Over, Risk, Same float64 }

// add adds a share of other figures.
func (f *figures) add(g *figures, share float64) {
	for _, x := range []struct{ to, from *set }{{&f.Calls, &g.Calls}, {&f.Noisy, &g.Noisy}, {&f.All, &g.All}} {
		x.to.Chars += float64(share * x.from.Chars)
		x.to.Over += float64(share * x.from.Over)
		x.to.Risk += float64(share * x.from.Risk)
		x.to.Same += float64(share * x.from.Same)
	}
}

// measure trains on a share of the conversations and measures on the others.
func measure(o options, seed uint64) (f figures, err error) {
	model := ner.Builtin()
	if !o.quick {
		if model, err = o.learn(seed); err != nil {
			return f, err
		}
	}
	engine, err := anonymize.New(anonymize.Options{Model: model, RawOffsets: true})
	if err != nil {
		return f, err
	}
	files, err := read(o.dev)
	if err != nil {
		return f, err
	}
	var ours, noisy, all []eval.Set
	for _, s := range files {
		all = append(all, s)
		if strings.HasPrefix(s.Name, "calls") {
			ours = append(ours, s)
			for _, p := range []noise.Profile{noise.Raw, noise.Commercial} {
				noisy = append(noisy, eval.Set{Name: s.Name, Conversations: noised(s.Conversations, p)})
			}
		}
	}
	for _, m := range []struct {
		sets []eval.Set
		to   *set
	}{{ours, &f.Calls}, {noisy, &f.Noisy}, {all, &f.All}} {
		r, err := eval.Run(m.sets, eval.Engine(engine), eval.Options{})
		if err != nil {
			return f, err
		}
		*m.to = set{
			Chars: 100 * r.RecallChars.Value(), Over: 100 * r.OverMaskedTokens.Value(),
			Risk: r.ResidualRisk.MeanPlusStd, Same: 100 * r.SameEntitySameNumber.Value(),
		}
	}
	return f, nil
}

// learn trains a model on one of o.share conversations.
func (o options) learn(seed uint64) (*ner.Model, error) {
	files, err := read(o.train)
	if err != nil {
		return nil, err
	}
	var some []gold.Conversation
	for _, s := range files {
		for _, c := range s.Conversations {
			if hashOf(c.ID)>>16%uint64(o.share) == 0 {
				some = append(some, c)
			}
		}
	}
	weights, _, err := train.Train([]train.Set{{Name: "calls", Conversations: some}},
		train.Options{Seed: seed, Passes: o.passes, Limit: 1 << 30, Progress: os.Stderr})
	if err != nil {
		return nil, err
	}
	data, err := ner.Encode(weights)
	if err != nil {
		return nil, err
	}
	return ner.Decode(data)
}

// read reads the files of a pattern, in the order of their names.
func read(pattern string) ([]eval.Set, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	var sets []eval.Set
	for _, p := range paths {
		conversations, err := calls.ReadFile(p)
		if err != nil {
			return nil, err
		}
		sets = append(sets, eval.Set{Name: strings.TrimSuffix(filepath.Base(p), filepath.Ext(p)), Conversations: conversations})
	}
	return sets, nil
}

func noised(in []gold.Conversation, p noise.Profile) []gold.Conversation {
	out := make([]gold.Conversation, len(in))
	for i, c := range in {
		out[i] = noise.Apply(c, 7, p)
	}
	return out
}
