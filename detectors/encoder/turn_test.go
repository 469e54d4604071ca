package encoder

import (
	"fmt"
	"strings"
	"testing"
)

// piecesOf returns the pieces of a turn as text, words apart.
func piecesOf(m *Model, text string) (pieces, shapes string) {
	var turn Turn
	m.Split(&turn, text, 1)
	var words []string
	for i, word := range turn.Words {
		end := len(turn.ids)
		if i+1 < len(turn.Words) {
			end = turn.Words[i+1].piece
		}
		var names []string
		for _, id := range turn.ids[word.piece:end] {
			names = append(names, smallPieces[id])
		}
		words = append(words, strings.Join(names, " "))
	}
	return strings.Join(words, "|"), strings.Trim(fmt.Sprintf("%d", turn.shapes), "[]")
}

func TestSplit(t *testing.T) {
	m := smallModel(t)
	for _, c := range []struct{ text, pieces, shapes string }{
		{"", "", ""},
		{" \t\x1c\u00a0\u2028 ", "", ""},
		{"The caller is calling", "the|call ##er|is|call ##ing", "3 2 2 2"},
		{"ANA Ana's aNa A", "ana|ana|'|[UNK]|ana|a", "4 3 0 2 6 3"},
		{"ana's", "ana|'|[UNK]", "2 0 2"},
		{"1-2, a1 12.", "1|-|2|,|a ##1|1 ##2|.", "1 0 1 0 5 1 0"},
		{"a_b", "a _ b", "2"},
		{"xyz qa", "[UNK]|[UNK]", "2 2"},
		{"e\u0301 é É ß ẞ", "e|[UNK]|e|e|ß|ß", "2 0 2 3 2 3"},
		{"電電", "電 電", "6"},
		{"a\u00adb a\ufffdb \xff", "a|[UNK]|b|a|[UNK]|b|[UNK]", "2 0 2 2 0 2 0"},
		{"² ½ ǅ ª", "[UNK]|[UNK]|[UNK]|[UNK]", "1 0 6 2"},
		{strings.Repeat("a", 101), "[UNK]", "2"},
	} {
		pieces, shapes := piecesOf(m, c.text)
		if pieces != c.pieces || shapes != c.shapes {
			t.Errorf("%q: %q %q, want %q %q", c.text, pieces, shapes, c.pieces, c.shapes)
		}
	}
}

func TestSigmaAtTheEndOfAWord(t *testing.T) {
	for word, want := range map[string]string{"ΟΔΟΣ": "οδος", "Σ": "σ", "ΣΑΣΑ": "σασα", "İ": "i"} {
		if got := string(fold(nil, word)); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

// Words are in order, do not overlap, and have all of the text but spaces; their number of pieces is bounded.
func FuzzSplit(f *testing.F) {
	m := smallModel(f)
	f.Add("Call 电 me at a_b\xffİΣ é")
	f.Fuzz(func(t *testing.T, text string) {
		var turn Turn
		m.Split(&turn, text, 2)
		at := 0
		for i, word := range turn.Words {
			if strings.IndexFunc(text[at:word.Start], func(r rune) bool { return !isSpace(r) }) >= 0 || word.End <= word.Start {
				t.Fatalf("word %d is from %d to %d, behind one that ends at %d", i, word.Start, word.End, at)
			}
			at = word.End
		}
		if strings.TrimFunc(text[at:], isSpace) != "" {
			t.Fatal("something is left at the end")
		}
		if len(turn.ids) > 4*len(text) || len(turn.ids) < len(turn.Words) {
			t.Fatalf("%d bytes have %d pieces", len(text), len(turn.ids))
		}
	})
}

// A text that nobody said is read up to a bound.
func TestALongTurnIsReadInPart(t *testing.T) {
	m := Builtin()
	var turn Turn
	text := strings.Repeat("a@b.co ", 10_000)
	m.Split(&turn, text, 1)
	if n := turn.Pieces(); n < maxPieces || n > maxPieces+100 {
		t.Errorf("%d pieces are read, want about %d", n, maxPieces)
	}
	m.Split(&turn, text[:700], 1)
	if end := turn.Words[len(turn.Words)-1].End; end != 699 {
		t.Errorf("of a short text, %d bytes are read", end)
	}
}
