package dialogue

import (
	_ "embed"

	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
	"sotto/internal/wordhash"
)

//go:embed words.txt
var wordsText string

var (
	lists = wordlist.MustParse(ruledata.Text("anonymize/dialogue/words.txt", wordsText))

	beforeAnswer       = lists.Set("before an answer")
	afterAnswer        = lists.Set("after an answer")
	notInAnswer        = lists.Set("not in an answer")
	afterName          = lists.Set("after a name")
	beforeContinuation = lists.Set("before a continuation")

	surnameWords = lists.Set("speak of a surname")
	surnameKinds = lists.Set("kinds of surnames")
	beingWords   = lists.Set("say what somebody is")

	wordName = wordhash.String("name")
)
