package ids

import (
	"regexp"
	"strings"
)

// MedicalRecord matches a medical record number, which each hospital assigns in
// its own way, or the number of a health plan.
func MedicalRecord(code []byte) Match {
	digits, letters := Count(code)
	switch n := digits + letters; {
	case healthCard(code):
		return Exact
	case n >= 5 && n <= 12 && digits >= 3:
		return Shape
	case n >= 4 && n <= 16 && digits >= 2:
		return Loose
	}
	return None
}

// healthCard reports whether a code is the number of a health plan whose check is
// known: a Medicare beneficiary identifier, or a health card of Ontario or British
// Columbia.
func healthCard(code []byte) bool {
	if MBI(code) {
		return true
	}
	if len(code) == 10 || len(code) == 12 && IsLetter(code[10]) && IsLetter(code[11]) {
		d := code[:10]
		return AllDigits(d) && (Luhn(d) && d[0] != '0' || d[0] == '9' && bcHealth(d))
	}
	return false
}

// MBILength is the length of a Medicare beneficiary identifier.
const MBILength = 11

// mbiForm is the layout of a Medicare beneficiary identifier, CAXNAXNAANN: C is 1-9, N 0-9, A a
// letter, X a letter or a digit. S, L, O, I, B and Z do not occur.
var mbiForm = regexp.MustCompile(strings.NewReplacer(
	"C", "[1-9]", "N", "[0-9]", "A", "[ac-hjkmnp-rt-y]", "X", "[0-9ac-hjkmnp-rt-y]").Replace("^CAXNAXNAANN$"))

// MBI reports whether a code has the layout of a Medicare beneficiary identifier
// (CMS, understanding the MBI format).
func MBI(code []byte) bool { return len(code) == MBILength && mbiForm.MatchString(string(code)) }

// bcHealth checks a personal health number of British Columbia (Ministry of
// Health): weights 2, 4, 8, 5, 10, 9, 7, 3 modulo 11.
func bcHealth(d []byte) bool {
	return (11-weighted(d[1:], "2485:973")%11)%11 == int(d[9]-'0')
}
