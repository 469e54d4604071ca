package mention

import (
	"strings"
	"testing"

	"sotto/detectors"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		what, text string
		infoType   detectors.InfoType
		want       string // the words or the code
	}{
		{"a name and its spelling", "Hess, H-E-S-S", detectors.PersonName, "hess"},
		{"two names that are spelled", "I-N-E-Z. L-O-W-E", detectors.PersonName, "inez lowe"},
		{"letters with full stops", "I. N. E. Z.", detectors.PersonName, "inez"},
		{"number words with commas between them", "Seven, seven, three, zero, one", detectors.GenericID, "77301"},
		{"a word behind a number", "0195 alrighty", detectors.PhoneNumber, "0195"},
		{"capitals before a number", "XKJ 4471", detectors.GenericID, "XKJ4471"},
		{"letters that are no word", "xkj 4471", detectors.GenericID, "XKJ4471"},
		{"nothing but a word", "alrighty", detectors.GenericID, "ALRIGHTY"},
		{"a vague age", "almost four", detectors.Age, "4"},
		{"an age with its unit", "4 years old", detectors.Age, "4"},
		{"an age in months", "four months old", detectors.Age, "4MONTHS"},
		{"a house", "number eighty seven", detectors.StreetAddress, "eighty seven"},
		{"an age without a number", "teenager", detectors.Age, "TEENAGER"},
	} {
		var d detectors.Document
		d.Reset(c.text)
		var r Reader
		m := r.Read(&d, &detectors.Finding{End: len(c.text), Type: c.infoType, Score: 1})
		if got := m.Code + strings.Join(m.Words, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// A finding may begin behind the last token: a rule of the user may match a blank.
func TestFindingBehindTheLastToken(t *testing.T) {
	var d detectors.Document
	d.Reset("hello ")
	f := detectors.Finding{Start: 5, End: 6, Type: detectors.PersonName}
	if WithoutGrammar(&d, f) != f {
		t.Error("it is another finding")
	}
	var r Reader
	if m := r.Read(&d, &f); len(m.Words) > 0 {
		t.Errorf("got %q", m.Words)
	}
}

func TestWithoutGrammar(t *testing.T) {
	for text, want := range map[string]string{
		"moth your":   "moth",
		"and Lua":     "Lua",
		"the Anne of": "Anne",
		"to the":      "to the",
		"Anne":        "Anne",
	} {
		var d detectors.Document
		d.Reset(text)
		f := WithoutGrammar(&d, detectors.Finding{End: len(text), Type: detectors.PersonName})
		if got := text[f.Start:f.End]; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
