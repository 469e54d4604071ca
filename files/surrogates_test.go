package files

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/anonymize"
	"sotto/anonymize/replace"
)

// frequent are names that surrogates have often.
var (
	frequentGiven    = strings.Fields("James Mary Michael Patricia David Jennifer Robert Linda William Elizabeth Joseph Barbara Maria Susan Daniel Karen Matthew Nancy")
	frequentSurnames = strings.Fields("Smith Johnson Williams Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Taylor")
)

// In a file, no surrogate is the name of anybody in the call, also of those who are named later, and the full and the short form of
// a name have the same first name.
func TestSurrogatesOfPeople(t *testing.T) {
	said := regexp.MustCompile(`(?s)my name is (\S+) (\S+)\.\n.*Hi (\S+), this is (\S+) (\S+)\.\n.*Thank you, (\S+)\. Is (\S+) (\S+) on the account\?\n.*Yes, (\S+) is my`)
	rapid.Check(t, func(t *rapid.T) {
		plan, err := replace.New(replace.Config{Choice: replace.Choice{Default: replace.Entity}, Key: rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "key")})
		if err != nil {
			t.Fatal(err)
		}
		e, err := anonymize.New(anonymize.Options{RawOffsets: true, Fast: true, Replace: plan})
		if err != nil {
			t.Fatal(err)
		}
		given := rapid.SliceOfNDistinct(rapid.SampledFrom(frequentGiven), 3, 3, rapid.ID[string]).Draw(t, "given")
		surnames := rapid.SliceOfNDistinct(rapid.SampledFrom(frequentSurnames), 3, 3, rapid.ID[string]).Draw(t, "surnames")
		raw := fmt.Sprintf("Agent: Good morning, my name is %s %s.\nCustomer: Hi %s, this is %s %s.\nAgent: Thank you, %s. Is %s %s on the account?\nCustomer: Yes, %s is my cousin.\n",
			given[0], surnames[0], given[0], given[1], surnames[1], given[1], given[2], surnames[2], given[2])
		clean, _ := anonymized(t, &Job{Engine: e}, "call.txt", raw)
		m := said.FindStringSubmatch(clean)
		if m == nil {
			t.Fatalf("%s\nbecame\n%s", raw, clean)
		}
		for _, w := range m[1:] {
			if slices.Contains(given, w) || slices.Contains(surnames, w) {
				t.Fatalf("%s is a name of the call\n%s\nbecame\n%s", w, raw, clean)
			}
		}
		for _, pair := range [][2]int{{1, 3}, {4, 6}, {7, 9}} {
			if m[pair[0]] != m[pair[1]] {
				t.Fatalf("%s and %s are one person\n%s\nbecame\n%s", m[pair[0]], m[pair[1]], raw, clean)
			}
		}
	})
}
