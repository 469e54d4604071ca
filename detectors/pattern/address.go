package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/detectors/lexicon"
	"sotto/internal/wordhash"
)

// addresses finds street addresses, post boxes, and postal codes behind a state.
func addresses(doc *d.Document) {
	asked := doc.Expected(d.StreetAddress) > 0
	named := asked || doc.HasHotword(d.HotAddress)
	end := 0
	if doc.Has(d.StreetType) || len(doc.Runs) > 0 {
		for i := range doc.Tokens {
			if i >= end && (doc.Tokens[i].Is(d.StreetType) && !namesStreet(doc, i) || isGluedStreet(doc, i)) {
				if e := streetAt(doc, i, end, asked); e > 0 {
					end = e
				}
			}
		}
	}
	if doc.Has(d.AddressUnit) {
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
	if named {
		introducedAddress(doc, asked)
	}
	corners(doc)
	if len(doc.Runs) > 0 {
		blocks(doc)
	}
}

// maxCorner bounds the words of the first street of a corner.
const maxCorner = 8

// cornerBefore returns the first token of "the corner of Main and" that ends before
// token i; -1 when that does not stand there.
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

// namesStreet reports whether the street type at token i is a part of the name before
// another one: "Ridge Road", "Park Street".
func namesStreet(doc *d.Document, i int) bool {
	return i+1 < len(doc.Tokens) && doc.Tokens[i+1].Is(d.StreetType) && doc.Tokens[i+1].Hash != doc.Tokens[i].Hash && (doc.Tokens[i].Is(d.Ambiguous) || !doc.Tokens[i+1].Is(d.Ambiguous))
}

// numberBehind reports whether "number 5" stands at token k.
func numberBehind(doc *d.Document, k int) bool {
	return doc.WordIn(k, numberWords) && doc.RunAt(k+1) >= 0
}

// maxStreetName bounds the words between the house number and "street".
const maxStreetName = 5

// street is an address that is being read around its street type.
type street struct {
	doc *d.Document
	// kind is the token of the street type, from the first token that the address
	// may have.
	kind, from int
	// asked says that an address was asked for, near that one is named nearby.
	asked, near bool
	// first is the first token so far, and names counts the words of the name.
	first, names int
	// number says that a house number was read, ordinal that the street is a
	// numbered one, "34 th street".
	number, ordinal bool
	// plain says that a word of the name is an everyday word and no name.
	plain bool
}

// streetAt reads the address whose street type is token i: a house number, the
// street's name, and what comes after. It begins at token from at the earliest.
// It returns the token after it, 0 when there is none.
func streetAt(doc *d.Document, i, from int, asked bool) int {
	s := street{doc: doc, kind: i, from: from, asked: asked, first: i}
	s.readName()
	s.number = s.number || s.ordinal || numberBehind(doc, i+1)
	s.near = asked || addressNear(doc, s.first, i)
	if !s.accept() {
		return 0
	}
	after := s.afterType()
	if c := cornerBefore(doc, s.first); c >= 0 {
		s.first, s.number = c, true
	}
	street, end := afterStreet(doc, after)
	if s.first == 0 && doc.RunAt(0) >= 0 {
		end = landmark(doc, end)
	}
	evidence, score := d.ByStructure, float32(0.9)
	switch {
	case s.number:
	case s.near:
		evidence, score = d.ByShape|d.ByHotword, 0.75
	default:
		evidence, score = d.ByShape|d.ByCue, 0.6
	}
	addAddress(doc, s.first, street, end, evidence, score)
	return end
}

// readName reads from the street type to the left: the name and the house number.
func (s *street) readName() {
	for j := s.kind - 1; j >= s.from && s.kind-j <= maxStreetName+2; j-- {
		next, ok := s.readLeft(j)
		if !ok {
			return
		}
		j = next
	}
}

// readLeft takes token j in, and returns the first token of what it belongs to. ok is
// false where the address begins behind token j, or with it.
func (s *street) readLeft(j int) (next int, ok bool) {
	doc, t := s.doc, &s.doc.Tokens[j]
	if t.Is(d.Tens) && doc.Tokens[j+1].Is(d.Ordinal) && s.names > 0 {
		s.first = j // "thirty fourth"
		return j, true
	}
	if r := doc.RunAt(j); r >= 0 {
		run := &doc.Runs[r]
		if !s.ordinal && run.Digits <= 3 && run.First > s.from && isOrdinalEnding(doc, run.Last+1) {
			// "34 th street", whose house number may stand before.
			s.ordinal = true
			s.first = run.First
			return run.First, true
		}
		if run.Digits > 0 && !run.Claimed && (s.names+ordinals(doc, j, s.kind) > 0 || isHighway(doc, s.kind)) {
			s.first, s.number = houseNumber(doc, run, s.first, s.from)
			return j, false
		}
	}
	if t.Class == d.Punct {
		return j, s.names < maxStreetName && s.inName(j)
	}
	return j, s.readWord(j)
}

// readWord takes in the word at token j, and reports whether it can be one of the
// name.
func (s *street) readWord(j int) bool {
	doc, t := s.doc, &s.doc.Tokens[j]
	if t.Class != d.Letter || doc.RunAt(j) < 0 && doc.RunAt(j-1) < 0 {
		if s.names == maxStreetName || !isNamePart(doc, j) && !s.isMeasure(j) {
			return false
		}
		s.plain = s.plain || commonToken(doc, j) > 0 && !nameToken(doc, j)
	}
	s.names++
	s.first = j
	return true
}

// inName reports whether the mark at token j may stand within the name of a street, or
// between it and the house number.
func (s *street) inName(j int) bool {
	switch s.doc.Tokens[j].Ch {
	case '.', '-', '\'':
		return true
	case ',':
		return j > 0 && s.doc.RunAt(j-1) >= 0
	}
	return false
}

// isMeasure reports whether the unit of measure at token j names the street: "mile
// road".
func (s *street) isMeasure(j int) bool {
	return s.doc.Tokens[j].Is(d.Measure) && j == s.kind-1 && !s.doc.Tokens[s.kind].Is(d.Ambiguous)
}

// accept reports whether what was read is an address.
func (s *street) accept() bool {
	doc, t := s.doc, &s.doc.Tokens[s.kind]
	switch {
	case s.isNumberedRoad() && (s.number || s.near):
		return true
	case s.kind > s.from && isAvenueOf(doc, s.kind):
		s.first, s.number = doc.Runs[doc.RunAt(s.kind-1)].First, true
		return true
	case s.names == 0 && (!s.number || ordinals(doc, s.first, s.kind) == 0):
		return false
	case !t.Is(d.StreetType) && (!s.number || doc.Tokens[s.first].Class != d.Digits):
		return false
	case s.number:
		return !t.Is(d.Ambiguous) || s.near || s.cased() || s.isWhole()
	}
	return s.acceptName()
}

// acceptName reports whether what was read without a house number is an address.
func (s *street) acceptName() bool {
	doc, t := s.doc, &s.doc.Tokens[s.kind]
	switch {
	case s.names > 0 && !s.plain && t.Bits&d.Function == 0 && codeBehind(doc, s.kind+1):
		return true
	case t.Is(d.Function | d.Title), t.Is(d.Ambiguous) && !(s.near && s.cased()):
		return false
	}
	s.first = nameStart(doc, s.kind, s.first, s.near, s.cased())
	return s.first != s.kind && !isTown(doc, s.first, s.kind) && !doc.WordIs(s.first-1, "a")
}

// cased reports whether the street type and the word before it begin with capitals.
func (s *street) cased() bool {
	return s.doc.Tokens[s.kind].UpperCase() && s.kind > 0 && s.doc.Tokens[s.kind-1].UpperCase()
}

// isWhole reports whether a number, a name and an ambiguous street type are surely an
// address: by the number, or by what follows.
func (s *street) isWhole() bool {
	doc, t := s.doc, &s.doc.Tokens[s.first]
	return cityEnd(doc, s.kind+1) > 0 || isBigHouse(doc, s.first, s.kind) || hasTail(doc, s.first, s.kind) ||
		!s.plain && t.Class == d.Digits && t.Len() >= 2
}

// isNumberedRoad reports whether a number behind the street type names the road:
// "Highway 78".
func (s *street) isNumberedRoad() bool {
	r := -1
	if isHighway(s.doc, s.kind) && s.kind+1 < len(s.doc.Tokens) {
		r = s.doc.RunAt(s.kind + 1)
	}
	return r >= 0 && s.doc.Runs[r].Digits <= 4
}

// afterType returns the token after the street type and what belongs to the name
// behind it.
func (s *street) afterType() int {
	switch {
	case s.isNumberedRoad():
		return s.doc.Runs[s.doc.RunAt(s.kind+1)].Last + 1
	case s.names == 0 && s.number && isAvenueOf(s.doc, s.kind):
		return nameOf(s.doc, s.kind)
	}
	return s.kind + 1
}

// isHighway reports whether the street type at token i is one that numbers name:
// "Highway 78", "Route 31", "County Rd 10".
func isHighway(doc *d.Document, i int) bool {
	return doc.WordIn(i, numberedRoads) || doc.WordIn(i, roads) && doc.WordIn(i-1, roadOwners)
}

// addressNear reports whether an address is named near tokens first to last.
func addressNear(doc *d.Document, first, last int) bool {
	near := doc.Near(int(doc.Tokens[first].Start), int(doc.Tokens[last].End), doc.HotwordWindow, after)
	return near[d.HotAddress] < d.Far
}

// nameStart returns where the name of a street without a number begins, i when it
// has none: in formatted text its capitalized words, else up to two words that are
// no English or names, or where an address is named up to three others.
func nameStart(doc *d.Document, i, least int, near, cased bool) int {
	first := i
	for first > least && i-first < 4 {
		p := &doc.Tokens[first-1]
		switch {
		case p.Is(d.Title):
			return i
		case p.Class == d.Punct && p.Ch == '.' && first-1 > least:
		case cased && p.UpperCase(), !cased && (commonToken(doc, first-1) == 0 || nameToken(doc, first-1)) && p.Class != d.Punct && i-first < 2:
		case near && !cased && p.Class.IsWord() && !p.Is(d.IsHotword|d.Function) && i-first < 3:
		default:
			return first
		}
		first--
	}
	return first
}

// houseNumber returns where the house number begins that ends with the run: with it,
// or where a longer number stands before it, with its last group.
func houseNumber(doc *d.Document, r *d.Run, first, from int) (int, bool) {
	if r.Digits <= 6 {
		return max(r.First, from), true
	}
	if t := &doc.Tokens[r.Last]; t.Class == d.Digits && t.Len() <= 5 && r.Last >= from {
		return r.Last, true
	}
	if r.Digits <= 12 {
		return max(r.First, from), true
	}
	return first, false
}

// isBigHouse reports whether a written number of three digits or more that is no year
// begins the street at tokens first to i, and the clause ends with it.
func isBigHouse(doc *d.Document, first, i int) bool {
	t := &doc.Tokens[first]
	if t.Class != d.Digits || t.Len() < 3 || t.Len() > 5 || i-first > 3 || i+1 < len(doc.Tokens) && doc.Tokens[i+1].Class != d.Punct {
		return false
	}
	return !isYear(ids.Number(doc.Word(first)))
}

// isTown reports whether tokens from first to i are the name of a town that ends like a
// street, "Maple Heights".
func isTown(doc *d.Document, first, i int) bool {
	for ; first < i; first++ {
		if n, _ := lexicon.PlaceAt(doc, first); first+n > i {
			return true
		}
	}
	return false
}

// hasTail reports whether a number of three to five digits begins the street at tokens
// first to i, and what follows can be its city.
func hasTail(doc *d.Document, first, i int) bool {
	r := doc.RunAt(first)
	return r >= 0 && doc.Runs[r].Letters == 0 && doc.Runs[r].Digits >= 3 && doc.Runs[r].Digits <= 5 && tailEnd(doc, i+1) > i+1
}

// codeBehind reports whether a ZIP code of five digits stands at token i.
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
	if !t.Class.IsWord() {
		return false
	}
	return t.Bits&(d.Function|d.Copula|d.Currency|d.Measure|d.Filler|d.NumWord|d.Clock|d.Title) == 0
}

// afterStreet reads what may follow a street: a direction, units, a city with its
// state and postal code. It returns the tokens after the units and after all of it.
func afterStreet(doc *d.Document, i int) (street, end int) {
	end = i
	if isMark(doc, i, '.') && i+1 < len(doc.Tokens) && doc.Tokens[i].Glued() {
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
	switch r := doc.RunAt(end); {
	case i+1 == len(doc.Tokens) && doc.Tokens[i].Is(d.AddressUnit):
		end = i + 1
	case end == i && r >= 0 && endsStreet(doc, &doc.Runs[r], end):
		// "London Street 78"
		end = doc.Runs[r].Last + 1
	}
	if e := cityEnd(doc, end); e > end {
		return end, e
	}
	return end, tailEnd(doc, end)
}

// unitAfter returns the token after the unit that stands behind a street at token i:
// "# 5", "apartment 5 B", "2nd floor", "number 5"; 0 when none is there.
func unitAfter(doc *d.Document, i int) int {
	k := nextWord(doc, i)
	switch {
	case isMark(doc, k, '#') && doc.RunAt(k+1) >= 0:
		return doc.Runs[doc.RunAt(k+1)].Last + 1
	case doc.WordIs(k+1, "floor") && (doc.Tokens[k].Is(d.Ordinal) || endsOrdinal(doc.Word(k))):
		return k + 2
	}
	if end := unitEnd(doc, k); end > 0 {
		return end
	}
	if k == i && numberBehind(doc, k) {
		return doc.Runs[doc.RunAt(k+1)].Last + 1
	}
	return 0
}

// landmark returns the token after what helps to find a street that ends before token
// end and began with the text: up to two words that end it, "town hall".
func landmark(doc *d.Document, end int) int {
	if n := len(doc.Tokens); end < n && n-end <= 2 {
		for k := end; k < n; k++ {
			if t := &doc.Tokens[k]; t.Class != d.Lower || t.Bits&^d.HasPhrase != 0 || t.Len() < 4 {
				return end
			}
		}
		return n
	}
	return end
}

// endsStreet reports whether a run at token k is the house number behind a street: a
// short number with which the clause ends.
func endsStreet(doc *d.Document, r *d.Run, k int) bool {
	if r.First != k || !isHouseNumber(r) || r.Digits > 4 {
		return false
	}
	k = r.Last + 1
	return k == len(doc.Tokens) || doc.Tokens[k].Class == d.Punct || doc.Tokens[k].Is(d.StreetType)
}

// unitEnd returns the token after "apartment 5 B" at token k; 0 when no unit is
// there.
func unitEnd(doc *d.Document, k int) int {
	if k >= len(doc.Tokens) || !doc.Tokens[k].Is(d.AddressUnit) {
		return 0
	}
	k++
	for k < len(doc.Tokens) && (isMark(doc, k, '.') || isMark(doc, k, '#') || doc.WordIs(k, "number") || doc.Tokens[k].Is(d.Filler)) {
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
	if first == 1 && doc.RunAt(first) >= 0 {
		first = recipient(doc)
	}
	first = unitLeft(doc, first)
	doc.Add(d.Finding{Start: int(doc.Tokens[first].Start), End: int(doc.Tokens[end-1].End), Type: d.StreetAddress, Value: plainCode(doc, first, street),
		Likelihood: d.LikelihoodOf(score), Score: score, Detector: "address", Evidence: e})
	claim(doc, first, end-1)
}

// boxStart returns the first token of "P.O." or "RR 2" before the box at token i, i where
// neither stands there.
func boxStart(doc *d.Document, i int) int {
	first := i
	for i-first < 4 && first > 0 && (isMark(doc, first-1, '.') || doc.Tokens[first-1].Class == d.Letter || doc.WordIn(first-1, postOffice)) {
		first--
	}
	if first == i {
		return ruralRoute(doc, i)
	}
	return first
}

// unitAt reads a unit that stands alone ("apt 301") and a post box ("PO Box 12").
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
		first = blockLeft(doc, first, 0)
	}
	addAddress(doc, first, unit, end, d.ByStructure, 0.75)
}
