package demo

import (
	"testing"

	"sotto/internal/gold"
	"sotto/schemas"
)

func TestPeopleSentence(t *testing.T) {
	type mention struct {
		at     int
		person string
		tag    string
		id     int
	}
	for want, c := range map[string]struct {
		label string
		said  []mention
	}{
		"2 of 2 persons named had one number throughout their call, and no number stood for two of them.": {
			label: "[PERSON_NAME_1]", said: []mention{{0, "p1", "PERSON_NAME", 1}, {1, "p2", "PERSON_NAME", 2}, {2, "p1", "PERSON_NAME", 1}}},
		"1 of 2 persons named had one number throughout their call; 1 number stood for more than one of them.": {
			said: []mention{{0, "p1", "PERSON_NAME", 1}, {1, "p2", "PERSON_NAME", 1}, {2, "p1", "PERSON_NAME", 2}}},
		"0 of 1 person named had one number throughout their call, and no number stood for two of them.": {
			label: "[PERSON_NAME_3]", said: []mention{{0, "p1", "PERSON_NAME", 1}}},
		"that is not known, because nobody has marked the people of these calls, or their names have no numbers.": {
			label: "Agent", said: []mention{{0, "p1", "PERSON_NAME", 0}}},
	} {
		l := newLedger()
		m := raw("a", 1, "Ida Ines Ida")
		m.stamp, m.speaks = true, "p1"
		out := clean("a", 1)
		out.Speaker = &schemas.Speaker{ID: "s1", Label: c.label}
		for _, x := range c.said {
			start, end := 4*x.at, 4*x.at+3
			m.mentions = append(m.mentions, gold.PersonMention{Start: start, End: end, Person: x.person})
			out.Entities = append(out.Entities, schemas.Entity{Type: x.tag, ID: x.id, RawStart: &start, RawEnd: &end})
		}
		l.expect(m)
		l.cleaned(out)
		if got := l.people.sentence(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
