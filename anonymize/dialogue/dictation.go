package dialogue

import (
	"strings"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/state"
)

// dictationTurns is for how many events the next part of a value is expected.
const dictationTurns = 3

// fullLength returns how many characters a value of an infoType has when it is
// complete, 0 if that differs.
func fullLength(t detectors.InfoType) int {
	if row := t.Row(); row != nil {
		return row.Length
	}
	return 0
}

// isLone reports whether the only run of a turn is all that it says, beside fillers and the like, and so short that it alone looks
// like anything: "um, four".
func isLone(d *detectors.Document) bool {
	const few = 2
	return len(d.Runs) == 1 && d.Runs[0].Opens && d.Runs[0].Closes && d.Runs[0].Len() <= few && !d.Runs[0].Scaled
}

// ContinueDictation adds a finding of the run that opens the turn if it continues what
// the speaker dictates: "six oh four" - "okay" - "five five five".
func ContinueDictation(d *detectors.Document, c *state.Call, turn Turn) {
	open, ok := c.Dictation()
	ago, isNear := turn.ago(open.Seq, open.TimeMS)
	if !ok || !isNear || ago > dictationTurns || open.Speaker != turn.Speaker || len(d.Runs) == 0 {
		return
	}
	r := &d.Runs[0]
	if !r.Opens || r.Len() < 3 && !r.Closes {
		return
	}
	code := mention.RunCode(d, r)
	infoType := detectors.InfoType(c.DictatedType())
	if len(open.Code)+len(code) > fullLength(infoType)+1 || isNumeric(open.Code) != isNumeric(code) || !isLone(d) &&
		c.Link(state.Mention{Type: string(detectors.Numeric), Kind: detectors.KindCode, Code: code, Weak: true}) >= 0 {
		return
	}
	d.Add(detectors.Finding{
		Start: r.Start, End: r.End, Type: infoType, Value: code, Likelihood: detectors.VeryLikely,
		Score: detectors.ScoreOf(detectors.VeryLikely), Detector: "dictation", Evidence: detectors.ByMemory, Origin: detectors.FromDictation,
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
	if !r.Closes || r.Len() < 2 && !isLone(d) {
		return nil
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
	if m.Code == "" || len(m.Code) >= fullLength(f.Type) || d.HasHotword(detectors.HotLast) { // "the last four"
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

func isNumeric(code string) bool { return strings.Trim(code, "0123456789") == "" }
