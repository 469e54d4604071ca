package ids

// VINLength is the length of a vehicle identification number (ISO 3779).
const VINLength = 17

// vinValue is the value of each letter in a vehicle identification number (49
// CFR 565.15); I, O and Q do not occur.
const vinValue = "12345678.12345.7.923456789"

// VIN matches a vehicle identification number (ISO 3779) with the check digit of
// North America (49 CFR 565.15). A shorter code can be a part of one, as in "the
// last six of the VIN".
func VIN(code []byte) Match {
	digits, _ := Count(code)
	switch {
	case vinCheck(code) && vinShape(code):
		return Checked
	case len(code) == VINLength:
		return Shape
	case len(code) >= 4 && len(code) <= 20 && digits >= 1:
		return Loose
	}
	return None
}

// vinCheck checks position 9, after letters that are mistaken for digits were
// mapped to these.
func vinCheck(code []byte) bool {
	if len(code) != VINLength {
		return false
	}
	var digits [VINLength]byte
	for i, c := range code {
		switch c = vinFold(c); {
		case IsDigit(c):
			digits[i] = c
		case IsLetter(c):
			digits[i] = vinValue[c-'a']
		default:
			return false
		}
	}
	sum, check := weighted(digits[:], "8765432:098765432"), code[8]
	if sum%11 == 10 {
		return check == 'x'
	}
	return vinFold(check) == byte('0'+sum%11)
}

// vinFold maps the letters that do not occur in a vehicle identification number
// to the digits that they are mistaken for.
func vinFold(c byte) byte {
	switch c {
	case 'o', 'q':
		return '0'
	case 'i':
		return '1'
	}
	return c
}

// VINCanonical maps the letters of code that are mistaken for digits, in place.
func VINCanonical(code []byte) []byte {
	for i := range code {
		code[i] = vinFold(code[i])
	}
	return code
}

// vinShape reports whether a code of the right length has letters and digits and ends
// with digits, as the serial number at the end of a VIN does.
func vinShape(code []byte) bool {
	digits, letters := Count(code)
	tail, _ := Count(code[13:])
	return digits >= 6 && letters >= 2 && tail >= 3
}
