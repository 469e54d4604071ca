package ids

import "strings"

// VAT matches a tax number: a country code with the check digits of Germany,
// Britain, France, Italy, the Netherlands, Belgium, Poland or Portugal (European
// Commission, VIES algorithms; HMRC), a Canadian business number (Canada Revenue
// Agency), or an American employer identification number.
func VAT(code []byte) Match {
	digits, letters := Count(code)
	switch {
	case letters == 0 && digits == 9:
		if Luhn(code) {
			return Exact
		}
		return Shape
	case digits == 13 && letters == 2 && AllDigits(code[:9]) && IsLetter(code[9]):
		// Canada: nine digits, a program such as RT, four digits
		if Luhn(code[:9]) {
			return Checked
		}
		return Shape
	case letters >= 2 && IsLetter(code[0]) && IsLetter(code[1]) && isCountry(code[:2]):
		if vatCheck(code) {
			return Checked
		}
		if digits >= 7 && digits+letters <= 14 {
			return Shape
		}
	}
	if digits >= 5 && digits+letters <= 15 {
		return Loose
	}
	return None
}

// vatChecks check a number without its country code, by country. Austria's is
// known by its form only.
var vatChecks = map[string]func(n []byte) bool{
	"at": func(n []byte) bool { return len(n) == 9 && n[0] == 'u' && AllDigits(n[1:]) },
	"be": func(n []byte) bool {
		return len(n) == 10 && AllDigits(n) && 97-Number(n[:8])%97 == Number(n[8:])
	},
	"de": func(n []byte) bool { return len(n) == 9 && AllDigits(n) && n[0] != '0' && mod1110(n) },
	"fr": func(n []byte) bool {
		return len(n) == 11 && AllDigits(n) && Number(n[:2]) == (12+3*(Number(n[2:])%97))%97
	},
	"gb": britishVAT,
	"it": func(n []byte) bool { return len(n) == 11 && AllDigits(n) && Luhn(n) },
	"nl": func(n []byte) bool {
		return len(n) == 12 && n[9] == 'b' && AllDigits(n[:9]) && weighted(n, "98765432")%11%10 == int(n[8]-'0')
	},
	"pl": func(n []byte) bool {
		return len(n) == 10 && AllDigits(n) && weighted(n, "657234567")%11 == int(n[9]-'0')
	},
	"pt": portugueseVAT,
}

// vatCheck checks a number with its country code, for the countries whose rule is
// known.
func vatCheck(code []byte) bool {
	check := vatChecks[string(code[:2])]
	return check != nil && check(code[2:])
}

func britishVAT(n []byte) bool {
	if len(n) != 9 && len(n) != 12 || !AllDigits(n) {
		return false
	}
	sum := weighted(n, "8765432") + Number(n[7:9])
	return sum%97 == 0 || (sum+55)%97 == 0
}

func portugueseVAT(n []byte) bool {
	if len(n) != 9 || !AllDigits(n) {
		return false
	}
	c := 11 - weighted(n, "98765432")%11
	return c > 9 && n[8] == '0' || c == int(n[8]-'0')
}

// EINPrefix reports whether the Internal Revenue Service assigns employer
// identification numbers with these first two digits (IRS, valid EIN prefixes).
func EINPrefix(d []byte) bool {
	return !strings.Contains("00 07 08 09 17 18 19 28 29 49 69 70 78 79 89 96 97", string(d[:2]))
}
