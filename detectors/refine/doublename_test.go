package refine

import (
	"strings"
	"testing"

	"sotto/detectors"
)

// One half of a double name is enough to find the other.
func TestDoubleNames(t *testing.T) {
	for _, c := range []struct{ text, half, want string }{
		{"it is Delacroix-Hume", "Hume", "Delacroix-Hume"},
		{"it is delacroix-hume now", "hume", "delacroix-hume"},
		{"it is Anna-Sophie now", "Anna", "Anna-Sophie"},
		{"that Anna-like thing", "Anna", "Anna"},
		{"call Anna - Tuesday", "Anna", "Anna"},
	} {
		var d detectors.Document
		d.Reset(c.text)
		at := strings.Index(c.text, c.half)
		d.Add(detectors.Finding{Start: at, End: at + len(c.half), Type: detectors.PersonName})
		completeDoubleNames(&d)
		if got := c.text[d.Findings[0].Start:d.Findings[0].End]; got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}
