package detectors

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
)

// kind is what a rune does in the tokenizer.
type kind uint8

const (
	kindSpace kind = iota
	kindLetter
	kindDigit
	kindPunct
	kindSymbol
	// kindNothing is a rune that cannot be seen or that only modifies the one
	// before it: it neither parts nor joins.
	kindNothing
)

var asciiKind = func() (t [128]kind) {
	for c := range t {
		switch {
		case c <= ' ' || c == 127:
			t[c] = kindSpace
		case '0' <= c && c <= '9':
			t[c] = kindDigit
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			t[c] = kindLetter
		default:
			t[c] = kindPunct
		}
	}
	return t
}()

// foldRune folds a rune beyond ASCII: compatibility forms and accents by
// Unicode's decomposition (NFKD), digits of any script to 0-9, letters of other
// scripts that look like Latin ones to these. The result is lower-case; upper
// says that the rune was not.
func foldRune(r rune, s string) (folded rune, k kind, upper bool) {
	switch {
	case r == utf8.RuneError:
		return 0, kindSymbol, false
	case Invisible(r):
		return 0, kindNothing, false
	case unicode.IsSpace(r):
		return ' ', kindSpace, false
	}
	if p := foldPunct(r); p != 0 {
		return p, kindPunct, false
	}
	if n := numeral(r); n != 0 {
		return n, kindDigit, false
	}
	if d := norm.NFKD.PropertiesString(s).Decomposition(); len(d) > 0 {
		if base, _ := utf8.DecodeRune(d); base != r {
			upper = unicode.IsUpper(base)
			r = base
		}
	}
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A', kindLetter, true
		}
		return r, asciiKind[r], upper
	}
	if unicode.IsMark(r) {
		return 0, kindNothing, false
	}
	if unicode.Is(unicode.Nd, r) {
		return digitOf(r), kindDigit, false
	}
	if unicode.IsLetter(r) {
		upper = unicode.IsUpper(r)
		r = unicode.ToLower(r)
		if latin, ok := lookAlikes[r]; ok {
			r = latin
		}
		return r, kindLetter, upper
	}
	if unicode.IsPunct(r) {
		return 0, kindPunct, false
	}
	return 0, kindSymbol, false
}

// FoldRune returns a rune as detectors read it, in lower case: compatibility forms, accents, digits
// of other scripts and look-alike letters are folded to ASCII if they can be. upper reports
// whether it was a capital, and visible whether it counts at all.
func FoldRune(r rune) (folded rune, upper, visible bool) {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A', true, true
		}
		return r, false, true
	}
	folded, k, upper := foldRune(r, string(r))
	return folded, upper, k != kindNothing
}

// Invisible reports whether a rune has no width of its own: zero-width joiners
// and spaces, soft hyphens, marks of direction, variation selectors, tags,
// fillers, controls beyond ASCII. They are Unicode's default ignorable code
// points and a few more.
func Invisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFEFF, r == 0xFFA0:
		return true
	case r >= 0x80 && r <= 0x9F:
		return r != 0x85 // next line
	case r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F,
		r >= 0xFE00 && r <= 0xFE0F, r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3,
		r >= 0x1D173 && r <= 0x1D17A, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// numeralOnes are the ones of numerals in Unicode order, 1 to 9, that are neither decimal digits nor
// decompose into them: in parentheses, in two circles, in black circles, in circles (sans-serif), in
// black circles (sans-serif), Suzhou.
var numeralOnes = [...]rune{0x2474, 0x24F5, 0x2776, 0x2780, 0x278A, 0x3021}

// chineseNumerals are those of 0 to 9.
const chineseNumerals = "〇一二三四五六七八九"

// numeral returns the ASCII digit of a sign that stands for one, though it is not a decimal digit
// of any script; 0 for any other rune.
func numeral(r rune) rune {
	if r < numeralOnes[0] {
		return 0
	}
	for _, one := range numeralOnes {
		if r >= one && r < one+9 {
			return '1' + r - one
		}
	}
	switch r {
	case 0x24FF, 0x1F10B, 0x1F10C, '零':
		return '0'
	}
	if i := strings.IndexRune(chineseNumerals, r); i >= 0 {
		return '0' + rune(i/utf8.RuneLen(r))
	}
	return 0
}

// digitOf returns the ASCII digit of a decimal digit of any script. Unicode
// assigns each set of ten in one run that begins with its zero, so the number of
// digits before r gives its value.
func digitOf(r rune) rune {
	n := rune(0)
	for unicode.Is(unicode.Nd, r-1-n) {
		n++
	}
	return '0' + n%10
}

// foldPunct returns the ASCII mark for a punctuation mark or symbol that looks
// like one, 0 for any other rune.
func foldPunct(r rune) rune {
	switch {
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xFE58, r == 0xFF0D:
		return '-'
	case r == 0x2018, r == 0x2019, r == 0x201B, r == 0x2032, r == 0x02BC, r == 0xFF07:
		return '\''
	case r >= 0x201C && r <= 0x201F, r == 0xAB, r == 0xBB:
		return '"'
	case r == 0x2024, r == 0x3002, r == 0xFF61, r == 0x00B7, r == 0x2022, r == 0x06D4, r == 0x066B:
		return '.'
	case r == 0x2044, r == 0x2215:
		return '/'
	}
	return 0
}

//go:embed confusables.txt
var confusableText string

// lookAlikes has the Latin letters that letters of other scripts look like.
var lookAlikes = func() map[rune]rune {
	m := map[rune]rune{}
	for _, v := range wordlist.MustParse(ruledata.Text("detectors/confusables.txt", confusableText)).Values("look-alikes") {
		for _, letter := range v.Words {
			r, _ := utf8.DecodeRuneInString(letter)
			m[r] = rune(v.Value[0])
		}
	}
	return m
}()
