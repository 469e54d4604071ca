package ids

import "regexp"

// Postal matches a postal code: ZIP or ZIP+4 (USPS Publication 28), Canadian, or
// British.
func Postal(code []byte) Match {
	digits, letters := Count(code)
	switch {
	case letters == 0 && (digits == 5 || digits == 9):
		return Shape
	case CanadianPostal(code), britishPostal(code):
		return Exact
	case letters == 0 && digits >= 3 && digits <= 6:
		return Loose
	case letters > 0 && digits > 0 && digits+letters <= 8 && digits+letters >= 3:
		return Loose
	}
	return None
}

var (
	canadianForm = regexp.MustCompile(`^[a-ceghj-npr-tvxy][0-9][a-ceghj-npr-tv-z][0-9][a-ceghj-npr-tv-z][0-9]$`)
	britishForm  = regexp.MustCompile(`^[a-z]{1,2}[0-9][0-9a-z]?[0-9][abd-hjlnp-uw-z]{2}$`)
)

// CanadianPostal reports whether a code has the form A9A 9A9: D, F, I, O, Q and U
// do not occur, nor W and Z in the first place (Canada Post, addressing
// guidelines).
func CanadianPostal(code []byte) bool {
	return len(code) == 6 && canadianForm.MatchString(string(code))
}

// britishPostal checks the forms A9, A99, AA9, AA99, A9A and AA9A with 9AA behind
// them (BS 7666). The last two letters are none of C, I, K, M, O, V.
func britishPostal(code []byte) bool {
	return len(code) >= 5 && len(code) <= 7 && britishForm.MatchString(string(code))
}
