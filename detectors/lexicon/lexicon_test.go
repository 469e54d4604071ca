package lexicon

import (
	"testing"

	"sotto/internal/wordhash"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		word                              string
		common, given, surname, maxCommon int
	}{
		{"the", 15, 0, 0, 15},
		{"mark", 8, 10, 1, 15},
		{"kowalski", 0, 0, 1, 0},
		{"jennifer", 0, 12, 0, 0},
		{"thanks", 11, 0, 0, 15},
	} {
		e := LookupHash(wordhash.String(c.word))
		if e.Common() < c.common || e.Common() > c.maxCommon || e.Given() < c.given || e.Surname() < c.surname {
			t.Errorf("%s: common %d, given %d, surname %d", c.word, e.Common(), e.Given(), e.Surname())
		}
	}
	if e := LookupHash(wordhash.String("qqxzzy")); e != 0 {
		t.Errorf("an unknown word has %x", e)
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		LookupHash(wordhash.String("jennifer"))
	}
}
