package pattern

import (
	"strings"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// maxPiece is the most letters of a word that is a piece of a code.
const maxPiece = 5

// codes finds codes of which a recognizer or typist separated the letters from the
// digits, so that the letters look like a short word: "DR-163853", "gte 564", "sd
// 02 kjd", "12 ab 24".
func codes(doc *d.Document) {
	for i := 0; i < len(doc.Runs); i++ {
		r := &doc.Runs[i]
		if r.Claimed || r.Digits == 0 || r.Len() > 24 {
			continue
		}
		i = codeAround(doc, i)
	}
}

// splitCode is a code whose letters look like short words, because they are separated
// from its digits. It is read around a run.
type splitCode struct {
	doc *d.Document
	run *d.Run
	// named says that a code is asked for or named.
	named bool
	// first and last are its tokens so far, lastRun its last run.
	first, last, lastRun int
	// pieces counts its short words, digits and symbols its characters.
	pieces, digits, symbols int
}

// codeAround reads the code around run i, and returns the last run of it.
func codeAround(doc *d.Document, i int) int {
	r := &doc.Runs[i]
	c := splitCode{doc: doc, run: r, named: codeNamed(doc, r), first: r.First, last: r.Last, lastRun: i, digits: r.Digits, symbols: r.Len()}
	c.readLeft()
	for c.last+1 < len(doc.Tokens) && c.pieces < 6 && c.readRight() {
	}
	if !c.isCode() {
		return i
	}
	c.addTo(doc)
	return c.lastRun
}

// codeNamed reports whether a code is asked for, or named before the run.
func codeNamed(doc *d.Document, r *d.Run) bool {
	k := pieceBefore(doc, r.First)
	numberIs := k >= 2 && doc.Tokens[k-1].Is(d.Copula) && doc.WordIn(k-2, codeWords) // "number is"
	if numberIs || doc.Expected(d.GenericID) > 0 {
		return true
	}
	near := doc.Near(r.Start, r.End, 60, 0)
	return near[d.HotAccount] < d.Far || near[d.HotPlate] < d.Far || near[d.HotMedicalRecord] < d.Far || near[d.HotSecret] < 20
}

// readLeft takes in the short word before the run.
func (c *splitCode) readLeft() {
	doc := c.doc
	k := pieceBefore(doc, c.first)
	switch {
	case k >= 0 && isPiece(doc, k, k+1 < c.first, c.named):
		c.symbols += doc.Tokens[k].Len()
		c.first = k
		c.pieces++
	case c.named && doc.WordIs(c.first-1, "a") && c.run.Digits >= 3:
		// The letter A before digits reads like the article.
		c.first--
		c.symbols++
		c.pieces++
	}
}

// readRight takes in the short word or the run after the code, and reports whether one
// belongs to it.
func (c *splitCode) readRight() bool {
	doc := c.doc
	k := c.last + 1
	joined := doc.IsMark(k, '-') && k+1 < len(doc.Tokens)
	if joined {
		k++
	}
	if next := c.lastRun + 1; !joined && c.pieces > 0 && c.last > c.run.Last && next < len(doc.Runs) && doc.Runs[next].First == k && !doc.Runs[next].Claimed {
		c.lastRun = next
		c.symbols += doc.Runs[next].Len()
		c.digits += doc.Runs[next].Digits
		c.last = doc.Runs[next].Last
		return true
	}
	if !isPiece(doc, k, joined, c.named) || doc.Tokens[k].Len() > 4 {
		return false
	}
	c.symbols += doc.Tokens[k].Len()
	c.last = k
	c.pieces++
	return true
}

// isCode reports whether what was read is enough for a code.
func (c *splitCode) isCode() bool {
	switch {
	case c.pieces == 0 || c.symbols < 4:
		return false
	case c.named:
		return c.digits >= 2 || c.symbols >= 5
	case c.run.Quantity && c.run.Digits < 3 && c.run.First == c.first+2 && c.doc.Tokens[c.run.First].Glued():
		return false // "COVID-19"
	}
	return c.digits >= 3 || c.digits == 2 && c.symbols >= 6
}

func (c *splitCode) addTo(doc *d.Document) {
	e, score := d.ByShape, float32(0.55)
	kind, value := d.GenericID, plainCode(doc, c.first, c.last+1)
	if c.named {
		e, score = d.ByShape|d.ByHotword, 0.8
		if s := doc.Expected(d.GenericID); s > 0 {
			e, score = d.ByShape|d.ByExpectation|d.ByStructure, 0.6+float32(0.2*s)
		}
		near := doc.Near(int(doc.Tokens[c.first].Start), int(doc.Tokens[c.last].End), doc.HotwordWindow, after)
		t := classifier{doc: doc, run: c.run, code: []byte(value), near: near}
		if best := t.byHotword(notQuantity); best.match > ids.Loose {
			kind = best.kind
		}
	}
	addClaimed(doc, c.first, c.last+1, d.Finding{Type: kind, Value: value, Score: score, Detector: "code", Evidence: e})
}

// isUnpronounceable reports whether the word at token i is hardly one: not a name, almost
// never used in English, and with one vowel at most.
func isUnpronounceable(doc *d.Document, i int) bool {
	return commonToken(doc, i) <= 6 && vowels(doc.Word(i)) <= 1 && !nameToken(doc, i)
}

// pieceBefore returns the token before token first, or the one before a hyphen
// that comes there, written or said; -1 when there is none.
func pieceBefore(doc *d.Document, first int) int {
	k := first - 1
	if k >= 0 && isDash(&doc.Tokens[k]) {
		k--
	}
	return k
}

func isDash(t *d.Token) bool {
	return t.Ch == '-' && (t.Class == d.Punct || t.Is(d.Connect) && t.Bits&(d.Function|d.Measure) == 0) || t.Ch == '/' && t.Is(d.Connect) && t.Class != d.Punct
}

// isPiece reports whether the word at token k can be letters of a code. joined says
// that a hyphen joins it to digits, named that a code is asked for or named.
func isPiece(doc *d.Document, k int, joined, named bool) bool {
	t := &doc.Tokens[k]
	n := t.Len()
	if !t.Class.IsWord() || n < 2 || n > maxPiece || doc.RunAt(k) >= 0 || !named && knownAcronym(doc.Word(k)) {
		return false
	}
	if joined && (t.Class == d.Upper || n <= 3 && named) {
		return true
	}
	return hasNoOtherRole(t, joined, named) && isShortPiece(doc, k, joined, named)
}

// isShortPiece reports whether a word without a role can be letters of a code: one that
// is rare or not English, or that "number is" leads to.
func isShortPiece(doc *d.Document, k int, joined, named bool) bool {
	t := &doc.Tokens[k]
	n := t.Len()
	common := commonToken(doc, k)
	switch {
	case t.Class == d.Upper:
		return n <= 4 && (named || common == 0)
	case t.Class == d.Cap && !named, nameToken(doc, k) && !joined && n > 3:
		return false
	case common == 0 && (n <= 4 || vowels(doc.Word(k)) <= 1), n >= 4 && isUnpronounceable(doc, k):
		return true
	}
	return named && n <= 3 && (common <= 4 || isIntroduced(doc, k))
}

// hasNoOtherRole reports whether nothing in the role of a token says that it is
// something else than letters of a code. The codes of states and the like may be letters
// if a code is named, those of streets only if a hyphen joins them too.
func hasNoOtherRole(t *d.Token, joined, named bool) bool {
	const (
		always = d.LetterName | d.Spelling | d.HasPhrase
		tied   = d.Direction | d.StreetType
		free   = d.State | d.Province | d.TopLevel | d.MailHost | tied
	)
	switch {
	case t.Bits&^(free|always) != 0, t.Is(free) && !named:
		return false
	}
	return joined || !t.Is(tied)
}

// isIntroduced reports whether "is", a hotword or "number" comes right before token k.
func isIntroduced(doc *d.Document, k int) bool {
	if k == 0 {
		return false
	}
	p := &doc.Tokens[k-1]
	return p.Is(d.Copula|d.IsHotword) || numberWords.Has(p.Hash)
}

func vowels(w []byte) int {
	n := 0
	for _, c := range w {
		if strings.IndexByte("aeiouy", c) >= 0 {
			n++
		}
	}
	return n
}

// plainCode is the letters and digits of the tokens.
func plainCode(doc *d.Document, first, end int) string {
	var buf [64]byte
	b := buf[:0]
	for i := first; i < end && len(b) < 60; {
		if r := doc.RunAt(i); r >= 0 && doc.Runs[r].First == i {
			b = d.AppendCode(b, doc.Symbols(&doc.Runs[r]))
			i = doc.Runs[r].Last + 1
			continue
		}
		if doc.Tokens[i].Class != d.Punct && !isDash(&doc.Tokens[i]) {
			b = append(b, doc.Word(i)...)
		}
		i++
	}
	return string(b)
}
