package spoken

import (
	_ "embed"

	d "sotto/detectors"
	"sotto/detectors/wordlist"
)

//go:embed words.txt
var wordText string

// The word lists of the grammar, which the comments in words.txt explain.
var (
	lists = wordlist.MustParse(wordText)

	units      = lists.Set("units")
	counted    = lists.Set("counted")
	letterCase = lists.Set("letter case")
	forWords   = lists.Set("for")
	takesBack  = lists.Set("takes back")
	asInWords  = d.PhrasesOf[uint8](lists, "as in")
)
