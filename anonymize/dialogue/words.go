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

	beforeAnswer = lists.Set("before an answer")

	surnameWords = lists.Set("speak of a surname")
	surnameKinds = lists.Set("kinds of surnames")
	beingWords   = lists.Set("say what somebody is")

	wordName = wordhash.String("name")
)
