package pattern

import (
	_ "embed"

	d "sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
	"sotto/internal/wordhash"
)

//go:embed words.txt
var wordText string

// The word lists of the grammars, which the comments in words.txt explain.
var (
	lists = wordlist.MustParse(ruledata.Text("detectors/pattern/words.txt", wordText))

	numberWords      = lists.Set("number words")
	codeWords        = lists.Set("code words")
	acronyms         = lists.Set("acronyms")
	wellKnownNumbers = wordlist.NewSet(lists.Phrases("well-known numbers")...)
	endingWords      = lists.Set("ending")

	approximations = lists.Set("approximations")
	limits         = lists.Set("limits")
	beforeTime     = lists.Set("before a time")
	partsOfDay     = lists.Set("parts of the day")
	namedTimes     = lists.Set("named times")
	besideHour     = lists.Set("beside an hour")

	ordinalEndings = lists.Set("ordinal endings")

	numberedRoads    = lists.Set("numbered roads")
	roads            = lists.Set("roads")
	roadOwners       = lists.Set("owners of roads")
	postOffice       = lists.Set("post office")
	streetParticles  = lists.Set("street particles")
	beforePostalCode = lists.Set("before a postal code")

	commonTopLevels   = lists.Set("common top-level domains")
	mailServices      = lists.Words("mail services")
	mailServiceSet    = lists.Set("mail services")
	gluedSuffixes     = lists.Words("suffixes run together")
	bareMailServices  = lists.Set("mail services without a suffix")
	addressEndings    = lists.Words("endings of an address")
	notLocal          = lists.Set("no local part")
	noAddress         = lists.Set("no address")
	schemes           = lists.Set("schemes")
	beforeValue       = lists.Set("before a value")
	phraseBeforeValue = d.PhrasesOf[uint8](lists, "phrases before a value")
)

func isWordOrNumber(t *d.Token) bool {
	return t.Class.IsWord() || t.Class == d.Alnum || t.Class == d.Digits
}

// common says how common a folded word is in English, 0 for one that the lexicon does
// not know.
func common(word []byte) int { return lexicon.LookupHash(wordhash.Bytes(word)).Common() }

func commonToken(doc *d.Document, i int) int { return lexiconEntry(doc, i).Common() }

func lexiconEntry(doc *d.Document, i int) lexicon.Entry {
	return lexicon.LookupHash(doc.Tokens[i].Hash)
}
