package transcript

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestExact(t *testing.T) {
	const text = "Hi, I'm Ines Quimby, call (604) 555-0134 now."
	masks := []Mask{{8, 19, "[N]"}, {26, 40, "[P]"}}
	for _, c := range []struct {
		pieces []string
		want   string
	}{
		{[]string{"Hi,", "I'm", "Ines", "Quimby,", "call", "(604)", "555-0134", "now."}, "2-3 [N],|5-6 [P]"},
		{[]string{"hi", "i'm", "ines", "quimby", "call", "604", "555", "0134", "now"}, "2-3 [N]|5-7 [P]"},
		{[]string{"Hi", ",", "I", "'m", "Ines", "Quimby", ",", "call", "(", "604", ")", "555", "-", "0134", "now", "."}, "4-5 [N]|9-13 [P]"},
		{[]string{" Hi,", " I'm", " Ines", " Quimby,", " call (604) 555-", "0134", " now."}, "2-3  [N],|4-5  call [P]"},
		{[]string{text}, "0-0 Hi, I'm [N], call [P] now."},
	} {
		spans, ok := Exact(text, masks, c.pieces)
		var got []string
		for _, s := range spans {
			got = append(got, fmt.Sprintf("%d-%d %s", s.First, s.Last, s.Text))
		}
		if g := strings.Join(got, "|"); !ok || g != c.want {
			t.Errorf("%q: got %q, want %q", c.pieces, g, c.want)
		}
	}
	for _, other := range [][]string{{"Hi"}, {"hello"}, strings.Fields(text + " and more")} {
		if _, ok := Exact(text, masks, other); ok {
			t.Errorf("%q counts as the same", other)
		}
	}
}

func TestProjected(t *testing.T) {
	const text = "It's 555-0134, Ms. Quimby."
	masks := []Mask{{5, 13, "[P]"}, {19, 25, "[N]"}}
	pieces := strings.Fields("it's five five five oh one three four miss quimby")
	spans, complete := Projected(text, masks, pieces)
	covered := map[int]bool{}
	for _, s := range spans {
		for i := s.First; i <= s.Last; i++ {
			covered[i] = true
		}
	}
	for i := range pieces {
		if i > 0 && i != 8 && !covered[i] {
			t.Errorf("%s is not covered: %v", pieces[i], spans)
		}
	}
	if _, ok := Projected("I am Ines.", []Mask{{5, 9, "[N]"}}, []string{"I", "am"}); !complete || ok {
		t.Error("it is not said whether every mask has pieces")
	}
	if covered[0] {
		t.Error("a word that both have is covered")
	}
}

// However a text is divided into pieces, no piece outside of the spans has a letter of a mask.
func TestExactCoversEveryMask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z ,.é-]{1,40}`).Draw(t, "text")
		start := rapid.IntRange(0, len(text)-1).Draw(t, "start")
		end := rapid.IntRange(start+1, len(text)).Draw(t, "end")
		var pieces []string
		var ends []int
		for at := 0; at < len(text); {
			n := rapid.IntRange(1, len(text)-at).Draw(t, "n")
			for at+n < len(text) && text[at+n]&0xC0 == 0x80 {
				n++
			}
			pieces, ends = append(pieces, text[at:at+n]), append(ends, at+n)
			at += n
		}
		spans, ok := Exact(text, []Mask{{start, end, "X"}}, pieces)
		if !ok {
			t.Fatal("the pieces are not those of the text")
		}
		covered := make([]bool, len(pieces))
		for _, s := range spans {
			for i := s.First; i <= s.Last; i++ {
				covered[i] = true
			}
		}
		for i := range pieces {
			from := ends[i] - len(pieces[i])
			if inside := text[max(from, start):max(min(ends[i], end), max(from, start))]; !covered[i] && strings.ContainsFunc(inside, isSaid) {
				t.Errorf("piece %d of %q is outside of %v", i, pieces, spans)
			}
		}
	})
}

func TestTextsRepeat(t *testing.T) {
	texts := []string{"one two", " three ", "four"}
	slots := make([]Slot, len(texts))
	for i := range texts {
		slots[i] = Slot{Text: texts[i], Set: func(s string) { texts[i] = s }}
	}
	r := TextsRepeat(slots)
	r.Set([]Span{{First: 1, Last: 2, Text: "[X]"}, {First: 3, Last: 3, Text: "[Y]"}})
	if got := fmt.Sprintf("%q", texts); got != `["one [X]" " " "[Y]"]` {
		t.Error(got)
	}
}

func TestSourceKeepsWhatDoesNotChange(t *testing.T) {
	s := NewSource("0123456789")
	s.Replace(2, 4, "ab")
	s.Replace(7, 8, "inner")
	s.Replace(6, 9, "")
	s.Replace(2, 4, "cd")
	if got := s.Changed(); got != "01cd459" {
		t.Error(got)
	}
}
