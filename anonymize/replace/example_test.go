package replace_test

import (
	"fmt"

	"sotto/anonymize/replace"
)

// A plan writes one replacement for each mention. Tags need no key; surrogates do.
func Example() {
	choice, err := replace.ParseChoice("default=typed-numbered,PERSON_NAME=entity")
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := replace.New(replace.Config{Choice: choice, Key: []byte("0123456789abcdef")})
	if err != nil {
		fmt.Println(err)
		return
	}
	seed := plan.Seed("c-42") // what the draws of this call derive from
	for i, m := range []replace.Mention{
		{Type: "PERSON_NAME", N: 1, Text: "Pam"},
		{Type: "PERSON_NAME", N: 1, Text: "P-A-M"},
		{Type: "PHONE_NUMBER", N: 1, Text: "555 0134"},
	} {
		m.Pos = i
		fmt.Println(string(plan.Append(nil, &seed, &m)))
	}
	// Output:
	// Kendal
	// K-E-N-D-A-L
	// [PHONE_NUMBER_1]
}
