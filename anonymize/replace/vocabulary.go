package replace

import (
	_ "embed"

	"sotto/detectors"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
)

//go:embed words.txt
var wordsText string

var (
	wordLists = wordlist.MustParse(ruledata.Text("replace/words.txt", wordsText))

	spellingAlphabet = wordLists.Words("spelling alphabet")
	courtesy         = set("courtesy")
	addressWords     = set("address words")
	timeWords        = set("time words")
	months           = detectors.Months()
	weekdays         = detectors.Weekdays()
	dayParts         = wordLists.Words("parts of the day")
	nearDays         = wordLists.Words("near days")
	centuries        = wordLists.Words("centuries")
	hostWords        = wordLists.Words("hosts")
	areaCodes        = wordLists.Words("area codes")

	// sayings are words that say characters.
	sayings = makeSayings()

	units = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	teens = []string{"ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"}
	tens  = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
)

// Words that may stand before a name.
var titles, titlesOfSex = func() (all, ofSex map[string]bool) {
	a, s := detectors.Titles()
	return setOf(a), setOf(s)
}()

func set(list string) map[string]bool { return setOf(wordLists.Words(list)) }

func setOf(words []string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		m[w] = true
	}
	return m
}

func makeSayings() map[string]atom {
	m := map[string]atom{}
	add := func(words []string, a atom) {
		for _, w := range words {
			m[w] = a
		}
	}
	add(wordLists.Words("digits"), atom{style: said, class: digit, n: 1})
	add(wordLists.Words("homophones"), atom{style: pending, class: digit, n: 1})
	add(teens, atom{style: said, class: digit, n: 2})
	add(tens[2:], atom{style: said, class: digit, n: 2})
	add(spellingAlphabet, atom{style: coded, class: letter, n: 1})
	add(wordLists.Words("spelling variants"), atom{style: coded, class: letter, n: 1})
	m["hundred"] = atom{style: joined, class: digit, n: 2}
	m["thousand"] = atom{style: joined, class: digit, n: 3}
	m["double"] = atom{style: many, n: 2}
	m["triple"] = atom{style: many, n: 3}
	return m
}

var ordinals = []string{"", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
	"twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth", "twenty first",
	"twenty second", "twenty third", "twenty fourth", "twenty fifth", "twenty sixth", "twenty seventh", "twenty eighth"}

// ordinalSuffix is what follows the digits of an ordinal.
func ordinalSuffix(n int) string {
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}
