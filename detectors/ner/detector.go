package ner

import (
	_ "embed"
	"sync"

	"sotto/detectors"
	"sotto/detectors/ner/internal/crf"
)

//go:embed model.bin
var packed []byte

// builtin is the model that is part of the program. If it does not load, the
// build is broken, and nothing may start.
var builtin = sync.OnceValue(func() *Model {
	m, err := Decode(packed)
	if err != nil {
		panic("embedded model: " + err.Error())
	}
	return m
})

// Builtin returns the model that is part of the program.
func Builtin() *Model { return builtin() }

// thresholds are the least scores of names that are findings, by kind, chosen on
// dev conversations: docs/tagger.md has the results of others.
var thresholds = [crf.NumKinds]float32{0.2, 0.35, 0.35, 0.45}

// strictThreshold is the least score of names that are doubtful.
const strictThreshold = 0.6

// Detector finds names with a model. It is immutable; its taggers are pooled.
type Detector struct {
	model *Model
	pool  *sync.Pool
}

// NewDetector makes a detector of a model.
func NewDetector(m *Model) Detector {
	return Detector{model: m, pool: &sync.Pool{New: func() any { return NewTagger(m) }}}
}

// Name returns "model".
func (Detector) Name() string { return "model" }

// Trigger starts the detector for every text with a word in it.
func (Detector) Trigger() detectors.Trigger {
	return detectors.Trigger{Classes: []detectors.Class{detectors.Lower, detectors.Cap, detectors.Upper, detectors.Mixed}}
}

// Detect adds findings of the model's infoTypes. Their score is the calibrated
// probability that they are right. Small talk is skipped. Where a finding of the same
// infoType that rests on a cue or a list covers a part of the name, it is made longer
// instead, so that a name stays one value.
func (n Detector) Detect(d *detectors.Document) {
	if smallTalk(d) {
		return
	}
	t := n.pool.Get().(*Tagger)
	defer n.pool.Put(t)
	names := t.Tag(d)
	t.others.begin(d, len(names) > 0)
	for _, x := range names {
		if !trim(d, &x) {
			continue
		}
		f := finding(d, &x)
		if x.Score < thresholds[x.Kind] || x.Score < strictThreshold && doubtful(d, &x) {
			d.Subthreshold = append(d.Subthreshold, f)
			continue
		}
		if x.Type == detectors.OrganizationName || x.Type == detectors.Product {
			f.Hint = affiliation(d, x.First)
		}
		if t.others.merge(d.Findings, &f) {
			continue
		}
		d.Add(f)
	}
	for _, x := range t.BelowThreshold() {
		d.Subthreshold = append(d.Subthreshold, finding(d, &x))
	}
}

func finding(d *detectors.Document, x *Name) detectors.Finding {
	return detectors.Finding{
		Start: int(d.Tokens[x.First].Start), End: int(d.Tokens[x.Last].End), Type: x.Type,
		Likelihood: detectors.LikelihoodOf(x.Score), Score: x.Score, Detector: "model", Evidence: detectors.ByModel,
	}
}
