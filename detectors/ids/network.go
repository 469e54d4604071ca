package ids

import (
	"bytes"
	"net/netip"
	"strings"
	"unicode"
)

// MACScope reports whether twelve hexadecimal digits name a device, as a group address and all zeros
// do not, and whether the device chose the address itself (IEEE 802: bit 0 of the first octet marks a
// group, bit 1 a locally administered address).
func MACScope(hex []byte) (device, local bool) {
	low := strings.IndexByte("0123456789abcdef", hex[1])
	return low&1 == 0 && strings.Trim(string(hex), "0") != "", low&2 != 0
}

// IsMAC reports whether a text is a MAC address (IEEE 802): six pairs with colons or
// hyphens, or three groups of four with dots.
func IsMAC(b []byte) bool {
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
		} else if !isHexDigit(c) {
			return false
		}
	}
	return true
}

func isHexDigit(c byte) bool { return IsDigit(c) || c >= 'a' && c <= 'f' }

// IsUUID reports whether a text is a UUID (RFC 9562), 8-4-4-4-12. The one that
// consists of zeros names nothing.
func IsUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, c := range b {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isHexDigit(c) {
				return false
			}
		}
	}
	return strings.Trim(string(b), "0-") != ""
}

// TrimIPv6 cuts the opening bracket, the zone, the prefix length and the closing
// bracket off an IPv6 address.
func TrimIPv6(b []byte) []byte {
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

// IsIPv6 reports whether a text is an IPv6 address (RFC 4291), with a zone or a
// prefix length or without. The unspecified address and the loopback address
// identify nobody.
func IsIPv6(b []byte) bool {
	b = TrimIPv6(b)
	colons := 0
	for _, c := range b {
		if c == ':' {
			colons++
		} else if !isHexDigit(c) && c != '.' {
			return false
		}
	}
	if colons < 2 || len(b) < 3 {
		return false
	}
	a, err := netip.ParseAddr(string(b))
	return err == nil && a.Is6() && !a.IsUnspecified() && !a.IsLoopback()
}

// IsPlusCode reports whether a text is an Open Location Code (Google, OLC
// specification): eight, six or four digits of its alphabet, a plus, and two or
// three more. One without a letter is a sum.
func IsPlusCode(b []byte) bool {
	code, behind, ok := bytes.Cut(b, []byte{'+'})
	plus := len(code)
	if !ok || plus != 8 && plus != 6 && plus != 4 || len(behind) != 2 && len(behind) != 3 {
		return false
	}
	const alphabet = "23456789cfghjmpqrvwx"
	return bytes.ContainsFunc(b, unicode.IsLetter) && strings.Trim(string(code)+string(behind), alphabet) == ""
}
