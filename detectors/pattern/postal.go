package pattern

// postalFit tells how far a code can be a postal code: ZIP or ZIP+4, Canadian,
// British.
func postalFit(code []byte) fit {
	digits, letters := count(code)
	switch {
	case letters == 0 && (digits == 5 || digits == 9):
		return fitShape
	case canadianPostal(code):
		return fitExact
	case britishPostal(code):
		return fitExact
	case letters == 0 && digits >= 3 && digits <= 6:
		return fitLoose
	case letters > 0 && digits > 0 && digits+letters <= 8 && digits+letters >= 3:
		return fitLoose
	}
	return fitNone
}

// canadianPostal checks A9A 9A9: D, F, I, O, Q, U do not occur, and W and Z not
// in the first place (Canada Post addressing guidelines).
func canadianPostal(code []byte) bool {
	if len(code) != 6 {
		return false
	}
	for i, c := range code {
		if i%2 == 1 {
			if !isDigit(c) {
				return false
			}
			continue
		}
		if !isLetter(c) {
			return false
		}
		switch c {
		case 'd', 'f', 'i', 'o', 'q', 'u':
			return false
		case 'w', 'z':
			if i == 0 {
				return false
			}
		}
	}
	return true
}

// britishPostal checks the forms A9, A99, AA9, AA99, A9A and AA9A, and 9AA after
// them (BS 7666); the last two letters are none of C, I, K, M, O, V.
func britishPostal(code []byte) bool {
	n := len(code)
	if n < 5 || n > 7 || !isDigit(code[n-3]) {
		return false
	}
	for _, c := range code[n-2:] {
		if !isLetter(c) {
			return false
		}
		switch c {
		case 'c', 'i', 'k', 'm', 'o', 'v':
			return false
		}
	}
	out := code[:n-3]
	i := 0
	for i < len(out) && i < 2 && isLetter(out[i]) {
		i++
	}
	if i == 0 || i == len(out) || !isDigit(out[i]) {
		return false
	}
	i++
	return i == len(out) || i+1 == len(out)
}
