package pattern

// cardNetwork tells whether the first digits and the length are those of a
// payment card (ISO/IEC 7812 issuer ranges of the large networks).
func cardNetwork(d []byte) bool {
	n := len(d)
	if n < 13 || n > 19 {
		return false
	}
	p4 := number(d[:4])
	p2 := p4 / 100
	switch {
	case d[0] == '4':
		// Visa
		return n == 13 || n == 16 || n == 19
	case p2 >= 51 && p2 <= 55, p4 >= 2221 && p4 <= 2720:
		// Mastercard
		return n == 16
	case p2 == 34, p2 == 37:
		// American Express
		return n == 15
	case p4 == 6011, p2 == 65, p4 >= 6440 && p4 <= 6499, p2 == 62, p2 == 81:
		// Discover, UnionPay
		return n >= 16
	case p2 == 36, p2 == 38, p2 == 39, p4 >= 3000 && p4 <= 3059, p4 == 3095:
		// Diners Club
		return n == 14 || n == 16
	case p4 >= 3528 && p4 <= 3589:
		// JCB
		return n >= 16
	case p2 == 50, p2 >= 56 && p2 <= 58, p2 == 63, p2 == 67, p2 == 60:
		// Maestro and national debit cards
		return true
	case p4 >= 2200 && p4 <= 2204, p4 == 9792:
		// Mir, Troy
		return n == 16
	}
	return false
}

// cardFit tells how far a code can be a card number. Four to six digits are the
// end of one.
func cardFit(code []byte) fit {
	if !allDigits(code) {
		return fitNone
	}
	switch n := len(code); {
	case cardNetwork(code) && luhn(code):
		return fitChecked
	case n >= 13 && n <= 19 && luhn(code), n == 16 || n == 15:
		return fitShape
	case n == 4, n >= 12 && n <= 20:
		return fitShape
	case n >= 3 && n <= 24:
		return fitLoose
	}
	return fitNone
}
