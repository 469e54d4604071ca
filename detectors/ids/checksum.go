package ids

// Luhn reports whether the last digit is the check digit of the others (ISO/IEC
// 7812-1 annex B). It is false for fewer than two digits and for anything else
// than digits.
func Luhn(digits []byte) bool {
	sum := 0
	double := false
	for i := len(digits) - 1; i >= 0; i-- {
		if !IsDigit(digits[i]) {
			return false
		}
		n := int(digits[i] - '0')
		if double {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
		double = !double
	}
	return len(digits) > 1 && sum%10 == 0
}

// mod97 returns the remainder of ISO 7064 MOD 97-10, in which a letter counts as
// 10 to 35.
func mod97(code []byte) int {
	r := 0
	for _, c := range code {
		if IsDigit(c) {
			r = (r*10 + int(c-'0')) % 97
		} else {
			r = (r*100 + int(c-'a') + 10) % 97
		}
	}
	return r
}

// mod1110 checks the last digit by ISO 7064 MOD 11,10.
func mod1110(digits []byte) bool {
	p := 10
	for _, c := range digits[:len(digits)-1] {
		s := (int(c-'0') + p) % 10
		if s == 0 {
			s = 10
		}
		p = 2 * s % 11
	}
	return (p+int(digits[len(digits)-1]-'0'))%10 == 1
}

// weighted returns the sum of the first digits, each times its weight. The weight ":" is 10.
func weighted(digits []byte, weights string) int {
	sum := 0
	for i := range len(weights) {
		sum += int(digits[i]-'0') * int(weights[i]-'0')
	}
	return sum
}
