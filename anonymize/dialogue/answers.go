package dialogue

import (
	"slices"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/ids"
	"sotto/state"
)

// answerTurns is for how many events after a question for a number its parts and what is read back of them are expected.
const answerTurns = 6

// TypeAnswers gives codes of which nothing else is known the infoType that was asked for, if they may be such a value or
// a part of one: "Your Medicaid number?" "7 0 0 4 8."
func TypeAnswers(d *detectors.Document, c *state.Call, turn Turn, reader *mention.Reader) {
	row := askedCode(c, turn)
	if row == nil || slices.ContainsFunc(d.Findings, isNamed) {
		return
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; isUnnamed(f) && mayBe(row, reader.Code(d, f)) {
			f.Type = row.Type
		}
	}
}

// askedCode returns the row of the infoType of the number that was asked for not long ago, nil if none was or if several were at once.
func askedCode(c *state.Call, turn Turn) (asked *detectors.Row) {
	for _, q := range c.Questions() {
		row := detectors.InfoType(q.Type).Row()
		switch {
		case row == nil || row.Match == nil || turn.Seq-q.Seq > answerTurns:
			continue
		case asked != nil, !isNumbered[row.Group], !q.Number:
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
