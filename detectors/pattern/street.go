package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/lexicon"
)

// maxStreetName bounds the words between the house number and "street".
const maxStreetName = 5

// street is an address that is being read around its street type.
type street struct {
	doc *d.Document
	// kind is the token of the street type, from the first token that the address
	// may have.
	kind, from int
	// near says that an address was asked for or is named nearby.
	near bool
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
	s := street{doc: doc, kind: i, from: from, first: i}
	s.readName()
	s.number = s.number || s.ordinal
	s.near = asked || addressNear(doc, s.first, i)
	if !s.accept() {
		return 0
	}
	after := i + 1
	if s.isNumberedRoad() {
		after = doc.Runs[doc.RunAt(after)].Last + 1
	}
	street, end := afterStreet(doc, after)
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
// false where the address begins after token j, or with it.
func (s *street) readLeft(j int) (next int, ok bool) {
	doc, t := s.doc, &s.doc.Tokens[j]
	if t.Is(d.Tens) && doc.Tokens[j+1].Is(d.Ordinal) && s.names > 0 {
		s.first = j // "thirty fourth"
		return j, true
	}
	if r := doc.RunAt(j); r >= 0 {
		run := &doc.Runs[r]
		if !s.ordinal && run.Digits <= 3 && run.First > s.from && isOrdinalEnding(doc, run.Last+1) {
			// "34 th street", whose house number may come before.
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
		if s.names == maxStreetName || !isNamePart(doc, j) {
			return false
		}
		s.plain = s.plain || commonToken(doc, j) > 0 && !nameToken(doc, j)
	}
	s.names++
	s.first = j
	return true
}

// inName reports whether the mark at token j may be within the name of a street, or
// between it and the house number.
func (s *street) inName(j int) bool {
	switch s.doc.Tokens[j].Ch {
	case '-', '\'':
		return true
	case '.':
		// Of an abbreviation, "N. Main St", and not of a sentence before "St. Anne".
		return j > 0 && s.doc.Tokens[j-1].Len() <= 3 && s.doc.Tokens[j-1].Class != d.Clitic
	case ',':
		return j > 0 && s.doc.RunAt(j-1) >= 0
	}
	return false
}

// accept reports whether what was read is an address.
func (s *street) accept() bool {
	doc, t := s.doc, &s.doc.Tokens[s.kind]
	switch {
	case s.isNumberedRoad() && (s.number || s.near):
		return true
	case s.names == 0 && (!s.number || ordinals(doc, s.first, s.kind) == 0):
		return false
	case !t.Is(d.StreetType) && (!s.number || doc.Tokens[s.first].Class != d.Digits):
		return false
	case s.number:
		return !t.Is(d.Ambiguous) || s.near || s.cased() || cityEnd(doc, s.kind+1) > 0 ||
			!s.plain && doc.Tokens[s.first].Class == d.Digits && doc.Tokens[s.first].Len() >= 2
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

// isNumberedRoad reports whether a number after the street type names the road:
// "Highway 78".
func (s *street) isNumberedRoad() bool {
	r := -1
	if isHighway(s.doc, s.kind) && s.kind+1 < len(s.doc.Tokens) {
		r = s.doc.RunAt(s.kind + 1)
	}
	return r >= 0 && s.doc.Runs[r].Digits <= 4
}

// isHighway reports whether the street type at token i is one that numbers name:
// "Highway 78", "Route 31", "County Rd 10".
func isHighway(doc *d.Document, i int) bool {
	return doc.WordIn(i, numberedRoads) || doc.WordIn(i, roads) && doc.WordIn(i-1, roadOwners)
}

// nameStart returns where the name of a street without a number begins, i when it
// has none: in formatted text its capitalized words, else up to two words that are
// not English or names, or where an address is named up to three others.
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
// or where a longer number comes before it, with its last group.
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
