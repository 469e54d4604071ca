package ids

import "strings"

// ibanLengths are the countries that issue IBANs, each with the length of its
// IBANs (SWIFT, IBAN registry).
const ibanLengths = "ad24 ae23 al28 at20 az28 ba20 be16 bg22 bh22 bi27 br29 by28 ch21 cr22 cy28 cz24 de22 " +
	"dj27 dk18 do28 ee20 eg29 es24 fi18 fk18 fo18 fr27 gb22 ge22 gi23 gl18 gr27 gt28 hn28 " +
	"hr21 hu28 ie22 il23 iq23 is26 it27 jo30 kw30 kz20 lb28 lc32 li21 lt20 lu20 lv21 ly25 " +
	"mc27 md24 me22 mk19 mn20 mr27 mt31 mu30 ni28 nl18 no15 om23 pk24 pl28 ps29 pt25 qa29 " +
	"ro24 rs22 ru33 sa24 sc31 sd18 se24 si19 sk24 sm27 so23 st25 sv28 tl23 tn24 tr26 ua29 " +
	"va22 vg24 xk20 ye30"

// ibanLength returns the length of an IBAN of the country, 0 when it has none.
func ibanLength(country []byte) int {
	i := strings.Index(ibanLengths, string(country[:2])) // letters stand nowhere else in the list
	if i < 0 {
		return 0
	}
	return int(ibanLengths[i+2]-'0')*10 + int(ibanLengths[i+3]-'0')
}

// The shortest IBAN of the registry, and the longest that ISO 13616 permits.
const (
	MinIBAN = 15
	maxIBAN = 34
)

// IBAN matches an international bank account number: the length of the country
// and the check digits, MOD 97-10 (ISO 13616).
func IBAN(code []byte) Match {
	n := len(code)
	if n < 8 || n > maxIBAN || !IsLetter(code[0]) || !IsLetter(code[1]) || !IsDigit(code[2]) || !IsDigit(code[3]) {
		if digits, _ := Count(code); n >= 6 && n <= maxIBAN && digits >= 6 {
			return Loose
		}
		return None
	}
	length := ibanLength(code)
	if n == length {
		var turned [maxIBAN]byte
		copy(turned[:], code[4:])
		copy(turned[n-4:], code[:4])
		if mod97(turned[:n]) == 1 {
			return Checked
		}
		return Exact
	}
	if length > 0 && n >= 14 {
		return Shape
	}
	return Loose
}

// SWIFT matches a business identifier code (ISO 9362): four letters, a country,
// two characters, and three more for a branch or none.
func SWIFT(code []byte) Match {
	_, letters := Count(code[:min(6, len(code))])
	if len(code) != 8 && len(code) != 11 || letters < 6 || !isCountry(code[4:6]) {
		return None
	}
	return Exact
}

// Routing matches the routing number of a bank: that of the United States with
// its check digit, the transit and institution numbers of Canada (five and three
// digits, or 0 before them; Payments Canada, rule F4), or a British sort code.
func Routing(code []byte) Match {
	switch n := len(code); {
	case !AllDigits(code):
		return None
	case abaRouting(code):
		return Checked
	case n == 9, n == 8, n == 5, n == 3, n == 6:
		return Shape
	case n >= 3 && n <= 11:
		return Loose
	}
	return None
}

// RoutingLength is the length of an American routing number.
const RoutingLength = 9

// abaRouting checks an American routing transit number: its prefix and the check
// digit with the weights 3, 7, 1 (American Bankers Association, routing number
// policy).
func abaRouting(code []byte) bool {
	if len(code) != RoutingLength || !AllDigits(code) {
		return false
	}
	p := Number(code[:2])
	if !(p <= 12 || p >= 21 && p <= 32 || p >= 61 && p <= 72 || p == 80) {
		return false
	}
	sum := weighted(code, "371371371")
	return sum%10 == 0 && sum > 0
}
