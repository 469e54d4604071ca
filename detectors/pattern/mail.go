package pattern

import (
	"bytes"
	"strings"

	d "sotto/detectors"
)

// maxLocal bounds the tokens of the part before the @.
const maxLocal = 96

// notInAddress are the roles of words that are never part of an address.
const notInAddress = d.Function | d.Copula | d.Backchannel | d.IsHotword | d.Filler

// localPart is the part of an address before the @, which is read from its end.
type localPart struct {
	doc *d.Document
	// expected says that an address is expected here, so that two names in a row may
	// belong to it.
	expected bool
	// first is the first token so far, -1 before the first unit. isRun says that the
	// unit that begins there is a run, joined that a connector follows it.
	first         int
	isRun, joined bool
	// names counts the units that are words.
	names int
}

// leftLocal returns the first token of the local part that ends with token k;
// -1 when there is none. expected says that an address is.
func leftLocal(doc *d.Document, k int, expected bool) int {
	l := localPart{doc: doc, expected: expected, first: -1}
	for i := k; i >= 0 && k-i < maxLocal; {
		if !l.take(i) || l.first == 0 {
			break
		}
		if i = l.next(); i < 0 {
			break
		}
	}
	return l.first
}

// take takes in the unit that ends with token i. It reports whether it belongs to the
// local part.
func (l *localPart) take(i int) bool {
	start, isRun, ok := unitEndingAt(l.doc, i, l.first >= 0)
	if !ok {
		return false
	}
	if !isRun && !l.joined && !l.isWrittenAt(i) {
		none := notInAddress
		if l.first < 0 {
			none &^= d.IsHotword
		}
		if l.doc.Tokens[start].Is(none) {
			return false
		}
	}
	l.first, l.isRun = start, isRun
	if !isRun {
		l.names++
	}
	return true
}

// isWrittenAt reports whether token i stands before a written @ without white space, where any word,
// "to" or "for", is part of the address.
func (l *localPart) isWrittenAt(i int) bool {
	if l.first >= 0 || i+1 >= len(l.doc.Tokens) {
		return false
	}
	t := &l.doc.Tokens[i+1]
	return t.Class == d.Punct && t.Ch == '@' && t.Glued()
}

// next returns the token with which the unit ends that comes before what was read, -1
// when the local part begins there.
func (l *localPart) next() int {
	doc := l.doc
	j := l.first - 1
	for j > 0 && doc.Tokens[j].Is(d.Filler) && l.first-j < 3 {
		j--
	}
	p := &doc.Tokens[j]
	switch {
	case p.Class == d.Punct && localMark(p.Ch) && p.Glued() && doc.Tokens[j+1].Glued() && j > 0:
		l.joined = true
		return j - 1
	case p.Class == d.Punct:
		return -1
	case p.Is(d.Connect) && p.Ch != '@' && p.Ch != ':' && j > 0:
		l.joined = true
		for j--; j > 0 && doc.Tokens[j].Is(d.Filler); j-- {
		}
		return j
	}
	l.joined = false
	if doc.Tokens[l.first].Glued() && j == l.first-1 || l.goesOnWith(j) {
		return j
	}
	return -1
}

// goesOnWith reports whether the unit that ends with token j belongs to the local part
// though no connector follows it: a word before symbols that were spelled or
// counted, letters before a word, and with an address expected two names.
func (l *localPart) goesOnWith(j int) bool {
	r := l.doc.RunAt(j)
	switch {
	case r < 0 && joins(l.doc, j):
		return l.isRun && l.names == 0 || hasConnectorBefore(l.doc, j) ||
			l.expected && l.names < 3 && (commonToken(l.doc, j) == 0 || nameToken(l.doc, j))
	case r < 0 || l.isRun:
		return false
	}
	run := &l.doc.Runs[r]
	return run.Letters > 0 || l.expected && !run.Opens && run.Len() <= 4
}

// hasConnectorBefore reports whether a connector that was said comes before the word at
// token j, so that the word continues something: "rosa underscore buffer one".
func hasConnectorBefore(doc *d.Document, j int) bool {
	if j < 2 {
		return false
	}
	p := &doc.Tokens[j-1]
	return p.Is(d.Connect) && p.Class != d.Punct && (p.Ch == '_' || p.Ch == '.' || p.Ch == '-')
}

// joins reports whether the word at token j can be part of a local part.
func joins(doc *d.Document, j int) bool {
	t := &doc.Tokens[j]
	return (t.Class.IsWord() || t.Class == d.Alnum) && t.Bits&notInAddress == 0
}

// localMark reports whether a mark may be inside of a local part.
func localMark(ch byte) bool { return strings.IndexByte("._-+'&%#!~*", ch) >= 0 }

// unitEndingAt returns the first token of the run or word that ends with token i.
func unitEndingAt(doc *d.Document, i int, inner bool) (start int, isRun, ok bool) {
	if r := doc.RunAt(i); r >= 0 {
		if doc.Runs[r].Len() > 1 || doc.Tokens[i].Class != d.Lower || inner {
			return doc.Runs[r].First, true, true
		}
	}
	t := &doc.Tokens[i]
	if t.Class.IsWord() || t.Class == d.Alnum || t.Class == d.Digits {
		return i, false, true
	}
	return 0, false, false
}

// mailAt looks for an address around the @ or "at" at token k, and returns the
// token after it; 0 when there is none.
func mailAt(doc *d.Document, k int, s *scan) int {
	written := doc.Tokens[k].Class == d.Punct
	next := k + 1
	if !written && doc.WordIs(next, "sign") {
		next++
	}
	next = skipFiller(doc, next)
	if next >= len(doc.Tokens) {
		return 0
	}
	h := &s.host
	found := readHost(doc, next, h)
	switch {
	case found && written:
		return s.mailWritten(doc, k, next)
	case found && (h.mail || !h.spaced):
		return s.mailSaid(doc, k)
	case found:
		return 0
	case written:
		return mailWithoutSuffix(doc, k, s)
	}
	return mailWithoutDot(doc, k, next, s)
}

// mailWritten reads the address whose @ is token k, and whose host begins at token next
// and has been read. A local part that was spelled badly may be missing.
func (s *scan) mailWritten(doc *d.Document, k, next int) int {
	h := &s.host
	at, first := s.localBefore(doc, k)
	switch {
	case first >= 0:
		s.addMail(doc, first, at, h.end, h.bytes(), d.ByStructure|d.ByList, 0.98)
	case doc.Tokens[next].Glued():
		s.addMail(doc, at, at, h.end, h.bytes(), d.ByStructure|d.Partial, 0.85)
	default:
		return 0
	}
	return h.end
}

// mailSaid reads the address whose "at" is token k, and whose host has been read.
func (s *scan) mailSaid(doc *d.Document, k int) int {
	h := &s.host
	at, first := s.localBefore(doc, k)
	if first < 0 || at-first == 1 && !h.mail && isPlain(doc, first) && !s.mailNear(doc, k) {
		return 0
	}
	s.addMail(doc, first, at, h.end, h.bytes(), d.ByStructure|d.ByList|d.BySpeech, 0.9)
	return h.end
}

// localBefore returns the first token of the local part before the @ at token k, -1
// when there is none, and the token after it.
func (s *scan) localBefore(doc *d.Document, k int) (end, first int) {
	expected := s.mailNear(doc, k)
	for k > 0 && doc.Tokens[k-1].Is(d.Filler) {
		k--
	}
	if k == 0 {
		return k, -1
	}
	return k, leftLocal(doc, k-1, expected)
}

// isPlain reports whether token k is an everyday word that is no name and not spelled.
func isPlain(doc *d.Document, k int) bool {
	return commonToken(doc, k) > 0 && doc.RunAt(k) < 0 && !nameToken(doc, k)
}

// mailWithoutSuffix reads "john@company" and the handle "@john".
func mailWithoutSuffix(doc *d.Document, k int, s *scan) int {
	if k+1 >= len(doc.Tokens) || !doc.Tokens[k+1].Glued() || doc.Tokens[k+1].Class == d.Punct {
		return 0
	}
	end := k + 2
	for end+1 < len(doc.Tokens) && doc.Tokens[end].Glued() && (doc.Tokens[end].Class != d.Punct || doc.Tokens[end+1].Glued() && localMark(doc.Tokens[end].Ch)) {
		end++
	}
	if k > 0 && doc.Tokens[k].Glued() {
		if first := leftLocal(doc, k-1, false); first >= 0 {
			s.addMail(doc, first, k, end, doc.Word(k+1), d.ByShape|d.ByStructure, 0.7)
			return end
		}
	}
	add(doc, k, end, d.Finding{Type: d.UserName, Value: codeOf(doc, k+1, end), Score: 0.75, Detector: "mail", Evidence: d.ByStructure})
	return end
}

// mailWithoutDot reads "john at gmail", and with an address expected "john at
// company com".
func mailWithoutDot(doc *d.Document, k, next int, s *scan) int {
	t := &doc.Tokens[next]
	end := next + 1
	if end < len(doc.Tokens) && doc.Tokens[end].Is(d.TopLevel) && doc.Tokens[end].Bits&d.Function == 0 {
		end++
	}
	known := t.Is(d.MailHost) || gluedMailHost(doc.Word(next)) >= 0
	if k == 0 || !known || end == next+1 && !s.mailNear(doc, k) && gluedMailHost(doc.Word(next)) < 0 && doc.RunAt(k-1) < 0 {
		return 0
	}
	first := leftLocal(doc, k-1, s.mailNear(doc, k))
	if first < 0 {
		return 0
	}
	s.addMail(doc, first, k, end, doc.Word(next), d.ByStructure|d.BySpeech, 0.85)
	return end
}

// mailGlued looks for an address whose @ and dot were lost, at the word of token
// k: "divya 3 gmailcom", "sureshgmail". Where an address is expected, or is the
// whole text, any unknown word that ends like a host name counts.
func mailGlued(doc *d.Document, k int, s *scan) int {
	w := doc.Word(k)
	evidence, score := d.ByStructure|d.ByList, float32(0.8)
	at := gluedMailHost(w)
	bare := at < 0 && (doc.WordIs(k, "com") || doc.WordIn(k, bareMailServices))
	switch {
	case bare:
		if !s.lostSigns(doc, k) {
			return 0
		}
		at = 0
	case at < 0:
		if at = gluedSuffix(doc, k); at < 0 {
			return 0
		}
		if !s.mailNear(doc, k) {
			evidence, score = d.ByShape, 0.6
		}
	}
	first := s.gluedLocal(doc, k, at)
	if first == k && (bare || at == 0) {
		return 0
	}
	add(doc, first, k+1, d.Finding{Type: d.EmailAddress, Value: codeOf(doc, first, k+1), Score: score, Detector: "mail", Evidence: evidence})
	return k + 1
}

// lostSigns reports whether the host at token k can end an address of which white space
// is all that is left of the @ and the dot.
func (s *scan) lostSigns(doc *d.Document, k int) bool {
	if k == 0 || doc.Tokens[k-1].Class == d.Punct {
		return false
	}
	if k+1 < len(doc.Tokens) && doc.Tokens[k+1].Class != d.Punct && doc.Tokens[k+1].Bits&(d.Function|d.TopLevel) == 0 {
		return false
	}
	r := doc.RunAt(k - 1)
	return r >= 0 && !doc.Runs[r].Opens || s.mailNear(doc, k)
}

// gluedSuffix returns where the suffix begins that the unknown word at token k was run
// together with; -1 when there is none.
func gluedSuffix(doc *d.Document, k int) int {
	w := doc.Word(k)
	if commonToken(doc, k) > 0 || len(w) < 6 || doc.WordIn(k, noAddress) {
		return -1
	}
	if stem := mailSuffix(w); stem >= 3 {
		return stem
	}
	return -1
}

// gluedLocal returns the first token of the local part before the host that begins at
// byte at of the word at token k; k when all of it is within the word.
func (s *scan) gluedLocal(doc *d.Document, k, at int) int {
	if k == 0 {
		return k
	}
	run := doc.RunAt(k - 1)
	switch {
	case at < 3 || run >= 0 && doc.Runs[run].Letters == 0:
		first := leftLocal(doc, k-1, at < 3)
		switch {
		case first < 0:
			return k
		case at == 0 && run >= 0 && doc.Runs[run].First == first && isLocalWord(doc, first-1):
			return first - 1
		}
		return first
	case s.mailNear(doc, k) && joins(doc, k-1) && (commonToken(doc, k-1) == 0 || nameToken(doc, k-1)) && doc.Tokens[k-1].Class != d.Cap:
		return k - 1
	}
	return k
}

// isLocalWord reports whether the small word at token j belongs to the number after it,
// which no address is alone: "will 86 gmailcom".
func isLocalWord(doc *d.Document, j int) bool {
	if j < 0 {
		return false
	}
	t := &doc.Tokens[j]
	return t.Class.IsWord() && t.Bits&(d.Copula|d.IsHotword|d.Backchannel) == 0 && !notLocal.Has(t.Hash)
}

// mailSuffix returns how long the part of a word before a suffix such as "com" is
// that was run together with it.
func mailSuffix(w []byte) int {
	for _, suffix := range addressEndings {
		if bytes.HasSuffix(w, []byte(suffix)) {
			return len(w) - len(suffix)
		}
	}
	return 0
}

// endsLikeHost reports whether a word may end with a mail service or a top-level
// domain, by its last letters.
func endsLikeHost(w []byte) bool {
	before, last := w[len(w)-2], w[len(w)-1]
	switch {
	case hostEndings[last%32]>>(before%32)&1 == 0: // of most words
		return false
	case before == 'i' && last == 'n':
		return len(w) >= 7
	}
	return before >= 'a' && last >= 'a' && before <= 'z' && last <= 'z'
}

// hostEndings has, by the lowest five bits of a word's last letter, those of the letters before it.
var hostEndings = func() (t [32]uint32) {
	for _, ending := range []string{"om", "et", "rg", "uk", "ca", "il", "oo", "in"} {
		t[ending[1]%32] |= 1 << (ending[0] % 32)
	}
	return t
}()

// addMail adds the address whose local part begins at token first, whose @ is
// token at, and which ends before token end.
func (s *scan) addMail(doc *d.Document, first, at, end int, name []byte, e d.Evidence, score float32) {
	value := appendLocal(s.value[:0], doc, first, at)
	value = append(value, '@')
	value = append(value, name...)
	s.value = value
	add(doc, first, end, d.Finding{Type: d.EmailAddress, Value: string(value), Score: score, Detector: "mail", Evidence: e})
}

// appendLocal appends what the tokens from first to end spell: words, symbols of
// runs, and connectors as characters.
func appendLocal(b []byte, doc *d.Document, first, end int) []byte {
	for i := first; i < end; {
		if r := doc.RunAt(i); r >= 0 && doc.Runs[r].First == i && doc.Runs[r].Last < end {
			run := &doc.Runs[r]
			glued := glueOnly(doc, run) && run.Words == 0 && run.Digits > 0
			for _, y := range doc.Symbols(run) {
				if y.Kind != d.Connector || glued || y.Ch == '.' || y.Ch == '_' {
					b = append(b, y.Ch)
				}
			}
			i = run.Last + 1
			continue
		}
		if t := &doc.Tokens[i]; t.Class != d.Punct {
			b = appendSaid(b, doc, i)
		} else if localMark(t.Ch) {
			b = append(b, t.Ch)
		}
		i++
	}
	return b
}

// appendSaid appends what the word at token i stands for in an address: a character,
// as "dot" does, nothing if it is a filler, or itself.
func appendSaid(b []byte, doc *d.Document, i int) []byte {
	t := &doc.Tokens[i]
	switch {
	case t.Is(d.Connect) && t.Ch != 0 && hasSpaceAround(doc, i):
		return append(b, t.Ch)
	case t.Is(d.Filler):
		return b
	}
	return append(b, doc.Word(i)...)
}

// hasSpaceAround reports whether token i has white space on both sides.
func hasSpaceAround(doc *d.Document, i int) bool {
	return !doc.Tokens[i].Glued() && (i+1 == len(doc.Tokens) || !doc.Tokens[i+1].Glued())
}

// codeOf is what the tokens spell, as a string.
func codeOf(doc *d.Document, first, end int) string {
	var buf [128]byte
	return string(appendLocal(buf[:0], doc, first, end))
}

// nameToken reports whether the word is more likely a name than a common word.
func nameToken(doc *d.Document, i int) bool {
	e := lexiconEntry(doc, i)
	return e.Name() > 0 && e.Name() >= e.Common()-6
}
