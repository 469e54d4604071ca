package ner

import (
	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// Tagger reads a text once and then finds values in it in the light of a conversation. It keeps its
// memory between texts and is not safe for concurrent use.
type Tagger struct {
	model      *Model
	thresholds Thresholds
	reader     sequence.Reader
	chain      sequence.Chain
	// words has what is known of each element before the conversation is.
	words []word
	// allowed has the labels that each element may have after Tag.
	allowed  []sequence.LabelSet
	asked    sequence.Asked
	features []uint32
	// questions are the features of the text for the question model.
	questions []uint32
	// pending are the features whose rows are next added to into, unless that is nil; spare is memory
	// for those after them.
	pending, spare []uint32
	into           *sequence.Vector
	spans          []Span
	// birthAsked means that the turn before asks for a date of birth.
	birthAsked bool
	// open reports that a word may be part of a value; encoded is what the encoder says of the text.
	open    bool
	encoded encoded
}

// word is what depends on the text alone: the log odds by the coarse model that it is part of a
// value, unless it is open anyway, and, if it is weighed, the weights of its labels.
type word struct {
	coarse  float32
	weighed bool
	labels  sequence.Vector
}

// CoarseThreshold are the log odds from which a word is read with all features: about one word of a
// value in three hundred is lost by it.
const CoarseThreshold = -5

// NewTagger makes a tagger of a model, which masks from these thresholds on. labels are those of the encoder; nil if there is none.
func NewTagger(m *Model, t Thresholds, labels *Labels) *Tagger {
	return &Tagger{model: m, thresholds: t, encoded: encoded{labels: labels}}
}

// Read reads the elements of a document whose rules have run, and weighs what depends on the text
// alone.
func (t *Tagger) Read(d *detectors.Document) {
	t.encoded.words = t.encoded.words[:0] // what was said of another text
	t.reader.Read(d, t.model.vocabulary)
	n := len(t.reader.Elements)
	if cap(t.words) < n {
		t.words = make([]word, max(n, 2*cap(t.words), 64))
	}
	t.words = t.words[:n]
	t.questions = t.reader.AskedFeatures(d, t.questions[:0])
	t.model.fetchAsked(t.questions)
	for i := range t.words {
		x := &t.words[i]
		if t.reader.IsOpen(i) { // and stays so, whatever the coarse model says
			t.weigh(i)
			continue
		}
		t.features = t.reader.CoarseFeatures(i, t.features[:0])
		x.coarse, x.weighed = t.model.coarse.bias+t.model.coarse.sum(t.features), false
		if x.coarse >= CoarseThreshold {
			t.weigh(i)
		}
	}
	t.finish()
	t.asked = t.readAsked()
}

// weigh adds up the weights of the features of element i that depend on the text alone. The sums are
// complete after the next finish.
func (t *Tagger) weigh(i int) {
	x := &t.words[i]
	x.weighed, x.labels = true, sequence.Vector{}
	t.add(t.reader.TextFeatures(i, t.spare[:0]), &x.labels)
}

// add adds the rows of features, which are in the spare memory, to v at the next call or at finish. Until
// then, the processor fetches the rows.
func (t *Tagger) add(features []uint32, v *sequence.Vector) {
	t.model.table.fetch(features)
	t.finish()
	t.pending, t.spare, t.into = features, t.pending, v
}

// finish adds what is pending.
func (t *Tagger) finish() {
	if t.into != nil {
		t.model.table.addRows(t.pending, t.model.scale, t.into)
		t.into = nil
	}
}

// unasked are log odds of a probability, 0.18, that is the lowest level whatever the kind.
const unasked = -1.5

// readAsked returns what the text asks for.
func (t *Tagger) readAsked() sequence.Asked {
	if len(t.reader.Elements) == 0 {
		return 0
	}
	var v sequence.Vector
	t.model.addAsked(t.questions, &v)
	var p [sequence.NumKinds]float32
	for k := 1; k < sequence.NumKinds; k++ {
		if x := v[k] + t.model.askedBias[k]; x > unasked { // which is rare
			p[k] = sequence.Sigmoid(x)
		}
	}
	return sequence.Levels(&p, &t.model.askedBase)
}

// Asked returns what the text that was read asks for.
func (t *Tagger) Asked() sequence.Asked { return t.asked }

// Tag computes the probabilities of the labels of the text that was read. It reports whether a word
// may be part of a value.
func (t *Tagger) Tag(d *detectors.Document, c *sequence.Context) bool {
	t.reader.SetContext(c, d)
	t.chain.Reset(len(t.words))
	t.allowed = t.allowed[:0]
	open := false
	for i := range t.words {
		if !t.isOpen(i) {
			t.allowed = append(t.allowed, outsideOnly)
			continue
		}
		open = true
		t.allowed = append(t.allowed, sequence.AnyLabel)
		if !t.words[i].weighed {
			t.weigh(i)
		}
	}
	t.finish()
	for i, allowed := range t.allowed {
		if allowed == outsideOnly {
			t.chain.Scores[i] = sequence.Vector{}
			continue
		}
		t.chain.Scores[i] = t.words[i].labels
		t.add(t.reader.ContextFeatures(i, t.spare[:0]), &t.chain.Scores[i])
	}
	t.finish()
	if open || len(d.Findings) > 0 {
		t.chain.Run(t.model.factors, t.allowed, nil)
	}
	return open
}

// isOpen reports whether element i may be part of a value.
func (t *Tagger) isOpen(i int) bool {
	if t.reader.IsOpen(i) {
		return true
	}
	t.features = t.reader.CoarseContext(i, t.features[:0])
	return t.words[i].coarse+t.model.coarse.sum(t.features) >= CoarseThreshold
}

// Len is the number of elements of the text.
func (t *Tagger) Len() int { return len(t.reader.Elements) }
