package allowlist

import (
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/internal/wordhash"
)

func keeps(l *List, text string) string {
	var d detectors.Document
	d.Reset(text)
	var kept []string
	for i := range d.Tokens {
		if l.Keeps(d.Tokens[i].Class, d.Tokens[i].Hash) {
			kept = append(kept, d.Raw(i))
		}
	}
	return strings.Join(kept, " ")
}

func TestBuiltin(t *testing.T) {
	for _, c := range []struct{ list, text, want string }{
		{Common, "I would like to speak with Mark Quimbolt, please", "I would like to speak with , please"},
		{Common, "the vertebra is at 555 0134 or a1b2", "the is at or"},
		{Common, "it's fine, don't call", "it 's fine , don't call"},
		{Vocabulary, "the vertebra of Quimbolt has 7 zorblats and a kitchen", "the of has and a kitchen"},
	} {
		l, err := Builtin(c.list)
		if err != nil {
			t.Fatal(err)
		}
		if got := keeps(l, c.text); got != c.want {
			t.Errorf("%s of %q keeps %q, want %q", c.list, c.text, got, c.want)
		}
	}
	if _, err := Builtin("entity"); err == nil {
		t.Error("an unknown list is accepted")
	}
}

// The sizes are those that the documentation states.
func TestSizes(t *testing.T) {
	common, _ := Builtin(Common)
	vocabulary, _ := Builtin(Vocabulary)
	more := 0
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			for c := 'a'; c <= 'z'; c++ {
				h := wordhash.String(string([]rune{a, b, c}))
				if common.has(h) && !vocabulary.has(h) {
					t.Errorf("%c%c%c is common, but not in the vocabulary", a, b, c)
				}
				if vocabulary.has(h) && !common.has(h) {
					more++
				}
			}
		}
	}
	if more == 0 {
		t.Error("the vocabulary is not larger")
	}
}

func TestRead(t *testing.T) {
	l, err := Read(strings.NewReader("# mine\nVértebra\t12\n\ndon't\nthe\n"), "f", 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := keeps(l, "the vertebra don't 5"); got != "vertebra don't" {
		t.Errorf("got %q", got)
	}
	for text, want := range map[string]string{"the\ntwo words\n": "f:2", "the\n42\n": "f:2", "": "f has no words"} {
		if _, err := Read(strings.NewReader(text), "f", 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	other, err := Read(strings.NewReader("vertebra\n"), "f", 0)
	if err != nil || string(other.Digest()) == string(l.Digest()) {
		t.Error("two lists have the same digest", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("the\t5\ndon't\n")
	f.Fuzz(func(t *testing.T, text string) {
		if l, err := Read(strings.NewReader(text), "f", 0); err == nil && l.Keeps(detectors.Digits, 0) {
			t.Fatal("a number stays")
		}
	})
}
