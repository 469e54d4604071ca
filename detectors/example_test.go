package detectors_test

import (
	"fmt"

	"sotto/detectors"
)

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
