package dialogue

import (
	"slices"
	"strings"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/state"
)

// dictationTurns is for how many events the next part of a value is expected.
const dictationTurns = 3

// maxLength is the length of a value of an infoType whose values have no common length.
const maxLength = 24

// fullLength returns how many characters a value of an infoType has when it is
// complete, and whether one with fewer is known to be incomplete. A value of another
// type goes on only if it was asked for.
func fullLength(t detectors.InfoType) (n int, sure bool) {
	if row := t.Row(); row != nil && row.Length > 0 {
		return row.Length, true
	}
	return maxLength, false
}

// ContinueDictation adds a finding of the run that opens the turn if it continues what
// the speaker dictates: "six oh four" - "okay" - "five five five".
func ContinueDictation(d *detectors.Document, c *state.Call, turn Turn) {
	open, ok := c.Dictation()
	distance := turn.Seq - open.Seq
	if !ok || distance <= 0 || distance > dictationTurns || open.Speaker != turn.Speaker || len(d.Runs) == 0 {
		return
	}
	r := &d.Runs[0]
	if !r.Opens || r.Len() < 3 && !r.Closes {
		return
	}
	code := mention.RunCode(d, r)
	infoType := detectors.InfoType(c.DictatedType())
	full, _ := fullLength(infoType)
	_, lone := loneSymbols(d)
	if len(open.Code)+len(code) > full+1 || isNumeric(open.Code) != isNumeric(code) || !lone &&
		c.Link(state.Mention{Type: string(detectors.Numeric), Kind: detectors.KindCode, Code: code, Weak: true}) >= 0 {
		return
	}
	d.Add(detectors.Finding{
		Start: r.Start, End: r.End, Type: infoType, Value: code, Likelihood: detectors.VeryLikely,
		Score: detectors.ScoreOf(detectors.VeryLikely), Detector: "dictation", Evidence: detectors.ByMemory | detectors.ByExpectation,
		Origin: detectors.FromDictation,
	})
}

// ContinuesDictation reports whether a finding is one of ContinueDictation, whose Value
// is the next part of what is dictated.
func ContinuesDictation(f *detectors.Finding) bool {
	return f.Origin == detectors.FromDictation && f.Value != ""
}

// LastGiven returns the finding with the run that closes the text, whose value may go
// on in the speaker's next turn; nil for none.
func LastGiven(d *detectors.Document, found []detectors.Finding) *detectors.Finding {
	if len(d.Runs) == 0 {
		return nil
	}
	r := &d.Runs[len(d.Runs)-1]
	if !r.Closes {
		return nil
	}
	if r.Len() < 2 {
		if _, lone := loneSymbols(d); !lone {
			return nil
		}
	}
	for i := range found {
		if f := &found[i]; f.Start <= r.Start && r.End <= f.End {
			return f
		}
	}
	return nil
}

// StartDictation remembers that the value of a finding at the end of the turn may go on
// in the speaker's next one, if the value is incomplete.
func StartDictation(d *detectors.Document, c *state.Call, turn Turn, f *detectors.Finding, m state.Mention) {
	if m.Kind == detectors.KindName && f.Value != "" {
		m.Code = state.Canonical(f.Value) // a name that is spelled
	}
	full, sure := fullLength(f.Type)
	if f.Type == detectors.StreetAddress || m.Code == "" || len(m.Code) >= full || !sure && !isAsked(d, f) || isPart(d, f.Type) {
		return
	}
	if open, ok := c.Dictation(); ok && open.Speaker != turn.Speaker && strings.HasSuffix(open.Code, m.Code) {
		return // who repeats what is dictated dictates nothing
	}
	if entity := c.Link(m); entity >= 0 {
		c.SetDictation(state.Dictation{
			Entity: entity + 1, Speaker: turn.Speaker, Code: m.Code, Seq: turn.Seq, TimeMS: turn.EndMS,
		})
	}
}

// isAsked reports whether a value was asked for that the finding can be.
func isAsked(d *detectors.Document, f *detectors.Finding) bool {
	for i := range d.Expect {
		e := &d.Expect[i]
		if e.Type == f.Type || f.Type == detectors.Numeric || f.Type == detectors.SpelledWord {
			return !e.Part
		}
	}
	return false
}

// isPart reports whether only a part of a value was asked for or given, "the last
// four".
func isPart(d *detectors.Document, t detectors.InfoType) bool {
	return d.HasHotword(detectors.HotLast) ||
		slices.ContainsFunc(d.Expect, func(e detectors.Expectation) bool { return e.Type == t && e.Part })
}

func isNumeric(code string) bool { return strings.Trim(code, "0123456789") == "" }
