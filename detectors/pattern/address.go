package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/internal/wordhash"
)

// addresses finds street addresses, post boxes, and postal codes after a state.
func addresses(doc *d.Document) {
	asked := doc.Expected(d.StreetAddress) > 0
	end := 0
	if doc.Has(d.StreetType) || len(doc.Runs) > 0 {
		for i := range doc.Tokens {
			if i >= end && doc.Tokens[i].Is(d.StreetType) && !namesStreet(doc, i) {
				if e := streetAt(doc, i, end, asked); e > 0 {
					end = e
				}
			}
		}
	}
	if doc.Has(d.AddressUnit) {
		named := asked || doc.HasHotword(d.HotAddress)
		for i := range doc.Tokens {
			if doc.Tokens[i].Is(d.AddressUnit) {
				unitAt(doc, i, named)
			}
		}
	}
	if doc.Has(d.State | d.Province) {
		for i := range doc.Tokens {
			if doc.Tokens[i].Is(d.State | d.Province) {
				codeAfterState(doc, i)
			}
		}
	}
}

// namesStreet reports whether the street type at token i is a part of the name before
// another one: "Ridge Road", "Park Street".
func namesStreet(doc *d.Document, i int) bool {
	return i+1 < len(doc.Tokens) && doc.Tokens[i+1].Is(d.StreetType) && doc.Tokens[i+1].Hash != doc.Tokens[i].Hash && (doc.Tokens[i].Is(d.Ambiguous) || !doc.Tokens[i+1].Is(d.Ambiguous))
}

func addressNear(doc *d.Document, first, last int) bool {
	near := doc.Near(int(doc.Tokens[first].Start), int(doc.Tokens[last].End), doc.HotwordWindow, after)
	return near[d.HotAddress] < d.Far
}

// codeBehind reports whether a ZIP code of five digits is at token i.
func codeBehind(doc *d.Document, i int) bool {
	r := doc.RunAt(i)
	return r >= 0 && doc.Runs[r].First == i && doc.Runs[r].Digits == 5 && doc.Runs[r].Letters == 0
}

// isState reports whether token i is a state or a province: a code that is a small
// word too ("in", "me") only in capitals or right before a ZIP code.
func isState(doc *d.Document, i int) bool {
	t := &doc.Tokens[i]
	return t.Is(d.State|d.Province) && (t.Bits&d.Function == 0 || t.Class == d.Upper || t.Len() == 2 && codeBehind(doc, i+1))
}

// ordinals counts the ordinals from token j on before token i, which name a street
// ("42 5th avenue", "5 th").
func ordinals(doc *d.Document, j, i int) int {
	n := 0
	for ; j < i; j++ {
		if doc.Tokens[j].Is(d.Ordinal) || isOrdinalEnding(doc, j) || doc.Tokens[j].Class == d.Alnum && endsOrdinal(doc.Word(j)) {
			n++
		}
	}
	return n
}

// endsOrdinal reports whether a token such as "42nd" is an ordinal.
func endsOrdinal(w []byte) bool {
	n := len(w) - 2
	return n > 0 && ids.IsDigit(w[0]) && ids.AllDigits(w[:n]) && ordinalEndings.Has(wordhash.Bytes(w[n:]))
}

// isNamePart reports whether token j can be a word of a street's name.
func isNamePart(doc *d.Document, j int) bool {
	t := &doc.Tokens[j]
	if t.Is(d.Ordinal|d.Direction) || t.Class == d.Alnum && endsOrdinal(doc.Word(j)) || isOrdinalEnding(doc, j) && t.Len() == 2 {
		return true
	}
	if t.Class == d.Clitic {
		return j > 0 && doc.Tokens[j-1].Class == d.Cap // "14 Purcell's Cove Road"
	}
	return t.Class.IsWord() && t.Bits&(d.Function|d.Copula|d.Currency|d.Measure|d.Filler|d.NumWord|d.Clock|d.Title) == 0
}

// afterStreet reads what may follow a street: a direction, units, a city with its
// state and postal code. It returns the tokens after the units and after all of it.
func afterStreet(doc *d.Document, i int) (street, end int) {
	end = i
	if doc.IsMark(i, '.') && i+1 < len(doc.Tokens) && doc.Tokens[i].Glued() {
		i++
	}
	if i < len(doc.Tokens) && doc.Tokens[i].Is(d.Direction) && doc.Tokens[i].Bits&d.Function == 0 {
		i++
		end = i
	}
	for range 3 {
		next := unitAfter(doc, i)
		if next == 0 {
			break
		}
		i, end = next, next
	}
	if i+1 == len(doc.Tokens) && doc.Tokens[i].Is(d.AddressUnit) {
		end = i + 1
	}
	if e := cityEnd(doc, end); e > end {
		return end, e
	}
	return end, tailEnd(doc, end)
}

// unitAfter returns the token after the unit that follows a street at token i:
// "# 5", "apartment 5 B", "2nd floor"; 0 when none is there.
func unitAfter(doc *d.Document, i int) int {
	k := nextWord(doc, i)
	switch {
	case doc.IsMark(k, '#') && doc.RunAt(k+1) >= 0:
		return doc.Runs[doc.RunAt(k+1)].Last + 1
	case doc.WordIs(k+1, "floor") && (doc.Tokens[k].Is(d.Ordinal) || endsOrdinal(doc.Word(k))):
		return k + 2
	}
	return unitEnd(doc, k)
}

// unitEnd returns the token after "apartment 5 B" at token k; 0 when no unit is
// there.
func unitEnd(doc *d.Document, k int) int {
	if k >= len(doc.Tokens) || !doc.Tokens[k].Is(d.AddressUnit) {
		return 0
	}
	k++
	for k < len(doc.Tokens) && (doc.IsMark(k, '.') || doc.IsMark(k, '#') || doc.WordIs(k, "number") || doc.Tokens[k].Is(d.Filler)) {
		k++
	}
	if k >= len(doc.Tokens) {
		return 0
	}
	if r := doc.RunAt(k); r >= 0 {
		k = doc.Runs[r].Last + 1
		if k < len(doc.Tokens) && doc.Tokens[k].Class == d.Letter && doc.Runs[r].Letters == 0 {
			k++
		}
		return k
	}
	if doc.Tokens[k].Class == d.Letter || doc.Tokens[k].Class == d.Alnum || doc.Tokens[k].Is(d.Ordinal) {
		return k + 1
	}
	return 0
}

// addAddress adds the address of tokens first to end. Its value is what comes
// before token street, so that the same street with and without its city is the
// same information.
func addAddress(doc *d.Document, first, street, end int, e d.Evidence, score float32) {
	if doc.WordIs(first-1, "no") && doc.RunAt(first) >= 0 && (first == 1 || !doc.Tokens[first-2].Is(d.IsHotword) || doc.WordIs(first-2, "address")) {
		// "no 64 gateway road"
		first--
	}
	addClaimed(doc, first, end, d.Finding{Type: d.StreetAddress, Value: plainCode(doc, first, street), Score: score, Detector: "address", Evidence: e})
}

// boxStart returns the first token of "P.O." before the box at token i; i when there is none.
func boxStart(doc *d.Document, i int) int {
	first := i
	for i-first < 4 && first > 0 && (doc.IsMark(first-1, '.') || doc.Tokens[first-1].Class == d.Letter || doc.WordIn(first-1, postOffice)) {
		first--
	}
	return first
}

// unitAt reads a unit that is alone ("apt 301") and a post box ("PO Box 12").
func unitAt(doc *d.Document, i int, named bool) {
	t := &doc.Tokens[i]
	first := i
	if doc.WordIs(i, "box") {
		if first = boxStart(doc, i); first == i {
			return
		}
	} else if t.Is(d.Ambiguous) && !named {
		return
	}
	end := unitEnd(doc, i)
	if end == 0 {
		return
	}
	unit := end
	if e := cityEnd(doc, end); e > 0 {
		end = e
	} else if !t.Is(d.Ambiguous) {
		end = blockRight(doc, end)
	}
	if !t.Is(d.Ambiguous) {
		first = blockLeft(doc, first)
	}
	addAddress(doc, first, unit, end, d.ByStructure, 0.75)
}
