package spoken

import d "sotto/detectors"

const (
	// maxElement is how many digits stand between two phrases of an order: more are values of their own.
	maxElement = 2
	// maxOrder bounds the words of such a phrase.
	maxOrder = 6
	// maxElements bounds a sequence. What comes after it begins the next one.
	maxElements = 32
)

// sequence reads digits whose order is told in words: "five followed by six and then two", "it starts with
// four two and ends with nine", "a four and a seven and a two and a nine". It returns the token after them.
func (s *scanner) sequence(i int) (int, bool) {
	elements, digits, ordered := 0, 0, false
	end := i
	for j := i; elements < maxElements; {
		e := s.element(j)
		if e == 0 {
			break
		}
		elements, digits, end = elements+1, digits+e-j, e
		k, order := s.order(e)
		if k == 0 || s.element(k) == 0 {
			break
		}
		ordered = ordered || order
		j = k
	}
	if elements < 2 || digits < 3 || !ordered && elements < 4 {
		return 0, false
	}
	for j := i; j < end; j++ {
		if s.isOneDigit(j) {
			s.add(s.oneDigit(j), d.Spoken, j, j)
			s.group++
		}
	}
	s.group--
	return end, true
}

// element returns the token after the one or two single digits at token j, 0 if there are none or more.
func (s *scanner) element(j int) int {
	e := j
	for e <= j+maxElement && s.isOneDigit(e) {
		e++
	}
	if e == j || e > j+maxElement || s.saysDigit(e) || e < len(s.tokens) && s.tokens[e].Is(d.Scale|d.Mult) {
		return 0
	}
	return e
}

// order returns the token after a phrase that joins digits, 0 if there is none, and whether it tells an order:
// "followed by" does, "and a" does not.
func (s *scanner) order(j int) (next int, ordered bool) {
	joined := false
	for k := j; k < len(s.tokens) && k <= j+maxOrder; k++ {
		switch t := &s.tokens[k]; {
		case joined && s.isOneDigit(k):
			return k, ordered
		case s.doc.WordIn(k, orderWords):
			joined, ordered = true, true
		case s.doc.WordIn(k, joiningWords):
			joined = true
		case t.Class == d.Punct, t.Class == d.Clitic, t.Is(d.Filler | d.Ordinal):
		default:
			return 0, false
		}
	}
	return 0, false
}

func (s *scanner) isOneDigit(i int) bool {
	return i < len(s.tokens) && (s.tokens[i].Is(d.NumWord) || s.isSingle(i))
}

func (s *scanner) oneDigit(i int) byte {
	if s.isSingle(i) {
		return s.doc.Word(i)[0]
	}
	return '0' + s.tokens[i].Num
}
