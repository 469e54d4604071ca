package detectors

import (
	_ "embed"
	"slices"
	"strconv"

	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
	"sotto/internal/wordhash"
)

//go:embed words.txt
var wordText string

var wordLists = wordlist.MustParse(ruledata.Text("detectors/words.txt", wordText))

// wordRoles are the lists of words.txt and the roles that they give.
var wordRoles = []struct {
	list string
	bits Bits
}{
	{"weekdays", Weekday},
	{"hesitations", Filler},
	{"street types", StreetType},
	{"street types that are everyday words", StreetType | Ambiguous},
	{"directions", Direction},
	{"address units", AddressUnit},
	{"address units that are everyday words", AddressUnit | Ambiguous},
	{"states", State},
	{"provinces", Province},
	{"currencies", Currency},
	{"measures", Measure},
	{"clock", Clock},
	{"titles", Title},
	{"function words", Function},
	{"backchannels", Backchannel},
	{"corrections", Correct},
	{"top-level domains", TopLevel},
	{"mail hosts", MailHost},
	{"model words", Model},
	{"prepositions", Prepos},
	{"copulas", Copula},
	{"symbol words", Capital},
	{"countries", Country},
	{"decades", Decade},
}

// valueRoles are the lists of words with a number, their Num, or a character, their Ch.
var valueRoles = []struct {
	list string
	bits Bits
	read func(e *entry, value string)
}{
	{"digit words", NumWord, readNumber},
	{"teens", Teen, readNumber},
	{"tens", Tens, readNumber},
	{"scales", Scale, readNumber},
	{"multiples", Mult, readNumber},
	{"number homophones", Homophone, readNumber},
	{"number words of other languages", Foreign, readNumber},
	{"ordinals", Ordinal, readNumber},
	{"months", Month, readNumber},
	{"spelling alphabets", Spelling, readCharacter},
	{"letter names", LetterName, readCharacter},
	{"letter sounds", LetterSound, readCharacter},
	{"connectors", Connect, readCharacter},
}

var hesitationPhrases = PhrasesOf[uint8](wordLists, "hesitation phrases")

// Months are the names of the months in full, in their order.
func Months() (names []string) {
	for _, v := range wordLists.Values("months") {
		names = append(names, v.Words[0])
	}
	return names
}

// Weekdays are the names of the days in full, from Monday on.
func Weekdays() []string { return wordLists.Words("weekdays")[:7] }

var (
	titles      = slices.Concat(wordLists.Words("titles"), wordLists.Words("further titles"))
	titlesOfSex = wordLists.Words("titles that reveal the sex")
)

// Titles are the words that may stand before a name and are no part of it. ofSex are those of them that reveal the sex.
func Titles() (all, ofSex []string) { return slices.Clone(titles), slices.Clone(titlesOfSex) }

// HesitationPhrase returns how many tokens from i are words that a speaker hesitates with and that
// mean something elsewhere, such as "well" and "you know"; 0 when they are none. A Filler is not
// counted.
func (d *Document) HesitationPhrase(i int) int {
	_, n := hesitationPhrases.Longest(d, i, nil)
	return n
}

var (
	beforeMonth         = wordLists.Set("before a month")
	beforeMonthOrPerson = wordLists.Set("before a month or a person")
)

// LeadsToMonth reports whether the word of token i makes the next word a month that may be a name
// too: "in April". loosely also counts the words before which a person may be named: "after April".
// The token may lie outside of the document.
func (d *Document) LeadsToMonth(i int, loosely bool) bool {
	return d.WordIn(i, beforeMonth) || loosely && d.WordIn(i, beforeMonthOrPerson)
}

func readNumber(e *entry, value string) {
	n, err := strconv.ParseUint(value, 10, 8)
	if err != nil {
		panic("detectors: words.txt: " + err.Error())
	}
	e.num = uint8(n)
}

func readCharacter(e *entry, value string) { e.ch = value[0] }

// entry is what the dictionary knows of one word.
type entry struct {
	bits    Bits
	num, ch uint8
}

// dict is a table of words behind a bitmap that most words do not pass.
type dict struct {
	seen  [1 << 10]uint64
	words wordhash.Table[entry]
}

var dictionary = buildDictionary()

func (d *dict) lookup(h uint64) *entry {
	if b := h >> 48; d.seen[b>>6]&(1<<(b&63)) == 0 {
		return nil
	}
	return d.words.Get(h)
}

func buildDictionary() *dict {
	words := map[uint64]entry{}
	change := func(word uint64, do func(*entry)) {
		e := words[word]
		do(&e)
		words[word] = e
	}
	mark := func(word uint64, b Bits) { change(word, func(e *entry) { e.bits |= b }) }
	for _, r := range wordRoles {
		for _, w := range wordLists.Words(r.list) {
			mark(wordhash.String(w), r.bits)
		}
	}
	for _, r := range valueRoles {
		for _, v := range wordLists.Values(r.list) {
			for _, w := range v.Words {
				mark(wordhash.String(w), r.bits)
				change(wordhash.String(w), func(e *entry) { r.read(e, v.Value) })
			}
		}
	}
	for i := range allHotwords[1:] {
		for _, text := range allHotwords[i+1].phrases() {
			if phrase := phraseWords(text); len(phrase) == 1 {
				mark(phrase[0], IsHotword)
			} else {
				mark(phrase[0], HasPhrase)
			}
		}
	}
	d := &dict{words: wordhash.NewTable(words)}
	for h := range words {
		b := h >> 48
		d.seen[b>>6] |= 1 << (b & 63)
	}
	return d
}
