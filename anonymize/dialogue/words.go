package dialogue

import (
	_ "embed"

	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
)

//go:embed words.txt
var wordsText string

var (
	lists = wordlist.MustParse(ruledata.Text("anonymize/dialogue/words.txt", wordsText))

	beforeAnswer       = lists.Set("before an answer")
	afterAnswer        = lists.Set("after an answer")
	beforeContinuation = lists.Set("before a continuation")
)
