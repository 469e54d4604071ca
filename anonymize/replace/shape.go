package replace

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// atom is a piece of the shape of a value: some characters that are replaced,
// or characters between them that stay.
type atom struct {
	style style
	// class is digit or letter.
	class byte
	// n counts the characters that the atom says.
	n int
	// text is what stays (keep), or how it was written, for its case.
	text string
}

type style uint8

const (
	keep      style = iota
	written         // the character itself
	said            // a number word
	coded           // a word of the spelling alphabet
	explained       // a word that begins with the letter before: "B as in boy"
)

const (
	digit  = 'd'
	letter = 'l'
)

// shape reads how a value is written or said. No letter and no digit of it
// stays, except in words that belong to the way of saying it, such as "dash".
func shape(text string) []atom {
	atoms := make([]atom, 0, len(text)+1)
	for i := 0; i < len(text); {
		b := text[i]
		switch {
		case '0' <= b && b <= '9':
			atoms = append(atoms, atom{written, digit, 1, text[i : i+1]})
			i++
		case explanation(text, i) > 0:
			end := i + 1 + explanation(text, i)
			word := strings.LastIndexByte(text[:end], ' ') + 1
			atoms = append(atoms, atom{written, letter, 1, text[i : i+1]}, atom{style: keep, text: text[i+1 : word]},
				atom{style: explained, text: text[word:end]})
			i = end
		case isLetter(b):
			j := i + 1
			for j < len(text) && isLetter(text[j]) {
				j++
			}
			atoms = appendWord(atoms, text[i:j])
			i = j
		case b < utf8.RuneSelf:
			atoms = append(atoms, atom{style: keep, text: text[i : i+1]})
			i++
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			switch {
			case unicode.IsLetter(r):
				atoms = append(atoms, atom{written, letter, 1, text[i : i+n]})
			case unicode.IsDigit(r):
				atoms = append(atoms, atom{written, digit, 1, "0"})
			case unicode.IsSpace(r) || unicode.IsPunct(r):
				atoms = append(atoms, atom{style: keep, text: text[i : i+n]})
			}
			i += n
		}
	}
	return settle(atoms)
}

// explanation is the length of the words that explain the letter at i, as " as in boy" does; 0 if
// there is no letter by itself or it is not explained. "for" and "like" explain only by a word that
// begins with the letter.
func explanation(text string, i int) int {
	if !isLetter(text[i]) || i > 0 && nameByte(text[i-1]) {
		return 0
	}
	rest := text[i+1:]
	n := explainedLetter(rest)
	if n == 0 {
		return 0
	}
	word := strings.LastIndexByte(rest[:n], ' ') + 1
	if !strings.EqualFold(rest[:word], " as in ") && rest[word]|0x20 != text[i]|0x20 {
		return 0
	}
	return n
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// styles of words whose meaning depends on the words around.
const (
	pending style = iota + 100 // a homophone of a digit
	joined                     // hundred, thousand
	many                       // double, triple
)

func appendWord(atoms []atom, w string) []atom {
	var buf [16]byte
	low := string(appendLetters(buf[:0], w))
	if v, ok := sayings[low]; ok {
		v.text = w
		return append(atoms, v)
	}
	switch {
	case low == "o":
		return append(atoms, atom{pending, digit, 1, w})
	case len(low) == 1:
		return append(atoms, atom{written, letter, 1, w})
	case courtesy[low]:
		return append(atoms, atom{style: keep, text: w})
	}
	for i := range w {
		atoms = append(atoms, atom{written, letter, 1, w[i : i+1]})
	}
	return atoms
}

// settle decides what depends on the words around: "oh", "for" and "to" among digits,
// "hundred", "double".
func settle(atoms []atom) []atom {
	out := make([]atom, 0, len(atoms))
	for i := 0; i < len(atoms); i++ {
		a := atoms[i]
		switch a.style {
		case pending:
			out = appendHomophone(out, atoms, i)
		case joined:
			if neighbour(atoms, i, 1) {
				if n := len(out); n > 0 && isKept(&out[n-1], " ") {
					out = out[:n-1]
				}
			} else {
				a.style = said
				out = append(out, a)
			}
		case many:
			k := i + 1
			for k < len(atoms) && isKept(&atoms[k], " ") {
				k++
			}
			if k == len(atoms) || atoms[k].n != 1 {
				out = append(out, atom{style: keep, text: a.text})
				continue
			}
			for range a.n - 1 {
				out = append(out, atoms[k], atom{style: keep, text: " "})
			}
			i = k - 1
		default:
			out = append(out, a)
			if completesTens(atoms, i) {
				i += 2
			}
		}
	}
	return out
}

// appendHomophone appends a word that says a digit among digits, and is letters or a word of
// courtesy otherwise.
func appendHomophone(out, atoms []atom, i int) []atom {
	a := atoms[i]
	switch {
	case neighbour(atoms, i, -1) || neighbour(atoms, i, 1):
		a.style = said
		return append(out, a)
	case len(a.text) > 1 && courtesy[toLower(a.text)]:
		return append(out, atom{style: keep, text: a.text})
	}
	for k := range a.text {
		out = append(out, atom{written, letter, 1, a.text[k : k+1]})
	}
	return out
}

// completesTens reports whether atom i, a number word such as "fifty", is followed by the word
// for its second digit, as in "fifty five".
func completesTens(atoms []atom, i int) bool {
	a := &atoms[i]
	if a.style != said || a.n != 2 || !strings.HasSuffix(toLower(a.text), "ty") || i+2 >= len(atoms) {
		return false
	}
	gap, next := &atoms[i+1], &atoms[i+2]
	return (isKept(gap, " ") || isKept(gap, "-")) && next.style == said && next.n == 1 && !zeroWord(next.text)
}

func isKept(a *atom, text string) bool { return a.style == keep && a.text == text }

// neighbour reports whether the next word on a side says a digit.
func neighbour(atoms []atom, i, step int) bool {
	for k := i + step; k >= 0 && k < len(atoms); k += step {
		switch a := &atoms[k]; {
		case a.style == keep && (strings.Trim(a.text, " ,.-") == "" || a.text == "and"):
		case a.style == pending && len(a.text) > 2:
			// A homophone does not confirm the next one.
			return false
		default:
			return a.class == digit && a.style != many
		}
	}
	return false
}

func zeroWord(w string) bool {
	return slices.Contains([]string{"oh", "o", "zero", "nought"}, toLower(w))
}

// classes returns the classes of the characters that atoms say, in order.
func classes(atoms []atom) []byte {
	out := make([]byte, 0, 24)
	for _, a := range atoms {
		for range a.n {
			out = append(out, a.class)
		}
	}
	return out
}

// appendShaped appends characters in the shape of atoms. symbols has one
// character, a digit or a small letter, for each that the atoms say.
func appendShaped(dst []byte, atoms []atom, symbols []byte) []byte {
	zero := "zero"
	for i := range atoms {
		if w := toLower(atoms[i].text); atoms[i].style == said && (w == "oh" || w == "o") {
			zero = "oh"
		}
	}
	var last byte
	for i := range atoms {
		a := &atoms[i]
		mine := symbols[:a.n]
		symbols = symbols[a.n:]
		if a.n > 0 {
			last = mine[a.n-1]
		}
		switch a.style {
		case keep:
			dst = append(dst, a.text...)
		case written:
			c := mine[0]
			if a.text < "a" && isLetter(a.text[0]) && isLetter(c) {
				c &^= 0x20
			}
			dst = append(dst, c)
		case said:
			dst = appendCased(dst, a.text, sayDigits(mine, zero))
		case coded, explained:
			dst = appendCased(dst, a.text, sayLetter(last, zero))
		}
	}
	return dst
}

// sayLetter says a letter by the spelling alphabet. A code of digits only may have been said with a
// letter ("mike"), in whose place a digit is said.
func sayLetter(c byte, zero string) string {
	if isLetter(c) {
		return spellingAlphabet[c|0x20-'a']
	}
	return sayDigits([]byte{c}, zero)
}

// sayDigits says one digit, a number of two digits, or more digits one by one.
func sayDigits(d []byte, zero string) string {
	one := func(c byte) string {
		if c == '0' {
			return zero
		}
		return units[c-'0']
	}
	switch {
	case len(d) == 1:
		return one(d[0])
	case len(d) == 2 && d[0] == '1':
		return teens[d[1]-'0']
	case len(d) == 2 && d[0] != '0':
		if d[1] == '0' {
			return tens[d[0]-'0']
		}
		return tens[d[0]-'0'] + " " + units[d[1]-'0']
	}
	words := make([]string, len(d))
	for i, c := range d {
		words[i] = one(c)
	}
	return strings.Join(words, " ")
}

// appendCased appends a value in the case of what it replaces: all capitals,
// no capital, or as it is.
func appendCased(dst []byte, like, value string) []byte {
	upper, lower := false, false
	for _, r := range like {
		upper = upper || unicode.IsUpper(r)
		lower = lower || unicode.IsLower(r)
	}
	switch {
	case upper && !lower && utf8.RuneCountInString(like) > 1:
		return append(dst, strings.ToUpper(value)...)
	case !upper && lower:
		return append(dst, toLower(value)...)
	case upper && value != "" && 'a' <= value[0] && value[0] <= 'z':
		// A value that was learned in lower case.
		return append(append(dst, value[0]&^0x20), value[1:]...)
	}
	return append(dst, value...)
}

// toLower is strings.ToLower, but a letter whose lower-case form has another length in bytes stays as it
// is ("Ⱥ", "İ"): positions in the result are positions in s.
func toLower(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}
