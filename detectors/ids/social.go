package ids

// SSNLength is the length of a social security or social insurance number.
const SSNLength = 9

// ValidSSN reports whether nine digits can be a social security number (SSA: area
// not 000, 666 or 900-999, group not 00, serial not 0000) or an individual
// taxpayer identification number (IRS: 9xx, group 50-65, 70-88, 90-92 or 94-99).
func ValidSSN(d []byte) bool {
	if len(d) != SSNLength || !AllDigits(d) {
		return false
	}
	area, group, serial := Number(d[:3]), Number(d[3:5]), Number(d[5:])
	switch {
	case serial == 0:
		return false
	case area >= 900:
		return group >= 50 && group <= 65 || group >= 70 && group <= 88 || group >= 90 && group <= 92 || group >= 94
	}
	return area != 0 && area != 666 && group != 0
}

// ValidSIN reports whether nine digits are a Canadian social insurance number
// (Employment and Social Development Canada): a first digit that is assigned, and
// the check digit of Luhn.
func ValidSIN(d []byte) bool {
	return len(d) == SSNLength && AllDigits(d) && d[0] != '0' && d[0] != '8' && Luhn(d)
}

// SSN matches a social security number of the United States or a social insurance
// number of Canada. Four digits are the end of one.
func SSN(code []byte) Match {
	if !AllDigits(code) {
		return None
	}
	switch n := len(code); {
	case n == SSNLength && (ValidSIN(code) || ValidSSN(code)):
		return Exact
	case n == SSNLength, n == 4:
		return Shape
	case n >= 3 && n <= 11:
		return Loose
	}
	return None
}
