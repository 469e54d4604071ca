package pattern

// ssn tells whether nine digits can be a social security number (SSA: area not
// 000, 666 or 900-999, group not 00, serial not 0000) or an individual taxpayer
// number (IRS: 9xx, group 50-65, 70-88, 90-92 or 94-99).
func ssn(d []byte) bool {
	if len(d) != 9 || !allDigits(d) {
		return false
	}
	area, group, serial := number(d[:3]), number(d[3:5]), number(d[5:])
	switch {
	case serial == 0:
		return false
	case area >= 900:
		return group >= 50 && group <= 65 || group >= 70 && group <= 88 || group >= 90 && group <= 92 || group >= 94
	}
	return area != 0 && area != 666 && group != 0
}

// sin tells whether nine digits are a Canadian social insurance number: a first
// digit that is given out, and the check digit.
func sin(d []byte) bool {
	return len(d) == 9 && allDigits(d) && d[0] != '0' && d[0] != '8' && luhn(d)
}

// ssnFit tells how far a code can be a social security or insurance number.
// Four digits are the end of one.
func ssnFit(code []byte) fit {
	if !allDigits(code) {
		return fitNone
	}
	switch n := len(code); {
	case n == 9 && (sin(code) || ssn(code)):
		return fitExact
	case n == 9, n == 4:
		return fitShape
	case n >= 3 && n <= 11:
		return fitLoose
	}
	return fitNone
}

// healthCard tells whether a code is a number of a health plan with a check that
// is known: the United States' Medicare beneficiary identifier by its layout
// (CMS: 1 C AN N AN N A A N... eleven characters), Ontario's and British
// Columbia's by length and check digit.
func healthCard(code []byte) bool {
	if len(code) == 11 {
		return mbi(code)
	}
	if len(code) == 10 || len(code) == 12 && isLetter(code[10]) && isLetter(code[11]) {
		d := code[:10]
		if !allDigits(d) {
			return false
		}
		return luhn(d) && d[0] != '0' || d[0] == '9' && bcHealth(d)
	}
	return false
}

// mbi checks the layout of a Medicare beneficiary identifier: C is 1-9, N 0-9, A
// a letter except S, L, O, I, B, Z, and AN either; C A AN N A AN N A A N N.
func mbi(code []byte) bool {
	const layout = "CAXNAXNAANN"
	if len(code) != len(layout) {
		return false
	}
	for i, c := range code {
		letter := isLetter(c) && c != 's' && c != 'l' && c != 'o' && c != 'i' && c != 'b' && c != 'z'
		ok := false
		switch layout[i] {
		case 'C':
			ok = c >= '1' && c <= '9'
		case 'N':
			ok = isDigit(c)
		case 'A':
			ok = letter
		case 'X':
			ok = letter || isDigit(c)
		}
		if !ok {
			return false
		}
	}
	return true
}

// bcHealth checks a personal health number of British Columbia: weights 2, 4, 8,
// 5, 10, 9, 7, 3 modulo 11.
func bcHealth(d []byte) bool {
	weights := [...]int{2, 4, 8, 5, 10, 9, 7, 3}
	sum := 0
	for i, w := range weights {
		sum += int(d[i+1]-'0') * w % 11
	}
	return (11-sum%11)%11 == int(d[9]-'0')
}

// recordFit tells how far a code can be a medical record or health plan number.
func recordFit(code []byte) fit {
	digits, letters := count(code)
	switch n := digits + letters; {
	case healthCard(code):
		return fitExact
	case n >= 5 && n <= 12 && digits >= 3:
		return fitShape
	case n >= 4 && n <= 16 && digits >= 2:
		return fitLoose
	}
	return fitNone
}

// passportFit tells how far a code can be a passport number: nine digits or a
// letter and eight (United States), two letters and six digits, or a letter, six
// digits and two letters (Canada), and the shapes of other countries.
func passportFit(code []byte) fit {
	digits, letters := count(code)
	n := digits + letters
	switch {
	case n == 9 && (letters == 0 || letters == 1 && isLetter(code[0])),
		n == 8 && letters == 2 && isLetter(code[0]) && isLetter(code[1]),
		n == 9 && letters == 3 && isLetter(code[0]) && isLetter(code[7]) && isLetter(code[8]),
		n == 9 && letters == 2 && isLetter(code[0]) && isLetter(code[1]),
		n == 8 && letters == 1:
		return fitShape
	case n >= 6 && n <= 10 && digits >= 4:
		return fitLoose
	}
	return fitNone
}
