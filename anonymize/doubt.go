package anonymize

import (
	"cmp"
	"slices"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/state"
)

// Doubt says how much there is to gain from asking somebody else about a text, from 0 to 1.
type Doubt struct {
	// Score is the highest score of the findings that were not masked.
	Score float32
	// Unknown is the share of its words that are not masked and that the lexicon does not know.
	Unknown float32
	// Asks reports whether the text asks for something personal, and Found whether anything was
	// masked in it.
	Asks, Found bool
}

// unanswered is the doubt about a text in which nothing was found although it may answer a
// question for something personal.
const unanswered = 0.5

// Value is the doubt as one number, from 0 to 1. asked reports whether the utterance before it asked
// for something personal.
func (d Doubt) Value(asked bool) float32 {
	v := max(d.Score, min(1, d.Unknown))
	if asked && !d.Found {
		v = max(v, unanswered)
	}
	return v
}

// Doubt judges a text by itself. It uses up what Prepare has read, so that an event is judged once: a second Doubt of the same
// Prepared is zero. An event that waits for an answer is read again when that is there, and would be anyway; one that need not wait is
// read again by Apply, unless the caller prepares it again, which may be done ahead of the order of its call.
func (e *Engine) Doubt(p *Prepared) (d Doubt) {
	if p.work == nil {
		return d
	}
	defer func() {
		if recover() != nil { // its value may contain text
			d = Doubt{Score: 1}
		}
	}()
	e = e.of(p.Event.Tenant, p.Event.Context)
	w := p.work
	p.work = nil
	defer e.release(w)
	pass := eventPass{engine: e, call: state.NewCall(), event: p.Event}
	pass.run(w, onDoubt, continueDictation, addUnformatted)
	found := slices.Clone(w.found)
	for _, s := range unmasked(&w.doc, found) {
		d.Score = max(d.Score, s.Score)
	}
	d.Asks, d.Found, d.Unknown = w.asked.Any(), len(found) > 0, unknownShare(&w.doc, found)
	return d
}

// unknownShare returns the share of the words outside of the findings, which are disjoint and in
// order, that are no English words.
func unknownShare(d *detectors.Document, found []detectors.Finding) float32 {
	words, unknown, n := 0, 0, 0
	for i := range d.Tokens {
		t := &d.Tokens[i]
		for n < len(found) && found[n].End <= int(t.Start) {
			n++
		}
		if !t.Class.IsWord() || n < len(found) && found[n].Start < int(t.End) {
			continue
		}
		words++
		if lexicon.LookupHash(t.Hash).Common() == 0 {
			unknown++
		}
	}
	if words == 0 {
		return 0
	}
	return float32(unknown) / float32(words)
}

// unmasked returns the document's sub-threshold findings that no finding covers. found is
// disjoint and in order.
func unmasked(d *detectors.Document, found []detectors.Finding) []detectors.SubthresholdFinding {
	var out []detectors.SubthresholdFinding
	for i := range d.Subthreshold {
		x := &d.Subthreshold[i]
		k, _ := slices.BinarySearchFunc(found, x.Start, func(f detectors.Finding, start int) int { return cmp.Compare(f.End, start+1) })
		if k == len(found) || found[k].Start >= x.End {
			out = append(out, detectors.SubthresholdFinding{Text: d.Text[x.Start:x.End], Start: x.Start, Type: x.Type, Score: x.Score})
		}
	}
	return out
}
