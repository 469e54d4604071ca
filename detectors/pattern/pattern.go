// Package pattern finds what has a form: numbers, codes, addresses of every
// kind, dates. A run of the spoken package or a written form becomes a finding
// by what can be proven of it, in this order: a check digit, a structure
// together with a hotword, the answer to an open question, and last, so that
// nothing of three or more symbols escapes, NUMERIC, SPELLED_WORD and
// GENERIC_ID by form alone. A number that the words next to it show to be an
// amount, a time or a measure is left alone.
//
// Codes are bytes in folded form: digits and lower-case letters.
package pattern

import d "sotto/detectors"

// Find adds findings of everything that has a form. The document's runs must have been made by
// spoken.Scan. It may be called again when Expect or Prior changed and the findings were cleared. It
// takes time linear in the length of the text.
func Find(doc *d.Document) {
	for i := range doc.Runs {
		doc.Runs[i].Claimed = false
	}
	s := scans.Get().(*scan)
	defer s.free()
	s.tokens(doc)
	cookies(doc)
	monthDates(doc)
	addresses(doc)
	if len(doc.Runs) > 0 {
		runDates(doc)
		coordinates(doc)
	}
	if len(doc.Expect) > 0 {
		answers(doc)
	}
	if len(doc.Hotwords) > 0 || len(doc.Expect) > 0 {
		userNames(doc)
	}
	if len(doc.Runs) > 0 {
		codes(doc)
		s.classifier.numbers(doc)
	}
}
