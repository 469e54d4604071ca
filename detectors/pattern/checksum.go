package pattern

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// allDigits tells whether code has nothing but digits, one at least.
func allDigits(code []byte) bool {
	for _, c := range code {
		if !isDigit(c) {
			return false
		}
	}
	return len(code) > 0
}

// count returns how many digits and letters code has.
func count(code []byte) (digits, letters int) {
	for _, c := range code {
		switch {
		case isDigit(c):
			digits++
		case isLetter(c):
			letters++
		}
	}
	return digits, letters
}

// luhn checks the last digit by the formula of ISO/IEC 7812-1 annex B.
func luhn(digits []byte) bool {
	sum := 0
	double := false
	for i := len(digits) - 1; i >= 0; i-- {
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

// mod97 returns the remainder by 97 of ISO 7064 MOD 97-10, a letter counting as
// 10 to 35.
func mod97(code []byte) int {
	r := 0
	for _, c := range code {
		if isDigit(c) {
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

// weighted returns the sum of the digits times weights.
func weighted(digits []byte, weights string) int {
	sum := 0
	for i := range len(weights) {
		sum += int(digits[i]-'0') * int(weights[i]-'0')
	}
	return sum
}

// abaRouting checks a nine-digit routing transit number: its prefix and the
// weights 3, 7, 1 (American Bankers Association, key to routing numbers).
func abaRouting(code []byte) bool {
	if len(code) != 9 || !allDigits(code) {
		return false
	}
	p := int(code[0]-'0')*10 + int(code[1]-'0')
	if !(p <= 12 || p >= 21 && p <= 32 || p >= 61 && p <= 72 || p == 80) {
		return false
	}
	sum := weighted(code, "371371371")
	return sum%10 == 0 && sum > 0
}

// vinValue is the value of each letter in a vehicle identification number (49
// CFR 565.15); I, O and Q do not occur.
const vinValue = "12345678.12345.7.923456789"

// vinCheck checks position 9 of 17 characters, after the letters that are
// confused with digits were mapped to them.
func vinCheck(code []byte) bool {
	if len(code) != 17 {
		return false
	}
	const weights = "8765432X098765432"
	sum := 0
	for i, c := range code {
		c = vinFold(c)
		v := 0
		switch {
		case isDigit(c):
			v = int(c - '0')
		case isLetter(c):
			v = int(vinValue[c-'a'] - '0')
		default:
			return false
		}
		w := 10
		if weights[i] != 'X' {
			w = int(weights[i] - '0')
		}
		sum += v * w
	}
	check := code[8]
	if sum%11 == 10 {
		return check == 'x'
	}
	return vinFold(check) == byte('0'+sum%11)
}

func vinFold(c byte) byte {
	switch c {
	case 'o', 'q':
		return '0'
	case 'i':
		return '1'
	}
	return c
}

// vinShape tells whether 17 characters look like a vehicle identification
// number: letters and digits both, and digits at the end.
func vinShape(code []byte) bool {
	if len(code) != 17 {
		return false
	}
	digits, letters := count(code)
	tail, _ := count(code[13:])
	return digits >= 6 && letters >= 2 && tail >= 3
}

// icao checks a field of a machine-readable travel document with its check
// digit (ICAO Doc 9303 part 3, weights 7, 3, 1; "<" counts 0).
func icao(field []byte, check byte) bool {
	const weights = "731"
	sum := 0
	for i, c := range field {
		v := 0
		switch {
		case isDigit(c):
			v = int(c - '0')
		case isLetter(c):
			v = int(c-'a') + 10
		case c != '<':
			return false
		}
		sum += v * int(weights[i%3]-'0')
	}
	return isDigit(check) && sum%10 == int(check-'0')
}
