package pattern

import (
	"slices"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// answers reads a short answer to a question for a date of birth or a postal code
// whole: what a recognizer made of the words between its numbers belongs to it
// ("15th May 2nd 1980", "g 2 6 5 W Ruby").
func answers(doc *d.Document) {
	for _, t := range [...]d.InfoType{d.DateOfBirth, d.StreetAddress} {
		strength := doc.Expected(t)
		if strength < 0.7 {
			continue
		}
		if a, ok := readReply(doc, t); ok && a.isValue(doc, t, strength) {
			score := 0.55 + float32(0.2*strength)
			addClaimed(doc, a.first, a.last+1, d.Finding{Type: t, Score: score, Detector: "answer", Evidence: d.ByExpectation})
		}
	}
}

const (
	// maxAnswer is how many words a short answer has.
	maxAnswer = 10
	// maxUnusual is how many of them may be neither numbers nor parts of dates.
	maxUnusual = 4
)

// reply is a short answer whose words are counted.
type reply struct {
	// first and last are its tokens, -1 before the first.
	first, last int
	// words counts its words, said those that are a part of the value, unusual those
	// that are neither this nor a hesitation.
	words, said, unusual int
	// function says that it has a word of grammar.
	function bool
}

// readReply counts the words of an answer to a question for a type. It reports false
// for a text that is not only an answer.
func readReply(doc *d.Document, t d.InfoType) (a reply, ok bool) {
	a = reply{first: -1, last: -1}
	for i := range doc.Tokens {
		x := &doc.Tokens[i]
		if x.Class == d.Punct || x.Class == d.Clitic || x.Class == d.Other {
			continue
		}
		value := saysValue(doc, i)
		if a.first < 0 && !value && isLeadIn(doc, i, t) {
			continue
		}
		if x.Is(d.IsHotword|d.Currency) || doc.WordIs(i, "your") {
			return a, false
		}
		if a.first < 0 {
			a.first = i
		}
		a.last = i
		a.words++
		switch {
		case value, x.Is(d.Spelling | d.LetterName):
			a.said++
		case x.Is(d.Filler | d.Homophone | d.LetterSound):
		case x.Is(d.Function):
			if t == d.StreetAddress {
				a.unusual++
			}
			a.function = true
		default:
			a.unusual++
		}
	}
	return a, true
}

// isValue reports whether all of the answer is the value that was asked for.
func (a *reply) isValue(doc *d.Document, t d.InfoType, strength float32) bool {
	if a.words > 0 && a.words <= 3 && strength >= 0.9 && a.unusual == a.words && !a.function && a.last == len(doc.Tokens)-1 {
		return true
	}
	if a.said == 0 || a.words > maxAnswer || a.unusual > min(maxUnusual, 2*a.said+1) {
		return false
	}
	if t != d.StreetAddress {
		return true
	}
	// Where the postal code was understood, what surrounds it is not part of it.
	hasPostal := slices.ContainsFunc(doc.Runs, func(r d.Run) bool { return postalMatch(doc, &r) >= ids.Shape })
	return !hasPostal && a.unusual <= 3 && (a.said >= 2 || a.words <= 2 || runLen(doc, a.first, a.last) >= 3)
}

// isLeadIn reports whether a word only leads to the answer. Before a postal code the
// small words are what a recognizer makes of letters.
func isLeadIn(doc *d.Document, i int, t d.InfoType) bool {
	x := &doc.Tokens[i]
	if x.Is(d.Backchannel | d.Copula | d.Filler | d.Correct | d.IsHotword) {
		return true
	}
	if t == d.StreetAddress {
		return beforePostalCode.Has(x.Hash)
	}
	return x.Is(d.Function) && !x.Is(d.Homophone) || doc.WordIs(i, "date")
}

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
