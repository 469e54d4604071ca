// Package pattern finds what has a form: numbers, codes, e-mail and web
// addresses, dates. A run of the spoken package or a written form becomes a finding
// by what can be proven of it, in this order: a check digit, a structure
// together with a hotword, and last, so that
// nothing of three or more symbols escapes, NUMERIC, SPELLED_WORD and
// GENERIC_ID by form alone. A number that the words next to it show to be an
// amount, a time or a measure is left alone.
//
// Codes are bytes in folded form: digits and lower-case letters.
package pattern

import d "sotto/detectors"

// Find adds findings of everything that has a form. The document's runs must have been made by
// spoken.Scan. It takes time linear in the length of the text.
func Find(doc *d.Document) {
	s := scans.Get().(*scan)
	defer s.free()
	s.tokens(doc)
	cookies(doc)
	monthDates(doc)
	if len(doc.Runs) > 0 {
		runDates(doc)
		coordinates(doc)
		s.classifier.numbers(doc)
	}
}

// add adds the finding of tokens first to end, of the likelihood of its score.
func add(doc *d.Document, first, end int, f d.Finding) {
	f.Start, f.End, f.Likelihood = int(doc.Tokens[first].Start), int(doc.Tokens[end-1].End), d.LikelihoodOf(f.Score)
	doc.Add(f)
}

// addClaimed is add for what the runs within the tokens belong to.
func addClaimed(doc *d.Document, first, end int, f d.Finding) {
	add(doc, first, end, f)
	claim(doc, first, end-1)
}

// claim marks the runs within tokens first to last as read.
func claim(doc *d.Document, first, last int) {
	for i := doc.RunFrom(first); i < len(doc.Runs) && doc.Runs[i].First <= last; i++ {
		if r := &doc.Runs[i]; r.First >= first && r.Last <= last {
			r.Claimed = true
		}
	}
}

// plainCode is the letters and digits of the tokens.
func plainCode(doc *d.Document, first, end int) string {
	var buf [64]byte
	b := buf[:0]
	for i := first; i < end && len(b) < 60; {
		if r := doc.RunAt(i); r >= 0 && doc.Runs[r].First == i {
			b = d.AppendCode(b, doc.Symbols(&doc.Runs[r]))
			i = doc.Runs[r].Last + 1
			continue
		}
		if doc.Tokens[i].Class != d.Punct && !isDash(&doc.Tokens[i]) {
			b = append(b, doc.Word(i)...)
		}
		i++
	}
	return string(b)
}

func isDash(t *d.Token) bool {
	return t.Ch == '-' && (t.Class == d.Punct || t.Is(d.Connect) && t.Bits&(d.Function|d.Measure) == 0) || t.Ch == '/' && t.Is(d.Connect) && t.Class != d.Punct
}
