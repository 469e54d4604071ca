package pattern

import (
	"bytes"
	"slices"

	"golang.org/x/net/publicsuffix"

	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/internal/wordhash"
)

// maxHost is the longest host name in bytes (RFC 1035).
const maxHost = 253

// host is a host name that was read from tokens.
type host struct {
	// first and end are its tokens, end exclusive.
	first, end int
	name       [maxHost + 3]byte
	n          int
	// spaced says that a written dot has white space around it.
	spaced bool
	// mail says that it is a mail service's.
	mail bool
	// common says that its top-level domain is one that is said aloud.
	common bool
}

func (h *host) bytes() []byte { return h.name[:h.n] }

// maxLabels bounds the labels of a host name.
const maxLabels = 8

// labelEnd is where a label of a host name ends.
type labelEnd struct {
	// token is the token after it, size the length of the name with it.
	token, size int
	// spaced says that the dot before it has white space around it.
	spaced bool
}

// readHost reads the longest host name that begins at token i and ends with a
// public suffix. It reports whether there is one.
func readHost(doc *d.Document, i int, h *host) bool {
	*h = host{first: i}
	var buf [maxLabels + 1]labelEnd
	labels := h.labels(doc, i, buf[:0])
	// A host with white space in it is read only when no other can be.
	for _, allowSpace := range [...]bool{false, true} {
		for k := len(labels) - 1; k > 0; k-- {
			if h.endsWith(labels[:k+1], allowSpace) {
				return true
			}
		}
	}
	return false
}

// labels reads the labels of the name from token i on, at most maxLabels, and appends
// where each ends.
func (h *host) labels(doc *d.Document, i int, ends []labelEnd) []labelEnd {
	spaced := false
	for len(ends) < maxLabels && i < len(doc.Tokens) {
		before := h.n
		next, dots := h.label(doc, i)
		i = next
		if h.n == before {
			break
		}
		ends = append(ends, labelEnd{i, h.n, spaced})
		if dots > 0 && len(ends) < maxLabels {
			// A spelled stretch that held its dots itself counts as two labels.
			ends = append(ends, labelEnd{i, h.n, false})
		}
		if i < len(doc.Tokens) && doc.Tokens[i].Is(d.Filler) {
			i++
		}
		if i >= len(doc.Tokens) || h.n >= maxHost {
			break
		}
		t := &doc.Tokens[i]
		switch {
		case t.Class == d.Punct && t.Ch == '.' && t.Times() == 1 && i+1 < len(doc.Tokens):
			spaced = !t.Glued() || !doc.Tokens[i+1].Glued()
		case t.Is(d.Connect) && t.Ch == '.' && t.Class != d.Punct:
			spaced = false
		default:
			return ends
		}
		h.name[h.n] = '.'
		h.n++
		i = skipFiller(doc, i+1)
	}
	return ends
}

// endsWith reports whether the name that consists of labels ends with a public suffix,
// and makes it the host if so. spaced says that the name must have
// white space in it; otherwise it must have none.
func (h *host) endsWith(labels []labelEnd, spaced bool) bool {
	end := labels[len(labels)-1]
	if slices.ContainsFunc(labels, func(l labelEnd) bool { return l.spaced }) != spaced {
		return false
	}
	name := h.name[:end.size]
	tld := name[bytes.LastIndexByte(name, '.')+1:]
	if !isTopLevel(tld) {
		return false
	}
	common := isCommonTopLevel(tld)
	if spaced && !common {
		return false
	}
	if suffix, _ := publicsuffix.PublicSuffix(string(name)); len(suffix) == len(name) {
		return false
	}
	h.n, h.end, h.common, h.spaced = end.size, end.token, common, spaced
	service, _, _ := bytes.Cut(name, []byte{'.'})
	h.mail = mailServiceSet.Has(wordhash.Bytes(service))
	return true
}

// skipFiller returns the first token from i on that is no hesitation.
func skipFiller(doc *d.Document, i int) int {
	for n := 0; n < 3 && i < len(doc.Tokens) && doc.Tokens[i].Is(d.Filler); n++ {
		i++
	}
	return i
}

// label reads one label, and returns the token after it and how many dots were
// in it, which only a spelled stretch has.
func (h *host) label(doc *d.Document, i int) (next, dots int) {
	if h.n > 0 && doc.Tokens[i].Class == d.Letter && i+1 < len(doc.Tokens) && doc.Tokens[i+1].Class == d.Letter {
		// A suffix that was spelled: "dot c a".
		for n := 0; n < 4 && i < len(doc.Tokens) && doc.Tokens[i].Class == d.Letter; n++ {
			h.put(doc.Word(i))
			i++
		}
		return i, 0
	}
	switch r := doc.RunAt(i); {
	case r >= 0 && doc.Runs[r].First == i && (doc.Runs[r].Last > i || doc.Tokens[i].Class == d.Letter):
		dots = h.spelled(doc, &doc.Runs[r])
		i = doc.Runs[r].Last + 1
	case h.isLabel(doc, i):
		h.put(doc.Word(i))
		i++
	default:
		return i, 0
	}
	return h.glued(doc, i), dots
}

// isLabel reports whether token i can be a label: "at" cannot be the first.
func (h *host) isLabel(doc *d.Document, i int) bool {
	t := &doc.Tokens[i]
	if !t.Class.IsWord() {
		return t.Class == d.Alnum || t.Class == d.Digits
	}
	return (!t.Is(d.Connect) || h.n > 0 && doc.WordIs(i, "at")) && !t.Is(d.Filler)
}

// spelled reads a run as a label, and returns how many dots it has.
func (h *host) spelled(doc *d.Document, run *d.Run) (dots int) {
	for _, y := range doc.Symbols(run) {
		if h.n >= maxHost {
			break
		}
		if y.Kind == d.Connector && y.Ch != '.' && !glueOnly(doc, run) {
			continue
		}
		if y.Ch == '.' {
			dots++
		}
		h.name[h.n] = y.Ch
		h.n++
	}
	return dots
}

// glued takes in what is glued to the label that ends before token i, hyphens too, and
// returns the token after it.
func (h *host) glued(doc *d.Document, i int) int {
	for i < len(doc.Tokens) && doc.Tokens[i].Glued() {
		t := &doc.Tokens[i]
		switch {
		case isWordOrNumber(t):
			h.put(doc.Word(i))
			i++
		case t.Class == d.Punct && t.Ch == '-' && i+1 < len(doc.Tokens) && doc.Tokens[i+1].Glued() && isWordOrNumber(&doc.Tokens[i+1]):
			h.put([]byte{'-'})
			h.put(doc.Word(i + 1))
			i += 2
		default:
			return i
		}
	}
	return i
}

func (h *host) put(b []byte) { h.n += copy(h.name[h.n:maxHost], b) }

// glueOnly reports whether nothing in the run is separated by white space, so that its
// hyphens are those of a name and not of spelling.
func glueOnly(doc *d.Document, r *d.Run) bool {
	return !slices.ContainsFunc(doc.Tokens[r.First+1:r.Last+1], func(t d.Token) bool { return !t.Glued() })
}

// isTopLevel reports whether a label is a top-level domain that ICANN manages.
func isTopLevel(label []byte) bool {
	if isCommonTopLevel(label) {
		return true
	}
	if len(label) < 2 || len(label) > 18 || slices.ContainsFunc(label, func(c byte) bool { return !ids.IsLetter(c) }) {
		return false
	}
	_, icann := publicsuffix.PublicSuffix(string(label))
	return icann || slices.Contains(reserved, string(label))
}

// reserved are the top-level domains of samples and tests (RFC 2606).
var reserved = []string{"example", "invalid", "test"}

// isCommonTopLevel is isTopLevel for those that are said aloud in North America.
func isCommonTopLevel(label []byte) bool { return commonTopLevels.Has(wordhash.Bytes(label)) }

// gluedMailHost returns where the host begins in a word that ends with a mail
// service and its suffix run together ("divyagmailcom"); -1 when it does not.
func gluedMailHost(w []byte) int {
	for _, suffix := range gluedSuffixes {
		if !bytes.HasSuffix(w, []byte(suffix)) {
			continue
		}
		stem := w[:len(w)-len(suffix)]
		for _, h := range mailServices {
			if len(suffix) == 2 && len(h) < 5 {
				continue
			}
			if bytes.HasSuffix(stem, []byte(h)) {
				return len(stem) - len(h)
			}
		}
	}
	return -1
}
