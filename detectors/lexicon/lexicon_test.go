package lexicon

import (
	"testing"

	"sotto/detectors"
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

// Read only saves look-ups: a document that was read and one that was not have the same names.
func TestReadLosesNoName(t *testing.T) {
	const text = "We drove from St. Louis to new york, 7 eleven was closed, then Winston-Salem and Paris Texas; " +
		"my asthma got worse, so I took ibuprofen for the high blood pressure in Ohio and called General Motors about type 2 diabetes"
	var plain, read detectors.Document
	plain.Reset(text)
	read.Reset(text)
	Read(&read)
	begins := 0
	for i := range plain.Tokens {
		n, p := PlaceAt(&plain, i)
		m, q := PlaceAt(&read, i)
		k, names := NameAt(&plain, i)
		l, sames := NameAt(&read, i)
		if n != m || p != q || k != l || names != sames {
			t.Errorf("token %d: other names after Read", i)
		}
		begins += min(n, 1)
	}
	if begins < 5 {
		t.Errorf("%d places: the test is void", begins)
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		LookupHash(wordhash.String("jennifer"))
	}
}
