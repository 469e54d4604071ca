package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// answers reads a short answer to a question for a date of birth or a postal code
// whole: what a recogniser made of the words between its numbers belongs to it
// ("15th May 2nd 1980", "g 2 6 5 W Ruby").
func answers(doc *d.Document) {
	for _, t := range [...]d.InfoType{d.DateOfBirth, d.StreetAddress} {
		if s := doc.Expected(t); s >= 0.7 {
			answer(doc, t, s)
		}
	}
}

const (
	// maxAnswer is how many words a short answer has.
	maxAnswer = 10
	// maxStrange is how many of them may be neither numbers nor parts of dates.
	maxStrange = 4
)

func answer(doc *d.Document, t d.InfoType, strength float32) {
	first, last, wordCount, strange, said := -1, -1, 0, 0, 0
	function := false
	for i := range doc.Tokens {
		x := &doc.Tokens[i]
		if x.Class == d.Punct || x.Class == d.Clitic || x.Class == d.Other {
			continue
		}
		value := saysValue(doc, i)
		if first < 0 && !value && isLeadIn(x, t) {
			continue
		}
		if x.Is(d.IsHotword|d.Currency) || x.Hash == hashYour {
			return
		}
		if first < 0 {
			first = i
		}
		last = i
		wordCount++
		switch {
		case value, x.Is(d.Spelling | d.LetterName):
			said++
		case x.Is(d.Filler | d.Homophone | d.LetterSound):
		case x.Is(d.Function):
			if t == d.StreetAddress {
				strange++
			}
			function = true
		default:
			strange++
		}
	}
	whole := wordCount > 0 && wordCount <= 3 && strength >= 0.9 && strange == wordCount && !function && last == len(doc.Tokens)-1
	switch {
	case whole:
	case said == 0 || wordCount > maxAnswer || strange > maxStrange || strange > 2*said+1:
		return
	case t == d.StreetAddress && hasPostal(doc):
		// The postal code was understood; what stands around it is not part of it.
		return
	case t == d.StreetAddress && (strange > 3 || said < 2 && wordCount > 2 && runLen(doc, first, last) < 3):
		return
	}
	score := 0.55 + 0.2*strength
	doc.Add(d.Finding{Start: int(doc.Tokens[first].Start), End: int(doc.Tokens[last].End), Type: t, Likelihood: d.LikelihoodOf(score), Score: score,
		Detector: "answer", Evidence: d.ByExpectation})
	claim(doc, first, last)
}

// isLeadIn tells whether a word only leads to the answer. Before a postal code the
// small words are what a recogniser makes of letters.
func isLeadIn(x *d.Token, t d.InfoType) bool {
	if x.Is(d.Backchannel | d.Copula | d.Filler | d.Correct | d.IsHotword) {
		return true
	}
	if t == d.StreetAddress {
		return x.Hash == hashIt || x.Hash == hashMy || x.Hash == hashThe || x.Hash == hashCode
	}
	return x.Is(d.Function) && !x.Is(d.Homophone) || x.Hash == hashDate
}

// hasPostal tells whether a run is a postal code by its form.
func hasPostal(doc *d.Document) bool {
	for i := range doc.Runs {
		var buf [10]byte
		if r := &doc.Runs[i]; r.Len() < len(buf) && ids.Postal(appendCode(buf[:0], doc.Symbols(r))) >= ids.Shape {
			return true
		}
	}
	return false
}

// saysValue tells whether token i is a number, a letter, or a part of a date.
func saysValue(doc *d.Document, i int) bool {
	x := &doc.Tokens[i]
	return x.Class == d.Digits || x.Class == d.Alnum || x.Is(d.NumWord|d.Teen|d.Tens|d.Ordinal) || x.Is(d.Month) && !x.Is(d.Function) || doc.RunAt(i) >= 0
}

// runLen is the length of the longest run within tokens first to last.
func runLen(doc *d.Document, first, last int) int {
	n := 0
	for i := range doc.Runs {
		if r := &doc.Runs[i]; r.First >= first && r.Last <= last {
			n = max(n, r.Len())
		}
	}
	return n
}
