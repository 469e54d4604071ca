package ids

import (
	"bytes"
	"net/netip"
	"regexp"
	"strings"
)

// MACScope reports whether twelve hexadecimal digits name a device, as a group address and all zeros
// do not, and whether the device chose the address itself (IEEE 802: bit 0 of the first octet marks a
// group, bit 1 a locally administered address).
func MACScope(hex []byte) (device, local bool) {
	low := strings.IndexByte("0123456789abcdef", hex[1])
	return low&1 == 0 && strings.Trim(string(hex), "0") != "", low&2 != 0
}

var (
	mac      = regexp.MustCompile(`^[0-9a-f]{2}((:[0-9a-f]{2}){5}|(-[0-9a-f]{2}){5})$|^[0-9a-f]{4}(\.[0-9a-f]{4}){2}$`)
	uuid     = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	plusCode = regexp.MustCompile(`^([2-9cfghjmpqrvwx]{2}){2,4}\+[2-9cfghjmpqrvwx]{2,3}$`)
)

// IsMAC reports whether a text is a MAC address (IEEE 802): six pairs with colons or
// hyphens, or three groups of four with dots.
func IsMAC(b []byte) bool { return (len(b) == 17 || len(b) == 14) && mac.MatchString(string(b)) }

func isHexDigit(c byte) bool { return IsDigit(c) || c >= 'a' && c <= 'f' }

// IsUUID reports whether a text is a UUID (RFC 9562), 8-4-4-4-12. The one that
// consists of zeros names nothing.
func IsUUID(b []byte) bool {
	return len(b) == 36 && uuid.MatchString(string(b)) && strings.Trim(string(b), "0-") != ""
}

// TrimIPv6 cuts the opening bracket, the zone, the prefix length and the closing
// bracket off an IPv6 address.
func TrimIPv6(b []byte) []byte {
	if len(b) > 0 && b[0] == '[' {
		b = b[1:]
	}
	if i := bytes.IndexAny(b, "%/]"); i >= 0 {
		return b[:i]
	}
	return b
}

// IsIPv6 reports whether a text is an IPv6 address (RFC 4291), with a zone or a
// prefix length or without. The unspecified address and the loopback address
// identify nobody.
func IsIPv6(b []byte) bool {
	b = TrimIPv6(b)
	if len(b) < 3 || bytes.Count(b, []byte{':'}) < 2 || strings.Trim(string(b), "0123456789abcdef:.") != "" {
		return false
	}
	a, err := netip.ParseAddr(string(b))
	return err == nil && a.Is6() && !a.IsUnspecified() && !a.IsLoopback()
}

// IsPlusCode reports whether a text is an Open Location Code (Google, OLC
// specification): eight, six or four digits of its alphabet, a plus, and two or
// three more. One without a letter is a sum.
func IsPlusCode(b []byte) bool {
	return bytes.IndexByte(b, '+') > 0 && plusCode.MatchString(string(b)) && bytes.ContainsAny(b, "cfghjmpqrvwx")
}
