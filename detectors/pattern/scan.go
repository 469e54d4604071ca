package pattern

import (
	"sync"

	d "sotto/detectors"
)

// scan is the memory of one search of a document.
type scan struct {
	host  host
	value []byte
	// seen is the token up to which stretches without white space were looked at.
	seen int

	classifier classifier
}

var scans = sync.Pool{New: func() any { return new(scan) }}

// free returns the memory to the pool without the text that was read.
func (s *scan) free() {
	s.classifier.doc, s.classifier.run = nil, nil
	scans.Put(s)
}

// tokens looks at every token once and starts what its class or role asks for.
func (s *scan) tokens(doc *d.Document) {
	s.seen = 0
	for i := 0; i < len(doc.Tokens); {
		next := 0
		switch t := &doc.Tokens[i]; t.Class {
		case d.Punct:
			next = s.mark(doc, i)
		case d.Digits, d.Other, d.Clitic:
		default:
			next = s.secret(doc, i)
		}
		i = max(i+1, next)
	}
}

// mark starts what the punctuation mark at token i asks for, and returns the token
// after what was found; 0 when nothing was.
func (s *scan) mark(doc *d.Document, i int) int {
	t := &doc.Tokens[i]
	switch t.Ch {
	case ':', '-', '+':
		if i >= s.seen && joinsChunk(doc, i) {
			s.seen = chunkAt(doc, i, s.seen)
		}
	case '%', ';':
		if i+1 < len(doc.Tokens) && doc.Tokens[i+1].Glued() && (doc.Tokens[i+1].Class == d.Digits || doc.Tokens[i+1].Class == d.Alnum) {
			return cardTrack(doc, i)
		}
	case '<':
		if i > 0 && t.Glued() {
			return passportLine(doc, chunkStart(doc, i))
		}
	case '@':
		return mailAt(doc, i, s)
	case '.':
		if joinsLabels(doc, i) {
			return domainAt(doc, i, s)
		}
	case '/':
		if t.Times() == 2 && t.Glued() {
			return urlAt(doc, i, s)
		}
	}
	return 0
}

// joinsChunk reports whether the mark at token i joins what may be an identifier: with
// a word or number glued to it.
func joinsChunk(doc *d.Document, i int) bool {
	if i+1 >= len(doc.Tokens) || !doc.Tokens[i+1].Glued() {
		return false
	}
	t := &doc.Tokens[i]
	return t.Ch == ':' || i > 0 && t.Glued() && doc.Tokens[i-1].Len() >= 2
}

// joinsLabels reports whether the full stop at token i may be the dot of a host name.
func joinsLabels(doc *d.Document, i int) bool {
	if i == 0 || i+1 >= len(doc.Tokens) {
		return false
	}
	t, next := &doc.Tokens[i], &doc.Tokens[i+1]
	return t.Glued() && t.Times() == 1 && next.Class != d.Punct && next.Glued()
}

// secret reads the encoded data that the word at token i may begin, after white space or a mark that was glued to it. It returns the
// token after it; 0 when there is none.
func (s *scan) secret(doc *d.Document, i int) int {
	t := &doc.Tokens[i]
	if t.Len() < minSecret || i < s.seen || t.Flags&d.SpaceBefore == 0 && t.Class != d.Alnum {
		return 0
	}
	next := encoded(doc, i)
	s.seen = max(next, chunkEnd(doc, i))
	return next
}

// minSecret is the length of a word from which on it may begin encoded data.
const minSecret = 20

// chunkStart returns the first token of the stretch without white space that token i
// lies in, up to 48 tokens before it.
func chunkStart(doc *d.Document, i int) int {
	for n := 0; n < 48 && i > 0 && doc.Tokens[i].Glued(); n++ {
		i--
	}
	return i
}

// webNear reports whether a web address is expected, or named before token k.
func (s *scan) webNear(doc *d.Document, k int) bool {
	return doc.HotBefore(d.HotURL, k, 60) || s.mailNear(doc, k)
}

// mailNear reports whether an e-mail address is named right before token k.
func (s *scan) mailNear(doc *d.Document, k int) bool { return doc.HotBefore(d.HotEmail, k, 60) }
