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

	commonTopLevels = lists.Set("common top-level domains")
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
