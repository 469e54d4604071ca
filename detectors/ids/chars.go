package ids

import "slices"

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsLetter reports whether c is a lower-case ASCII letter.
func IsLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// AllDigits reports whether code consists of digits only, at least one.
func AllDigits(code []byte) bool {
	return len(code) > 0 && !slices.ContainsFunc(code, func(c byte) bool { return !IsDigit(c) })
}

// IsHex reports whether code consists of hexadecimal digits only.
func IsHex(code []byte) bool {
	return !slices.ContainsFunc(code, func(c byte) bool { return !isHexDigit(c) })
}

// Count returns the number of digits and the number of letters of code.
func Count(code []byte) (digits, letters int) {
	for _, c := range code {
		switch {
		case IsDigit(c):
			digits++
		case IsLetter(c):
			letters++
		}
	}
	return digits, letters
}

// Number returns the value of a few digits.
func Number(digits []byte) int {
	n := 0
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	return n
}
