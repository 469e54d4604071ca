package encoder

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Turn is what somebody says at once, as words and their pieces.
type Turn struct {
	Words   []Word
	ids     []uint16 // of all pieces
	shapes  []uint8  // of all words
	speaker uint8
	folded  []byte // memory for a word in lower case without accents
}

// Word is a word, or a character that is none.
type Word struct {
	Start, End int // in bytes of the text
	piece      int // its first piece in ids
}

// Pieces is how many places a turn takes in a window.
func (t *Turn) Pieces() int { return 1 + len(t.ids) }

// maxPieces bounds the pieces of a turn that are read, so that a text that nobody said takes two seconds and not a minute. People say
// a few hundred at once.
const maxPieces = 4096

// Split sets t to the words of a text, up to the one with piece 4,096. The speaker is 1 or 2, in turns: the first one in a call is 1, the second
// one 2, the third one 1; or 0 if nobody knows. The memory of t is used again.
func (m *Model) Split(t *Turn, text string, speaker int) {
	t.Words, t.ids, t.shapes = t.Words[:0], t.ids[:0], t.shapes[:0]
	t.speaker = uint8(min(max(speaker, 0), speakers-1))
	for at := 0; at < len(text) && len(t.ids) < maxPieces; {
		r, size := utf8.DecodeRuneInString(text[at:])
		start, word := at, isWord(r)
		at += size
		if isSpace(r) {
			continue
		}
		for word && at < len(text) {
			if r, size = utf8.DecodeRuneInString(text[at:]); !isWord(r) {
				break
			}
			at += size
		}
		t.Words = append(t.Words, Word{Start: start, End: at, piece: len(t.ids)})
		t.shapes = append(t.shapes, shapeOf(text[start:at]))
		m.appendPieces(t, text[start:at])
	}
}

// isWord says whether a character belongs to a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.N)
}

// isSpace says whether a character separates words; the four separators of ASCII do.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// appendPieces appends the pieces of a word: of its parts between punctuation, in lower case without accents.
func (m *Model) appendPieces(t *Turn, word string) {
	start := len(t.ids)
	t.folded = fold(t.folded[:0], word)
	for rest := t.folded; len(rest) > 0; {
		n := 0
		for n < len(rest) {
			r, size := utf8.DecodeRune(rest[n:])
			if !standsAlone(r) {
				n += size
				continue
			}
			if n == 0 {
				n = size
			}
			break
		}
		t.ids = m.split(t.ids, rest[:n])
		rest = rest[n:]
	}
	if len(t.ids) == start {
		t.ids = append(t.ids, m.unknown)
	}
}

// fold appends a word in lower case, without accents and without characters that nobody sees.
func fold(to []byte, word string) []byte {
	ascii := true
	for i := range len(word) {
		c := word[i]
		ascii = ascii && c < utf8.RuneSelf
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c >= ' ' && c != 0x7f {
			to = append(to, c)
		}
	}
	if ascii {
		return to
	}
	to = to[:0]
	for _, r := range norm.NFD.String(lower(word)) {
		if r != utf8.RuneError && !unicode.In(r, unicode.Mn, unicode.C) {
			to = utf8.AppendRune(to, unicode.ToLower(r))
		}
	}
	return to
}

// lower returns a word in lower case. A sigma at its end has a form of its own.
func lower(word string) string {
	var to []byte
	cased := false
	for i, r := range word {
		l := unicode.ToLower(r)
		if r == 'Σ' && cased && i+utf8.RuneLen(r) == len(word) {
			l = 'ς'
		}
		cased = unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r)
		to = utf8.AppendRune(to, l)
	}
	return string(to)
}

// standsAlone says whether a character is a word of its own for the vocabulary: punctuation and ideographs.
func standsAlone(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.Is(unicode.P, r) || unicode.Is(ideographs, r)
}

// ideographs are those that the pretrained model's vocabulary reads one by one.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xf900, 0xfaff, 1}},
	R32: []unicode.Range32{
		{0x20000, 0x2a6df, 1}, {0x2a700, 0x2b73f, 1}, {0x2b740, 0x2b81f, 1}, {0x2b820, 0x2ceaf, 1}, {0x2f800, 0x2fa1f, 1},
	},
}

// The shapes of words.
const (
	shapeSign    = iota // no letter and no digit
	shapeDigits         // digits, without letters
	shapeLower          // lower case
	shapeCapital        // begins with a capital letter
	shapeUpper          // capital letters
	shapeCode           // letters and digits
	shapeOther          // letters without case, or capital ones within
)

func shapeOf(word string) uint8 {
	var letter, digit, upper, lower, title bool
	n := 0
	for _, r := range word {
		letter = letter || unicode.IsLetter(r)
		digit = digit || unicode.IsDigit(r) || unicode.Is(digits, r)
		upper = upper || unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r)
		lower = lower || unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r)
		title = title || unicode.IsTitle(r)
		n++
	}
	switch {
	case !letter && !digit:
		return shapeSign
	case !letter:
		return shapeDigits
	case digit:
		return shapeCode
	}
	first, _ := utf8.DecodeRuneInString(word)
	return caseOf(first, upper, lower, title, n)
}

// caseOf is the shape of a word of n letters of these cases.
func caseOf(first rune, upper, lower, title bool, n int) uint8 {
	switch {
	case lower && !upper && !title:
		return shapeLower
	case upper && !lower && !title && n > 1:
		return shapeUpper
	case unicode.IsUpper(first):
		return shapeCapital
	}
	return shapeOther
}

// digits are digits that are not decimal ones: raised, in circles, and the like.
var digits = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xb2, 0xb3, 1}, {0xb9, 0xb9, 1}, {0x1369, 0x1371, 1}, {0x19da, 0x19da, 1}, {0x2070, 0x2070, 1}, {0x2074, 0x2079, 1},
		{0x2080, 0x2089, 1}, {0x2460, 0x2468, 1}, {0x2474, 0x247c, 1}, {0x2488, 0x2490, 1}, {0x24ea, 0x24ea, 1},
		{0x24f5, 0x24fd, 1}, {0x24ff, 0x24ff, 1}, {0x2776, 0x277e, 1}, {0x2780, 0x2788, 1}, {0x278a, 0x2792, 1},
	},
	R32:         []unicode.Range32{{0x10a40, 0x10a43, 1}, {0x10e60, 0x10e68, 1}, {0x11052, 0x1105a, 1}, {0x1f100, 0x1f10a, 1}},
	LatinOffset: 2,
}
