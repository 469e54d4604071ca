package detectors

import (
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
