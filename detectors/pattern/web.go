package pattern

import (
	"slices"
	"strings"

	d "sotto/detectors"
)

// urlAt reads the URL whose "//" is token k, and returns the token after it.
func urlAt(doc *d.Document, k int, s *scan) int {
	if k < 2 || doc.Tokens[k-1].Class != d.Punct || doc.Tokens[k-1].Ch != ':' || !doc.Tokens[k-2].Class.IsWord() && doc.Tokens[k-2].Class != d.Alnum {
		return 0
	}
	first := k - 2
	return s.addURL(doc, first, chunkEnd(doc, k), d.ByStructure, 0.97)
}

// chunkEnd returns the token after the stretch without white space that token k
// lies in.
func chunkEnd(doc *d.Document, k int) int {
	k++
	for k < len(doc.Tokens) && doc.Tokens[k].Glued() {
		k++
	}
	return k
}

// addURL adds the URL of tokens first to end, without the punctuation of the
// sentence at its end.
func (s *scan) addURL(doc *d.Document, first, end int, e d.Evidence, score float32) int {
	last := end - 1
	for last > first && doc.Tokens[last].Class == d.Punct && strings.IndexByte(`.,;:!?)]>"'}`, doc.Tokens[last].Ch) >= 0 {
		last--
	}
	kind := d.URL
	if isSigned(doc.Text[doc.Tokens[first].Start:doc.Tokens[last].End]) {
		kind = d.SignedURL
	}
	value := urlValue(doc, first, min(last+1, first+64))
	add(doc, first, last+1, d.Finding{Type: kind, Value: value, Score: score, Detector: "web", Evidence: e})
	return last + 1
}

// urlValue is the URL of tokens first to end in lower case.
func urlValue(doc *d.Document, first, end int) string {
	var buf [256]byte
	b := buf[:0]
	for i := first; i < end; i++ {
		t := &doc.Tokens[i]
		if t.Class != d.Punct {
			b = append(b, doc.Word(i)...)
			continue
		}
		for range min(t.Times(), 3) {
			b = append(b, t.Ch)
		}
	}
	return string(b)
}

// isSigned reports whether a URL carries the signature of a storage service: Google
// Cloud Storage, Amazon S3 or CloudFront, Azure Blob Storage.
func isSigned(raw string) bool {
	_, query, ok := strings.Cut(raw, "?")
	if !ok {
		return false
	}
	names := make([]string, 0, 16)
	for p := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(p, "="); value != "" {
			names = append(names, strings.ToLower(name))
		}
	}
	hasAny := func(any ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(any, name) })
	}
	return hasAny("x-goog-signature", "x-amz-signature") || hasAny("sig") && hasAny("se", "sp", "sv") ||
		hasAny("signature") && hasAny("key-pair-id", "googleaccessid", "awsaccesskeyid")
}

// domainAt reads the host name or URL around the written dot at token k,
// and returns the token after it; 0 when there is none.
func domainAt(doc *d.Document, k int, s *scan) int {
	first := labelStart(doc, k-1)
	if first < 0 {
		return 0
	}
	h := &s.host
	if !readHost(doc, first, h) || h.end <= k {
		return 0
	}
	www := doc.WordIs(first, "www")
	if !www && !s.domainLikely(doc, k) {
		return 0
	}
	end := h.end
	path := end < len(doc.Tokens) && beginsPath(doc, end)
	if path {
		end = trimChunk(doc, end)
	}
	name := string(h.bytes())
	if www || path {
		return s.addURL(doc, first, end, d.ByStructure|d.ByList, 0.92)
	}
	score := float32(0.85)
	if h.common {
		score = 0.9
	}
	add(doc, first, end, d.Finding{Type: d.DomainName, Value: name, Score: score, Detector: "web", Evidence: d.ByStructure | d.ByList})
	return end
}

// labelStart returns the first token of the host name whose label ends with token i,
// -1 when no label ends there.
func labelStart(doc *d.Document, i int) int {
	if i < 0 || !isWordOrNumber(&doc.Tokens[i]) {
		return -1
	}
	for n := 0; i > 0 && n < 32 && doc.Tokens[i].Glued(); n++ {
		p := &doc.Tokens[i-1]
		if !isWordOrNumber(p) && (p.Class != d.Punct || p.Ch != '-' && p.Ch != '.' || !p.Glued() || i < 2 || !isWordOrNumber(&doc.Tokens[i-2])) {
			break
		}
		i--
	}
	return i
}

// domainLikely reports whether a host name is meant, and not two sentences without
// a space between them or a name with a dot in it.
func (s *scan) domainLikely(doc *d.Document, k int) bool {
	h := &s.host
	last := &doc.Tokens[h.end-1]
	if last.Class == d.Cap || last.Class == d.Letter || last.Is(d.Function) && last.Class == d.Lower {
		return false
	}
	return h.common || s.webNear(doc, k) || commonToken(doc, k-1) == 0 && commonToken(doc, h.end-1) == 0
}

// beginsPath reports whether a path, a port or a query is glued to the host before
// token k.
func beginsPath(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	isPort := t.Ch == ':' && k+1 < len(doc.Tokens) && doc.Tokens[k+1].Class == d.Digits && doc.Tokens[k+1].Glued()
	return t.Class == d.Punct && t.Glued() && (t.Ch == '/' || t.Ch == '?' || isPort)
}

// trimChunk returns the token after the chunk that token k lies in, without the
// punctuation of the sentence.
func trimChunk(doc *d.Document, k int) int {
	end := chunkEnd(doc, k)
	for end-1 > k && doc.Tokens[end-1].Class == d.Punct && doc.Tokens[end-1].Ch != '/' && doc.Tokens[end-1].Ch != '=' {
		end--
	}
	return end
}
