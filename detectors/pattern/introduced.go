package pattern

import d "sotto/detectors"

// maxIntroduced bounds the tokens of an address that only its hotword shows.
const maxIntroduced = 28

// introducedAddress reads the address that a hotword introduces ("my address is"),
// or that was asked for, where it holds a number or a street or a word that is no
// English.
func introducedAddress(doc *d.Document, asked bool) {
	for k := range doc.Hotwords {
		h := &doc.Hotwords[k]
		if h.Hotword != d.HotAddress {
			continue
		}
		i, introduced := introduction(doc, tokenAfter(doc, h.End))
		addressFrom(doc, i, introduced, d.ByHotword|d.ByCue, 0.7)
	}
	if asked {
		s := doc.Expected(d.StreetAddress)
		addressFrom(doc, answerStart(doc, 0), true, d.ByExpectation, 0.5+float32(0.2*s))
	}
}

// introduced is an address that is being read from its beginning.
type introduced struct {
	doc *d.Document
	// first and end are its tokens so far, and street is the token after the last
	// street type or unit, 0 for none.
	first, end, street int
	// numbers, streets, unusual and plain count its numbers, its street types and
	// units, its words that are names or not English, and its everyday words.
	numbers, streets, unusual, plain int
}

// addressFrom reads an address that begins at token i. named says that "is" or the like
// leads to it.
func addressFrom(doc *d.Document, i int, named bool, e d.Evidence, score float32) {
	a := introduced{doc: doc, first: i, end: i}
	for a.end < len(doc.Tokens) && a.end-i < maxIntroduced {
		next := a.number()
		if next == 0 {
			next = a.word(a.end > i)
		}
		if next < 0 {
			break
		}
		a.end = next
	}
	for a.end > a.first && (doc.Tokens[a.end-1].Class == d.Punct || doc.Tokens[a.end-1].Is(d.Filler)) {
		a.end--
	}
	if a.street <= a.first || a.street > a.end {
		a.street = a.end
	}
	switch {
	case a.end <= a.first:
	case a.numbers > 0 && a.streets > 0:
		addAddress(doc, a.first, a.street, a.end, e|d.ByStructure, score+0.1)
	case a.isAddress(named, e):
		addAddress(doc, a.first, a.end, a.end, e, score)
	}
}

// isAddress reports whether what was read is an address though it lacks a number or a
// street.
func (a *introduced) isAddress(named bool, e d.Evidence) bool {
	switch {
	case a.numbers > 0:
		return a.unusual > 0
	case a.streets > 0 && a.unusual+a.plain > 0:
		return named || a.unusual > 0
	}
	// Names alone: "the address is Oakdene House, Wirral".
	return named && e&d.ByHotword != 0 && a.unusual >= 2 && a.plain <= a.unusual
}

// number takes in the number at the end of the address, and returns the token after
// it; 0 when no number begins there, -1 when the address ends before it.
func (a *introduced) number() int {
	r := a.doc.RunAt(a.end)
	if r < 0 || a.doc.Runs[r].First != a.end || a.doc.Runs[r].Digits == 0 {
		return 0
	}
	run := &a.doc.Runs[r]
	if run.Len() > 12 || run.Connectors >= 3 || a.numbers > 0 && (isDecimal(a.doc, run) || run.Digits >= 7 && run.Letters == 0 && run.Digits != 9) {
		return -1
	}
	if a.numbers == 0 && a.unusual == 0 {
		// Everyday words before the first number are not the address.
		a.first, a.plain = a.end, 0
	}
	a.numbers++
	return run.Last + 1
}

// word takes in the token at the end of the address, and returns the token after it; -1
// when the address ends before it. inside says that it is not the first token.
func (a *introduced) word(inside bool) int {
	doc, k := a.doc, a.end
	t := &doc.Tokens[k]
	switch {
	case approximations.Has(t.Hash):
		return -1
	case inside && t.Class == d.Punct && inAddress(doc, k):
	case inside && t.Is(d.StreetType|d.AddressUnit):
		a.streets++
		a.street = k + 1
	case t.Is(d.Direction | d.Ordinal | d.Filler | d.Country), isState(doc, k), numberBehind(doc, k), inside && isBeside(doc, k):
	case a.endsBefore(t):
		return -1
	case commonToken(doc, k) == 0, nameToken(doc, k), inside && t.UpperCase():
		a.unusual++
	default:
		if a.plain++; a.plain > 2+2*a.unusual+a.numbers {
			return -1
		}
	}
	return k + 1
}

// endsBefore reports whether a token is none of an address: a word of grammar, a unit
// of measure, or no word at all.
func (a *introduced) endsBefore(t *d.Token) bool {
	const others = d.Function | d.Copula | d.Backchannel | d.Clock | d.Currency | d.Measure | d.Correct
	return t.Is(others) || t.Is(d.IsHotword) && !t.UpperCase() || !isWordOrNumber(t)
}

// isDecimal reports whether a run is a written number with a decimal point.
func isDecimal(doc *d.Document, r *d.Run) bool {
	return r.Connectors == 1 && r.Last == r.First+2 && doc.Tokens[r.First+1].Class == d.Punct && doc.Tokens[r.First+1].Ch == '.'
}

// isBeside reports whether token k says where an address is by what is next to it:
// "opposite the town hall", "near the mill".
func isBeside(doc *d.Document, k int) bool { return doc.WordIn(k, besideWords) }

// inAddress reports whether the mark at token k may be inside of an address.
func inAddress(doc *d.Document, k int) bool {
	switch doc.Tokens[k].Ch {
	case ',', '#', '-', '/', '\'':
		return true
	case '.':
		return k+1 < len(doc.Tokens) && doc.Tokens[k].Glued() && doc.Tokens[k-1].Len() <= 4
	}
	return false
}
