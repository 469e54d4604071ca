package callgen

import (
	"math/rand/v2"
	"strings"
)

var ones = []string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
	"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
}

var tens = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

var ordinals = []string{
	"", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
	"twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
}

// cardinal says n, 0 to 9999, in words.
func cardinal(n int) string {
	switch {
	case n < 20:
		return ones[n]
	case n < 100:
		if n%10 == 0 {
			return tens[n/10]
		}
		return tens[n/10] + " " + ones[n%10]
	case n < 1000:
		s := ones[n/100] + " hundred"
		if n%100 != 0 {
			s += " " + cardinal(n%100)
		}
		return s
	default:
		s := ones[n/1000] + " thousand"
		if n%1000 != 0 {
			s += " " + cardinal(n%1000)
		}
		return s
	}
}

// ordinal says the day of a month, 1 to 31.
func ordinal(n int) string {
	switch {
	case n <= 20:
		return ordinals[n]
	case n == 30:
		return "thirtieth"
	default:
		return tens[n/10] + " " + ordinals[n%10]
	}
}

// year says a year from 1910 to 1999 as people do.
func year(y int) string {
	if y%100 < 10 {
		return cardinal(y/100) + " oh " + ones[y%10]
	}
	return cardinal(y/100) + " " + cardinal(y%100)
}

// sayCode says digits and letters one by one; spaces, dashes and the like
// become commas, as pauses do. Now and then a pair is said as "double five",
// and a caller who says "oh" for zero does so throughout.
func sayCode(r *rand.Rand, code string) string {
	zero := "zero"
	if r.IntN(3) > 0 {
		zero = "oh"
	}
	doubles := r.IntN(4) == 0
	b := make([]byte, 0, 6*len(code))
	pause := false
	for i := 0; i < len(code); i++ {
		c := code[i]
		isDigit := c >= '0' && c <= '9'
		if !isDigit && !isLetter(c) {
			pause = len(b) > 0
			continue
		}
		if pause {
			b = append(b, ',')
			pause = false
		}
		if len(b) > 0 {
			b = append(b, ' ')
		}
		if doubles && isDigit && i+1 < len(code) && code[i+1] == c {
			b = append(b, "double "...)
			i++
		}
		switch {
		case c == '0':
			b = append(b, zero...)
		case isDigit:
			b = append(b, ones[c-'0']...)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// sayAddress says an e-mail address or a host: words stay words, digits are
// said one by one.
func sayAddress(a string) string {
	var b strings.Builder
	for i := 0; i < len(a); i++ {
		switch c := a[i]; {
		case c == '@':
			b.WriteString(" at ")
		case c == '.':
			b.WriteString(" dot ")
		case c == '_':
			b.WriteString(" underscore ")
		case c >= '0' && c <= '9':
			if i > 0 && isLetter(a[i-1]) {
				b.WriteByte(' ')
			}
			b.WriteString(ones[c-'0'])
			if i+1 < len(a) && (isLetter(a[i+1]) || a[i+1] >= '0' && a[i+1] <= '9') {
				b.WriteByte(' ')
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// spell gives the letters of a name as a formatting recognizer does,
// "T-A-R", or as one without formatting, "t a r".
func spell(name string, plain bool) string {
	b := make([]byte, 0, 2*len(name))
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !isLetter(c) {
			continue
		}
		if plain {
			if len(b) > 0 {
				b = append(b, ' ')
			}
			b = append(b, c|0x20)
			continue
		}
		if len(b) > 0 {
			b = append(b, '-')
		}
		b = append(b, c&^0x20)
	}
	return string(b)
}

// spellAs spells a name with the help of a word for some of its letters.
func spellAs(r *rand.Rand, name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !isLetter(c) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteByte(c &^ 0x20)
		if i == 0 || r.IntN(4) == 0 {
			b.WriteString(" as in ")
			b.WriteString(asIn[c|0x20-'a'])
		}
	}
	return b.String()
}

// fold makes a name fit for an e-mail address.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r | 0x20
		case r >= 'a' && r <= 'z':
			return r
		case r == 'é' || r == 'ë':
			return 'e'
		}
		return -1
	}, name)
}

// luhn appends the check digit to digits.
func luhn(digits []byte) []byte {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return append(digits, byte('0'+(10-sum%10)%10))
}
