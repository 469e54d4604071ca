package detectors

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors/wordlist"
)

func phrasesOf(texts ...string) *Phrases[uint16] {
	var b PhraseBuilder[uint16]
	for i, text := range texts {
		b.Add(uint16(i+1), text)
	}
	return b.Build()
}

func TestLongest(t *testing.T) {
	p := phrasesOf("last", "last 4", "last four digits", "driver's license", "e mail", "64 bit", "digits")
	for _, c := range []struct {
		text string
		want uint16
		n    int
	}{
		{"LAST one", 1, 1},
		{"last four", 1, 1},
		{"Last four digits", 3, 3},
		{"last 4 digits", 2, 2},
		{"driver's license", 4, 3},
		{"drivers license", 0, 0},
		{"E-mail", 5, 3},
		{"e - - - - - - - - mail", 0, 0},
		{"64-bit", 6, 3},
		{"lást,4", 1, 1},
		{"last", 1, 1},
		{", digits", 0, 0},
	} {
		var d Document
		d.Reset(c.text)
		if v, n := p.Longest(&d, 0, HyphensAndDots); v != c.want || n != c.n {
			t.Errorf("%q: phrase %d of %d tokens, want %d of %d", c.text, v, n, c.want, c.n)
		}
	}
}

func TestBuilderKeepsTheFirstValueOrMerges(t *testing.T) {
	var d Document
	d.Reset("new york")
	for _, c := range []struct {
		merge func(old, added uint8) uint8
		want  uint8
	}{{nil, 1}, {func(old, added uint8) uint8 { return old | added }, 3}} {
		b := PhraseBuilder[uint8]{Merge: c.merge}
		if !b.Add(1, "new york") || !b.Add(4, "new") || b.Add(2, "new  york") {
			t.Error("Add does not report which phrases are new")
		}
		if v, _ := b.Build().Longest(&d, 0, nil); v != c.want {
			t.Errorf("value %d, want %d", v, c.want)
		}
	}
}

func TestAddRefusesWordsThatAreNotTokens(t *testing.T) {
	for _, text := range []string{"", "e-mail", "Smith", "café"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is accepted", text)
				}
			}()
			phrasesOf(text)
		}()
	}
}

// fillers is a Gap that skips hesitations and repeated words, which may also be words of phrases.
func fillers(d *Document, first, j int) int {
	for j < len(d.Tokens) && (string(d.Word(j)) == "b" || d.HashAt(j) == d.HashAt(j-1)) {
		j++
	}
	return j
}

// The set finds the same as a comparison with each phrase, in which a word counts as the next word
// of the phrase if possible, and as part of the gap otherwise.
func TestLongestIsThatOfAllPhrases(t *testing.T) {
	words := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		phrases := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(t, "words"), " ")
		}), 1, 12, func(s string) string { return s }).Draw(t, "phrases")
		p := phrasesOf(phrases...)
		var d Document
		d.Reset(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(t, "text"), " "))
		best := 0
		for _, phrase := range phrases {
			best = max(best, matchOne(&d, phrase))
		}
		v, n := p.Longest(&d, 0, fillers)
		if n != best {
			t.Fatalf("%q in %q: %d tokens, want %d", phrases, d.Text, n, best)
		}
		if n > 0 && matchOne(&d, phrases[v-1]) != n {
			t.Fatalf("%q in %q: another phrase than %q takes %d tokens", phrases, d.Text, phrases[v-1], n)
		}
	})
}

// matchOne returns how many tokens a phrase takes at the beginning of a document.
func matchOne(d *Document, phrase string) int {
	j := 0
	for i, w := range strings.Fields(phrase) {
		if i > 0 && j < len(d.Tokens) && string(d.Word(j)) != w {
			j = fillers(d, 0, j)
		}
		if j >= len(d.Tokens) || string(d.Word(j)) != w {
			return 0
		}
		j++
	}
	return j
}

func BenchmarkLongest(b *testing.B) {
	var d Document
	d.Reset("and what is the date of birth on your account please")
	b.ReportAllocs()
	for b.Loop() {
		for i := range d.Tokens {
			hotwords.Longest(&d, i, HyphensAndDots)
		}
	}
}

func TestPhrasesOf(t *testing.T) {
	lists := wordlist.MustParse("[none]\nx\n[one]\ngood day\n[two]\ngood, bye bye\n")
	p := PhrasesOf[uint8](lists, "", "one", "two")
	for text, want := range map[string]uint8{"good day": 1, "Good night": 2, "bye bye": 2, "bye": 0} {
		var d Document
		d.Reset(text)
		if v, _ := p.Longest(&d, 0, nil); v != want {
			t.Errorf("%q: list %d, want %d", text, v, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a phrase in two lists is accepted")
		}
	}()
	PhrasesOf[uint8](wordlist.MustParse("[one]\na\n[two]\na\n"), "one", "two")
}

func TestWordIsAndWordIn(t *testing.T) {
	var d Document
	d.Reset("It's 42, Café")
	set := wordlist.NewSet("'s", "cafe")
	for i, want := range []struct {
		word string
		in   bool
	}{{"it", false}, {"'s", true}, {"42", false}, {",", false}, {"cafe", true}} {
		if !d.WordIs(i, want.word) || d.WordIn(i, set) != want.in {
			t.Errorf("token %d: is %q %v, in the set %v", i, want.word, d.WordIs(i, want.word), d.WordIn(i, set))
		}
	}
	for _, i := range []int{-1, len(d.Tokens)} {
		if d.WordIs(i, "it") || d.WordIn(i, set) {
			t.Errorf("token %d lies outside of the text", i)
		}
	}
}
