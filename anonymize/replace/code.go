package replace

import (
	"slices"

	"sotto/detectors/ids"
)

// fix changes the digits and small letters of a value, which were chosen freely, by a rule. kinds are
// their classes.
type fix func(c *chooser, out, kinds []byte)

// rule is how the surrogates of an infoType are made by rule.
type rule struct {
	render func(p *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool)
	// space is how many surrogates there are for a value of the usual length,
	// each as likely.
	space float64
	// apart means that no surrogate can be a real value, by construction.
	apart bool
}

// rules are by infoType. They are the result of a function because they refer to themselves.
var rules = makeRules()

func makeRules() map[string]rule {
	code := func(f fix, space float64, apart bool) rule {
		return rule{func(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
			return renderCode("code", f, c, dst, m.Text)
		}, space, apart}
	}
	return map[string]rule{
		"PHONE_NUMBER":                   {renderPhone, 100 * float64(len(areaCodes)), true},
		"CREDIT_CARD_NUMBER":             code(card, 1e14, true),
		"CREDIT_CARD_TRACK_NUMBER":       code(plain, 1e20, false),
		"SSN":                            code(ssn, 100*49*1e4, true),
		"ROUTING_NUMBER":                 code(routing, 1e8, true),
		"IBAN_CODE":                      code(iban, 1e16, true),
		"SWIFT_CODE":                     code(plain, 26*26*26*26, false),
		"IMEI_HARDWARE_ID":               code(failingLuhn, 1e14, true),
		"IMSI_ID":                        code(plain, 1e15, false),
		"ICCID_NUMBER":                   code(failingLuhn, 1e18, true),
		"VEHICLE_IDENTIFICATION_NUMBER":  code(plain, 1e17, false),
		"PASSPORT":                       code(plain, 1e9, false),
		"VAT_NUMBER":                     code(plain, 1e9, false),
		"MEDICAL_RECORD_NUMBER":          code(plain, 1e7, false),
		"ADVERTISING_ID":                 code(plain, 1e32, false),
		"GENERIC_ID":                     code(plain, 1e8, false),
		"NUMERIC":                        code(plain, 1e4, false),
		"ICD9_CODE":                      code(plain, 1e4, false),
		"ICD10_CODE":                     code(plain, 26*1e3, false),
		"HTTP_COOKIE":                    code(plain, 1e16, false),
		"STORAGE_SIGNED_POLICY_DOCUMENT": code(plain, 1e32, false),
		"STORAGE_SIGNED_URL":             {renderURL, float64(len(hostWords)) * 26 * 26 * 26 * 26 * 26 * 26, true},
		"LOCATION_COORDINATES":           code(plain, 1e8, false),
		"MAC_ADDRESS":                    {renderMAC, 256, true},
		"MAC_ADDRESS_LOCAL":              {renderMAC, 256, true},
		"IP_ADDRESS":                     {renderIP, 3 * 254, true},
		"EMAIL_ADDRESS":                  {renderMail, 0, true},
		"DOMAIN_NAME":                    {renderURL, float64(len(hostWords)), true},
		"URL":                            {renderURL, float64(len(hostWords)) * 26 * 26 * 26 * 26 * 26 * 26, true},
		"USER_NAME":                      {renderUser, 0, false},
		"STREET_ADDRESS":                 {renderAddress, 52 * 1e4, false},
		"SPELLED_WORD":                   {renderSpelled, 0, false},
		"AGE":                            {renderAge, ages, false},
		"DATE_OF_BIRTH":                  {renderDate, 12 * 28 * years, false},
		"DATE":                           {renderDate, 12 * 28, false},
		"TIME":                           {renderTime, 12 * 60 * 2, false},
	}
}

func byRule(infoType string) bool {
	_, ok := rules[infoType]
	return ok
}

func renderPhone(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	return renderCode("code", phone(m.Said), c, dst, m.Text)
}

func renderCode(label string, f fix, c *chooser, dst []byte, text string) ([]byte, bool) {
	atoms := shape(text)
	main := len(atoms)
	for i, a := range atoms {
		if w := toLower(a.text); a.style == keep && i > 0 && (w == "extension" || w == "ext") {
			main = i
		}
	}
	kinds := classes(atoms[:main])
	rest := classes(atoms[main:])
	if len(kinds)+len(rest) == 0 {
		return dst, false
	}
	symbols := characters(c, label, kinds)
	f(c, symbols, kinds)
	if len(rest) > 0 {
		symbols = append(symbols, characters(c, "extension", rest)...)
	}
	return appendShaped(dst, atoms, symbols), true
}

// characters chooses characters. They are counted from the end, so that the
// end of a value is replaced by the end of what the value is replaced by.
func characters(c *chooser, label string, kinds []byte) []byte {
	var digits, letters stream
	hasDigits, hasLetters := slices.Contains(kinds, digit), slices.Contains(kinds, letter)
	if hasDigits {
		c.open(&digits, label, false)
	}
	if hasLetters {
		c.open(&letters, label+" letters", false)
	}
	out := make([]byte, len(kinds))
	for i := len(kinds) - 1; i >= 0; i-- {
		// Both streams advance, so that only the position decides.
		var d, l uint64
		if hasDigits {
			d = digits.below(10)
		}
		if hasLetters {
			l = letters.below(26)
		}
		if kinds[i] == digit {
			out[i] = '0' + byte(d)
		} else {
			out[i] = 'a' + byte(l)
		}
	}
	return out
}

func plain(*chooser, []byte, []byte) {}

// phone makes a number that is kept free for fiction: 555-0100 to 555-0199 in
// any area of North America; a longer one is 020 7946 0000 to 0999 in Britain
// (Ofcom). What may be the first part of one that is dictated begins with an area
// that is not assigned, N9X. said counts the digits that were given before.
func phone(said int) fix {
	return func(c *chooser, out, kinds []byte) {
		area := areaCodes[c.number("area", uint64(len(areaCodes)))]
		nobodys := string([]byte{'2' + byte(c.number("first", 8)), '9', '0' + byte(c.number("third", 10))})
		fill := func(from int, s string) {
			// from counts from the end.
			for i := 0; i < len(s); i++ {
				if at := len(out) - from + i; at >= 0 && at < len(out) && kinds[at] == digit {
					out[at] = s[i]
				}
			}
		}
		switch n := len(out); {
		case said > 0 && said+n <= 10:
			fill(n, (nobodys + "55501")[min(said, 8):])
		case n <= 3, n == 5, n == 6:
			fill(n, nobodys+"555")
		case n == 8:
			fill(n, "555501")
		case n == 9:
			fill(n, nobodys[:2]+"55501")
		case n <= 11:
			fill(11, "1"+area+"55501")
		default:
			fill(12, "442079460")
			for i := range n - 12 {
				fill(n-i, "0")
			}
		}
	}
}

// card makes a number whose check digit is wrong.
func card(c *chooser, out, kinds []byte) {
	failingLuhn(c, out, kinds)
	if len(out) >= 13 && kinds[0] == digit {
		out[0] = '4'
		breakLuhn(out)
	}
}

func failingLuhn(_ *chooser, out, _ []byte) {
	if len(out) >= 9 {
		breakLuhn(out)
	}
}

// breakLuhn makes the check digit of a number wrong by its fifth digit from the
// end, so that the last four stay as they are.
func breakLuhn(d []byte) {
	if ids.Luhn(d) {
		if at := len(d) - 5; '0' <= d[at] && d[at] <= '9' {
			d[at] = '0' + (d[at]-'0'+1)%10
		}
	}
}

// ssn makes a number of the area 900 to 999 and the group 01 to 49, which no
// social security number and no taxpayer number has, and which is wrong as a
// Canadian social insurance number.
func ssn(c *chooser, out, _ []byte) {
	if len(out) == 9 {
		group := 1 + c.number("group", 49)
		out[0], out[3], out[4] = '9', '0'+byte(group/10), '0'+byte(group%10)
		if ids.Luhn(out) {
			out[2] = '0' + (out[2]-'0'+1)%10
		}
	}
}

// routing makes a bank's routing number with a wrong check digit.
func routing(_ *chooser, out, _ []byte) {
	if len(out) == 9 {
		sum := 0
		for i, weight := range [9]int{3, 7, 1, 3, 7, 1, 3, 7, 1} {
			sum += weight * int(out[i]-'0')
		}
		if sum%10 == 0 {
			out[4] = '0' + (out[4]-'0'+1)%10
		}
	}
}

// iban makes an account number whose check digits no account has: they are 02
// to 98 (ISO 13616).
func iban(_ *chooser, out, kinds []byte) {
	if len(out) > 4 && kinds[2] == digit && kinds[3] == digit {
		out[2], out[3] = '0', '0'
	}
}
