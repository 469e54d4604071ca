package replace

import (
	"cmp"
	"slices"
	"strings"

	"sotto/state/linking"
)

// unit is a stretch of a name: a word, or letters that spell one.
type unit struct {
	start, end int
	kind       unitKind
	// letters are those of a spelled word, in lower case.
	letters string
}

type unitKind uint8

const (
	unitWord unitKind = iota
	unitSpelled
	unitInitial
	unitTitle
)

// isTitle reports whether a word in lower case may stand before a name.
func isTitle(w string) bool { return titles[w] }

// unitsOf splits a name into words, spelled words, initials and titles. What
// stands between them is punctuation and space.
func unitsOf(text string) []unit {
	var out []unit
	for i := 0; i < len(text); {
		if possessive(text[i:]) {
			i += 2
			continue
		}
		if !nameByte(text[i]) {
			i++
			continue
		}
		j := wordEnd(text, i)
		w := text[i:j]
		if letters, end := spelledFrom(text, i); end > 0 {
			out = append(out, unit{i, end, unitSpelled, letters})
			i = end
			continue
		}
		kind := unitWord
		if isTitle(toLower(w)) && j < len(text) {
			kind = unitTitle
		} else if len(w) == 1 {
			kind = unitInitial
		}
		out = append(out, unit{start: i, end: j, kind: kind})
		i = j
	}
	// A title with no name after it is one.
	if n := len(out); n > 0 && out[n-1].kind == unitTitle {
		out[n-1].kind = unitWord
	}
	return out
}

func nameByte(b byte) bool { return isLetter(b) || b >= 0x80 || '0' <= b && b <= '9' }

// wordEnd is the end of the word at i, with apostrophes and hyphens within but
// without "'s".
func wordEnd(text string, i int) int {
	j := i
	for j < len(text) {
		switch b := text[j]; {
		case nameByte(b):
			j++
		case (b == '\'' || b == '-') && j+1 < len(text) && nameByte(text[j+1]) && !possessive(text[j:]):
			j++
		default:
			return j
		}
	}
	return j
}

func possessive(s string) bool {
	return len(s) >= 2 && s[0] == '\'' && s[1]|0x20 == 's' && (len(s) == 2 || !nameByte(s[2]))
}

// spelledFrom returns the letters that are spelled from i on, and where they
// end; 0 when nothing is spelled there: "M-A-R-K", "m a r k", "M as in mike A".
func spelledFrom(text string, i int) (letters string, end int) {
	var b strings.Builder
	at := i
	for at < len(text) && isLetter(text[at]) && (at+1 == len(text) || !nameByte(text[at+1])) {
		b.WriteByte(text[at] | 0x20)
		end = at + 1
		end += explainedLetter(text[end:])
		at = len(text) - len(strings.TrimLeft(text[end:], " -.,"))
	}
	if b.Len() < 2 || b.Len() == 2 && strings.HasPrefix(text[i+1:], ".") {
		return "", 0
	}
	return b.String(), end
}

// explainedLetter is the length of " as in mike" and the like.
func explainedLetter(s string) int {
	for _, lead := range []string{" as in ", " for ", " like "} {
		if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
			if j := wordEnd(s, len(lead)); j > len(lead)+1 {
				return j
			}
		}
	}
	return 0
}

// name says what the units of a name are.
type name struct {
	units []unit
	// first and last are the units of the given name and of the surname, -1 for
	// none; given and surname are their words.
	first, last    int
	given, surname string
}

// parseName reads a mention of a name. full is the longest form of it that is
// known in the call, in lower case.
func parseName(text string, part linking.Part, full string) name {
	n := name{units: unitsOf(text), first: -1, last: -1}
	var whole []int
	titled := false
	for i, u := range n.units {
		switch u.kind {
		case unitTitle:
			titled = true
		case unitWord, unitSpelled:
			if generation(text[u.start:u.end]) && len(whole) > 0 {
				continue
			}
			// "Mark, M-A-R-K" says one word twice.
			if u.kind == unitSpelled && len(whole) > 0 && strings.EqualFold(text[n.units[whole[len(whole)-1]].start:n.units[whole[len(whole)-1]].end], u.letters) {
				continue
			}
			whole = append(whole, i)
		}
	}
	word := func(i int) string {
		if u := n.units[i]; u.kind == unitSpelled {
			return u.letters
		}
		return text[n.units[i].start:n.units[i].end]
	}
	switch len(whole) {
	case 0:
		return n
	case 1:
		i, w := whole[0], word(whole[0])
		if isSurname(toLower(w), part, full, titled || i > 0 && n.units[i-1].kind == unitInitial) {
			n.last, n.surname = i, w
		} else {
			n.first, n.given = i, w
		}
		return n
	}
	n.first, n.last = whole[0], whole[len(whole)-1]
	if end := n.units[whole[0]].end; end < len(text) && text[end] == ',' && n.units[whole[0]].kind == unitWord {
		n.first, n.last = n.last, n.first // "Smith, John"
	}
	n.given, n.surname = word(n.first), word(n.last)
	return n
}

func generation(w string) bool {
	return slices.Contains([]string{"jr", "sr", "junior", "senior", "ii", "iii", "iv"}, toLower(w))
}

// isSurname reports whether a single word is the last name. led means that a title or an initial stands
// before it.
func isSurname(w string, part linking.Part, full string, led bool) bool {
	if a, b, ok := strings.Cut(full, " "); ok {
		switch w {
		case a:
			return false
		case b[strings.LastIndexByte(b, ' ')+1:]:
			return true
		}
	}
	switch {
	case part == linking.PartGiven:
		return false
	case part == linking.PartSurname || led:
		return true
	}
	names := builtIn().pools["PERSON_NAME"]
	cased := strings.ToUpper(w[:1]) + w[1:]
	return names.surname.has(cased) && !names.given.has(cased)
}

// partOf returns which part of a name a mention is: behind a title, it is a surname.
func partOf(m *Mention) linking.Part {
	before := strings.TrimRight(m.Before, " .")
	if m.Part == linking.PartAny && isTitle(toLower(before[strings.LastIndexByte(before, ' ')+1:])) {
		return linking.PartSurname
	}
	return m.Part
}

// renderName renders a name of the same parts: given, surname, full, initial,
// spelled.
func renderName(p *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	names, spare := p.names(), builtIn().pools["PERSON_NAME"]
	n := parseName(m.Text, partOf(m), m.Full)
	switch {
	case len(n.units) == 0:
		return dst, false
	case n.units[0].kind == unitInitial && explanation(m.Text, 0)+1 == len(m.Text):
		return renderCode("code", plain, c, dst, m.Text) // one letter of a name that is spelled
	}
	given, surname := "", ""
	// surrogates of the two parts, chosen when they are needed.
	word := func(last bool) string {
		if last {
			if surname == "" {
				surname = c.pickUnlike(names.surname, spare.surname, "surname", n.surname)
			}
			return surname
		}
		if given == "" {
			g := genderOfMention(m, n.given)
			given = c.pickUnlike(cmp.Or(names.givenOf[g], spare.givenOf[g]), spare.givenOf[g], "given", n.given)
		}
		return given
	}
	at, lastPart := 0, n.first < 0
	for i, u := range n.units {
		between := safeMarks(m.Text[at:u.start])
		at = u.end
		switch {
		case i == n.first || i == n.last:
			lastPart = i == n.last
			dst = appendUnit(append(dst, between...), m.Text, u, word(lastPart))
		case u.kind == unitTitle:
			if p.config.Neutral && titlesOfSex[toLower(m.Text[u.start:u.end])] {
				at = len(m.Text) - len(strings.TrimLeft(m.Text[at:], ". "))
				continue
			}
			dst = append(append(dst, between...), m.Text[u.start:u.end]...)
		case u.kind == unitInitial:
			w := word(n.first >= 0 && i > n.first && i > n.last)
			dst = append(append(dst, between...), w[0])
		case u.kind == unitSpelled:
			dst = appendUnit(append(dst, between...), m.Text, u, word(lastPart))
		}
		// Middle names and "junior" are left out.
	}
	return append(dst, safeEnd(m.Text[at:])...), true
}

// appendUnit writes a value as the word or the spelled word that it replaces.
func appendUnit(dst []byte, text string, u unit, value string) []byte {
	like := text[u.start:u.end]
	if u.kind != unitSpelled {
		return appendCased(dst, like, value)
	}
	return appendSpelled(dst, like, value)
}

// appendSpelled spells a value in the way of like: with its separators, and
// with words that explain letters when like has them.
func appendSpelled(dst []byte, like, value string) []byte {
	explained := explainedLetter(like[1:])
	sep := " "
	if rest := like[1+explained:]; rest != "" {
		sep = rest[:len(rest)-len(strings.TrimLeft(rest, " -.,"))]
	}
	lead := ""
	if explained > 0 {
		lead = like[1 : 1+strings.LastIndexByte(like[:1+explained], ' ')]
	}
	upper, wrote := like[0] <= 'Z', false
	for i := 0; i < len(value); i++ {
		b := value[i] | 0x20
		if !isLetter(b) {
			continue
		}
		if wrote {
			dst = append(dst, sep...)
		}
		if upper {
			dst = append(dst, b&^0x20)
		} else {
			dst = append(dst, b)
		}
		if second := 1 + explained + len(sep); !wrote && second < len(like) {
			upper = like[second] <= 'Z'
		}
		wrote = true
		if lead != "" {
			dst = append(append(dst, lead...), spellingAlphabet[b-'a']...)
		}
	}
	return dst
}

// appendWords renders a text word by word: word renders the one at i and returns where the next one
// begins.
func appendWords(dst []byte, text string, word func(dst []byte, i int) (_ []byte, next int)) []byte {
	for i := 0; i < len(text); {
		if nameByte(text[i]) {
			dst, i = word(dst, i)
			continue
		}
		dst = append(dst, safeMarks(text[i:i+1])...)
		i++
	}
	return dst
}

// safeMarks is what may stay between two words: punctuation and spaces.
func safeMarks(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 || nameByte(byte(r)) }) {
		return " "
	}
	return s
}

// safeEnd is what may stay after the last word: punctuation and "'s".
func safeEnd(s string) string {
	if possessive(s) {
		return s
	}
	return safeMarks(s)
}
