package detectors_test

import (
	"fmt"

	"sotto/detectors"
	"sotto/detectors/pattern"
	"sotto/detectors/spoken"
)

// A document is tokenized, its spelled and dictated parts are read, and the rules add findings.
// A Resolver makes the findings disjoint.
func Example() {
	var d detectors.Document
	d.Reset("My phone number is five five five oh one three four, or write to pam@example.com.")
	spoken.Scan(&d)
	pattern.Find(&d)
	var r detectors.Resolver
	for _, f := range r.Resolve(&d) {
		fmt.Printf("%s %s, %s, on %s\n", f.Type, f.Value, f.Likelihood, f.Evidence)
	}
	// Output:
	// PHONE_NUMBER 5550134, VERY_LIKELY, on shape+speech+hotword+one-by-one
	// EMAIL_ADDRESS pam@example.com, VERY_LIKELY, on structure+list
}

// A set of phrases finds the longest one that begins at each token.
func ExamplePhrases() {
	type topic uint8
	const (
		address topic = iota + 1
		email
	)
	var b detectors.PhraseBuilder[topic]
	b.Add(address, "address")
	b.Add(email, "e mail address")
	phrases := b.Build()

	var d detectors.Document
	d.Reset("Your e-mail address, please.")
	phrases.Each(&d, detectors.HyphensAndDots, func(found topic, i, n int) {
		fmt.Println(d.Text[d.Tokens[i].Start:d.Tokens[i+n-1].End], found == email)
	})
	// Output: e-mail address true
}
