package detectors

import "sort"

// Symbol is one character of a run and the tokens that said it.
type Symbol struct {
	// Ch is the folded character: a digit, a lower-case letter, or a connector.
	Ch byte
	// Kind says how it was said.
	Kind SymbolKind
	// Group counts the words or written groups of the run: symbols of one
	// written token, or of one number phrase, have the same group.
	Group uint16
	// First and Last are the tokens that said it, Last inclusive.
	First, Last uint32
}

// SymbolKind says how a symbol was said or written.
type SymbolKind uint8

// The kinds.
const (
	// Written is a character as it stands in the text.
	Written SymbolKind = iota
	// Spoken is a digit or letter from a word ("five", "bravo", "kay").
	Spoken
	// Guessed is one from a homophone ("for", "see").
	Guessed
	// Connector is a connector, written or spoken, inside the run.
	Connector
)

// Run is a span of tokens that together spell or count something, in one
// normalised form with a map back to the words.
type Run struct {
	// First and Last are its tokens, Last inclusive.
	First, Last int
	// Start and End are byte offsets of the first and after the last token.
	Start, End int
	// from and to are its symbols in the document.
	from, to int
	// Digits, Letters and Connectors count its symbols.
	Digits, Letters, Connectors int
	// Words counts the symbols that were spoken as words.
	Words int
	// Opens says that nothing but fillers and signs of listening comes before
	// it in the text: it may continue what an earlier turn began. Closes says
	// that nothing comes after it: a later turn may continue it.
	Opens, Closes bool
	// Quantity says that the run is one number phrase ("two hundred fifty",
	// "450", "1,200.50"), which may count something.
	Quantity bool
	// Scaled says that a Quantity was said or written as amounts are, with
	// "hundred", "thousand" or a comma.
	Scaled bool
	// Fixes says that the words before it take back the run before it ("no wait").
	Fixes bool
	// Claimed says that a detector has read the run as a date, a time or an age,
	// so that it is not a number of its own.
	Claimed bool
}

// Len is the number of digits and letters.
func (r *Run) Len() int { return r.Digits + r.Letters }

// Symbols returns the symbols of a run. The slice is the document's.
func (d *Document) Symbols(r *Run) []Symbol { return d.RunSymbols[r.from:r.to] }

// AddRun adds the run whose symbols begin at mark in RunSymbols. Its tokens are first to
// last, inclusive.
func (d *Document) AddRun(mark, first, last int) *Run {
	r := Run{
		from: mark, to: len(d.RunSymbols), First: first, Last: last,
		Start: int(d.Tokens[first].Start), End: int(d.Tokens[last].End),
	}
	for _, s := range d.RunSymbols[mark:] {
		switch {
		case s.Kind == Connector:
			r.Connectors++
		case s.Ch >= '0' && s.Ch <= '9':
			r.Digits++
		default:
			r.Letters++
		}
		if s.Kind == Spoken || s.Kind == Guessed {
			r.Words++
		}
	}
	d.Runs = append(d.Runs, r)
	return &d.Runs[len(d.Runs)-1]
}

// RunFrom returns the position of the first run that ends at token i or after it.
func (d *Document) RunFrom(i int) int {
	return sort.Search(len(d.Runs), func(r int) bool { return d.Runs[r].Last >= i })
}

// RunAt returns the position of the run that token i lies in, -1 for none.
func (d *Document) RunAt(i int) int {
	if r := d.RunFrom(i); r < len(d.Runs) && d.Runs[r].First <= i {
		return r
	}
	return -1
}

// AppendCode appends the digits and letters of symbols, without connectors.
func AppendCode(b []byte, symbols []Symbol) []byte {
	for _, s := range symbols {
		if s.Kind != Connector {
			b = append(b, s.Ch)
		}
	}
	return b
}

// AppendDigits appends the digits of symbols.
func AppendDigits(b []byte, symbols []Symbol) []byte {
	for _, s := range symbols {
		if s.Ch >= '0' && s.Ch <= '9' {
			b = append(b, s.Ch)
		}
	}
	return b
}
