package ner

import (
	"slices"
	"strings"
	"testing"

	"sotto/detectors"
)

// An answer loses stretches of words that belong to no value. Numbers stay, a word alone stays, and so do
// two words before letters, which may be misheard letters.
func TestWordsBesideAnAnswer(t *testing.T) {
	for _, c := range []struct {
		text     string
		infoType detectors.InfoType
		want     []string
	}{
		{"Perpetua Quillan, they always spell it wrong here, Q U I L L A N.", detectors.PersonName, []string{"Perpetua Quillan", "Q U I L L A N"}},
		{"may third sixty one same as my sister", detectors.DateOfBirth, []string{"may third sixty one"}},
		{"Quillan please", detectors.PersonName, []string{"Quillan please"}},
		{"you said q u i l l a n", detectors.PersonName, []string{"you said q u i l l a n"}},
		{"so it is one of those", detectors.DateOfBirth, []string{"one"}},
		{"why do you need that", detectors.DateOfBirth, []string{"why do you need that"}},
		{"why do you need that", detectors.GenericID, []string{"why do you need that"}},
	} {
		d := document(c.text)
		whole := len(strings.TrimSuffix(c.text, "."))
		d.Add(detectors.Finding{End: whole, Type: c.infoType, Evidence: detectors.ByExpectation})
		tagger := NewTagger(Builtin(), points[Balanced], nil)
		tagger.Read(d)
		tagger.Tag(d, &Context{})
		tagger.judge(d)
		var got []string
		for _, f := range d.Findings {
			got = append(got, c.text[f.Start:f.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
}
