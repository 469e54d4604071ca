package noise

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEveryListIsUsed(t *testing.T) {
	if unused := lists.Unused(); len(unused) > 0 {
		t.Errorf("lists that nothing reads: %v", unused)
	}
}

// forms collects the results of a function with many seeds.
func forms(p Profile, f func(*noiser) string) map[string]bool {
	out := map[string]bool{}
	for seed := range uint64(300) {
		out[f(newNoiser(rand.New(rand.NewPCG(seed, 0)), &p))] = true
	}
	return out
}

func labelled(infoType, text string) turn {
	t := turn{}
	for w := range strings.FieldsSeq(text) {
		t.words = append(t.words, word{text: w})
	}
	if infoType != "" {
		l := &label{infoType: infoType}
		for i := range t.words {
			t.words[i].label = l
		}
	}
	return t
}

func (t *turn) text() string {
	u := t.utterance()
	return u.Text
}

func TestNumbersAndAddressesAreSaid(t *testing.T) {
	for _, c := range []struct {
		infoType, text string
		want           []string // all of these occur, and nothing but these if only
		only           bool
	}{
		{"AGE", "34", []string{"thirty four"}, true},
		{"", "40", []string{"forty"}, true},
		{"", "(40).", []string{"(forty)."}, true},
		{"MONEY", "$60.50", []string{"sixty fifty", "sixty dollars fifty cents", "sixty dollars and fifty cents"}, true},
		{"MONEY", "$1,200", []string{"twelve hundred dollars", "one thousand two hundred dollars"}, true},
		{"MONEY", "$9,999,999,999", []string{"nine nine nine nine nine nine nine nine nine nine dollars"}, true},
		{"", "15%", []string{"fifteen percent"}, true},
		{"", "3.5", []string{"three point five"}, true},
		{"TIME", "10:05", []string{"ten oh five"}, true},
		{"TIME", "6:00", []string{"six", "six o'clock"}, true},
		{"DATE", "12th", []string{"twelfth"}, true},
		{"DATE", "21st", []string{"twenty first"}, true},
		{"DATE", "1984", []string{"nineteen eighty four"}, true},
		{"DATE", "2005", []string{"two thousand five", "two thousand and five"}, false},
		{"DATE_OF_BIRTH", "4/12/1968", []string{"four twelve nineteen sixty eight"}, true},
		{"STREET_ADDRESS", "119", []string{"one nineteen", "one one nine", "one hundred nineteen"}, false},
		{"STREET_ADDRESS", "E1W", []string{"E one W"}, true},
		{"GENERIC_ID", "H447", []string{"H four four seven", "H double four seven", "H forty four seven"}, false},
		{"PHONE_NUMBER", "555-0134", []string{"five five five oh one three four", "triple five zero one three four", "fifty five five oh one thirty four"}, false},
		{"PRODUCT", "RAV4", []string{"RAV four"}, true},
		{"EMAIL_ADDRESS", "t_larkin@mail.example", []string{"t underscore larkin at mail dot example"}, true},
		{"IP_ADDRESS", "10.0.0.7", []string{"one oh dot oh dot oh dot seven", "ten dot zero dot zero dot seven"}, false},
		{"", "401k", []string{"four hundred one k", "four hundred and one k"}, true},
		{"", "²", []string{"²"}, true},
	} {
		got := forms(Profile{DigitsToWords: 1, Form: Unformatted}, func(n *noiser) string {
			u := labelled(c.infoType, c.text)
			n.digitsToWords(&u)
			return u.text()
		})
		checkForms(t, c.infoType+" "+c.text, got, c.want, c.only)
	}
}

// checkForms checks that all wanted forms of a text occur, and if only, no others.
func checkForms(t *testing.T, of string, got map[string]bool, want []string, only bool) {
	t.Helper()
	for _, w := range want {
		if !got[w] {
			t.Errorf("%s is never %q, but %v", of, w, got)
		}
	}
	if only && len(got) != len(want) {
		t.Errorf("%s: %v, want only %q", of, got, want)
	}
}

func TestNumberWordsAreWritten(t *testing.T) {
	for _, c := range []struct {
		infoType, text string
		want           []string
		only           bool
	}{
		{"AGE", "thirty four", []string{"34"}, true},
		{"AGE", "thirty-four.", []string{"34."}, true},
		{"", "forty doors", []string{"40 doors", "forty doors"}, true},
		{"", "oh two of one", []string{"oh two of one", "oh 2 of one"}, true},
		{"", "nineteen eighty", []string{"1980"}, true},
		{"", "one hundred thousand two hundred", []string{"100200"}, true},
		{"TIME", "ten forty five", []string{"10:45", "10 45", "10. 45"}, true},
		{"MONEY", "sixty fifty", []string{"60.50"}, true},
		{"DATE", "april twenty second", []string{"april 22nd"}, true},
		{"", "twenty second", []string{"20 second", "twenty second"}, true},
		{"DATE_OF_BIRTH", "four twelve nineteen sixty eight", []string{"4/12/1968", "4-12-1968", "4 12 1968", "4, 12, 1968"}, true},
		{"STREET_ADDRESS", "one nineteen main", []string{"119 main", "1 19 main"}, false},
		{"PHONE_NUMBER", "eight oh oh five five five oh one seven three", []string{"8005550173", "800-555-0173", "(800) 555-0173",
			"8 0 0 5 5 5 0 1 7 3", "8-0-0-5-5-5-0-1-7-3"}, false},
		{"GENERIC_ID", "double five double", []string{"55 double"}, true},
		{"GENERIC_ID", "double double", []string{"double double"}, true},
		{"GENERIC_ID", "double double five", []string{"55"}, true},
		{"GENERIC_ID", "hundred", []string{"hundred"}, true},
		{"GENERIC_ID", "two hundred hundred", []string{"20000", "200 00"}, false},
	} {
		got := forms(Profile{WordsToDigits: 1}, func(n *noiser) string {
			u := labelled(c.infoType, c.text)
			n.wordsToDigits(&u)
			return u.text()
		})
		checkForms(t, c.infoType+" "+c.text, got, c.want, c.only)
	}
}

// Spoken digits can be written again: they stay the same.
func TestDigitsSurviveBeingSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{1,17}`).Draw(t, "digits")
		p := Profile{Form: Form(rapid.IntRange(0, 2).Draw(t, "form"))}
		n := newNoiser(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), &p)
		said := n.dictate(digits)
		u := labelled("GENERIC_ID", strings.Join(said, " "))
		run := numberRun(&u, 0)
		if got := strings.Join(run.numbers(), ""); run.words != len(said) || got != digits {
			t.Fatalf("%s is spoken as %q, which is %s", digits, said, got)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.IntRange(0, 999_999).Draw(t, "number")
		n := newNoiser(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), &Profile{})
		said := slices.DeleteFunc(n.cardinal(v), func(w string) bool { return w == "and" })
		u := labelled("AGE", strings.Join(said, " "))
		if got := numberRun(&u, 0).numbers(); !slices.Equal(got, []string{strconv.Itoa(v)}) {
			t.Fatalf("%d is spoken as %q, which is %q", v, said, got)
		}
	})
}

func TestSpelledLettersInOtherForms(t *testing.T) {
	want := []string{"A-A-S-E", "A A S E", "a a s e", "A. A. S. E.", "A, A, S, E", "AASE", "AA S E"}
	for _, text := range []string{"A-A-S-E", "a a s e", "A. A. S. E.", "A.A.S.E."} {
		got := forms(Profile{Spelling: 1}, func(n *noiser) string {
			u := labelled("PERSON_NAME", text)
			n.spelling(&u)
			return u.text()
		})
		for _, w := range want {
			if !got[w] {
				t.Errorf("%q never becomes %q, but %v", text, w, got)
			}
		}
	}
	for _, c := range []struct{ infoType, text string }{{"", "i a"}, {"PERSON_NAME", "J. Quimby"}, {"PERSON_NAME", "dash - ash"}} {
		got := forms(Profile{Spelling: 1}, func(n *noiser) string {
			u := labelled(c.infoType, c.text)
			n.spelling(&u)
			return u.text()
		})
		if len(got) != 1 || !got[c.text] {
			t.Errorf("%q is not a spelled word, but becomes %v", c.text, got)
		}
	}
}

func TestAddressesGetTheirSymbols(t *testing.T) {
	for text, want := range map[string]string{
		"tom dot larkin at mail dot example": "tom.larkin@mail.example",
		"t underscore l at mail dot example": "t_l@mail.example",
		"first initial t at example":         "first initial t@example",
		"at mail dot example":                "at mail.example",
		"tom at":                             "tom at",
	} {
		got := forms(Profile{Addresses: 1}, func(n *noiser) string {
			u := labelled("EMAIL_ADDRESS", text)
			n.quality = 0
			n.addresses(&u)
			return u.text()
		})
		if len(got) != 1 || !got[want] {
			t.Errorf("%q becomes %v, want %q", text, got, want)
		}
	}
}
