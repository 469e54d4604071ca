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

// host is a host name that was read from tokens without white space.
type host struct {
	// end is the token after it.
	end  int
	name [maxHost]byte
	n    int
	// common says that its top-level domain is one that is said aloud.
	common bool
}

func (h *host) bytes() []byte { return h.name[:h.n] }

// maxLabels bounds the labels of a host name.
const maxLabels = 8

// labelEnd is where a label of a host name ends: the token after it, and the length of the name with it.
type labelEnd struct{ token, size int }

// readHost reads the longest host name that begins at token i and ends with a
// public suffix. It reports whether there is one.
func readHost(doc *d.Document, i int, h *host) bool {
	*h = host{}
	var buf [maxLabels]labelEnd
	labels := h.labels(doc, i, buf[:0])
	for k := len(labels) - 1; k > 0; k-- {
		if h.endsWith(labels[k]) {
			return true
		}
	}
	return false
}

// labels reads the labels of the name from token i on, at most maxLabels, and appends
// where each ends.
func (h *host) labels(doc *d.Document, i int, ends []labelEnd) []labelEnd {
	for first := i; i < len(doc.Tokens) && (i == first || doc.Tokens[i].Glued()); i++ {
		t := &doc.Tokens[i]
		switch {
		case isWordOrNumber(t):
			h.n += copy(h.name[h.n:], doc.Word(i))
			continue
		case t.Class != d.Punct || t.Times() != 1 || t.Ch != '.' && t.Ch != '-' || i == first:
			return append(ends, labelEnd{i, h.n})
		case t.Ch == '.':
			if ends = append(ends, labelEnd{i, h.n}); len(ends) == maxLabels {
				return ends
			}
		}
		h.n += copy(h.name[h.n:], []byte{t.Ch})
	}
	return append(ends, labelEnd{i, h.n})
}

// endsWith reports whether the name up to the end of a label ends with a public suffix,
// and makes it the host if so.
func (h *host) endsWith(end labelEnd) bool {
	name := h.name[:end.size]
	tld := name[bytes.LastIndexByte(name, '.')+1:]
	if !isTopLevel(tld) {
		return false
	}
	if suffix, _ := publicsuffix.PublicSuffix(string(name)); len(suffix) == len(name) {
		return false
	}
	h.n, h.end, h.common = end.size, end.token, isCommonTopLevel(tld)
	return true
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
