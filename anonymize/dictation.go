package anonymize

import (
	"strings"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/state"
)

// dictationTurns is for how many events a value that is told in parts is waited
// for.
const dictationTurns = 3

// fullLength is how many characters a value of an infoType has when it is
// complete, and whether it is known to be incomplete when it has fewer. A value
// of another type goes on only if it was asked for.
func fullLength(t detectors.InfoType) (n int, sure bool) {
	switch t {
	case detectors.PhoneNumber:
		return 10, true
	case detectors.CreditCardNumber:
		return 15, true
	case detectors.SSN, detectors.RoutingNumber:
		return 9, true
	case detectors.VIN:
		return 17, true
	case detectors.IMEI, detectors.IMSI:
		return 15, true
	case detectors.ICCID:
		return 19, true
	}
	return 24, false
}

// continued adds a finding of the run that opens the turn when it goes on with
// what the speaker dictates: "six oh four" - "okay" - "five five five".
func (t *turn) continued(d *detectors.Document) {
	c, open := t.call.Dictation()
	if !open || len(d.Runs) == 0 || !d.Runs[0].Opens || c.Speaker != t.speaker {
		return
	}
	if distance := t.event.Seq - c.Seq; distance <= 0 || distance > dictationTurns {
		return
	}
	r := &d.Runs[0]
	if r.Len() < 3 && !r.Closes {
		return
	}
	code := mention.RunCode(d, r)
	infoType := detectors.InfoType(t.call.DictatedType())
	full, _ := fullLength(infoType)
	if len(c.Code)+len(code) > full+1 || numeric(c.Code) != numeric(code) ||
		t.call.Link(state.Mention{Type: string(detectors.Numeric), Kind: state.KindCode, Code: code, Weak: true}) >= 0 {
		return
	}
	d.Add(detectors.Finding{
		Start: r.Start, End: r.End, Type: infoType, Value: code, Likelihood: detectors.VeryLikely,
		Score: detectors.ScoreOf(detectors.VeryLikely), Detector: dictation, Evidence: detectors.ByMemory,
	})
}

// dictation names the findings of continued.
const dictation = "dictation"

// proceed numbers a finding of continued.
func (t *turn) proceed(f *detectors.Finding) state.Ref {
	if t.dictated == (state.Ref{}) {
		var changed bool
		t.dictated, changed = t.call.Continue(f.Value, t.speaker, t.event.Seq, endOf(t.event))
		t.changed = t.changed || changed
	}
	return t.dictated
}

// dictates remembers that the value at the end of the turn may go on in the
// speaker's next one.
func (t *turn) dictates(d *detectors.Document, found []detectors.Finding) {
	if t.goesOn() {
		// What follows was read with it.
		t.changed = t.call.Dictate(state.Dictation{}) || t.changed
		return
	}
	if t.dictated != (state.Ref{}) || len(d.Runs) == 0 {
		return
	}
	r := &d.Runs[len(d.Runs)-1]
	if !r.Closes || r.Len() < 2 {
		return
	}
	for i := range found {
		f := &found[i]
		if f.Start > r.Start || f.End < r.End {
			continue
		}
		m := t.mention(d, f)
		if m.Kind == state.KindName && f.Value != "" {
			m.Code = state.Canonical(f.Value) // a name that is spelled
		}
		n, sure := fullLength(f.Type)
		if f.Type == detectors.StreetAddress || m.Code == "" || len(m.Code) >= n || !sure && !t.asked(f) || t.partial(f.Type) {
			return
		}
		at := t.call.Link(m)
		if at < 0 {
			return
		}
		t.changed = t.call.Dictate(state.Dictation{
			Entity: at + 1, Speaker: t.speaker, Code: m.Code, Seq: t.event.Seq, TimeMS: endOf(t.event),
		}) || t.changed
		return
	}
}

// asked tells whether a value was asked for that the finding can be.
func (t *turn) asked(f *detectors.Finding) bool {
	for i := range t.work.doc.Expect {
		e := &t.work.doc.Expect[i]
		if e.Type == f.Type || f.Type == detectors.Numeric || f.Type == detectors.SpelledWord {
			return !e.Part
		}
	}
	return false
}

// partial tells whether only a part of a value was asked for or given, "the
// last four".
func (t *turn) partial(infoType detectors.InfoType) bool {
	for i := range t.work.doc.Hotwords {
		if t.work.doc.Hotwords[i].Hotword == detectors.HotLast {
			return true
		}
	}
	for i := range t.work.doc.Expect {
		if e := &t.work.doc.Expect[i]; e.Type == infoType && e.Part {
			return true
		}
	}
	return false
}

// numeric tells whether a code is all digits.
func numeric(code string) bool { return strings.Trim(code, "0123456789") == "" }
