package dialogue

import (
	"slices"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/ids"
	"sotto/state"
)

// answerTurns is for how many events after a question for a number its parts are expected.
const answerTurns = 6

// TypeAnswers gives codes of which nothing else is known the infoType that was asked for, if they may be such a value or
// a part of one: "Your Medicaid number?" "7 0 0 4 8." The user's rules for infoTypes have been applied before, so that they
// mask a code as they would if nothing had been asked. masks says of an infoType whether it is masked at all.
func TypeAnswers(d *detectors.Document, c *state.Call, turn Turn, reader *mention.Reader, masks func(detectors.InfoType) bool) {
	row := askedCode(c, turn)
	if row == nil || !masks(row.Type) || slices.ContainsFunc(d.Findings, isNamed) {
		return
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; isUnnamed(f) && mayBe(row, reader.Code(d, f)) {
			f.Type = row.Type
		}
	}
}

// askedCode returns the row of the infoType of the number that somebody else asked for not long ago. It is nil if none was, if several
// values were, or if something else was asked for than a number of a document, a card and the like.
func askedCode(c *state.Call, turn Turn) (asked *detectors.Row) {
	for _, q := range c.Questions() {
		row := detectors.InfoType(q.Type).Row()
		ago, isNear := turn.ago(q.Seq, q.TimeMS)
		if row == nil || row.Match == nil || !isNear || ago > answerTurns {
			continue
		}
		if asked != nil || !isNumbered[row.Group] || !q.Number || q.Asker == turn.Speaker {
			return nil
		}
		asked = row
	}
	return asked
}

// isNumbered has the groups of infoTypes whose values are numbers of something.
var isNumbered = map[detectors.Group]bool{detectors.GroupID: true, detectors.GroupPayment: true, detectors.GroupHealth: true}

// isNamed reports whether the turn itself says what one of its codes is.
func isNamed(f detectors.Finding) bool {
	return f.Type == detectors.GenericID && f.Evidence&detectors.ByHotword != 0
}

// isUnnamed reports whether nothing says what a number or a code is: neither its form nor the words around it nor the user.
func isUnnamed(f *detectors.Finding) bool {
	const named = detectors.ByChecksum | detectors.ByStructure | detectors.ByHotword | detectors.ByUser | detectors.ByMemory | detectors.ByCue
	return f.Type == detectors.GenericID && f.Evidence&named == 0
}

// mayBe reports whether a code may be a value of an infoType, or a part of one.
func mayBe(row *detectors.Row, code string) bool {
	const part = 4 // characters that are said in one breath may be a part of anything
	switch n := len(code); {
	case n < 2, row.Length > 0 && n > row.Length:
		return false
	case n <= part:
		return true
	}
	return row.Match([]byte(code)) > ids.None
}
