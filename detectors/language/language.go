// Package language recognizes the language of a turn by its most frequent words, or by its
// script. Detection supports English only; a turn in another language is handled as the
// operator decides (SOTTO_OTHER_LANGUAGES).
package language

import (
	_ "embed"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
	"sotto/internal/wordhash"
)

// Code is the primary subtag of a BCP-47 language tag: one of Codes, or "" where a text does
// not say in which language it is.
type Code string

// English is the language that detection supports.
const English Code = "en"

// Other stands for all languages that have no code here.
const Other Code = "other"

//go:embed words.txt
var wordText string

var lists = wordlist.MustParse(ruledata.Text("detectors/language/words.txt", wordText))

// spelled are the languages that are recognized by their words, English first. The bit of a
// language in a mask is its position.
var spelled = func() []Code {
	var codes []Code
	for _, name := range lists.Names() {
		codes = append(codes, Code(name))
	}
	return codes
}()

// scripts are those by which a language is recognized. A script that several languages share
// counts as the one that most people write in it.
var scripts = []struct {
	code  Code
	table *unicode.RangeTable
}{
	{"ja", unicode.Hiragana}, {"ja", unicode.Katakana}, {"zh", unicode.Han}, {"ko", unicode.Hangul},
	{"ar", unicode.Arabic}, {"ru", unicode.Cyrillic}, {"hi", unicode.Devanagari}, {Other, nil},
}

// Codes returns all codes: a fixed set, fit for a metric label.
func Codes() []Code {
	codes := slices.Clone(spelled)
	for _, s := range scripts {
		codes = append(codes, s.code)
	}
	return slices.Compact(codes)
}

// english is the bit of English.
const english mask = 1

// mask is a set of languages by their position in spelled.
type mask uint16

// entry says of which languages a word is a frequent one, and whether it could be said in
// English, as a word or as a part of a name.
type entry struct {
	languages mask
	weak      bool
}

// minCommon is how common an English word is, by lexicon.Entry.Common, that says nothing for
// another language.
const minCommon = 8

// nameParts are frequent in names of people and places that are said in English.
const nameParts = "de del la las los el y da das do dos di du le les van von der den san vang ho"

var frequentWords = sync.OnceValue(func() wordhash.Table[entry] {
	m := map[uint64]entry{}
	for i, code := range spelled {
		for _, w := range lists.Words(string(code)) {
			h := wordhash.String(w)
			e := m[h]
			e.languages |= 1 << i
			e.weak = e.weak || e.languages&english != 0 || lexicon.LookupHash(h).Common() >= minCommon
			m[h] = e
		}
	}
	for w := range strings.FieldsSeq(nameParts) {
		h := wordhash.String(w)
		if e, ok := m[h]; ok {
			e.weak = true
			m[h] = e
		}
	}
	return wordhash.NewTable(m)
})

// A turn says in which language it is if it has minWords words. It is in another language if
// at least minDistinct different words, and one in maxShare, are frequent in that language
// and are not English, and if there are more frequent words of that language than of English.
const (
	minWords    = 4
	minDistinct = 2
	maxShare    = 5
	// minLetters are the letters of another script that a turn needs.
	minLetters = 2
)

// Of returns the language of a text, "" if it does not say: it is too short, or has names,
// numbers or letters only. It is a function of the text alone.
func Of(d *detectors.Document) Code {
	if code := byScript(d); code != "" {
		return code
	}
	var t tally
	t.count(d)
	if t.words < minWords {
		return ""
	}
	if code := t.another(); code != "" {
		return code
	}
	if t.english >= minDistinct && maxShare*t.english >= t.words {
		return English
	}
	return ""
}

// another returns the language of a text with words that are frequent in other languages than English,
// "" if it is none of these.
func (t *tally) another() Code {
	best := 0
	for i := 1; i < len(spelled); i++ {
		if t.strong[i] > t.strong[best] || t.strong[i] == t.strong[best] && t.weak[i] > t.weak[best] {
			best = i
		}
	}
	if best > 0 && t.distinct[best] >= minDistinct && maxShare*t.strong[best] >= t.words &&
		t.strong[best]+t.weak[best] > t.english-t.shared[best] {
		return spelled[best]
	}
	return ""
}

// maxSpelled bounds the languages that are recognized by their words.
const maxSpelled = 16

// tally counts the frequent words of a text.
type tally struct {
	words, english int
	// strong counts the words of a language that are not English, distinct how many
	// different ones, weak those that could be English, and shared those of the latter that
	// are frequent English words.
	strong, distinct, weak, shared [maxSpelled]int
}

func (t *tally) count(d *detectors.Document) {
	frequent := frequentWords()
	var seen [8]uint64
	fresh := 0
	for i := range d.Tokens {
		token := &d.Tokens[i]
		if !token.Class.IsWord() || token.Class == detectors.Letter {
			continue
		}
		t.words++
		e := frequent.Get(token.Hash)
		if e == nil {
			continue
		}
		t.english += int(e.languages & english)
		isNew := !e.weak && !slices.Contains(seen[:fresh], token.Hash)
		if isNew && fresh < len(seen) {
			seen[fresh] = token.Hash
			fresh++
		}
		for others := uint16(e.languages &^ english); others != 0; others &= others - 1 {
			k := bits.TrailingZeros16(others)
			if e.weak {
				t.weak[k]++
				t.shared[k] += int(e.languages & english)
				continue
			}
			t.strong[k]++
			if isNew {
				t.distinct[k]++
			}
		}
	}
}

// byScript returns the language of a text of which most letters are of another script than
// the Latin one. A word whose letters all look like Latin ones does not count as one of
// another script.
func byScript(d *detectors.Document) Code {
	if d.IsASCII() {
		return ""
	}
	latin, foreign := 0, 0
	var letters [8]int
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if !t.Class.IsWord() {
			continue
		}
		if t.Flags&detectors.Folded == 0 || onlyLatin(string(d.Word(i))) {
			latin += t.Len()
			continue
		}
		for _, r := range d.Raw(i) {
			switch {
			case unicode.Is(unicode.Latin, r):
				latin++
			case unicode.IsLetter(r):
				foreign++
				letters[scriptOf(r)]++
			}
		}
	}
	if foreign < minLetters || foreign <= latin {
		return ""
	}
	// Japanese has more Chinese characters than its own in some sentences.
	if letters[0]+letters[1] > 0 {
		return scripts[0].code
	}
	best := 0
	for i := range scripts {
		if letters[i] > letters[best] {
			best = i
		}
	}
	return scripts[best].code
}

// onlyLatin reports whether a folded word has no letters of other scripts.
func onlyLatin(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.Is(unicode.Latin, r) })
}

// scriptOf returns the position of a letter's script in scripts.
func scriptOf(r rune) int {
	for i := range scripts[:len(scripts)-1] {
		if unicode.Is(scripts[i].table, r) {
			return i
		}
	}
	return len(scripts) - 1
}

// OfTag returns the language of a BCP-47 tag, English if the tag does not name another one.
// ok is false if it names none, as "und" for a language that is not known.
func OfTag(tag string) (code Code, ok bool) {
	if tag == "" {
		return "", false // most events have none
	}
	primary, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	noLetter := func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' }
	if len(primary) < 2 || len(primary) > 3 || strings.ContainsFunc(primary, noLetter) {
		return "", false
	}
	switch primary = strings.ToLower(primary); primary {
	case "und", "mul", "mis", "zxx":
		return "", false
	case "en", "eng":
		return English, true
	case "fil":
		return "tl", true
	}
	if slices.Contains(Codes(), Code(primary)) {
		return Code(primary), true
	}
	return Other, true
}

// IsCommon reports whether a word, by its hash, is a frequent one of English or of another
// language, which a turn that is masked strictly keeps.
func IsCommon(code Code, hash uint64) bool {
	e := frequentWords().Get(hash)
	i := slices.Index(spelled, code)
	return e != nil && (e.languages&english != 0 || i >= 0 && e.languages&(1<<i) != 0)
}
