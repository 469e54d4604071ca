package refine

import (
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/detectors/spoken"
)

// The words between the parts of a spoken address are masked with them.
func TestJoinAddresses(t *testing.T) {
	type part struct {
		text string
		kind detectors.InfoType
	}
	person, domain, user := detectors.PersonName, detectors.DomainName, detectors.UserName
	for _, c := range []struct {
		text     string
		expected detectors.InfoType
		parts    []part
		want     string
	}{
		{"send it to tamsin at hollowbrook drywall dot com please", "", []part{{"tamsin", person}, {"hollowbrook drywall dot com", domain}},
			"tamsin at hollowbrook drywall dot com"},
		{"at hollowbrook dot ca", "", []part{{"hollowbrook dot ca", domain}}, "at hollowbrook dot ca"},
		{"uh, at hollowbrook dot ca", "", []part{{"hollowbrook dot ca", domain}}, "at hollowbrook dot ca"},
		{"look at hollowbrook dot ca", "", []part{{"hollowbrook dot ca", domain}}, ""},
		{"mara dot petrova", detectors.EmailAddress, []part{{"mara", person}, {"petrova", person}}, "mara dot petrova"},
		{"mara dot petrova", "", []part{{"mara", person}, {"petrova", person}}, ""},
		{"mara underscore k dot lindqvist", detectors.UserName, []part{{"mara", person}, {"k", user}, {"lindqvist", person}},
			"mara underscore k dot lindqvist"},
		{"hollow hyphen brook dot org", "", []part{{"hollow", person}, {"brook dot org", domain}}, "hollow hyphen brook dot org"},
		{"mara at home", "", []part{{"mara", person}}, ""},
		{"mara dot petrova at oregon", detectors.EmailAddress, []part{{"mara dot petrova", user}, {"oregon", detectors.Location}},
			"mara dot petrova at oregon"},
		{"mara petrova at", detectors.EmailAddress, []part{{"mara petrova", person}}, "mara petrova at"},
		{"mara petrova at noon", detectors.EmailAddress, []part{{"mara petrova", person}}, ""},
		{"it's brook mail dot es", detectors.EmailAddress, []part{{"brook mail", domain}}, "brook mail dot es"},
		{"hollow hyphen brook dot org", "", []part{{"brook dot org", domain}}, "hollow hyphen brook dot org"},
		{"a polka dot dress for mara", "", []part{{"mara", person}}, ""},
	} {
		var d detectors.Document
		d.Reset(c.text)
		spoken.Scan(&d)
		if c.expected != "" {
			d.Expect = append(d.Expect, detectors.Expectation{Type: c.expected, Strength: 0.9})
		}
		for _, p := range c.parts {
			at := strings.Index(c.text, p.text)
			d.Add(detectors.Finding{Start: at, End: at + len(p.text), Type: p.kind})
		}
		joinAddresses(&d)
		got := ""
		for _, f := range d.Findings[len(c.parts):] {
			if t := c.text[f.Start:f.End]; len(t) > len(got) {
				got = t
			}
		}
		if got != c.want {
			t.Errorf("%s: joined %q, want %q", c.text, got, c.want)
		}
	}
}
