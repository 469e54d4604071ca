// Package train makes models of package ner from labelled conversations. It is
// deterministic: equal sets and settings give equal models.
package train

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"sotto/corpus/gold"
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/ner/internal/crf"
	"sotto/detectors/ner/internal/feature"
	"sotto/detectors/spoken"
)

// Options say how a model is trained. The zero value is that of the model that
// is part of the program.
type Options struct {
	// Seed is that of every random choice.
	Seed uint64
	// Passes over the sets; 0 means DefaultPasses.
	Passes int
	// Bits is the logarithm of the number of rows of weights; 0 means
	// DefaultBits.
	Bits int
	// Limit bounds the turns that one set contributes to a pass, so that
	// generated calls do not drown out real ones; 0 means DefaultLimit.
	Limit int
	// Progress takes a line for each pass.
	Progress io.Writer
}

// The defaults of Options.
const (
	DefaultPasses = 12
	DefaultBits   = 21
	DefaultLimit  = 40_000
)

// rate is the step of the weights, which falls to 0 over the training; skip
// leaves out features, so that no single one is relied on.
const (
	rate = 0.12
	skip = 20
)

// Train makes a model and reports how it does on conversations that were held
// out. It fails when the sets hold no name to learn from.
func Train(sets []Set, o Options) (*ner.Weights, *Report, error) {
	if o.Passes == 0 {
		o.Passes = DefaultPasses
	}
	if o.Bits == 0 {
		o.Bits = DefaultBits
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	t := newTrainer(sets, o)
	if t.empty() {
		return nil, nil, errors.New("the sets have no labelled names of people, organizations, places or products; name labelled conversations")
	}
	began := time.Now()
	for pass := range o.Passes {
		loss, words := t.pass()
		score := t.score(checkLimit)
		fmt.Fprintf(o.Progress, "pass %d of %d: loss %.4f a word (%d words), %s, %s\n", pass+1, o.Passes, loss/float64(max(words, 1)), words,
			score, time.Since(began).Round(time.Second))
	}
	w := &ner.Weights{Rows: t.weights, Transitions: t.transitions, Vocabulary: t.vocabulary}
	for k := range w.Curves {
		w.Curves[k] = ner.Identity()
	}
	report, err := t.calibrate(w)
	return w, report, err
}

type trainer struct {
	Options
	sets        []*corpus
	pool        *pool
	vocabulary  feature.Vocabulary
	rng         *rand.Rand
	weights     [][8]float32
	squares     [][8]float32
	transitions crf.Transitions
	edgeSquares crf.Transitions
	factors     *crf.Factors

	doc      detectors.Document
	reader   feature.Reader
	chain    crf.ForwardBackward
	gold     crf.ForwardBackward
	spans    []span
	allowed  []crf.Set
	features []uint32
	ends     []int
	steps    int
	total    float64
}

func newTrainer(sets []Set, o Options) *trainer {
	t := &trainer{Options: o, rng: rand.New(rand.NewPCG(o.Seed, 0x5077_0000_0000_0001)), vocabulary: feature.NewVocabulary()}
	for _, s := range sets {
		t.sets = append(t.sets, newCorpus(s))
	}
	t.pool = newPool(t.sets)
	t.count()
	t.weights = make([][8]float32, 1<<o.Bits)
	t.squares = make([][8]float32, 1<<o.Bits)
	for _, c := range t.sets {
		t.total += float64(o.Passes * c.repeats() * min(len(c.train), o.Limit))
	}
	return t
}

func (t *trainer) empty() bool {
	for k := range t.pool {
		for n := range t.pool[k] {
			if len(t.pool[k][n]) > 0 {
				return false
			}
		}
	}
	return true
}

// leastCount is how often a word must have been seen to be a feature.
const leastCount = 4

// count fills the vocabulary.
func (t *trainer) count() {
	seen := map[uint64]int{}
	for _, c := range t.sets {
		for i := range c.train {
			t.doc.Reset(c.train[i].utterance.Text)
			for k := range t.doc.Tokens {
				if h := t.doc.Tokens[k].Hash; h != 0 {
					if seen[h]++; seen[h] == leastCount {
						t.vocabulary.Add(h)
					}
				}
			}
		}
	}
}

// pass learns from every set once, in random order.
func (t *trainer) pass() (loss float64, words int) {
	var order []*example
	for _, c := range t.sets {
		for range c.repeats() {
			for i, k := range t.rng.Perm(len(c.train)) {
				if i == t.Limit {
					break
				}
				order = append(order, &c.train[k])
			}
		}
	}
	t.rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	for _, x := range order {
		if t.steps%16 == 0 {
			t.factors = crf.NewFactors(&t.transitions)
		}
		l, n := t.learn(x)
		loss += l
		words += n
		t.steps++
	}
	t.factors = crf.NewFactors(&t.transitions)
	return loss, words
}

// prepare reads an utterance in the context of an example.
func (t *trainer) prepare(u *gold.Utterance, x *example) {
	t.doc.Reset(u.Text)
	t.doc.Role = x.role
	t.doc.Expect = append(t.doc.Expect, x.expect...)
	spoken.Scan(&t.doc)
	t.spans = spansOf(u, t.spans[:0])
	t.reader.Read(&t.doc, t.vocabulary)
	t.allowed = allowed(&t.doc, t.reader.Elements, t.spans, t.allowed[:0])
}

// learn takes one step along the gradient of the likelihood of the labels.
func (t *trainer) learn(x *example) (loss float64, n int) {
	u := vary(x.utterance, t.pool, t.rng)
	t.prepare(&u, x)
	n = len(t.reader.Elements)
	if n == 0 {
		return 0, 0
	}
	t.perturb()
	t.chain.Reset(n)
	t.features, t.ends = t.features[:0], t.ends[:0]
	shift := 32 - t.Bits
	for i := range n {
		v := &t.chain.Scores[i]
		*v = crf.Vector{}
		bits := t.rng.Uint64()
		for _, f := range t.reader.Features(i) {
			// A cheap stream of random numbers decides on each.
			bits = bits*6364136223846793005 + 1442695040888963407
			if bits>>56 < skip {
				continue
			}
			f >>= shift
			t.features = append(t.features, f)
			row := &t.weights[f]
			for k := range row {
				v[1+k] += row[k]
			}
		}
		t.ends = append(t.ends, len(t.features))
	}
	var edges, goldEdges crf.Transitions
	t.chain.Run(t.factors, nil, &edges)
	t.gold.Reset(n)
	copy(t.gold.Scores, t.chain.Scores)
	t.gold.Run(t.factors, t.allowed, &goldEdges)
	loss = t.chain.LogZ - t.gold.LogZ
	t.update(&edges, &goldEdges)
	return loss, n
}

// update is a step of AdaGrad: Duchi, Hazan, Singer, "Adaptive Subgradient
// Methods" (2011).
func (t *trainer) update(edges, goldEdges *crf.Transitions) {
	step := float32(rate * (1 - float64(t.steps)/t.total))
	step = max(step, rate*0.02)
	from := 0
	for i := range t.ends {
		var g [8]float32
		largest := float32(0)
		for k := range g {
			g[k] = t.chain.Marginals[i][1+k] - t.gold.Marginals[i][1+k]
			largest = max(largest, g[k], -g[k])
		}
		if largest > 1e-3 {
			for _, f := range t.features[from:t.ends[i]] {
				w, s := &t.weights[f], &t.squares[f]
				for k, x := range g {
					s[k] += x * x
					w[k] -= step * x / (1e-4 + sqrt(s[k]))
				}
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
			t.edgeSquares[a][b] += x * x
			t.transitions[a][b] = min(max(t.transitions[a][b]-step*x/(1e-4+sqrt(t.edgeSquares[a][b])), -20), 20)
		}
	}
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
