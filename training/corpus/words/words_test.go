package words

import (
	"slices"
	"testing"

	"sotto/detectors"
)

func TestSplit(t *testing.T) {
	var s Splitter
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"Hello, I'm [PERSON_NAME_1]. It's 42!", []string{"hello", "i", "'m", "[PERSON_NAME_1]", "it", "'s", "42"}},
		{"[MASK] [MASK] of Zoë", []string{"[MASK]", "[MASK]", "of", "zoe"}},
		{"[not a marker] [A B] [", []string{"not", "a", "marker", "a", "b"}},
		{"[OPEN_1", []string{"open", "1"}},
	} {
		got := s.Texts(c.text)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
	for _, w := range s.Split("a [X_1] word") {
		if w.Marker != (w.Class == detectors.Other) || w.Marker && w.Hash != 0 {
			t.Errorf("%+v", w)
		}
	}
}

func TestMarkers(t *testing.T) {
	got := Markers("Zoë [X_1][MASK] [no] [] [A")
	if want := [][2]int{{4, 9}, {9, 15}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("Hello, [PERSON_NAME_1] it's [MASK")
	f.Fuzz(func(t *testing.T, text string) {
		var s Splitter
		end := 0
		for _, w := range s.Split(text) {
			if w.Start < end || w.End <= w.Start || w.End > len(text) || w.Text == "" {
				t.Fatalf("word at %d to %d after %d, text of %d bytes", w.Start, w.End, end, len(text))
			}
			end = w.End
		}
	})
}
