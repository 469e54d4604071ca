package replace

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// Whatever a detector finds is replaced without a panic, by non-empty valid UTF-8.
func FuzzAppend(f *testing.F) {
	for _, text := range []string{
		"Mark Kowalski's", "M-A-R-K", "m as in mike", "five five five oh one double two", "mark dot k at gmail dot com", "3/14/85",
		"the twenty first of june nineteen oh five", "P.O. Box 12, apt b", "unit n as in nancy", "2001:db8::1", "half past six pm", "é日本", "'s", "-", " . ",
	} {
		f.Add(text, "mark kowalski", 3)
	}
	types := slices.Sorted(slices.Values(everyType))
	var plans []*Plan
	for _, s := range []Strategy{Named, Word, Entity} {
		plans = append(plans, plan(f, Config{Choice: Choice{Default: s}}), plan(f, Config{Choice: Choice{Default: s}, Independent: true, Neutral: true}))
	}
	seed := plans[0].Seed("call")
	f.Fuzz(func(t *testing.T, text, full string, n int) {
		if text == "" || len(text) > 200 || !utf8.ValidString(text) {
			return
		}
		for _, p := range plans {
			for _, infoType := range types {
				got := p.Append(nil, &seed, &Mention{Type: infoType, N: n % 500, Text: text, Full: full})
				if len(got) == 0 || !utf8.Valid(got) {
					t.Fatalf("%s: %d bytes became %d", infoType, len(text), len(got))
				}
			}
		}
	})
}
