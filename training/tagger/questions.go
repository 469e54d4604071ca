package tagger

import (
	"sotto/detectors"
	"sotto/detectors/ner/sequence"
	"sotto/internal/gold"
)

const (
	// questionBits is the logarithm of the rows of a question model, questionPasses how often it
	// sees the sets.
	questionBits   = 17
	questionPasses = 4
	// whole is the question model of all conversations. The models before it are each trained on
	// one half and used for the other half, so that training sees questions as uncertain as a
	// new call's are.
	whole = 2
)

// questions learns what a turn asks for: a logistic regression for each kind.
type questions struct {
	rows, squares []vector
	bias          [sequence.NumKinds]float32
	// answers counts the answers by kind, turns all of them.
	answers [sequence.NumKinds]int
	turns   int
}

func newQuestions() *questions {
	return &questions{rows: make([]vector, 1<<questionBits), squares: make([]vector, 1<<questionBits)}
}

// learnQuestions teaches what the next turn, of another speaker, contains. The labels of the answer
// are the labels of the question.
func (t *trainer) learnQuestions(pass int) {
	rate := float32(0.1 / (1 + float64(pass)))
	for _, x := range t.order() {
		if x.set.namesOnly {
			continue
		}
		c := t.vary(x.conversation)
		for k := 0; k+1 < len(c.Utterances); k++ {
			u, next := &c.Utterances[k], &c.Utterances[k+1]
			if u.Speaker == next.Speaker {
				continue
			}
			t.read(u)
			var want [sequence.NumKinds]bool
			for _, e := range next.Entities {
				if e.Type != "OTHER" {
					want[sequence.KindOfType(detectors.InfoType(e.Type))] = true
				}
			}
			t.scratch = t.reader.AskedFeatures(&t.doc, t.scratch[:0])
			t.asked[whole].step(t.scratch, &want, rate)
			t.asked[halfOf(c)].step(t.scratch, &want, rate)
		}
	}
}

// askedBy returns what the turn that was read asks for, by the model that has not seen it.
func (t *trainer) askedBy(c *gold.Conversation) sequence.Asked {
	t.scratch = t.reader.AskedFeatures(&t.doc, t.scratch[:0])
	q := t.asked[1-halfOf(c)]
	p, base := q.probabilities(t.scratch), q.base()
	return sequence.Levels(&p, &base)
}

func (q *questions) probabilities(features []uint32) (p [sequence.NumKinds]float32) {
	var v vector
	for _, x := range features {
		row := &q.rows[x>>(32-questionBits)]
		for k := range row {
			v[k] += row[k]
		}
	}
	for k := 1; k < sequence.NumKinds; k++ {
		p[k] = sequence.Sigmoid(v[k] + q.bias[k])
	}
	return p
}

// base is the share of turns that are answered with each kind.
func (q *questions) base() (p [sequence.NumKinds]float32) {
	for k := range p {
		p[k] = float32(q.answers[k]) / float32(q.turns+1)
	}
	return p
}

func (q *questions) step(features []uint32, want *[sequence.NumKinds]bool, rate float32) {
	p := q.probabilities(features)
	var g vector
	large := false
	q.turns++
	for k := 1; k < sequence.NumKinds; k++ {
		g[k] = p[k]
		if want[k] {
			g[k]--
			q.answers[k]++
		}
		q.bias[k] -= float32(rate * 0.1 * g[k])
		large = large || g[k] > 1e-3 || g[k] < -1e-3
	}
	if !large {
		return
	}
	for _, x := range features {
		w, s := &q.rows[x>>(32-questionBits)], &q.squares[x>>(32-questionBits)]
		for k := 1; k < sequence.NumKinds; k++ {
			s[k] += float32(g[k] * g[k])
			w[k] -= rate * g[k] / (0.01 + sqrt(s[k]))
		}
	}
}
