package place

import (
	"testing"

	"sotto/detectors"
	"sotto/detectors/spoken"
	"sotto/internal/testkit/listtest"
)

func TestLists(t *testing.T) { listtest.Check(t, lists) }

func TestPlaces(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Her son moved to Toronto.", "LOCATION:Toronto "},
		{"we live in hamilton ohio now", "LOCATION:hamilton US_STATE:ohio "},
		{"Alexandria, VA", "LOCATION:Alexandria US_STATE:VA "},
		{"sure tennessee seattle", "US_STATE:tennessee LOCATION:seattle "},
		{"the city was little and the road was long", ""},
		{"see you in May", ""},
		{"Thanks, Virginia.", ""},
		{"e as in echo five five one two", ""},
	} {
		var d detectors.Document
		d.Reset(c.text)
		spoken.Scan(&d)
		Find(&d)
		got := ""
		for _, f := range d.Findings {
			got += string(f.Type) + ":" + c.text[f.Start:f.End] + " "
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}
