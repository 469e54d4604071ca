package dialogue

import (
	_ "embed"

	"sotto/detectors/wordlist"
	"sotto/internal/wordhash"
)

//go:embed words.txt
var wordsText string

var (
	lists = wordlist.MustParse(wordsText)

	beforeAnswer       = lists.Set("before an answer")
	afterAnswer        = lists.Set("after an answer")
	notInAnswer        = lists.Set("not in an answer")
	afterName          = lists.Set("after a name")
	beforeContinuation = lists.Set("before a continuation")

	wordDot  = wordhash.String("dot")
	wordName = wordhash.String("name")
	wordOh   = wordhash.String("oh")
)
