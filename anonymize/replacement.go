package anonymize

import (
	"sotto/detectors"
	"sotto/replace"
	"sotto/state"
)

// replacement appends what replaces the i-th finding of the text.
func (t *turn) replacement(dst []byte, d *detectors.Document, f *detectors.Finding, r state.Ref, i int) []byte {
	m := replace.Mention{Type: r.Type, N: r.N}
	if !t.plan.Draws() {
		return t.plan.Append(dst, nil, &m)
	}
	m.Text, m.Seq, m.Pos = d.Text[f.Start:f.End], t.event.Seq, t.firstPos+i
	if r.Type == string(detectors.PersonName) {
		m.Full = t.call.LongestAlias(r)
		switch {
		case f.Hint&detectors.HintSurname != 0:
			m.Part = replace.PartSurname
		case f.Hint&detectors.HintGiven != 0:
			m.Part = replace.PartGiven
		}
	}
	return t.plan.Append(dst, t.seed(), &m)
}

// seed is what the draws of the call are keyed by. It is remembered with the
// call, so that draws go on as they began when the keys are rotated.
func (t *turn) seed() *replace.Seed {
	if s := t.call.Seed(); s != nil {
		return (*replace.Seed)(s)
	}
	s := t.plan.Seed(t.event.CallID)
	t.call.SetSeed(s[:])
	t.changed = true
	return &s
}

// shownNumber is the number of an entity in the clean event: none where the
// replacement hides which mentions are the same.
func (t *turn) shownNumber(r state.Ref) int {
	if !t.plan.Numbered(r.Type) {
		return 0
	}
	return r.N
}

// The places of the first finding in a label and of the first one that a review
// adds; those of a text come before, so that no two share their draws.
const (
	labelPos  = 1 << 24
	reviewPos = 2 << 24
)
