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
// dev conversations. docs/model.md has the curve.
var thresholds = [crf.NumKinds]float32{0.5, 0.5, 0.5, 0.5}

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
// probability that they are right. Where a finding of the same infoType that
// rests on a cue or a list covers a part of the name, it is made longer instead,
// so that a name stays one value.
func (n Detector) Detect(d *detectors.Document) {
	t := n.pool.Get().(*Tagger)
	defer n.pool.Put(t)
	before := len(d.Findings)
	for _, x := range t.Tag(d) {
		f := finding(d, &x)
		if x.Score < thresholds[x.Kind] {
			d.Doubts = append(d.Doubts, f)
			continue
		}
		if complete(d.Findings[:before], &f) {
			continue
		}
		if x.Type == detectors.OrganizationName || x.Type == detectors.Product {
			f.Hint = affiliation(d, x.First)
		}
		d.Add(f)
	}
	for _, x := range t.Faint() {
		d.Doubts = append(d.Doubts, finding(d, &x))
	}
}

func finding(d *detectors.Document, x *Name) detectors.Finding {
	return detectors.Finding{
		Start: int(d.Tokens[x.First].Start), End: int(d.Tokens[x.Last].End), Type: x.Type,
		Likelihood: detectors.LikelihoodOf(x.Score), Score: x.Score, Detector: "model", Evidence: detectors.ByModel,
	}
}

// complete tells whether a name adds nothing to what other detectors found. It
// does not when it lies within something else, such as an address, and not
// when a name of its type rests on a cue or a list: that one is then made as
// long as both, unless something else overlaps it.
func complete(findings []detectors.Finding, f *detectors.Finding) bool {
	part, apart := -1, true
	for i := range findings {
		g := &findings[i]
		switch {
		case g.Start >= f.End || g.End <= f.Start:
		case g.Type == f.Type:
			if part < 0 && g.Value == "" && g.Evidence&(detectors.ByCue|detectors.ByDictionary) != 0 {
				part = i
			}
		case g.Start <= f.Start && g.End >= f.End && g.Evidence.Tier() > f.Evidence.Tier():
			return true
		default:
			apart = false
		}
	}
	if part < 0 || !apart {
		return false
	}
	g := &findings[part]
	g.Start, g.End = min(g.Start, f.Start), max(g.End, f.End)
	g.Evidence |= detectors.ByModel
	return true
}
