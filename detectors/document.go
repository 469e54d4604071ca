package detectors

import (
	"sort"
	"unicode/utf8"

	"sotto/detectors/wordlist"
)

// Role is the part that a speaker has in a call.
type Role uint8

// The roles.
const (
	RoleUnknown Role = iota
	RoleAgent
	RoleCustomer
)

// Document is one text with what has been found in it. Reset reuses it, and a text
// without findings then allocates nothing. It is not safe for
// concurrent use: one Document per goroutine.
//
// What slices hold is valid until the next Reset; strings in findings stay
// valid.
type Document struct {
	// Text is the raw text. It is not changed.
	Text string
	// Tokens are in order and do not overlap.
	Tokens []Token
	// Runs are spans in which something is spelled or counted, in order, made by the
	// spoken package. They do not overlap.
	Runs []Run
	// RunSymbols are the symbols of all runs, which Symbols has by run.
	RunSymbols []Symbol
	// Hotwords are those of this text, in order.
	Hotwords []HotwordHit
	// Findings are what detectors found, in no particular order.
	Findings []Finding
	// Subthreshold are spans that detectors considered and that are too unlikely to be
	// findings.
	Subthreshold []Finding
	// LexiconRead is set by lexicon.Read, when it has set the Lexicon of each token.
	LexiconRead bool

	// The caller sets the following after Reset, before detection; Reset clears
	// them.

	// Role is the part that the speaker of this text has.
	Role Role
	// HotwordWindow is how many characters before a value a hotword of it may stand. Reset makes
	// it DefaultHotwordWindow.
	HotwordWindow int

	folded []byte
	// hotTokens are the tokens that may begin a hotword.
	hotTokens []uint32
	marks     []int32
	ascii     bool
	classes   uint16
	bits      Bits
}

// Reset makes d the document of another text and reads its tokens and
// hotwords. It keeps the memory of the text before.
func (d *Document) Reset(text string) {
	// One by one, since most of the document is memory that stays.
	d.Text, d.Tokens, d.Runs, d.Hotwords = text, d.Tokens[:0], d.Runs[:0], d.Hotwords[:0]
	d.Findings, d.Subthreshold = d.Findings[:0], d.Subthreshold[:0]
	d.Role, d.LexiconRead, d.HotwordWindow = RoleUnknown, false, DefaultHotwordWindow
	d.folded, d.RunSymbols, d.hotTokens, d.marks = d.folded[:0], d.RunSymbols[:0], d.hotTokens[:0], d.marks[:0]
	d.ascii, d.classes, d.bits = false, 0, 0
	d.tokenize()
	if len(d.hotTokens) > 0 {
		d.findHotwords()
	}
}

// Raw returns the raw text of token i.
func (d *Document) Raw(i int) string { return d.Text[d.Tokens[i].Start:d.Tokens[i].End] }

// Word returns the folded text of token i. The bytes are the document's.
func (d *Document) Word(i int) []byte { return d.folded[d.Tokens[i].from:d.Tokens[i].to] }

// TokenAt returns the first token that ends after byte offset b: the one that
// b lies in, or else the next one. It is len(Tokens) when there is none.
func (d *Document) TokenAt(b int) int {
	return sort.Search(len(d.Tokens), func(i int) bool { return int(d.Tokens[i].End) > b })
}

// Said returns the tokens that are not punctuation.
func (d *Document) Said() []int {
	said := make([]int, 0, len(d.Tokens))
	for i := range d.Tokens {
		if d.Tokens[i].Class != Punct {
			said = append(said, i)
		}
	}
	return said
}

// WordIs reports whether token i has this folded text. It may lie outside of the document.
func (d *Document) WordIs(i int, word string) bool {
	return i >= 0 && i < len(d.Tokens) && string(d.Word(i)) == word
}

// WordIn reports whether the word of token i is in a set. It may lie outside of the document.
func (d *Document) WordIn(i int, set wordlist.Set) bool {
	return i >= 0 && i < len(d.Tokens) && set.Has(d.Tokens[i].Hash)
}

// IsMark reports whether token i is the punctuation mark ch. It may lie outside of the document.
func (d *Document) IsMark(i int, ch byte) bool {
	return i >= 0 && i < len(d.Tokens) && d.Tokens[i].Class == Punct && d.Tokens[i].Ch == ch
}

// IsASCII reports whether the text is plain ASCII.
func (d *Document) IsASCII() bool { return d.ascii }

// Has reports whether any token has any of the bits.
func (d *Document) Has(b Bits) bool { return d.bits&b != 0 }

// SetNumber makes the word of another language at token i the number word that its Num says, for
// whoever reads the document from now on.
func (d *Document) SetNumber(i int) {
	t, role := &d.Tokens[i], NumWord
	switch {
	case t.Is(Month):
		return // "sept": Num is that of the month
	case t.Num >= 30 || t.Num == 20:
		role = Tens
	case t.Num > 9:
		role = Teen
	}
	t.Bits |= role
	d.bits |= role
}

// HasClass reports whether any token is of the class.
func (d *Document) HasClass(c Class) bool { return d.classes&(1<<c) != 0 }

// Add adds a finding. One that is empty or outside the text is a programming
// error. It is ignored, because a panic would lose the whole utterance.
func (d *Document) Add(f Finding) {
	if f.Start < 0 || f.Start >= f.End || f.End > len(d.Text) {
		return
	}
	d.Findings = append(d.Findings, f)
}

// markEvery is the distance in bytes between known rune counts.
const markEvery = 256

// RuneOffset returns how many runes come before byte offset b.
func (d *Document) RuneOffset(b int) int {
	if d.ascii {
		return b
	}
	if len(d.marks) == 0 {
		d.marks = append(d.marks, 0)
	}
	for len(d.marks) <= b/markEvery {
		at := (len(d.marks) - 1) * markEvery
		d.marks = append(d.marks, d.marks[len(d.marks)-1]+countStarts(d.Text[at:at+markEvery]))
	}
	at := b / markEvery * markEvery
	return int(d.marks[b/markEvery] + countStarts(d.Text[at:b]))
}

// countStarts counts the bytes at which a rune begins. Bytes that are not valid
// UTF-8 are counted as Go counts them only where they do not look like the
// middle of a rune; the validity of texts is checked earlier.
func countStarts(s string) int32 {
	n := int32(0)
	for i := 0; i < len(s); i++ {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}
