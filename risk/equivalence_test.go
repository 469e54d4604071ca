package risk_test

import (
	"testing"

	"sotto/risk"
)

func TestNormalize(t *testing.T) {
	for want, values := range map[string][]string{
		"mark":        {"Mark", "M-A-R-K", "M. A. R. K.", "m a r k", "Mark's", "mark’s"},
		"5550134":     {"555-0134", "555 0134", "five five five oh one three four", "triple five 01 34", "Five, five, five. O one three four"},
		"jim halpert": {"Jim Halpert", "jim  halpert", "JIM HALPERT'S"},
		"oneil":       {"O'Neil", "o’neil"},
		"b 231 c 4":   {"B231C4", "b. 231 c. four"},
		"":            {"", " -- "},
	} {
		for _, v := range values {
			if got := risk.Normalize(v).String(); got != want {
				t.Errorf("%q is %q, want %q", v, got, want)
			}
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		infoType, a, b string
		want           bool
	}{
		{"PERSON_NAME", "Mark", "M-A-R-K", true},
		{"PERSON_NAME", "Mark", "marc", true},
		{"PERSON_NAME", "Mark", "Mike", false},
		{"PERSON_NAME", "Jim", "Jim Halpert", true},
		{"PERSON_NAME", "Jim Halpert", "Mr. Halpert", true},
		{"PERSON_NAME", "Jim Halpert", "Jim Beesly", false},
		{"PHONE_NUMBER", "604-555-0134", "six oh four five five five oh one three four", true},
		{"CREDIT_CARD_NUMBER", "4111 1111 1111 1234", "1234", true},
		{"PHONE_NUMBER", "604-555-0134", "604-555-0135", false},
		{"LOCATION", "Hamm", "hamm", true},
		{"LOCATION", "Hamm", "Ulm", false},
		{"NEVER_HEARD_OF", "x y", "X Y", true},
		{"PERSON_NAME", "", "-", true},
		{"PERSON_NAME", "", "Bo", false},
	} {
		a, b := risk.Normalize(c.a), risk.Normalize(c.b)
		if risk.Equivalent(c.infoType, a, b) != c.want || risk.Equivalent(c.infoType, b, a) != c.want {
			t.Errorf("%s %q and %q: want %v", c.infoType, c.a, c.b, c.want)
		}
	}
}
