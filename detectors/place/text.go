package place

import (
	_ "embed"
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
)

//go:embed words.txt
var wordText string

var (
	lists         = wordlist.MustParse(ruledata.Text("detectors/place/words.txt", wordText))
	beforePlace   = lists.Set("before a place")
	placesThatAre = lists.Set("places that are something")
	beforeOfPlace = lists.Set("before of a place")
	afterPlace    = lists.Set("after a place")
	neverPlaces   = lists.Set("no places")
	abbreviations = lists.Set("abbreviations")
)

// text is a document with what the case of its letters is worth.
type text struct {
	*detectors.Document
	// cased says that capital letters mark names: some word has one and not most of them do.
	cased bool
}

func read(d *detectors.Document) text {
	lexicon.Read(d)
	caps, words := 0, 0
	for i := range d.Tokens {
		class := d.Tokens[i].Class
		caps += int(capitalClasses >> class & 1)
		words += int(wordClasses >> class & 1)
	}
	return text{d, caps > 0 && (words < 5 || caps*10 < words*9)}
}

// The classes of words, as sets, by whose number it is decided whether capital letters mark names.
const (
	capitalClasses = 1<<detectors.Cap | 1<<detectors.Mixed | 1<<detectors.Upper
	wordClasses    = capitalClasses | 1<<detectors.Lower
)

func (d text) entry(i int) lexicon.Entry {
	return lexicon.Word(d.Tokens[i].Lexicon).Entry()
}

// begins reports whether token i begins a sentence.
func (d text) begins(i int) bool {
	if i == 0 {
		return true
	}
	t := &d.Tokens[i-1]
	if t.Class != detectors.Punct {
		return false
	}
	if t.Ch == '.' {
		return !d.abbreviated(i - 1)
	}
	return strings.IndexByte(`!?:"->`, t.Ch) >= 0
}

// abbreviated reports whether the dot at token i belongs to the word before it.
func (d text) abbreviated(i int) bool {
	if i == 0 || !d.Tokens[i].Glued() || i+1 >= len(d.Tokens) {
		return false
	}
	if next := &d.Tokens[i+1]; plain(next) && next.Class != detectors.Clitic {
		return false
	}
	before := &d.Tokens[i-1]
	return before.Class == detectors.Letter && before.UpperCase() || abbreviations.Has(before.Hash)
}

// midCapital reports whether token i has a mid-sentence capital: a capital
// letter that its place in the sentence does not explain.
func (d text) midCapital(i int) bool {
	return d.cased && d.Tokens[i].UpperCase() && !d.begins(i)
}

// inDate reports whether the month of token i is part of a date.
func (d text) inDate(i int) bool {
	if i+1 < len(d.Tokens) {
		if next := &d.Tokens[i+1]; next.Class == detectors.Digits || next.Is(detectors.Ordinal|detectors.NumWord|detectors.Teen|detectors.Tens) {
			return true
		}
	}
	return i > 0 && (d.LeadsToMonth(i-1, true) ||
		d.Tokens[i-1].Class == detectors.Digits || d.Tokens[i-1].Is(detectors.Ordinal))
}

// inCode reports whether the word of token i stands for a letter in a code: "E
// as in echo, 5 5 1 2".
func (d text) inCode(i int) bool {
	r := d.RunAt(i)
	return r >= 0 && d.Runs[r].Digits > 0 && d.Runs[r].Len() > 2
}

// plain reports whether the token's word alone carries no sign of a name: grammar,
// numbers, days, and words on the list of everyday ones.
func plain(t *detectors.Token) bool {
	return t.Is(detectors.Function|detectors.Backchannel|detectors.Filler|detectors.Weekday|detectors.Clock|detectors.Correct|
		detectors.NumWord|detectors.Teen|detectors.Tens|detectors.Scale|detectors.Currency|detectors.Title) ||
		t.Class == detectors.Clitic
}
