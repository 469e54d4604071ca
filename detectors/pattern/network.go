package pattern

import (
	"net/netip"
	"slices"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// ipv4 classifies a run as an IPv4 address: four numbers up to 255 with dots between
// them, written or said, and a mask or port after them. Where all are below ten it
// may as well be a version, and a hotword decides.
func (t *classifier) ipv4() candidate {
	if t.run.Connectors < 3 || t.run.Letters > 0 {
		return candidate{}
	}
	ok, large := fourOctets(t.doc.Symbols(t.run))
	if !ok {
		return candidate{}
	}
	if t.near[d.HotIP] < d.Far {
		return candidate{d.IPAddress, ids.Exact, d.ByShape | d.ByStructure | d.ByHotword, 0.95}
	}
	if !large || t.near[d.HotVersion] < 20 {
		return candidate{}
	}
	return candidate{d.IPAddress, ids.Exact, d.ByShape | d.ByStructure, 0.9}
}

// fourOctets reports whether symbols begin with four octets with dots between them, with
// nothing, a mask or a port after them, and whether any of them is above nine.
func fourOctets(symbols []d.Symbol) (ok, large bool) {
	n, octet, size := 0, 0, 0
	for _, y := range symbols {
		if y.Kind != d.Connector {
			octet = octet*10 + int(y.Ch-'0')
			if size++; size > 3 || octet > 255 {
				return false, false
			}
			large = large || octet > 9
			continue
		}
		switch {
		case size == 0:
			return false, false
		case y.Ch == '.' && n < 3:
			n, octet, size = n+1, 0, 0
		case (y.Ch == '/' || y.Ch == ':') && n == 3:
			return true, large
		default:
			return false, false
		}
	}
	return n == 3 && size > 0, large
}

// macAddress classifies a run as a MAC address that was said: six pairs of hexadecimal
// digits with colons or dashes between them, or twelve after a hotword.
func (t *classifier) macAddress() candidate {
	if len(t.code) != 12 || !ids.IsHex(t.code) {
		return candidate{}
	}
	hot := t.near[d.HotMAC] < d.Far
	if t.run.Connectors == 5 {
		size := 0
		for _, y := range t.doc.Symbols(t.run) {
			if y.Kind != d.Connector {
				size++
			} else if size != 2 || y.Ch != ':' && y.Ch != '-' {
				return candidate{}
			} else {
				size = 0
			}
		}
	} else if !hot || t.run.Connectors != 0 && t.run.Connectors != 2 {
		return candidate{}
	}
	kind := macType(t.code)
	if kind == "" {
		return candidate{}
	}
	return candidate{kind, ids.Exact, d.ByShape | d.ByStructure, 0.92}
}

// macType returns the infoType of twelve hexadecimal digits as a MAC address, "" for
// an address that names no device.
func macType(hex []byte) d.InfoType {
	switch device, local := ids.MACScope(hex); {
	case !device:
		return ""
	case local:
		return d.MACAddressLocal
	}
	return d.MACAddress
}

// maxChunk is the longest stretch without white space that is looked at as one
// identifier.
const maxChunk = 64

// chunkAt classifies the stretch without white space that token i lies in, when it is an
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
	addClaimed(doc, first, last, d.Finding{Type: kind, Value: chunkValue(kind, b), Score: score, Detector: "identifier", Evidence: e})
	return end
}

// chunkValue is the canonical form of an identifier: the digits of a MAC address, the
// shortest form of an IPv6 address, else what is written.
func chunkValue(kind d.InfoType, b []byte) string {
	switch kind {
	case d.MACAddress, d.MACAddressLocal:
		return string(codeIn(b))
	case d.IPAddress:
		if a, err := netip.ParseAddr(string(ids.TrimIPv6(b))); err == nil {
			return a.String()
		}
	}
	return string(b)
}

// codeIn returns the digits and letters of an identifier.
func codeIn(b []byte) []byte {
	return slices.DeleteFunc(slices.Clone(b), func(c byte) bool { return !ids.IsDigit(c) && !ids.IsLetter(c) })
}

// chunkType returns the infoType of an identifier, "" when it is none.
func chunkType(doc *d.Document, b []byte, first int) (d.InfoType, d.Evidence, float32) {
	switch {
	case ids.IsUUID(b):
		if doc.HotBefore(d.HotAdvertising, first, doc.HotwordWindow) {
			return d.AdvertisingID, d.ByShape | d.ByHotword | d.ByStructure, 0.95
		}
		return d.GenericID, d.ByStructure, 0.85
	case ids.IsMAC(b):
		return macType(codeIn(b)), d.ByStructure, 0.95
	case ids.IsIPv6(b):
		return d.IPAddress, d.ByStructure, 0.95
	case ids.IsPlusCode(b):
		return d.LocationCoordinates, d.ByStructure, 0.85
	}
	return "", 0, 0
}
