package ner

import (
	"testing"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

func TestIsDate(t *testing.T) {
	for value, want := range map[string]bool{
		"saturday": true, "June 9th": true, "the twelfth": true, "2019": true, "labor day": true, "the day after Thanksgiving": true,
		"7:30": false, "noon": false, "ten o'clock": false, "three in the morning": false,
		"$60": false, "forty dollars": false, "a hundred": false, "2500": false,
	} {
		d := document("it was " + value)
		if got := isDate(d, &detectors.Finding{Start: len("it was "), End: len(d.Text)}); got != want {
			t.Errorf("%q is a date: %v, want %v", value, got, want)
		}
	}
}

// A plain date becomes one of birth by what surrounds it, from the operating point on that the
// surroundings are enough for.
func TestDatesOfBirthBySurroundings(t *testing.T) {
	for _, c := range []struct {
		name    string
		text    string
		context sequence.Context
		found   detectors.InfoType
		want    map[Sensitivity]bool
	}{
		{"nothing", "it was on March 4th", sequence.Context{}, "", map[Sensitivity]bool{}},
		{"a word of birth", "my birthday, it was on March 4th", sequence.Context{}, "", map[Sensitivity]bool{High: true, Maximum: true}},
		{"beside an age", "he is nine, it was on March 4th", sequence.Context{}, detectors.Age, map[Sensitivity]bool{High: true, Maximum: true}},
		{"after an age", "it was on March 4th", sequence.Context{Other: 1 << sequence.Age}, "", map[Sensitivity]bool{Maximum: true}},
		{"after a date of birth", "it was on March 4th", sequence.Context{Own: sequence.Birth}, "", map[Sensitivity]bool{High: true, Maximum: true}},
	} {
		for _, s := range Sensitivities() {
			d := document(c.text)
			at := len(c.text) - len("March 4th")
			d.Add(detectors.Finding{Start: at, End: len(c.text), Type: detectors.Date})
			if c.found != "" {
				d.Add(detectors.Finding{Start: 6, End: 10, Type: c.found})
			}
			thresholds, _ := ThresholdsOf(s, false)
			NewTagger(Builtin(), thresholds, nil).addDates(d, &c.context)
			if got := d.Findings[0].Type == detectors.DateOfBirth; got != c.want[s] {
				t.Errorf("%s at %s: a date of birth is %v, want %v", c.name, s, got, c.want[s])
			}
		}
	}
}
