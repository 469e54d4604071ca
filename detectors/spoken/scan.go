// Package spoken joins words, letters and digits that together spell or count
// something into runs: "five five five oh one three four", "B. 231 C. for A.
// two", "M as in Mary, A, R, K", "one ninety two dot one sixty eight".
//
// A run is a chain of groups of symbols (a number, a number phrase, a letter, a
// word of a spelling alphabet, "double" with its digit) with separators between
// them (punctuation, connectors such as "dot", hesitations). Words that only sound
// like a digit or letter ("for", "see") are symbols when the run goes on after
// them. Runs of every length are kept, so that a caller who knows what was
// asked can use a short one.
package spoken

import (
	"slices"

	d "sotto/detectors"
)

// Scan fills doc.Runs. It takes time linear in the number of tokens: every
// look ahead is bounded.
func Scan(doc *d.Document) {
	s := scanner{doc: doc, tokens: doc.Tokens}
	for i := 0; i < len(s.tokens); {
		if t := &s.tokens[i]; t.Bits&starters == 0 && startClasses&(1<<t.Class) == 0 && (!t.Is(d.LetterSound) || s.soundsEnd(i) == 0) {
			i++
			continue
		}
		i = s.run(i)
	}
	if len(doc.Runs) > 0 {
		s.edges()
	}
}

const (
	// starters are the roles that a run can begin with.
	starters = d.NumWord | d.Teen | d.Tens | d.Scale | d.Mult | d.Spelling | d.LetterName | d.Capital | d.Foreign
	// startClasses are the classes that a run can begin with.
	startClasses = 1<<d.Digits | 1<<d.Alnum | 1<<d.Letter
	// digitWords are the roles that always say digits.
	digitWords = d.NumWord | d.Teen | d.Tens
	// letterWords are the roles that may say a letter.
	letterWords = d.Spelling | d.LetterName
)

type scanner struct {
	doc    *d.Document
	tokens []d.Token
	// mark is where the symbols of the run that is being built begin, group
	// counts its groups, letters and digits its symbols.
	mark            int
	group           uint16
	letters, digits int
	// scaled says that a scale word or a thousands comma was in the run.
	scaled bool
	// sounds is the end of the words that spell by their sound, 0 when the run did not begin with such words.
	sounds int
}

// run builds the run that begins at token i, and returns the token to go on
// from.
func (s *scanner) run(i int) int {
	s.mark, s.group, s.letters, s.digits, s.scaled = len(s.doc.RunSymbols), 0, 0, 0, false
	s.sounds = s.soundsEnd(i)
	j, ok := s.sequence(i)
	if !ok {
		j, ok = s.symbols(i)
	}
	if !ok {
		j, ok = s.sound(i)
	}
	if !ok {
		s.doc.RunSymbols = s.doc.RunSymbols[:s.mark]
		return i + 1
	}
	groups, connectors := int(s.group)+1, 0
	for j < len(s.tokens) {
		keep, group := len(s.doc.RunSymbols), s.group
		k, connector := s.separator(j)
		if k < 0 || k >= len(s.tokens) {
			break
		}
		if connector != 0 {
			s.addSymbol(connector, d.Connector, j, k-1)
			connectors++
		}
		s.group++
		next, ok := s.sound(k)
		if !ok {
			next, ok = s.symbols(k)
		}
		if !ok {
			next, ok = s.guess(k)
		}
		if !ok {
			s.doc.RunSymbols = s.doc.RunSymbols[:keep]
			s.group = group
			if connector != 0 {
				connectors--
			}
			break
		}
		groups++
		j = next
		if s.group == maxGroups {
			break
		}
	}
	run := s.doc.AddRun(s.mark, s.withBracket(i, j-1), j-1)
	s.ohs(run)
	if run.Letters == 0 && (groups == 1 && connectors == 0 || s.decimal(run)) {
		run.Quantity = true
		run.Scaled = s.scaled
	}
	return j
}

// maxGroups bounds a run. What comes after it begins the next one.
const maxGroups = 1 << 15

// withBracket returns the first token of a run with the parenthesis or sign that belongs to its first
// number: "(604) 555-0134", "+1 604", "#4471".
func (s *scanner) withBracket(first, last int) int {
	if first == 0 || !s.tokens[first].Glued() || s.tokens[first-1].Class != d.Punct {
		return first
	}
	switch s.tokens[first-1].Ch {
	case '(':
		for k := first; k < last && k < first+3; k++ {
			if s.doc.IsMark(k, ')') {
				return first - 1
			}
		}
	case '+', '#':
		return first - 1
	}
	return first
}

func (s *scanner) decimal(r *d.Run) bool {
	isDot := func(y d.Symbol) bool { return y.Kind == d.Connector && y.Ch == '.' }
	return r.Connectors == 1 && r.Words == 0 && slices.ContainsFunc(s.doc.Symbols(r), isDot)
}

// ohs turns the letter O into zero in a run that has no other letters.
func (s *scanner) ohs(r *d.Run) {
	if r.Letters == 0 || r.Digits < 2 {
		return
	}
	symbols := s.doc.Symbols(r)
	for _, y := range symbols {
		if y.Kind != d.Connector && y.Ch != 'o' && (y.Ch < '0' || y.Ch > '9') {
			return
		}
	}
	for i := range symbols {
		if symbols[i].Ch == 'o' {
			symbols[i].Ch = '0'
		}
	}
	r.Digits, r.Letters = r.Digits+r.Letters, 0
}

// edges marks the runs that an earlier or later turn may belong to, and those
// that correct the run before them.
func (s *scanner) edges() {
	runs := s.doc.Runs
	first, last := &runs[0], &runs[len(runs)-1]
	first.Opens = !slices.ContainsFunc(s.tokens[:first.First], func(t d.Token) bool {
		return t.Class != d.Punct && t.Class != d.Clitic && !t.Is(d.Filler|d.Backchannel|d.Copula|d.Function)
	})
	last.Closes = !slices.ContainsFunc(s.tokens[last.Last+1:], func(t d.Token) bool {
		return t.Class != d.Punct && !t.Is(d.Filler)
	})
	for i := 1; i < len(runs); i++ {
		runs[i].Fixes = s.corrects(runs[i-1].Last+1, runs[i].First)
	}
}

// corrects reports whether the words between two runs take the first one back.
func (s *scanner) corrects(from, to int) bool {
	if to-from > 6 {
		return false
	}
	found := false
	for i := from; i < to; i++ {
		switch t := &s.tokens[i]; {
		case t.Is(d.Correct), takesBack.Has(t.Hash):
			found = true
		case t.Class == d.Punct, t.Class == d.Clitic, t.Is(d.Filler | d.Function | d.Copula):
		default:
			return false
		}
	}
	return found
}
