package pattern

import (
	"bytes"

	"golang.org/x/net/publicsuffix"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// maxHost is the longest host name in bytes (RFC 1035).
const maxHost = 253

// host is a host name that was read from tokens.
type host struct {
	// first and end are its tokens, end exclusive.
	first, end int
	name       [maxHost + 3]byte
	n          int
	// spoken tells that a dot was said as a word, spaced that white space stood
	// around a written one.
	spoken, spaced bool
	// mail tells that it is a mail service's.
	mail bool
	// common tells that its top-level domain is one that is said aloud.
	common bool
}

func (h *host) bytes() []byte { return h.name[:h.n] }

// maxLabels bounds the labels of a host name.
const maxLabels = 8

// readHost reads the longest host name that begins at token i and ends with a
// public suffix. ok is false when there is none.
func readHost(doc *d.Document, i int, h *host) bool {
	*h = host{first: i}
	var ends, sizes [maxLabels]int
	var spoken, spaced [maxLabels]bool
	labels := 0
	for labels < maxLabels && i < len(doc.Tokens) {
		before := h.n
		dots := 0
		i, dots = h.label(doc, i)
		if h.n == before {
			break
		}
		ends[labels], sizes[labels] = i, h.n
		labels++
		if dots > 0 && labels < maxLabels {
			// A spelled stretch that held its dots itself counts as two labels.
			ends[labels], sizes[labels] = i, h.n
			spoken[labels] = true
			labels++
		}
		if i >= len(doc.Tokens) || h.n >= maxHost {
			break
		}
		if doc.Tokens[i].Is(d.Filler) {
			i++
			if i >= len(doc.Tokens) {
				break
			}
		}
		t := &doc.Tokens[i]
		switch {
		case t.Class == d.Punct && t.Ch == '.' && t.Times() == 1 && i+1 < len(doc.Tokens):
			if labels < maxLabels {
				spaced[labels] = !t.Glued() || !doc.Tokens[i+1].Glued()
			}
		case t.Is(d.Connect) && t.Ch == '.' && t.Class != d.Punct:
			if labels < maxLabels {
				spoken[labels] = true
			}
		default:
			i = len(doc.Tokens)
			continue
		}
		h.name[h.n] = '.'
		h.n++
		i = skipFiller(doc, i+1)
	}
	// A host with white space in it is read only when no other can be.
	for k := 2*labels - 1; k >= 0; k-- {
		allowSpace := k < labels
		k := k % labels
		name := h.name[:sizes[k]]
		if k == 0 || crosses(spaced[:k+1]) != allowSpace {
			continue
		}
		tld := name[bytes.LastIndexByte(name, '.')+1:]
		if !isTopLevel(tld) {
			continue
		}
		h.common = isCommonTopLevel(tld)
		if allowSpace && !h.common {
			continue
		}
		if suffix, _ := publicsuffix.PublicSuffix(string(name)); len(suffix) == len(name) {
			continue
		}
		h.n, h.end = sizes[k], ends[k]
		for j := 1; j <= k; j++ {
			h.spoken = h.spoken || spoken[j]
			h.spaced = h.spaced || spaced[j]
		}
		h.mail = isMailHost(name)
		return true
	}
	return false
}

func crosses(spaced []bool) bool {
	for _, s := range spaced {
		if s {
			return true
		}
	}
	return false
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
	if r := doc.RunAt(i); r >= 0 && doc.Runs[r].First == i && (doc.Runs[r].Last > i || doc.Tokens[i].Class == d.Letter) {
		run := &doc.Runs[r]
		for _, y := range doc.Symbols(run) {
			if h.n >= maxHost {
				break
			}
			if y.Kind == d.Joint && y.Ch != '.' && !glueOnly(doc, run) {
				continue
			}
			if y.Ch == '.' {
				dots++
			}
			h.name[h.n] = y.Ch
			h.n++
		}
		i = run.Last + 1
	} else if t := &doc.Tokens[i]; t.Class.IsWord() && (!t.Is(d.Connect) || h.n > 0 && t.Hash == hashAt) && !t.Is(d.Filler) || t.Class == d.Alnum || t.Class == d.Digits {
		h.put(doc.Word(i))
		i++
	} else {
		return i, 0
	}
	// Hyphens and what is glued on belong to the label.
	for i < len(doc.Tokens) && doc.Tokens[i].Glued() {
		t := &doc.Tokens[i]
		switch {
		case t.Class == d.Punct && t.Ch == '-' && i+1 < len(doc.Tokens) && doc.Tokens[i+1].Glued() &&
			(doc.Tokens[i+1].Class.IsWord() || doc.Tokens[i+1].Class == d.Alnum || doc.Tokens[i+1].Class == d.Digits):
			h.put([]byte{'-'})
			h.put(doc.Word(i + 1))
			i += 2
		case t.Class.IsWord(), t.Class == d.Alnum, t.Class == d.Digits:
			h.put(doc.Word(i))
			i++
		default:
			return i, dots
		}
	}
	return i, dots
}

func (h *host) put(b []byte) { h.n += copy(h.name[h.n:maxHost], b) }

// glueOnly tells whether nothing in the run is parted by white space, so that its
// hyphens are those of a name and not of spelling.
func glueOnly(doc *d.Document, r *d.Run) bool {
	for i := r.First + 1; i <= r.Last; i++ {
		if !doc.Tokens[i].Glued() {
			return false
		}
	}
	return true
}

// isTopLevel tells whether a label is a top-level domain that ICANN manages.
func isTopLevel(label []byte) bool {
	if isCommonTopLevel(label) {
		return true
	}
	if len(label) < 2 || len(label) > 18 {
		return false
	}
	for _, c := range label {
		if !ids.IsLetter(c) {
			return false
		}
	}
	_, icann := publicsuffix.PublicSuffix(string(label))
	return icann
}

// isCommonTopLevel is isTopLevel for those that are said aloud in North America.
func isCommonTopLevel(label []byte) bool {
	switch string(label) {
	case "com", "net", "org", "edu", "gov", "mil", "info", "biz", "io", "co", "ca", "uk", "us", "de", "fr", "au", "ie", "nz", "eu",
		"tv", "app", "dev", "ai", "online", "hu", "nl":
		return true
	}
	return false
}

// mailHosts are mail services that are said without their suffix, or that
// recognisers and typists run together with it.
var mailHosts = [...]string{"gmail", "googlemail", "gamil", "gmial", "yahoomail", "yahoo", "ymail", "hotmail", "outlook", "icloud", "aol", "msn",
	"live", "protonmail", "proton", "gmx", "comcast", "verizon", "sbcglobal", "bellsouth", "shaw", "rogers", "telus", "sympatico",
	"btinternet", "rediffmail", "rediff", "email", "mail", "zoho", "rocketmail", "att", "videotron", "earthlink"}

// isMailHost tells whether a host name belongs to a mail service.
func isMailHost(name []byte) bool {
	first := name
	if i := bytes.IndexByte(name, '.'); i > 0 {
		first = name[:i]
	}
	for _, h := range mailHosts {
		if string(first) == h {
			return true
		}
	}
	return false
}

// gluedMailHost returns where the host begins in a word that ends with a mail
// service and its suffix run together ("divyagmailcom"); -1 when it does not.
func gluedMailHost(w []byte) int {
	for _, suffix := range [...]string{"com", "net", "org", "couk", "coin", "in", "ca"} {
		if !bytes.HasSuffix(w, []byte(suffix)) {
			continue
		}
		stem := w[:len(w)-len(suffix)]
		for _, h := range mailHosts {
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
