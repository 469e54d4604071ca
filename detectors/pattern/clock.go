package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// timeContext judges a run by whether it is a time of day that was said: an hour and
// its minutes as a number of their own, "nine thirty", not "nine three zero". A part of
// the day after it proves it, "in the morning"; a word such as "by" before it makes it
// likely.
func (t *classifier) timeContext() quantity {
	r, doc := t.run, t.doc
	n := len(t.code)
	if n < 3 || n > 4 || r.Connectors > 0 || !t.isTime() || t.code[0] == '0' || ids.Number(t.code[:n-2]) > 12 {
		return notQuantity
	}
	s := doc.Symbols(r)
	if s[n-1].Kind != d.Spoken || s[n-2].Group != s[n-1].Group || s[n-2].First == s[n-3].First {
		return notQuantity
	}
	if partOfDayEnd(doc, r.Last+1) > 0 {
		return surelyQuantity
	}
	if ids.Number(t.code)%5 != 0 {
		return notQuantity
	}
	if doc.WordIn(r.First-1, beforeTime) {
		return likelyQuantity
	}
	return notQuantity
}

// partOfDayEnd returns the token behind "in the morning", "tonight" or the like at token i, 0 if none
// begins there.
func partOfDayEnd(doc *d.Document, i int) int {
	if doc.WordIs(i, "in") {
		i++
	}
	if doc.WordIs(i, "the") {
		i++
	}
	if doc.WordIn(i, partsOfDay) {
		return i + 1
	}
	return 0
}
