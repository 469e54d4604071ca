package mention

import (
	_ "embed"

	"sotto/detectors"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
	"sotto/internal/wordhash"
)

//go:embed words.txt
var wordsText string

var (
	lists = wordlist.MustParse(ruledata.Text("anonymize/mention/words.txt", wordsText))

	leadingWords       = lists.Set("leading words")
	legalForms         = lists.Set("legal forms")
	ageUnits           = lists.Set("units of age")
	addressForms       = values(lists, "address forms")
	beforePlace        = lists.Set("before a place")
	beforeEverydayWord = lists.Set("before an everyday word")
	addressingPhrases  = detectors.PhrasesOf[uint8](lists, "addressing phrases")

	wordArea = wordhash.String("area")
	wordThe  = wordhash.String("the")
)

func values(f *wordlist.File, list string) map[string]string {
	m := map[string]string{}
	for _, v := range f.Values(list) {
		for _, w := range v.Words {
			m[w] = v.Value
		}
	}
	return m
}

// endsBefore reports whether a phrase of one or two words ends right before token i.
func endsBefore(p *detectors.Phrases[uint8], d *detectors.Document, i int) bool {
	for words := 1; words <= 2 && words <= i; words++ {
		if _, n := p.Longest(d, i-words, nil); n == words {
			return true
		}
	}
	return false
}
