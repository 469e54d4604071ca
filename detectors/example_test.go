package detectors_test

import (
	"fmt"

	"sotto/detectors"
)

// A set of phrases finds the longest one that begins at a token.
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
	for i := 0; i < len(d.Tokens); {
		found, n := phrases.Longest(&d, i, detectors.HyphensAndDots)
		if n == 0 {
			i++
			continue
		}
		fmt.Println(d.Text[d.Tokens[i].Start:d.Tokens[i+n-1].End], found == email)
		i += n
	}
	// Output: e-mail address true
}
