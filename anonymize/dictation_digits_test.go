package anonymize

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// digitWords are the digits as they are said.
var digitWords = strings.Fields("zero one two three four five six seven eight nine")

// dictate asks a question and gives each part in a turn of its own, with a sign of listening in
// between unless it is empty. It returns what was masked of the parts.
func dictate(t *testing.T, e *Engine, question, listening string, parts []string) []string {
	t.Helper()
	c := NewConversation(e)
	var seq int64
	var out []Output
	say := func(speaker, text string) {
		seq++
		ev := utterance(seq, speaker, text)
		ev.Speaker.ID = speaker
		out = append(out, c.Add(ev))
	}
	say("Agent", question)
	for _, part := range parts {
		say("Customer", part)
		if listening != "" {
			say("Agent", listening)
		}
	}
	var texts []string
	for _, o := range out {
		if o.Clean.Speaker.Label == "Customer" {
			texts = append(texts, o.Clean.Text)
		}
	}
	if len(texts) != len(parts) {
		t.Fatalf("%d turns came out, want %d", len(texts), len(parts))
	}
	return texts
}

// Who gives a number one digit at a time, with signs of listening in between, gives nothing away.
func TestDigitsGivenOneAtATime(t *testing.T) {
	forms := map[string]func(i int, digit rune) string{
		"words":   func(_ int, digit rune) string { return digitWords[digit-'0'] },
		"figures": func(_ int, digit rune) string { return string(digit) },
		"stops":   func(_ int, digit rune) string { return digitWords[digit-'0'] + "." },
		"fillers": func(i int, digit rune) string {
			if i == 0 {
				return "sure, it's " + digitWords[digit-'0']
			}
			return "um, " + digitWords[digit-'0']
		},
	}
	questions := map[string]string{
		"What is your card number?": "4539148803436467", "What's your social security number?": "453914880",
		"Can I have your phone number please?": "6045550134", "what is your account number": "77341902855161",
	}
	e := newEngine(t, Options{})
	for question, number := range questions {
		for form, say := range forms {
			for _, listening := range []string{"uh huh", "okay", "mm-hmm", ""} {
				var parts []string
				for i, digit := range number {
					parts = append(parts, say(i, digit))
				}
				for i, text := range dictate(t, e, question, listening, parts) {
					if !strings.Contains(text, "[") {
						t.Errorf("%q, %s, %q: digit %d is in the clear: %q", question, form, listening, i+1, text)
					}
				}
			}
		}
	}
}

// Who repeats each digit that is dictated gives nothing away either, and what is dictated stays one
// number.
func TestDigitsRepeatedOneAtATime(t *testing.T) {
	c := NewConversation(newEngine(t, Options{}))
	var out []Output
	var seq int64
	say := func(speaker, text string) {
		seq++
		ev := utterance(seq, speaker, text)
		ev.Speaker.ID = speaker
		out = append(out, c.Add(ev))
	}
	say("Agent", "What is your card number?")
	for _, digit := range "4539148803436467" {
		say("Customer", digitWords[digit-'0'])
		say("Agent", digitWords[digit-'0'])
	}
	for i, o := range out {
		if i%2 == 1 && o.Clean.Text != "[CREDIT_CARD_NUMBER_1]" || i > 0 && !strings.HasPrefix(o.Clean.Text, "[") {
			t.Errorf("turn %d is %q", i+1, o.Clean.Text)
		}
	}
}

// The same for letters.
func TestLettersGivenOneAtATime(t *testing.T) {
	e := newEngine(t, Options{})
	for _, question := range []string{"Can you spell your last name for me?", "What's your name? Please spell it."} {
		for _, listening := range []string{"uh huh", ""} {
			for i, text := range dictate(t, e, question, listening, strings.Split("Q U I M B O L T", " ")) {
				if !strings.Contains(text, "[") {
					t.Errorf("%q, %q: letter %d is in the clear: %q", question, listening, i+1, text)
				}
			}
		}
	}
}

var tag = regexp.MustCompile(`\[[A-Z_]+_[0-9]+\]`)

// What separates or disguises the digits of one number hides none of them.
func TestDisguisedDigits(t *testing.T) {
	const question = "What is your card number?"
	tagged := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, "%c\U000E0034\U000E007F", r)
		}
		return b.String()
	}
	inTags := func(s string) string { return strings.Map(func(r rune) rune { return 0xE0000 + r }, s) }
	e := newEngine(t, Options{})
	for name, text := range map[string]string{
		"and":                 "4 and 5 and 3 and 9 and 1 and 4 and 8 and 8 and 0 and 3 and 4 and 3 and 6 and 4 and 6 and 7",
		"and, short":          "6 and 0 and 4 and 5",
		"and, words, short":   "six and oh and four and five",
		"mixed scripts":       "٤5३9 1૪8८ 0３4๓ 6௪6໗",
		"invisible tags":      tagged("4539148803436467"),
		"all in tags":         inTags("4539148803436467"),
		"half in tags":        "45391488" + inTags("03436467"),
		"groups in tags":      inTags("4539 1488 0343 6467"),
		"Spanish":             "cuatro cinco tres nueve uno cuatro ocho ocho cero tres cuatro tres seis cuatro seis siete",
		"Spanish and English": "cuatro cinco three nine uno four ocho ocho zero tres four tres six cuatro seis seven",
		"French":              "quatre cinq trois neuf un quatre huit huit zéro trois quatre trois six quatre six sept",
		"French, in pairs":    "quarante-cinq trente-neuf quatorze quatre-vingt-huit trois trente-quatre trente-six",
		"Spanish, short":      "cinco uno dos tres",
		"invisible, in words": "fo\U000E0075ur fi\U000E0076ve th\u200bree ni\u2060ne one four eight eight",
	} {
		for _, asked := range []bool{true, false} {
			if !asked && strings.HasSuffix(name, "short") {
				continue // a list of four small numbers may be anything
			}
			opening := "Hello there."
			if asked {
				opening = question
			}
			got := dictate(t, e, opening, "", []string{text})[0]
			if plain := strings.ToLower(tag.ReplaceAllString(got, "[]")); !strings.HasPrefix(got, "[") || strings.ContainsAny(plain, "0358٤३૪८๓௪໗"+inTags("0358")) || strings.Contains(plain, "four") {
				t.Errorf("%s, asked %v: %q", name, asked, got)
			}
		}
	}
}
