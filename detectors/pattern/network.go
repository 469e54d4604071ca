package pattern

import (
	"net/netip"

	d "sotto/detectors"
)

// address4 types a run as an IPv4 address: four numbers up to 255 with dots between
// them, written or said, and a mask or port after them. Where all are below ten it
// may as well be a version, and a hotword decides.
func (t *typer) address4() candidate {
	if t.run.Joints < 3 || t.run.Letters > 0 {
		return candidate{}
	}
	var parts [4]int
	var sizes [4]int
	n, large := 0, false
scan:
	for _, y := range t.doc.Symbols(t.run) {
		if y.Kind != d.Joint {
			parts[n] = parts[n]*10 + int(y.Ch-'0')
			if sizes[n]++; sizes[n] > 3 || parts[n] > 255 {
				return candidate{}
			}
			large = large || parts[n] > 9
			continue
		}
		switch {
		case y.Ch == '.' && n < 3 && sizes[n] > 0:
			n++
		case (y.Ch == '/' || y.Ch == ':') && n == 3 && sizes[3] > 0:
			break scan
		default:
			return candidate{}
		}
	}
	if n < 3 || sizes[3] == 0 {
		return candidate{}
	}
	c := candidate{d.IPAddress, fitExact, d.ByShape | d.ByStructure, 0.9}
	hot := t.near[d.HotIP] < d.Far
	if hot {
		c.evidence |= d.ByHotword
		c.score = 0.95
	}
	if !hot && t.doc.Expected(d.IPAddress) == 0 && (!large || t.near[d.HotVersion] < 20) {
		return candidate{}
	}
	return c
}

// hardware types a run as a MAC address that was said: six pairs of hexadecimal
// digits with colons or dashes between them, or twelve after a hotword.
func (t *typer) hardware() candidate {
	if len(t.code) != 12 || !isHex(t.code) {
		return candidate{}
	}
	hot := t.near[d.HotMAC] < d.Far || t.doc.Expected(d.MACAddress) > 0
	if t.run.Joints == 5 {
		size := 0
		for _, y := range t.doc.Symbols(t.run) {
			if y.Kind != d.Joint {
				size++
			} else if size != 2 || y.Ch != ':' && y.Ch != '-' {
				return candidate{}
			} else {
				size = 0
			}
		}
	} else if !hot || t.run.Joints != 0 && t.run.Joints != 2 {
		return candidate{}
	}
	kind := macType(t.code)
	if kind == "" {
		return candidate{}
	}
	return candidate{kind, fitExact, d.ByShape | d.ByStructure, 0.92}
}

// macType returns the infoType of twelve hexadecimal digits as a MAC address (IEEE
// 802: bit 0 of the first octet marks a group, bit 1 a locally administered one), or
// "" for a group address, which names no device, and for all zeros.
func macType(hex []byte) d.InfoType {
	zero := true
	for _, c := range hex {
		zero = zero && c == '0'
	}
	low := hexValue(hex[1])
	switch {
	case zero, low&1 != 0:
		return ""
	case low&2 != 0:
		return d.MACAddressLocal
	}
	return d.MACAddress
}

func hexValue(c byte) int {
	if isDigit(c) {
		return int(c - '0')
	}
	return int(c-'a') + 10
}

// maxChunk is the longest stretch without white space that is looked at as one
// identifier.
const maxChunk = 64

// chunkAt types the stretch without white space that token i lies in, when it is an
// identifier whose pieces are letters and digits with colons, hyphens or dots: an
// IPv6 or MAC address, a UUID, a plus code. It begins at token from at the earliest.
// It returns the token after it.
func chunkAt(doc *d.Document, i, from int) int {
	first, end := i, chunkEnd(doc, i)
	for first > from && doc.Tokens[first].Glued() {
		first--
	}
	last := end
	for last > first && doc.Tokens[last-1].Class == d.Punct && doc.Tokens[last-1].Ch != ':' {
		last--
	}
	for first < last && doc.Tokens[first].Class == d.Punct && doc.Tokens[first].Ch != ':' {
		first++
	}
	if first == last || doc.Tokens[last-1].End-doc.Tokens[first].Start > 3*maxChunk {
		return end
	}
	var buf [maxChunk]byte
	b := buf[:0]
	for k := first; k < last; k++ {
		t := &doc.Tokens[k]
		w := doc.Word(k)
		n := len(w)
		if t.Class == d.Punct {
			n = t.Times()
		}
		if len(b)+n > maxChunk {
			return end
		}
		if t.Class != d.Punct {
			b = append(b, w...)
			continue
		}
		for range n {
			b = append(b, t.Ch)
		}
	}
	kind, e, score := chunkType(doc, b, first)
	if kind == "" {
		return end
	}
	doc.Add(d.Finding{Start: int(doc.Tokens[first].Start), End: int(doc.Tokens[last-1].End), Type: kind, Value: chunkValue(kind, b),
		Likelihood: d.LikelihoodOf(score), Score: score, Detector: "identifier", Evidence: e})
	claim(doc, first, last-1)
	return end
}

// chunkValue is the canonical form of an identifier: the digits of a MAC address, the
// shortest form of an IPv6 address, else what is written.
func chunkValue(kind d.InfoType, b []byte) string {
	switch kind {
	case d.MACAddress, d.MACAddressLocal:
		n := 0
		for _, c := range b {
			if isDigit(c) || isLetter(c) {
				b[n] = c
				n++
			}
		}
		return string(b[:n])
	case d.IPAddress:
		if a, err := netip.ParseAddr(string(address6(b))); err == nil {
			return a.String()
		}
	}
	return string(b)
}

// chunkType returns the infoType of an identifier, "" when it is none.
func chunkType(doc *d.Document, b []byte, first int) (d.InfoType, d.Evidence, float32) {
	switch {
	case isUUID(b):
		if doc.Expected(d.AdvertisingID) > 0 || hotBefore(doc, d.HotAdvertising, first, doc.HotwordWindow) {
			return d.AdvertisingID, d.ByShape | d.ByHotword | d.ByStructure, 0.95
		}
		return d.GenericID, d.ByStructure, 0.85
	case isMAC(b):
		var hex [12]byte
		h := hex[:0]
		for _, c := range b {
			if isDigit(c) || isLetter(c) {
				h = append(h, c)
			}
		}
		return macType(h), d.ByStructure, 0.95
	case isIPv6(b):
		return d.IPAddress, d.ByStructure, 0.95
	case isPlusCode(b):
		return d.LocationCoordinates, d.ByStructure, 0.85
	}
	return "", 0, 0
}

// isUUID checks the 8-4-4-4-12 form (RFC 9562); the one of zeros only names nothing.
func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	zero := true
	for i, c := range b {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isDigit(c) && (c < 'a' || c > 'f') {
				return false
			}
			zero = zero && c == '0'
		}
	}
	return !zero
}

// isMAC checks six pairs with colons or hyphens, or three fours with dots.
func isMAC(b []byte) bool {
	every := 2
	switch len(b) {
	case 17:
	case 14:
		every = 4
	default:
		return false
	}
	for i, c := range b {
		if i%(every+1) == every {
			if c != b[every] || every == 2 && c != ':' && c != '-' || every == 4 && c != '.' {
				return false
			}
		} else if !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// address6 cuts the zone, prefix length and closing bracket off an IPv6 address.
func address6(b []byte) []byte {
	if len(b) > 0 && b[0] == '[' {
		b = b[1:]
	}
	for i, c := range b {
		if c == '%' || c == '/' || c == ']' {
			return b[:i]
		}
	}
	return b
}

// isIPv6 tells whether a stretch is an IPv6 address, with a zone or prefix length or
// without. The unspecified address and the host's own name nobody.
func isIPv6(b []byte) bool {
	b = address6(b)
	colons := 0
	for _, c := range b {
		if c == ':' {
			colons++
		} else if !isDigit(c) && (c < 'a' || c > 'f') && c != '.' {
			return false
		}
	}
	if colons < 2 || len(b) < 3 {
		return false
	}
	a, err := netip.ParseAddr(string(b))
	return err == nil && a.Is6() && !a.IsUnspecified() && !a.IsLoopback()
}

// isPlusCode checks an Open Location Code: eight or four digits of its alphabet, a
// plus, two or three more.
func isPlusCode(b []byte) bool {
	for i, c := range b {
		if c != '+' {
			continue
		}
		if i != 8 && i != 4 && i != 6 || len(b)-i-1 < 2 || len(b)-i-1 > 3 {
			return false
		}
		letters := 0
		for k, x := range b {
			if k == i {
				continue
			}
			switch x {
			case '2', '3', '4', '5', '6', '7', '8', '9':
			case 'c', 'f', 'g', 'h', 'j', 'm', 'p', 'q', 'r', 'v', 'w', 'x':
				letters++
			default:
				return false
			}
		}
		return letters > 0
	}
	return false
}
