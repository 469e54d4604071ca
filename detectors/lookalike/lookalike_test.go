package lookalike

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[PERSON_NAME_1] owes me", `[\PERSON_NAME_1] owes me`},
		{"[PERSON_NAME]", `[\PERSON_NAME]`},
		{"[SSN]", `[\SSN]`},
		{"[EMPLOYEE_NUMBER_12]", `[\EMPLOYEE_NUMBER_12]`},
		{"[REDACTED]", `[\REDACTED]`},
		{"[person_name_1]", `[\person_name_1]`},
		{"(hello)[MISSED_SSN]", `(hello)[\MISSED_SSN]`},
		{"(hello)(MISSED_SSN)", `(hello)(\MISSED_SSN)`},
		{"(hello)([MISSED_SSN])", `(hello)([\MISSED_SSN])`},
		{"(hello) [missed_ssn_partial", `(hello) [\missed_ssn_partial`},
		{"(hello)(MISSED EMAIL)", `(hello)(\MISSED EMAIL)`},
		{"(hello)(MISSED-EMAIL)", `(hello)(\MISSED-EMAIL)`},
		{`[\PERSON_NAME_1]`, `[\\PERSON_NAME_1]`},
		{"[PERSON\u200b_NAME_1]", "[\\PERSON\u200b_NAME_1]"},
		{"［ＰＥＲＳＯＮ＿ＮＡＭＥ＿１］", "［\\ＰＥＲＳＯＮ＿ＮＡＭＥ＿１］"},
		{"[РERSON_NAME_1]", `[\РERSON_NAME_1]`}, // a Cyrillic letter
		{"[[A_1]]", `[[\A_1]]`},
		{"[MISSED]", `[\MISSED]`},
	} {
		if got := Escape(c.text); got != c.want {
			t.Errorf("%+q became %+q, want %+q", c.text, got, c.want)
		}
		if got := Unescape(c.want); got != c.text {
			t.Errorf("%+q is %+q again, want %+q", c.want, got, c.text)
		}
	}
	for _, text := range []string{
		"", "[laughter]", "[inaudible 00:12]", "(missed call)", "I (Missed You) there", "a missed_call", "[1]", "[]", "(PERSON_NAME_1)",
		`C:\[x\A`, `[\ A]`, "[A B]", "[A", "(missed)", "[Music]", "(MISSEDX)", "PERSON_NAME_1]",
	} {
		if got := Escape(text); got != text {
			t.Errorf("%+q became %+q", text, got)
		}
	}
}

// likeOurs matches what a consumer of clean text takes for a tag or an annotation.
var likeOurs = regexp.MustCompile(`\[[A-Z][A-Z0-9_]*\]|[\[(](?i:MISSED_)|[\[(]MISSED[ -]`)

func TestUnescapeIsExact(t *testing.T) {
	pieces := []string{"[", "(", "]", ")", `\`, "MISSED", "missed", "_", "SSN", "PERSON_NAME_1", "a", "7", " ", "-", "\u200b", "［", "］", "Ａ", "\xff", "é"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		text += rapid.String().Draw(t, "any")
		escaped := Escape(text)
		if got := Unescape(escaped); got != text {
			t.Fatalf("%+q is %+q after escaping and unescaping", text, got)
		}
		if likeOurs.MatchString(escaped) {
			t.Fatalf("%+q, escaped from %+q, still has a look-alike", escaped, text)
		}
		for _, m := range Find(escaped) {
			if m.Marks == 0 {
				t.Fatalf("%+q, escaped from %+q, has a look-alike without a mark", escaped, text)
			}
		}
		if len(Find(text)) == 0 && escaped != text {
			t.Fatalf("%+q became %+q", text, escaped)
		}
		original, marks := UnescapeAt(escaped)
		if len([]rune(escaped))-len(marks) != len([]rune(original)) {
			t.Fatalf("%d marks were removed from %+q, which gave %+q", len(marks), escaped, original)
		}
		for _, at := range marks {
			if []rune(escaped)[at] != Mark {
				t.Fatalf("position %d of %+q is not a mark", at, escaped)
			}
		}
	})
}
