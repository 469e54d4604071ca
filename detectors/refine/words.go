package refine

import (
	_ "embed"

	"sotto/detectors/wordlist"
)

//go:embed words.txt
var wordsText string

var (
	lists = wordlist.MustParse(wordsText)

	determiners = lists.Set("determiners")
)
