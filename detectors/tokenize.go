package detectors

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/internal/wordhash"
)

// maxWord bounds a word's token in bytes. A longer one is cut, so that no step
// that looks at a token can cost more than the text is long.
const maxWord = 256

// tokenize fills d.Tokens and d.folded from d.Text in one pass.
func (d *Document) tokenize() {
	s := d.Text
	d.ascii = true
	space := SpaceBefore
	read := 0 // up to here, tag characters are text
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			d.ascii = false
			if tagAt(s, i) != 0 {
				i, space, read = d.tagged(i, space, read)
			} else {
				i, space = d.wide(i, space)
			}
			continue
		}
		switch asciiKind[c] {
		case kindSpace:
			space = SpaceBefore
			i++
		case kindPunct:
			j := i + 1
			for j < len(s) && s[j] == c {
				j++
			}
			if c == '\'' && j == i+1 && space == 0 {
				if n := d.clitic(i, j); n > 0 {
					i = n
					break
				}
			}
			d.mark(i, j, c, kindPunct, space)
			space = 0
			i = j
		default:
			i = d.word(i, space)
			space = 0
		}
	}
}

// tagged reads on at the tag character at i, behind space; up to read, tag characters are text. It returns
// where to go on, and the new space and read.
func (d *Document) tagged(i int, space Flags, read int) (int, Flags, int) {
	if i >= read {
		after, noise, inside := tagRun(d.Text, i)
		if noise && inside && space == 0 && len(d.Tokens) > 0 && d.Tokens[len(d.Tokens)-1].Class != Punct {
			return after, space, after
		}
		read = after
	}
	i, space = d.tags(i, space)
	return i, space, read
}

// wide reads on at the character at i, which is not ASCII, behind space. It returns where to go on, and the
// new space.
func (d *Document) wide(i int, space Flags) (int, Flags) {
	s := d.Text
	r, n := utf8.DecodeRuneInString(s[i:])
	f, k, _ := foldRune(r, s[i:i+n])
	if f == '\'' && space == 0 {
		if end := d.clitic(i, i+n); end > 0 {
			return end, space
		}
	}
	switch k {
	case kindSpace:
		return i + n, SpaceBefore
	case kindNothing:
		return i + n, space
	case kindPunct, kindSymbol:
		d.mark(i, i+n, byte(f), k, space|Folded)
		return i + n, 0
	}
	return d.word(i, space), 0
}

// mark adds a punctuation mark or symbol.
func (d *Document) mark(start, end int, ch byte, k kind, f Flags) {
	class := Punct
	if k == kindSymbol {
		class = Other
	}
	at := uint32(len(d.folded))
	d.folded = append(d.folded, ch)
	d.Tokens = append(d.Tokens, Token{Start: uint32(start), End: uint32(end), from: at, to: at + 1, Class: class, Flags: f, Ch: ch})
	d.classes |= 1 << class
}

// word adds the word, number or mixture that begins at i, and returns where it
// ends. What cannot be seen within it is passed over.
func (d *Document) word(i int, f Flags) int {
	s := d.Text
	from := len(d.folded)
	start := i
	hash := wordhash.Offset
	w := wordShape{flags: f}
	// Most words are ASCII letters up to their end.
	folded := d.folded
	for ; i < len(s) && i-start < maxWord; i++ {
		c := s[i] | ('a' - 'A')
		if c < 'a' || c > 'z' {
			break
		}
		w.uppers += int(^s[i] >> 5 & 1)
		folded = append(folded, c)
		hash = wordhash.Add(hash, c)
	}
	d.folded = folded
	w.letters = i - start
	if w.letters > 0 && s[start] < 'a' {
		w.flags |= UpperFirst
	}
	t := Token{Start: uint32(start), from: uint32(from), Hash: hash}
	end := i
	if w.letters == 0 || i < len(s) && !endsLetters[s[i]] {
		end = d.restOfWord(&t, &w, i)
	}
	t.End, t.to = uint32(end), uint32(len(d.folded))
	d.addWord(&t, w)
	return end
}

// addWord adds the token of a word of the given shape.
func (d *Document) addWord(t *Token, w wordShape) {
	t.Flags, t.Class = w.flags, w.class()
	switch t.Class {
	case Digits:
		t.Hash = 0
	case Letter:
		t.Ch = d.folded[t.from]
	}
	d.add(t)
}

// restOfWord reads on at i, behind the first letters of a token, which may be none. It updates the shape
// and the hash of the token, and returns where it ends.
func (d *Document) restOfWord(t *Token, shape *wordShape, i int) (end int) {
	s, start, w, hash := d.Text, int(t.Start), *shape, t.Hash
	end = i
	mixed := false // tag characters stand between what is seen
scan:
	for i < len(s) && i-start < maxWord {
		c := s[i]
		if c >= utf8.RuneSelf {
			d.ascii = false
			if tagAt(s, i) != 0 {
				after, noise, inside := tagRun(s, i)
				if !noise || !inside && !mixed {
					break
				}
				mixed = true
				i = after
				if !inside {
					end = i // those at the end are as those before
					break
				}
				continue
			}
			at := len(d.folded)
			n, visible, shape := d.wordRune(i, w)
			if n == 0 {
				break
			}
			w = shape
			hash = wordhash.AddBytes(hash, d.folded[at:])
			i += n
			if visible || isMark(s[i-n:i]) { // a mark is a part of the letter before it
				end = i
			}
			continue
		}
		switch k := asciiKind[c]; {
		case k == kindLetter:
			w = w.letter(c < 'a')
			c |= 'a' - 'A'
		case k == kindDigit:
			w.digits++
		case c == '\'' && w.digits == 0 && d.innerApostrophe(i+1, w.letters):
		default:
			break scan
		}
		d.folded = append(d.folded, c)
		hash = wordhash.Add(hash, c)
		i++
		end = i
	}
	*shape, t.Hash = w, hash
	return end
}

// isMark reports whether a text is a mark that is seen on the letter before it.
func isMark(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsMark(r) && !Invisible(r)
}

// tagAt returns the ASCII character that the tag character at i stands for, 0 for any other rune. Nobody
// sees tag characters (U+E0020 to U+E007E), but each is one of ASCII, and programs read them as such.
func tagAt(s string, i int) byte {
	if i+4 > len(s) || s[i] != 0xF3 || s[i+1] != 0xA0 || s[i+2]&^1 != 0x80 {
		return 0
	}
	if c := s[i+2]&1<<6 | s[i+3]&0x3F; c >= ' ' && c < 0x7F {
		return c
	}
	return 0
}

// tagDigits is how many digits in tag characters are a number, also between characters that are seen.
const tagDigits = 3

// tagRun returns where what nobody sees ends that begins at i, whether its tag characters are no number,
// and whether a letter or digit that is seen comes after them.
func tagRun(s string, i int) (end int, noise, inside bool) {
	digits := 0
	for i < len(s) {
		if c := tagAt(s, i); c != 0 {
			if asciiKind[c] == kindDigit {
				digits++
			}
			i += 4
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		_, k, _ := foldRune(r, s[i:i+n])
		if k != kindNothing {
			return i, digits < tagDigits, k == kindLetter || k == kindDigit
		}
		i += n
	}
	return i, digits < tagDigits, false
}

// tags adds the first token of a text in tag characters at i, and returns where it ends and the flags of
// the token after it. Those within a word are passed over instead.
func (d *Document) tags(i int, f Flags) (end int, after Flags) {
	s, c := d.Text, tagAt(d.Text, i)
	switch asciiKind[c] {
	case kindSpace:
		return i + 4, SpaceBefore
	case kindPunct:
		d.mark(i, i+4, c, kindPunct, f|Folded)
		return i + 4, 0
	}
	t := Token{Start: uint32(i), from: uint32(len(d.folded)), Hash: wordhash.Offset}
	w := wordShape{flags: f | Folded}
scan:
	for ; i-int(t.Start) < maxWord; i += 4 {
		switch c = tagAt(s, i); asciiKind[c] {
		case kindLetter:
			w = w.letter(c < 'a')
			c |= 'a' - 'A'
		case kindDigit:
			w.digits++
		default:
			break scan
		}
		d.folded = append(d.folded, c)
		t.Hash = wordhash.Add(t.Hash, c)
	}
	t.End, t.to = uint32(i), uint32(len(d.folded))
	d.addWord(&t, w)
	return i, 0
}

// endsLetters has the bytes behind which a word of letters is over: ASCII that is no letter or digit and
// no apostrophe.
var endsLetters = func() (t [256]bool) {
	for c, k := range asciiKind {
		t[c] = c != '\'' && (k == kindSpace || k == kindPunct)
	}
	return t
}()

// wordShape is what the class of a word depends on.
type wordShape struct {
	letters, digits, uppers int
	flags                   Flags
}

// letter returns the shape of a word that is one letter longer.
func (w wordShape) letter(upper bool) wordShape {
	w.letters++
	if upper {
		w.uppers++
		if w.letters == 1 {
			w.flags |= UpperFirst
		}
	}
	return w
}

func (w wordShape) class() Class {
	switch {
	case w.letters == 0:
		return Digits
	case w.digits > 0:
		return Alnum
	case w.letters == 1:
		return Letter
	case w.uppers == 0:
		return Lower
	case w.uppers == w.letters:
		return Upper
	case w.uppers == 1 && w.flags&UpperFirst != 0:
		return Cap
	}
	return Mixed
}

// wordRune reads the rune beyond ASCII at i as a part of a word of the given
// shape and appends its folded form. It returns the length of the rune, 0 when
// it is no part, and whether it can be seen.
func (d *Document) wordRune(i int, w wordShape) (n int, visible bool, shape wordShape) {
	r, n := utf8.DecodeRuneInString(d.Text[i:])
	folded, k, upper := foldRune(r, d.Text[i:i+n])
	switch {
	case k == kindLetter:
		w = w.letter(upper)
	case k == kindDigit:
		w.digits++
	case k == kindNothing:
		// A combining mark belongs to the token that it modifies.
	case k == kindPunct && folded == '\'' && w.digits == 0 && d.innerApostrophe(i+n, w.letters):
	default:
		return 0, false, w
	}
	w.flags |= Folded
	if k == kindNothing {
		return n, false, w
	}
	d.folded = utf8.AppendRune(d.folded, folded)
	return n, true, w
}

// innerApostrophe reports whether an apostrophe at the place before next belongs
// to the word: letters follow that are not one of the clitic endings.
func (d *Document) innerApostrophe(next, letters int) bool {
	s := d.Text
	if letters == 0 || next >= len(s) || s[next] >= utf8.RuneSelf || asciiKind[s[next]] != kindLetter {
		return false
	}
	return cliticLen(s[next:]) == 0
}

// clitic adds the ending after the apostrophe at i to j, and returns where it
// ends; 0 when there is none.
func (d *Document) clitic(i, j int) int {
	n := cliticLen(d.Text[j:])
	if n == 0 || len(d.Tokens) == 0 {
		return 0
	}
	// A number may have one, too ("304's"), or marks around it ("at 5 'd'").
	t := &d.Tokens[len(d.Tokens)-1]
	if !t.Class.IsWord() && (t.Class != Digits && t.Class != Alnum || int(t.End) != i) {
		return 0
	}
	from := len(d.folded)
	d.folded = append(d.folded, '\'')
	hash := wordhash.Add(wordhash.Offset, '\'')
	for _, c := range []byte(d.Text[j : j+n]) {
		c |= 0x20
		d.folded = append(d.folded, c)
		hash = wordhash.Add(hash, c)
	}
	d.add(&Token{Start: uint32(i), End: uint32(j + n), from: uint32(from), to: uint32(len(d.folded)), Class: Clitic, Hash: hash})
	return j + n
}

// cliticLen returns the length of the clitic ending that s begins with.
func cliticLen(s string) int {
	n := 0
	for n < len(s) && n < 3 && s[n] < utf8.RuneSelf && asciiKind[s[n]] == kindLetter {
		n++
	}
	switch strings.ToLower(s[:n]) {
	case "s", "m", "d", "re", "ve", "ll":
		return n
	}
	return 0
}

// add looks a word up and adds it.
func (d *Document) add(t *Token) {
	if t.Hash != 0 {
		if e := dictionary.lookup(t.Hash); e != nil {
			t.Bits, t.Num = e.bits, e.num
			if e.ch != 0 {
				t.Ch = e.ch
			}
			d.bits |= e.bits
			if e.bits&(IsHotword|HasPhrase) != 0 {
				d.hotTokens = append(d.hotTokens, uint32(len(d.Tokens)))
			}
		}
	}
	d.classes |= 1 << t.Class
	d.Tokens = append(d.Tokens, *t)
}
