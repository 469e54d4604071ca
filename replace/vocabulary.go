package replace

import "strings"

var (
	units = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	teens = []string{"ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"}
	tens  = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

	spellingAlphabet = strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa " +
		"quebec romeo sierra tango uniform victor whiskey xray yankee zulu")

	// sayings are words that say characters.
	sayings = makeSayings()

	// courtesy are words that belong to the way of saying a value and tell
	// nothing of it.
	courtesy = set("dash hyphen dot point period at underscore slash backslash space plus and then uh um er hm area code extension ext " +
		"number star pound hash colon comma capital lowercase uppercase upper lower case the is it's its ending ends in with letter letters " +
		"digit digits sign symbol million billion percent dollars all one word for like as to from of or my no www http https")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

func makeSayings() map[string]atom {
	m := map[string]atom{}
	for style, list := range map[style]string{
		said:    "zero nought one two three four five six seven eight nine niner fife",
		pending: "oh for to too ate won tree",
	} {
		for w := range strings.FieldsSeq(list) {
			m[w] = atom{style: style, class: digit, n: 1}
		}
	}
	for _, w := range teens {
		m[w] = atom{style: said, class: digit, n: 2}
	}
	for _, w := range tens[2:] {
		m[w] = atom{style: said, class: digit, n: 2}
	}
	m["hundred"] = atom{style: joined, class: digit, n: 2}
	m["thousand"] = atom{style: joined, class: digit, n: 3}
	m["double"] = atom{style: many, n: 2}
	m["triple"] = atom{style: many, n: 3}
	for _, w := range append(spellingAlphabet, "alfa", "juliett", "whisky") {
		m[w] = atom{style: coded, class: letter, n: 1}
	}
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
