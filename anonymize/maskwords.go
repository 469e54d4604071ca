package anonymize

import (
	"unicode/utf8"

	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// byUse is the detector of words that only too few calls use.
const byUse = "indirect"

// byteOffsets returns a function that makes byte offsets of positions in code points, which must not fall
// from one call to the next.
func byteOffsets(text string) func(point int) int {
	at, point := 0, 0
	return func(to int) int {
		for ; point < to && at < len(text); point++ {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
		}
		return at
	}
}

// MaskWords masks words of a clean event that would identify somebody although they are no
// personal information: NUMERIC if a word begins with a digit, otherwise SPELLED_WORD, without a
// number. The words must be in order, and touch neither each other nor an entity. changed reports
// whether the state of the call changed.
func (e *Engine) MaskWords(c *state.Call, clean *schemas.CleanEvent, words []schemas.Span) (masked schemas.CleanEvent, changed bool) {
	if len(words) == 0 {
		return *clean, false
	}
	e = e.of(clean.Tenant, clean.Context)
	w := e.workspace()
	defer e.release(w)
	before, d := c.Changes(), &w.doc
	d.Reset(clean.Text)
	found, refs := make([]detectors.Finding, len(words)), make([]state.Ref, len(words))
	byteOf := byteOffsets(clean.Text)
	for i, span := range words {
		f := &found[i]
		*f = detectors.Finding{Start: byteOf(span.Start), End: byteOf(span.End), Type: detectors.SpelledWord, Detector: byUse,
			Likelihood: detectors.Possible, Score: detectors.ScoreOf(detectors.Possible), Evidence: detectors.ByShape}
		if first := clean.Text[f.Start:]; first != "" && first[0] >= '0' && first[0] <= '9' {
			f.Type = detectors.Numeric
		}
		refs[i] = state.Ref{Type: string(f.Type)}
	}
	ev := schemas.RawEvent{CallID: clean.CallID, Seq: clean.Seq, Type: clean.Type, Context: clean.Context, Tenant: clean.Tenant, Text: clean.Text}
	p := eventPass{Engine: e, call: c, event: &ev}
	masked = *clean
	var added []schemas.Entity
	masked.Text, added = p.replaceFindings(w, found, refs, usePosition)
	for i := range added {
		added[i].RawStart, added[i].RawEnd = nil, nil
	}
	masked.Entities = withAdded(d, clean.Entities, found, added)
	return masked, c.Changes() != before
}
