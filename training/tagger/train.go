// Package tagger makes models of package ner from labelled conversations. It is deterministic: equal
// sets and options give equal models.
package tagger

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/ner/sequence"
	"sotto/internal/gold"
)

// Options say how a model is trained.
type Options struct {
	// Seed is that of every random choice.
	Seed uint64
	// Passes is how often each run reads the sets.
	Passes int
	// Limit bounds the turns that one set contributes to a pass, so that generated calls do not
	// drown out others.
	Limit int
	// Progress takes a line for each pass.
	Progress io.Writer
}

// The options of the model that is part of the program.
const (
	DefaultPasses = 3
	DefaultLimit  = 10_000
)

// Train makes a model and reports how it does on conversations that were held out. It fails if the
// sets hold no label to learn from.
func Train(sets []Set, o Options) (*ner.Weights, *Report, error) {
	t := newTrainer(sets, o)
	if t.pool.empty() {
		return nil, nil, errors.New("the sets have no labelled names of people, organizations, places or products; name labelled conversations")
	}
	began := time.Now()
	for pass := range questionPasses {
		t.learnQuestions(pass)
	}
	for t.coarsePass = range coarsePasses {
		t.pass()
	}
	t.coarsePass, t.steps = coarsePasses, 0
	t.reportCoarse()
	t.numberFeatures()
	fmt.Fprintf(o.Progress, "%d features, %s\n", len(t.keys), time.Since(began).Round(time.Second))
	t.learnRuns()
	if t.prune() {
		t.steps, t.mean = int(t.total*(1-settling)), newMean(len(t.rows))
		loss, words := t.pass()
		t.mean.add(t)
		t.mean.store(t)
		fmt.Fprintf(o.Progress, "after pruning: loss %.4f a word, %s\n", loss/float64(max(words, 1)), time.Since(began).Round(time.Second))
	}
	t.foldOutside()
	w := &ner.Weights{
		Rows: t.rows, Keys: t.keys, Transitions: t.transitions, Vocabulary: t.vocabulary,
		Asked: t.asked[whole].rows, AskedBias: t.asked[whole].bias, AskedBase: t.asked[whole].base(),
		Coarse: t.coarse[whole].weights, CoarseBias: t.coarse[whole].bias,
	}
	for k := range w.Curves {
		w.Curves[k] = ner.Identity()
	}
	report, err := t.calibrate(w)
	return w, report, err
}

// vector has a weight for each label. While they are learned, the weights of Outside are free as well:
// evidence for a value of any kind is then learned from the values of every kind, and rare features
// are fitted less closely.
type vector = [sequence.NumLabels]float32

type trainer struct {
	Options
	sets       []*set
	pool       *pool
	rng        *rand.Rand
	vocabulary sequence.Vocabulary

	// index numbers the features that occur often enough, keys are their hashes; sketch counts
	// features while they are numbered and is nil afterwards.
	index  *sequence.Index
	keys   []uint32
	sketch []uint8

	rows, squares       []vector
	transitions, square sequence.Transitions
	factors             *sequence.Factors
	steps               int
	// mean is nil until the pass after pruning.
	mean  *mean
	total float64

	// asked are the question models: one for each half of the conversations, and one of all.
	asked [3]*questions
	// coarse are coarse models of the same conversations; they learn until coarsePass is
	// coarsePasses.
	coarse     [3]*coarse
	coarsePass int

	workspace
}

// workspace is memory that is used anew for each turn.
type workspace struct {
	doc     detectors.Document
	reader  sequence.Reader
	chain   sequence.Chain
	gold    sequence.Chain
	allowed []sequence.LabelSet
	// open reports which words the coarse model leaves open; the others are fixed to Outside.
	open     []bool
	fixed    []sequence.LabelSet
	features []uint32
	ends     []int
	scratch  []uint32
}

func newTrainer(sets []Set, o Options) *trainer {
	t := &trainer{
		Options: o, rng: random(o.Seed, 0), vocabulary: sequence.NewVocabulary(),
		asked:  [3]*questions{newQuestions(), newQuestions(), newQuestions()},
		coarse: [3]*coarse{newCoarse(), newCoarse(), newCoarse()},
	}
	for _, s := range sets {
		t.sets = append(t.sets, newSet(s))
	}
	if !slices.ContainsFunc(t.sets, func(s *set) bool { return !s.namesOnly }) {
		for _, s := range t.sets {
			s.namesOnly = false // nothing would say that a word is no value at all
		}
	}
	t.pool = newPool(t.sets)
	t.fillVocabulary()
	for _, s := range t.sets {
		t.total += float64(o.Passes * s.repeats() * min(s.turns, o.Limit))
	}
	return t
}

// leastCount is how often a word must have been seen to be a feature.
const leastCount = 3

func (t *trainer) fillVocabulary() {
	seen := map[uint64]int{}
	for _, s := range t.sets {
		for i := range s.train {
			for k := range s.train[i].Utterances {
				t.doc.Reset(s.train[i].Utterances[k].Text)
				for n := range t.doc.Tokens {
					if h := t.doc.Tokens[n].Hash; h != 0 {
						if seen[h]++; seen[h] == leastCount {
							t.vocabulary.Add(h)
						}
					}
				}
			}
		}
	}
}

func (t *trainer) pass() (loss float64, words int) {
	for _, x := range t.order() {
		l, n := t.learn(t.vary(x.conversation), x.set.namesOnly)
		loss += l
		words += n
	}
	t.factors = sequence.NewFactors(&t.transitions)
	return loss, words
}

// learn takes a step for every turn of a conversation and returns the loss over its words.
func (t *trainer) learn(c *gold.Conversation, namesOnly bool) (loss float64, words int) {
	half := halfOf(c)
	t.eachTurn(c, namesOnly, func(context *sequence.Context, _ *sequence.Turn) {
		if t.steps%16 == 0 || t.factors == nil {
			t.factors = sequence.NewFactors(&t.transitions)
		}
		t.forget(context)
		t.perturb()
		t.reader.SetContext(context, &t.doc)
		loss += t.step(half)
		words += len(t.reader.Elements)
		if t.steps++; t.mean != nil && t.steps%meanEvery == 0 {
			t.mean.add(t)
		}
	})
	return loss, words
}

// rate is the step of the weights, which falls to 0 over the training; skip of 256 features are left
// out of a step, so that no single one is relied on.
const (
	rate = 0.04
	skip = 20
)

// settling is the rate of the first step of the pass after pruning, as a share of rate.
const settling = 0.5

// step takes one step along the gradient of the likelihood of the labels.
func (t *trainer) step(half int) float64 {
	n := len(t.reader.Elements)
	if n == 0 {
		return 0
	}
	if t.coarsePass < coarsePasses {
		t.learnCoarse(half)
		return 0
	}
	t.narrow(half)
	if t.sketch != nil {
		t.countFeatures()
		return 0
	}
	t.chain.Reset(n)
	t.features, t.ends = t.features[:0], t.ends[:0]
	for i := range n {
		v := &t.chain.Scores[i]
		*v = sequence.Vector{}
		if !t.open[i] {
			t.ends = append(t.ends, len(t.features))
			continue
		}
		bits := t.rng.Uint64()
		for _, x := range t.featuresOf(i) {
			// A cheap stream of random numbers decides on each feature.
			bits = bits*6364136223846793005 + 1442695040888963407
			if bits>>56 < skip {
				continue
			}
			id := t.index.Get(x)
			if id < 0 {
				continue
			}
			t.features = append(t.features, uint32(id))
			addTo((*vector)(v), &t.rows[id])
		}
		t.ends = append(t.ends, len(t.features))
	}
	var edges, goldEdges sequence.Transitions
	t.chain.Run(t.factors, t.fixed, &edges)
	t.gold.Reset(n)
	copy(t.gold.Scores, t.chain.Scores)
	for i, open := range t.open {
		if !open {
			t.allowed[i] = 1 << sequence.Outside
		}
	}
	t.gold.Run(t.factors, t.allowed, &goldEdges)
	t.update(&edges, &goldEdges)
	return t.chain.LogZ - t.gold.LogZ
}

// featuresOf returns all features of element i, valid until the next call.
func (t *trainer) featuresOf(i int) []uint32 {
	t.scratch = t.reader.TextFeatures(i, t.scratch[:0])
	t.scratch = t.reader.ContextFeatures(i, t.scratch)
	return t.scratch
}

// update is a step of AdaGrad: Duchi, Hazan, Singer, "Adaptive Subgradient Methods" (2011).
func (t *trainer) update(edges, goldEdges *sequence.Transitions) {
	step := float32(rate * max(1-float64(t.steps)/t.total, 0.02))
	from := 0
	for i := range t.ends {
		var g vector
		largest := float32(0)
		for k := range g {
			g[k] = t.chain.Marginals[i][k] - t.gold.Marginals[i][k]
			largest = max(largest, g[k], -g[k])
		}
		if largest > 1e-3 {
			for _, f := range t.features[from:t.ends[i]] {
				descend(&t.rows[f], &t.squares[f], &g, step)
			}
		}
		from = t.ends[i]
	}
	for a := range edges {
		for b := range edges[a] {
			x := edges[a][b] - goldEdges[a][b]
			if x == 0 {
				continue
			}
			t.square[a][b] += float32(x * x)
			w := t.transitions[a][b] - step*x/(1e-4+sqrt(t.square[a][b]))
			t.transitions[a][b] = min(max(w, -20), 20)
		}
	}
}

// foldOutside subtracts the weight of Outside from those of all labels, which changes no probability:
// a model has no weights for Outside.
func (t *trainer) foldOutside() {
	for i := range t.rows {
		r := &t.rows[i]
		outside := r[sequence.Outside]
		for k := range r {
			r[k] -= outside
		}
	}
}

func descend(w, squares, gradient *vector, step float32) {
	for k := range gradient {
		if g := gradient[k]; g > 1e-4 || g < -1e-4 {
			squares[k] += float32(g * g)
			w[k] -= step * g / (1e-4 + sqrt(squares[k]))
		}
	}
}
