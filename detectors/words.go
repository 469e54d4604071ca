package detectors

import (
	_ "embed"
	"strconv"

	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
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

// numberRoles are the lists of words with a number, their Num.
var numberRoles = []struct {
	list string
	bits Bits
}{
	{"digit words", NumWord},
	{"teens", Teen},
	{"tens", Tens},
	{"scales", Scale},
	{"multiples", Mult},
	{"number homophones", Homophone},
	{"number words of other languages", Foreign},
	{"ordinals", Ordinal},
	{"months", Month},
}

// characterRoles are the lists of words with a character, their Ch.
var characterRoles = []struct {
	list string
	bits Bits
}{
	{"spelling alphabets", Spelling},
	{"letter names", LetterName},
	{"letter sounds", LetterSound},
	{"connectors", Connect},
}

var hesitationPhrases = PhrasesOf[uint8](wordLists, "hesitation phrases")

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

// mustNumber reads the number of a line of words.txt.
func mustNumber(v wordlist.Valued) uint8 {
	n, err := strconv.ParseUint(v.Value, 10, 8)
	if err != nil {
		panic("detectors: words.txt: " + err.Error())
	}
	return uint8(n)
}
