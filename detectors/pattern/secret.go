package pattern

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// minBase64 is the shortest stretch that is looked at as encoded data.
const minBase64 = 40

// encoded classifies the long stretch of base64 that token i begins: a signed policy
// document of Google Cloud Storage or Amazon S3 (JSON with an expiration and
// conditions), or a token or key. It returns the token after it, 0 when it is none.
func encoded(doc *d.Document, i int) int {
	end := i
	for end < len(doc.Tokens) && (end == i || doc.Tokens[end].Glued()) {
		t := &doc.Tokens[end]
		if t.Class == d.Punct && !strings.ContainsRune("+/=-_.", rune(t.Ch)) || t.Class == d.Other || t.Class == d.Clitic {
			break
		}
		end++
	}
	for end > i && doc.Tokens[end-1].Class == d.Punct && doc.Tokens[end-1].Ch == '.' {
		end--
	}
	if end == i {
		return 0
	}
	raw := doc.Text[doc.Tokens[i].Start:doc.Tokens[end-1].End]
	if len(raw) < minBase64 || !isRandom(raw) {
		return 0
	}
	kind, score := d.GenericID, float32(0.7)
	if isPolicy(raw) {
		kind, score = d.SignedPolicyDocument, 0.98
	}
	addClaimed(doc, i, end, d.Finding{Type: kind, Value: raw[:min(len(raw), maxCode)], Score: score, Detector: "secret", Evidence: d.ByStructure})
	return end
}

// isRandom reports whether a text mixes upper case, lower case and digits as encoded
// data does and words and paths do not.
func isRandom(s string) bool {
	var upper, lower, digit, other int
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case ids.IsDigit(c):
			digit++
		default:
			other++
		}
	}
	if other*8 > len(s) {
		return false
	}
	hex := upper == 0 && digit*4 > len(s)
	return hex || upper*10 > len(s) && lower*10 > len(s) && digit > 0
}

// maxPolicy bounds the bytes of a policy document that are decoded.
const maxPolicy = 1 << 14

// isPolicy reports whether base64 holds a policy document.
func isPolicy(s string) bool {
	if len(s) > maxPolicy {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		if raw, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "=")); err != nil {
			return false
		}
	}
	if len(raw) == 0 || raw[0] != '{' {
		return false
	}
	var policy struct {
		Expiration *string
		Conditions json.RawMessage
	}
	return json.Unmarshal(raw, &policy) == nil && policy.Expiration != nil && len(policy.Conditions) > 0
}

// cookies finds the pairs of a cookie after its hotword: "Set-Cookie: sid=...".
func cookies(doc *d.Document) {
	if !doc.HasHotword(d.HotCookie) {
		return
	}
	for i := 1; i+1 < len(doc.Tokens); i++ {
		t := &doc.Tokens[i]
		if t.Class != d.Punct || t.Ch != '=' || !t.Glued() || !doc.Tokens[i+1].Glued() ||
			!doc.HotBefore(d.HotCookie, i, doc.HotwordWindow) {
			continue
		}
		first := i - 1
		for first > 0 && doc.Tokens[first].Glued() && (doc.Tokens[first-1].Class != d.Punct || doc.Tokens[first-1].Ch == '-' || doc.Tokens[first-1].Ch == '_' || doc.Tokens[first-1].Ch == '.') {
			first--
		}
		end := i + 1
		for end < len(doc.Tokens) && doc.Tokens[end].Glued() && !(doc.Tokens[end].Class == d.Punct && (doc.Tokens[end].Ch == ';' || doc.Tokens[end].Ch == ',')) {
			end++
		}
		if int(doc.Tokens[end-1].End)-int(doc.Tokens[i].End) < 8 {
			i = end
			continue
		}
		value := codeOf(doc, first, min(end, first+32))
		addClaimed(doc, first, end, d.Finding{Type: d.HTTPCookie, Value: value, Score: 0.9, Detector: "secret", Evidence: d.ByHotword | d.ByShape})
		i = end
	}
}

// cardTrack reads the magnetic stripe data that begins with the sentinel at token i:
// track 1 "%B4111...^NAME^2512...?" or track 2 ";4111...=2512...?" (ISO/IEC 7813). It
// returns the token after it, 0 when it is none.
func cardTrack(doc *d.Document, i int) int {
	start := int(doc.Tokens[i].Start)
	rest := doc.Text[start:min(len(doc.Text), start+120)]
	body, first := rest[1:], byte('=')
	if rest[0] == '%' {
		if len(body) == 0 || body[0] != 'B' && body[0] != 'b' {
			return 0
		}
		body, first = body[1:], '^'
	}
	n := 0
	for n < len(body) && ids.IsDigit(body[n]) {
		n++
	}
	if n < 12 || n > 19 || n >= len(body) || body[n] != first || !ids.Luhn([]byte(body[:n])) {
		return 0
	}
	stop := strings.IndexByte(body[n:], '?') + 1
	if stop == 0 {
		// The end sentinel was lost: the data continues as long as there is no white space.
		if stop = strings.IndexAny(body[n:], " \t\r\n"); stop < 0 {
			stop = len(body) - n
		}
	}
	end := start + len(rest) - len(body) + n + stop
	next := doc.TokenAt(end)
	doc.Add(d.Finding{Start: start, End: end, Type: d.CreditCardTrackNumber, Value: body[:n], Likelihood: d.VeryLikely, Score: 0.99,
		Detector: "secret", Evidence: d.ByStructure | d.ByChecksum})
	claim(doc, i, next-1)
	return next
}

// passportLine reads a line of the machine-readable zone of a passport (ICAO Doc 9303 part
// 4) that begins at token i: "P<UTO..." or the second line with its check digits.
func passportLine(doc *d.Document, i int) int {
	start := int(doc.Tokens[i].Start)
	b := bytes.ToLower([]byte(doc.Text[start:min(len(doc.Text), start+44)]))
	isForeign := func(r rune) bool {
		return r >= utf8.RuneSelf || !ids.IsDigit(byte(r)) && !ids.IsLetter(byte(r)) && r != '<'
	}
	if len(b) < 44 || bytes.ContainsFunc(b, isForeign) {
		return 0
	}
	value := ""
	e := d.ByStructure
	switch {
	case b[0] == 'p' && bytes.Count(b, []byte{'<'}) >= 4:
	case ids.ICAOCheck(b[:9], b[9]) && ids.ICAOCheck(b[13:19], b[19]) && ids.ICAOCheck(b[21:27], b[27]):
		value = strings.TrimRight(string(b[:9]), "<")
		e |= d.ByChecksum
	default:
		return 0
	}
	next := doc.TokenAt(start + 44)
	doc.Add(d.Finding{Start: start, End: start + 44, Type: d.Passport, Value: value, Likelihood: d.VeryLikely, Score: 0.97, Detector: "secret", Evidence: e})
	claim(doc, i, next-1)
	return next
}
