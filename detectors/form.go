package detectors

import (
	"cmp"
	"slices"

	"sotto/detectors/ids"
)

// Form is a form of a code that hardly anything else than a value of one infoType has. Of all forms
// of all infoTypes, the one with the highest Score is tried first.
type Form struct {
	// Letters says that a code has letters and digits, not digits only.
	Letters bool
	// Min and Max bound the length of a code; a Max of 0 does not.
	Min, Max int
	// Layouts are the sizes of the groups in which the digits are written, such as "3-2-4", if they
	// matter.
	Layouts []string
	// Prefix is the character that stands before the code, if one must.
	Prefix byte
	// Spoken says that some of the symbols must be said as words. Separators is how many connectors
	// there must be at least.
	Spoken     bool
	Separators int
	// NotNear is the name of Hotwords none of which may be near.
	NotNear string
	// YieldsTo is an infoType whose hotword decides, if it is nearer than those of this infoType and
	// the code matches there as well.
	YieldsTo InfoType
	// Holds reports whether a code has the form; nil if the layout says all, or if the Match of the
	// row must be the same as here.
	Holds func(code []byte) bool
	// Match and Score are those of the finding. Wrong says that the check digit does not hold.
	Match ids.Match
	Score float32
	Wrong bool
}

// RankedForm is a form with what its row and the forms of other rows say of it.
type RankedForm struct {
	*Form
	Row *Row
	// Hotword is that of the row. NotNear is that of Form.NotNear, HotNone for none. YieldsTo is the
	// row of Form.YieldsTo, nil for none, and YieldsToHotword its hotword.
	Hotword, NotNear, YieldsToHotword Hotword
	YieldsTo                          *Row
}

var rankedForms = rankForms()

// rankForms orders the forms by their strength: the score, then the match.
func rankForms() (forms struct{ digits, letters []RankedForm }) {
	for i := range rows {
		row := &rows[i]
		for k := range row.Forms {
			form := &row.Forms[k]
			f := RankedForm{Form: form, Row: row, Hotword: row.Type.Hotword()}
			if form.NotNear != "" {
				f.NotNear = hotwordOf(form.NotNear)
			}
			if form.YieldsTo != "" {
				f.YieldsTo, f.YieldsToHotword = form.YieldsTo.Row(), form.YieldsTo.Hotword()
			}
			if form.Letters {
				forms.letters = append(forms.letters, f)
			} else {
				forms.digits = append(forms.digits, f)
			}
		}
	}
	for _, list := range [][]RankedForm{forms.digits, forms.letters} {
		slices.SortStableFunc(list, func(a, b RankedForm) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Match, a.Match))
		})
	}
	return forms
}

// Forms returns the forms of codes that consist of digits, or of digits and letters, the strongest
// first. The slice must not be changed.
func Forms(letters bool) []RankedForm {
	if letters {
		return rankedForms.letters
	}
	return rankedForms.digits
}

// Evidence returns what a finding of the form rests on.
func (f *Form) Evidence() (e Evidence) {
	switch f.Match {
	case ids.Checked:
		e = ByShape | ByChecksum
	case ids.Exact:
		e = ByStructure
	default:
		e = ByShape
	}
	if f.Wrong {
		e |= AgainstChecksum
	}
	return e
}
