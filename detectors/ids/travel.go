package ids

// ICAOCheck checks a field of a machine-readable travel document with its check
// digit (ICAO Doc 9303 part 3, weights 7, 3, 1). The filler "<" counts 0.
func ICAOCheck(field []byte, check byte) bool {
	const weights = "731"
	sum := 0
	for i, c := range field {
		v := 0
		switch {
		case IsDigit(c):
			v = int(c - '0')
		case IsLetter(c):
			v = int(c-'a') + 10
		case c != '<':
			return false
		}
		sum += v * int(weights[i%3]-'0')
	}
	return IsDigit(check) && sum%10 == int(check-'0')
}

// Passport matches a passport number: nine digits or a letter and eight digits
// (United States, Department of State), two letters and six digits, or a letter,
// six digits and two letters (Canada, IRCC), and the shapes of other countries.
// The number itself has no check digit.
func Passport(code []byte) Match {
	digits, letters := Count(code)
	n := digits + letters
	switch {
	case isPassportShape(code, n, letters):
		return Shape
	case n >= 6 && n <= 10 && digits >= 4:
		return Loose
	}
	return None
}

func isPassportShape(code []byte, n, letters int) bool {
	switch {
	case n == 9 && letters == 0, n == 8 && letters == 1:
		return true
	case n == 9 && letters == 1:
		return IsLetter(code[0])
	case (n == 9 || n == 8) && letters == 2:
		return IsLetter(code[0]) && IsLetter(code[1])
	case n == 9 && letters == 3:
		return IsLetter(code[0]) && IsLetter(code[7]) && IsLetter(code[8])
	}
	return false
}
