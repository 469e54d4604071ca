package ner

import (
	"sotto/detectors"
	"sotto/detectors/ner/internal/sequence"
)

// Tagger reads a text once and then finds values in it in the light of a conversation. It keeps its
// memory between texts and is not safe for concurrent use.
type Tagger struct {
	model  *Model
	reader sequence.Reader
	chain  sequence.Chain
	// static has what depends on the text alone; it is empty while the text is small talk.
	static []sequence.Vector
	small  bool
	asked  sequence.Asked
	extra  []uint32
	spans  []Span
	rules  ruleFindings
}

// NewTagger makes a tagger of a model.
func NewTagger(m *Model) *Tagger { return &Tagger{model: m} }

// Read reads the elements of a document whose rules have run, and weighs what depends on the text
// alone.
func (t *Tagger) Read(d *detectors.Document) {
	t.reader.Read(d, t.model.vocabulary)
	t.static = t.static[:0]
	if t.small = smallTalk(d); !t.small {
		t.weigh()
	}
	t.asked = t.readAsked(d)
}

// weigh weighs what depends on the text alone.
func (t *Tagger) weigh() {
	n := len(t.reader.Elements)
	if cap(t.static) < n {
		t.static = make([]sequence.Vector, max(n, 2*cap(t.static), 64))
	}
	t.static = t.static[:n]
	for i := range n {
		t.static[i] = sequence.Vector{}
		t.model.weigh(t.reader.TextFeatures(i), &t.static[i])
	}
}

// readAsked returns what the text asks for.
func (t *Tagger) readAsked(d *detectors.Document) sequence.Asked {
	if len(t.reader.Elements) == 0 {
		return 0
	}
	var v sequence.Vector
	t.extra = t.reader.AskedFeatures(d, t.extra[:0])
	t.model.weighAsked(t.extra, &v)
	var p [sequence.NumKinds]float32
	for k := 1; k < sequence.NumKinds; k++ {
		p[k] = sequence.Sigmoid(v[k] + t.model.askedBias[k])
	}
	return sequence.Levels(&p)
}

// Asked returns what the text that was read asks for.
func (t *Tagger) Asked() sequence.Asked { return t.asked }

// Tag computes the probabilities of the labels of the text that was read.
func (t *Tagger) Tag(d *detectors.Document, c *sequence.Context) {
	n := len(t.reader.Elements)
	if len(t.static) < n {
		t.weigh()
	}
	t.chain.Reset(n)
	copy(t.chain.Scores, t.static)
	for i := range n {
		t.extra = t.reader.ContextFeatures(i, c, d, t.extra[:0])
		t.model.weigh(t.extra, &t.chain.Scores[i])
	}
	t.chain.Run(t.model.factors, nil, nil)
}

// Len is the number of elements of the text.
func (t *Tagger) Len() int { return len(t.reader.Elements) }
