package pattern

import (
	"sync"

	d "sotto/detectors"
)

// scan is the memory of one pass over a document's tokens.
type scan struct {
	host  host
	value []byte
}

var scans = sync.Pool{New: func() any { return new(scan) }}

// words looks at every token once and starts what its class or role asks for.
func words(doc *d.Document) {
	s := scans.Get().(*scan)
	defer scans.Put(s)
	tokens := doc.Tokens
	// seen is the token up to which stretches without white space were looked at.
	seen := 0
	for i := 0; i < len(tokens); {
		t := &tokens[i]
		next := 0
		switch t.Class {
		case d.Punct:
			switch t.Ch {
			case ':', '-', '+':
				if i >= seen && i+1 < len(tokens) && (i > 0 && t.Glued() && tokens[i-1].Len() >= 2 || t.Ch == ':') && tokens[i+1].Glued() {
					seen = chunkAt(doc, i, seen)
				}
			case '%', ';':
				if i+1 < len(tokens) && tokens[i+1].Glued() && (tokens[i+1].Class == d.Digits || tokens[i+1].Class == d.Alnum) {
					next = track(doc, i)
				}
			case '<':
				if i > 0 && t.Glued() {
					next = travel(doc, chunkStart(doc, i))
				}
			case '@':
				next = mailAt(doc, i, s)
			case '.':
				if i > 0 && t.Glued() && t.Times() == 1 && i+1 < len(tokens) && tokens[i+1].Class != d.Punct &&
					(tokens[i+1].Glued() || tokens[i+1].Is(d.TopLevel)) {
					next = domainAt(doc, i, s)
				}
			case '/':
				if t.Times() == 2 && t.Glued() {
					next = urlAt(doc, i, s)
				}
			}
		case d.Digits, d.Other, d.Clitic:
		default:
			switch {
			case t.Len() >= 20 && i >= seen && t.Flags&d.SpaceBefore != 0, t.Class == d.Alnum && i >= seen && i > 0 && t.Glued() && t.Len() >= 20:
				next = encoded(doc, i)
				seen = max(next, chunkEnd(doc, i))
				if next == 0 && endsLikeHost(doc.Word(i)) {
					next = mailGlued(doc, i, s)
				}
			case t.Is(d.Connect):
				switch t.Ch {
				case '@':
					next = mailAt(doc, i, s)
				case '.':
					if t.Hash == hashDot && i > 0 && i+1 < len(tokens) {
						next = domainAt(doc, i, s)
					}
				}
			case t.Len() >= 3 && endsLikeHost(doc.Word(i)):
				if t.Len() >= 5 || t.Hash == hashCom {
					next = mailGlued(doc, i, s)
				}
			}
		}
		i = max(i+1, next)
	}
}

// chunkStart returns the first token of the stretch without white space that token i
// lies in, up to 48 tokens before it.
func chunkStart(doc *d.Document, i int) int {
	for n := 0; n < 48 && i > 0 && doc.Tokens[i].Glued(); n++ {
		i--
	}
	return i
}

// mailNear tells whether an e-mail address is expected, or named right before
// token k.
func (s *scan) mailNear(doc *d.Document, k int) bool {
	return doc.Expected(d.EmailAddress) > 0 || hotBefore(doc, d.HotEmail, k, 60)
}

// webNear tells whether a web address is expected, or named before token k.
func (s *scan) webNear(doc *d.Document, k int) bool {
	return doc.Expected(d.URL) > 0 || doc.Expected(d.DomainName) > 0 || hotBefore(doc, d.HotURL, k, 60) || s.mailNear(doc, k)
}

// hotBefore tells whether the hotword stands at most window characters before
// token k, earlier turns included.
func hotBefore(doc *d.Document, h d.Hotword, k, window int) bool {
	return doc.HotBefore(h, int(doc.Tokens[k].Start), window)
}
