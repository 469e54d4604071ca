package ids

import "strings"

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

// CanadianPostal reports whether a code has the form A9A 9A9: D, F, I, O, Q and U
// do not occur, nor W and Z in the first place (Canada Post, addressing
// guidelines).
func CanadianPostal(code []byte) bool {
	if len(code) != 6 {
		return false
	}
	for i, c := range code {
		if i%2 == 1 && !IsDigit(c) || i%2 == 0 && (!IsLetter(c) || strings.IndexByte("dfioqu", c) >= 0) {
			return false
		}
	}
	return code[0] != 'w' && code[0] != 'z'
}

// britishPostal checks the forms A9, A99, AA9, AA99, A9A and AA9A with 9AA behind
// them (BS 7666). The last two letters are none of C, I, K, M, O, V.
func britishPostal(code []byte) bool {
	n := len(code)
	if n < 5 || n > 7 || !IsDigit(code[n-3]) {
		return false
	}
	for _, c := range code[n-2:] {
		if !IsLetter(c) || strings.IndexByte("cikmov", c) >= 0 {
			return false
		}
	}
	out := code[:n-3]
	i := 0
	for i < len(out) && i < 2 && IsLetter(out[i]) {
		i++
	}
	if i == 0 || i == len(out) || !IsDigit(out[i]) {
		return false
	}
	i++
	return i == len(out) || i+1 == len(out)
}
