package pattern

import "strings"

// ibanLengths are the countries that issue IBANs with their lengths (SWIFT IBAN
// registry).
const ibanLengths = "ad24 ae23 al28 at20 az28 ba20 be16 bg22 bh22 bi27 br29 by28 ch21 cr22 cy28 cz24 de22 dj27 dk18 do28 ee20 eg29 es24 " +
	"fi18 fk18 fo18 fr27 gb22 ge22 gi23 gl18 gr27 gt28 hn28 hr21 hu28 ie22 il23 iq23 is26 it27 jo30 kw30 kz20 lb28 lc32 li21 lt20 lu20 " +
	"lv21 ly25 mc27 md24 me22 mk19 mn20 mr27 mt31 mu30 ni28 nl18 no15 om23 pk24 pl28 ps29 pt25 qa29 ro24 rs22 ru33 sa24 sc31 sd18 se24 " +
	"si19 sk24 sm27 so23 st25 sv28 tl23 tn24 tr26 ua29 va22 vg24 xk20 ye30"

// ibanLength returns the length of an IBAN of the country, 0 when it has none.
func ibanLength(country []byte) int {
	i := strings.Index(ibanLengths, string(country[:2]))
	for i >= 0 && i%5 != 0 {
		next := strings.Index(ibanLengths[i+1:], string(country[:2]))
		if next < 0 {
			return 0
		}
		i += 1 + next
	}
	if i < 0 {
		return 0
	}
	return int(ibanLengths[i+2]-'0')*10 + int(ibanLengths[i+3]-'0')
}

// ibanFit tells how far a code can be an international bank account number: the
// country's length and MOD 97-10 (ISO 13616).
func ibanFit(code []byte) fit {
	n := len(code)
	if n < 8 || n > 34 || !isLetter(code[0]) || !isLetter(code[1]) || !isDigit(code[2]) || !isDigit(code[3]) {
		if d, _ := count(code); n >= 6 && n <= 34 && d >= 6 {
			return fitLoose
		}
		return fitNone
	}
	length := ibanLength(code)
	if n == length {
		var turned [34]byte
		copy(turned[:], code[4:])
		copy(turned[n-4:], code[:4])
		if mod97(turned[:n]) == 1 {
			return fitChecked
		}
		return fitExact
	}
	if length > 0 && n >= 14 {
		return fitShape
	}
	return fitLoose
}

// countries are the country codes of ISO 3166-1 alpha-2.
const countries = "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf " +
	"cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn " +
	"gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr " +
	"ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg " +
	"ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl " +
	"tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws xk ye yt za zm zw"

func isCountry(code []byte) bool {
	for i := 0; i < len(countries); i += 3 {
		if countries[i] == code[0] && countries[i+1] == code[1] {
			return true
		}
	}
	return false
}

// swiftFit tells how far a code can be a business identifier code (ISO 9362): four
// letters, a country, two characters, and three for a branch or none.
func swiftFit(code []byte) fit {
	if len(code) != 8 && len(code) != 11 {
		return fitNone
	}
	for _, c := range code[:6] {
		if !isLetter(c) {
			return fitNone
		}
	}
	if !isCountry(code[4:6]) {
		return fitNone
	}
	return fitExact
}

// routingFit tells how far a code can be a bank's routing number: that of the
// United States with its check digit, Canada's transit and institution numbers
// (5 and 3 digits, or 0 before them), or a British sort code.
func routingFit(code []byte) fit {
	switch n := len(code); {
	case !allDigits(code):
		return fitNone
	case abaRouting(code):
		return fitChecked
	case n == 9, n == 8, n == 5, n == 3, n == 6:
		return fitShape
	case n >= 3 && n <= 11:
		return fitLoose
	}
	return fitNone
}

// vatFit tells how far a code can be a tax number: a country code with the check
// of Germany, Britain, France, Italy, Spain, the Netherlands or Belgium, a
// Canadian business number, or an American employer identification number.
func vatFit(code []byte) fit {
	digits, letters := count(code)
	switch {
	case letters == 0 && digits == 9:
		if luhn(code) {
			return fitExact
		}
		return fitShape
	case digits == 13 && letters == 2 && allDigits(code[:9]) && isLetter(code[9]):
		// Canada: nine digits, a program such as RT, four digits
		if luhn(code[:9]) {
			return fitChecked
		}
		return fitShape
	case letters >= 2 && isLetter(code[0]) && isLetter(code[1]) && isCountry(code[:2]):
		if vatCheck(code) {
			return fitChecked
		}
		if digits >= 7 && digits+letters <= 14 {
			return fitShape
		}
	}
	if digits >= 5 && digits+letters <= 15 {
		return fitLoose
	}
	return fitNone
}

// vatCheck checks a number with its country code, for the countries whose rule is
// known.
func vatCheck(code []byte) bool {
	n := code[2:]
	if len(n) == 0 {
		return false
	}
	switch string(code[:2]) {
	case "de":
		return len(n) == 9 && allDigits(n) && n[0] != '0' && mod1110(n)
	case "gb":
		if len(n) != 9 && len(n) != 12 || !allDigits(n) {
			return false
		}
		sum := weighted(n, "8765432") + number(n[7:9])
		return sum%97 == 0 || (sum+55)%97 == 0
	case "fr":
		if len(n) != 11 || !allDigits(n) {
			return false
		}
		return number(n[:2]) == (12+3*(number(n[2:])%97))%97
	case "be":
		return len(n) == 10 && allDigits(n) && 97-number(n[:8])%97 == number(n[8:])
	case "it":
		return len(n) == 11 && allDigits(n) && luhn(n)
	case "nl":
		if len(n) != 12 || n[9] != 'b' || !allDigits(n[:9]) {
			return false
		}
		return weighted(n, "98765432")%11%10 == int(n[8]-'0')
	case "at":
		return len(n) == 9 && n[0] == 'u' && allDigits(n[1:])
	case "pl":
		return len(n) == 10 && allDigits(n) && weighted(n, "657234567")%11 == int(n[9]-'0')
	case "pt":
		if len(n) != 9 || !allDigits(n) {
			return false
		}
		c := 11 - weighted(n, "98765432")%11
		return (c > 9 && n[8] == '0') || c == int(n[8]-'0')
	}
	return false
}

// einPrefixes are the first two digits that the Internal Revenue Service gives out
// for employer identification numbers.
func einPrefix(d []byte) bool {
	switch p := number(d[:2]); p {
	case 0, 7, 8, 9, 17, 18, 19, 28, 29, 49, 69, 70, 78, 79, 89, 96, 97:
		return false
	}
	return true
}
