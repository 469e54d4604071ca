package mention

import (
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/detectors/spoken"
)

// read returns the words of a finding that is all of a text, or its code.
func read(text string, t detectors.InfoType) string {
	var d detectors.Document
	d.Reset(text)
	spoken.Scan(&d)
	var r Reader
	m := r.Read(&d, &detectors.Finding{End: len(text), Type: t, Score: 1})
	return m.Code + strings.Join(m.Words, " ")
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		what, text string
		infoType   detectors.InfoType
		want       string
	}{
		{"a name and its spelling", "Hess, H-E-S-S", detectors.PersonName, "hess"},
		{"a name and its letters, one of them double", "kessel k e double s e l", detectors.PersonName, "kessel"},
		{"a spelled name", "B as in boy, O, double L", detectors.PersonName, "boll"},
		{"names that spell as well", "Oscar Romeo", detectors.PersonName, "oscar romeo"},
		{"a name that spells as well, and an initial", "Mike T.", detectors.PersonName, "mike t"},
		{"one with a middle initial", "Victor J. Hanlon", detectors.PersonName, "victor j hanlon"},
		{"one and its spelling", "Mike, M-I-K-E", detectors.PersonName, "mike"},
		{"number words with commas between them", "Three, eight, eight, zero, one", detectors.GenericID, "38801"},
		{"words behind a number", "0184, thank you", detectors.PhoneNumber, "0184"},
		{"capitals before a number", "XKJ 4471", detectors.GenericID, "XKJ4471"},
		{"letters that are no word", "xkj 4471", detectors.GenericID, "XKJ4471"},
		{"nothing but a word", "thanks", detectors.GenericID, "THANKS"},
		{"a vague age", "nearly six", detectors.Age, "6"},
		{"an age with its unit", "6 years old", detectors.Age, "6"},
		{"an age in months", "six months old", detectors.Age, "6MONTHS"},
		{"an age without a number", "teenager", detectors.Age, "TEENAGER"},
		{"nothing", "", detectors.PersonName, ""},
		{"a blank", " ", detectors.PersonName, ""},
	} {
		if got := read(c.text, c.infoType); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

func TestWithoutGrammar(t *testing.T) {
	for text, want := range map[string]string{
		"perpetua your": "perpetua",
		"and Orla":      "Orla",
		"the Anne of":   "Anne",
		"to the":        "to the",
		"Anne":          "Anne",
		"":              "",
		" ":             " ",
	} {
		var d detectors.Document
		d.Reset(text)
		if start, end := WithoutGrammar(&d, 0, len(text)); text[start:end] != want {
			t.Errorf("%q: got %q, want %q", text, text[start:end], want)
		}
	}
}
