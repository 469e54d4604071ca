package detectors

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Every code point that Unicode marks as ignorable is invisible, except for white space and those
// that are displayed anyway.
func TestIgnorableRunesAreInvisible(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		shown := unicode.In(r, unicode.Prepended_Concatenation_Mark) || r >= 0x13430 && r <= 0x13440
		ignorable := unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		if ignorable && !shown && !unicode.IsSpace(r) && !Invisible(r) {
			t.Errorf("%U is visible", r)
		}
	}
}

// inTags writes ASCII text in tag characters, which nobody sees.
func inTags(s string) string {
	return strings.Map(func(r rune) rune { return 0xE0000 + r }, s)
}

// Text in tag characters is read, unless they are mixed into what is seen.
func TestTagCharactersAreRead(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{inTags("604 555-0134"), []string{"604", "555", "-", "0134"}},
		{"ines" + inTags("604"), []string{"ines", "604"}},
		{"4539" + inTags("1488"), []string{"4539", "1488"}},
		{inTags("45") + "39", []string{"45", "39"}},
		{inTags("My Ines") + " is", []string{"my", "ines", "is"}},
		{"6" + inTags("1") + "0" + inTags("2") + "4" + inTags("3"), []string{"604"}},
		{"4" + inTags("539148803436") + "467", []string{"4", "539148803436", "467"}},
		{"4" + inTags("1") + "5" + inTags("539148803") + "467", []string{"45", "539148803", "467"}},
		{"604" + strings.Repeat(inTags("A"), 100) + "555" + inTags("1"), []string{"604", "555", "1"}},
		{"604 " + strings.Repeat(inTags("1")+"\u200b", 9) + "x", []string{"604", "1", "1", "1", "1", "1", "1", "1", "1", "1", "x"}},
		{"fo" + inTags("x") + "ur, five", []string{"four", ",", "five"}},
		{"\U000E0001a\U000E007F b", []string{"a", "b"}},
	} {
		var d Document
		d.Reset(c.text)
		var got []string
		for i := range d.Tokens {
			got = append(got, string(d.Word(i)))
			if tok := &d.Tokens[i]; tok.End <= tok.Start || int(tok.End) > len(c.text) || i > 0 && tok.Start < d.Tokens[i-1].End {
				t.Errorf("%+q: token %d is at %d to %d", c.text, i, tok.Start, tok.End)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+q is read as %q, want %q", c.text, got, c.want)
		}
	}
	var d Document
	d.Reset("6" + inTags("1") + "0" + inTags("2"))
	if len(d.Tokens) != 1 || int(d.Tokens[0].End) != len(d.Text) {
		t.Error("what is mixed into a number is not a part of it")
	}
	d.Reset(inTags("Ines"))
	var plain Document
	plain.Reset("Ines")
	if a, b := d.Tokens[0], plain.Tokens[0]; a.Hash != b.Hash || a.Class != b.Class || a.Bits != b.Bits {
		t.Errorf("%+v is not %+v", a, b)
	}
}

// Digits of any script and decoration are recognized.
func TestNumeralsAreFolded(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"❻⓿❹❺", "6045"}, {"➅0➃➄", "6045"}, {"➏➍", "64"}, {"⓺⓿⓸⓹", "6045"}, {"⑹0⑷⑸", "6045"}, {"⒍🄀⒋⒌", "6045"},
		{"六〇四五", "6045"}, {"零一二三七八九", "0123789"}, {"〦〤〥", "645"}, {"6०٤٥", "6045"}, {"𝟔𝟘", "60"},
	} {
		var d Document
		d.Reset(c.text)
		if len(d.Tokens) != 1 || d.Tokens[0].Class != Digits || string(d.Word(0)) != c.want {
			t.Errorf("%+q has %d tokens, the first is %q", c.text, len(d.Tokens), d.Word(0))
		}
	}
}
