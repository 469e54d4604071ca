package remote

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/detectors"
)

// pieces are what texts consist of that are hard to count: characters outside of the basic plane,
// which some languages count as two; emoji of several characters; combining and invisible ones.
var pieces = []string{
	"Ann", " ", "😀", "👩‍👩‍👧", "e\u0301", "é", "\u200b", "\u200d", "\ufeff", "\u00ad", "𝒜𝒷", "日本", "🇨🇦", "\u202e", "\n", "ß", "\U0010ffff", "\x00",
}

func TestPositionsCountCodePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 20).Draw(t, "pieces"), "")
		runes := []rune(text)
		from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(runes)).Draw(t, "to")
		f, err := findings(text, "test", []Span{{from, to, "PERSON", 0.5}}, PresidioTypes())
		if err != nil || len(f) != 1 {
			t.Fatalf("%v, %v", f, err)
		}
		if got, want := text[f[0].Start:f[0].End], string(runes[from:to]); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestPositionsOutsideOfTheTextAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, "pieces"), "")
		n := utf8.RuneCountInString(text)
		s := Span{rapid.IntRange(-3, n+3).Draw(t, "start"), rapid.IntRange(-3, n+3).Draw(t, "end"), "PERSON", 1}
		ok := s.Start >= 0 && s.Start < s.End && s.End <= n
		if f, err := findings(text, "test", []Span{s}, PresidioTypes()); (err == nil) != ok || !ok && (f != nil || !errors.Is(err, ErrRefused)) {
			t.Fatalf("%d characters, %v: %v, %v", n, s, f, err)
		}
	})
}

func TestTypes(t *testing.T) {
	for _, types := range []*Types{PresidioTypes(), DLPTypes()} {
		if got := types.Is("SOMETHING_NEW"); got != detectors.GenericID {
			t.Errorf("a type that nobody knows is %q", got)
		}
	}
	for _, row := range detectors.InfoTypes() {
		if row.OffByDefault() || row == detectors.Product {
			continue // Google has no infoType for products
		}
		found := false
		for _, n := range DLPTypes().Names() {
			found = found || DLPTypes().Is(n) == row
		}
		if !found && row.Row().Group != detectors.GroupOther {
			t.Errorf("dlp.txt has nothing for %s of Table 6", row)
		}
	}
	own, err := ParseTypes("f", "A PERSON_NAME 0.5\nB -\n* GENERIC_ID")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		score float32
		want  bool
	}{"A": {0.6, true}, "a low score": {0.4, false}, "B": {1, false}, "C": {0, true}} {
		if _, got := own.of(Span{Type: name[:1], Score: c.score}); got != c.want && name != "a low score" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if _, ok := own.of(Span{Type: "A", Score: 0.4}); ok {
		t.Error("a score that is too low counts")
	}
	for text, want := range map[string]string{
		"A": "f:1:", "A PERSON_NAME\n\nA URL": "f:3:", "A NOBODY": "f:1:", "A URL 2": "f:1:", "A URL": "no line for *", "A URL 1 x": "f:1:",
	} {
		if _, err := ParseTypes("f", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
