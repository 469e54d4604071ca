package anonymize

import (
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
)

// What is readable of a text has the words of the text at their places.
func TestReadable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"call me at 604", "call me at 604"},
		{"call me at ٦٠٤ now", "call me at 604 now"},
		{"I am JOSÉ and Іvan", "I am JOSE and Ivan"},
		{"6\u200b04 it’s", "604 it's"},
	} {
		var d detectors.Document
		var r readable
		d.Reset(c.text)
		r.of(&d)
		if r.text != c.want {
			t.Errorf("%q is read as %q, want %q", c.text, r.text, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab 1.'é٦Іｘ\u200b\u0301👍’"))).Draw(t, "text")
		var d detectors.Document
		var r readable
		d.Reset(text)
		r.of(&d)
		last := 0
		for at := range len(r.text) {
			start, end := r.raw(at, at+1)
			if start > end || end > len(text) || start < last {
				t.Fatalf("byte %d of %q is %d to %d of %q", at, r.text, start, end, text)
			}
			last = start
		}
	})
}
