package spoken

import (
	_ "embed"

	d "sotto/detectors"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
)

//go:embed words.txt
var wordText string

// The word lists of the grammar, which the comments in words.txt explain.
var (
	lists = wordlist.MustParse(ruledata.Text("detectors/spoken/words.txt", wordText))

	units          = lists.Set("units")
	counted        = lists.Set("counted")
	letterCase     = lists.Set("letter case")
	forWords       = lists.Set("for")
	everydaySounds = lists.Set("everyday sounds")
	everyday       = lists.Set("everyday")
	foreignAnd     = lists.Set("foreign and")
	takesBack      = lists.Set("takes back")
	orderWords     = lists.Set("order")
	joiningWords   = lists.Set("joining")
	spelledWords   = lists.Set("spelled")
	asInWords      = d.PhrasesOf[uint8](lists, "as in")
)
