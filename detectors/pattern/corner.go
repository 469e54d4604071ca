package pattern

import d "sotto/detectors"

// corners finds "the corner of Maple and 3rd", whose streets need no word for street.
func corners(doc *d.Document) {
	for i := range doc.Tokens {
		if !doc.Tokens[i].Is(d.Corner) || !doc.WordIs(i+1, "of") || i+2 == len(doc.Tokens) {
			continue
		}
		first := streetNames(doc, i+2)
		if first == i+2 || first >= len(doc.Tokens) || !doc.WordIs(first, "and") && doc.Tokens[first].Ch != '&' {
			continue
		}
		end := streetNames(doc, first+1)
		if end == first+1 {
			continue
		}
		if doc.WordIs(i-1, "the") {
			i--
		}
		addAddress(doc, i, end, end, d.ByStructure, 0.8)
	}
}

// maxCornerName bounds the words of a street at a corner.
const maxCornerName = 3

// streetNames returns the token after the name of a street that begins at token i.
func streetNames(doc *d.Document, i int) int {
	end := i
	for ; end < len(doc.Tokens) && end-i < maxCornerName; end++ {
		t := &doc.Tokens[end]
		named := t.UpperCase() || commonToken(doc, end) == 0 || nameToken(doc, end) || t.Is(d.Ordinal|d.Direction|d.StreetType|d.NumWord|d.Teen|d.Tens)
		if !isWordOrNumber(t) || t.Bits&(d.Function|d.Copula|d.Backchannel) != 0 || !named && end > i {
			break
		}
	}
	return end
}

// maxCorner bounds the words of the first street of a corner.
const maxCorner = 8

// cornerBefore returns the first token of "the corner of Main and" that ends before
// token i; -1 when that is not there.
func cornerBefore(doc *d.Document, i int) int {
	if i < 3 || !doc.WordIs(i-1, "and") {
		return -1
	}
	for k := i - 2; k > 0 && i-k <= maxCorner; k-- {
		if doc.WordIs(k, "of") && doc.WordIs(k-1, "corner") {
			if doc.WordIs(k-2, "the") {
				k--
			}
			return k - 1
		}
	}
	return -1
}
