package risk

import (
	_ "embed"
	"strconv"

	"sotto/detectors"
	"sotto/detectors/wordlist"
)

//go:embed words.txt
var wordsText string

var (
	wordLists = wordlist.MustParse(wordsText)

	digitWords = values(wordLists, "digits", func(digit string) string { return digit })
	multiples  = values(wordLists, "multiples", func(n string) int { times, _ := strconv.Atoi(n); return times })
	titles, _  = detectors.Titles()
)

func values[V any](f *wordlist.File, list string, parse func(string) V) map[string]V {
	m := map[string]V{}
	for _, v := range f.Values(list) {
		for _, w := range v.Words {
			m[w] = parse(v.Value)
		}
	}
	return m
}
