package cue

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/wordlist"
)

// text is a document with what the case of its letters is worth.
type text struct {
	*detectors.Document
	// cased says that capital letters mark names: some word has one and not
	// most of them do.
	cased bool
	// clues are those of all words.
	clues clue
}

// read looks the words of a document up.
func read(d *detectors.Document) text {
	lexicon.Read(d)
	caps, words := 0, 0
	var c clue
	for i := range d.Tokens {
		t := &d.Tokens[i]
		caps += int(capitalClasses >> t.Class & 1)
		words += int(wordClasses >> t.Class & 1)
		if t.Hash != 0 {
			c |= clueOf(t) | lexiconClues(t)
		}
	}
	return text{d, caps > 0 && (words < 5 || caps*10 < words*9), c}
}

// The classes of words, as sets, by whose number it is decided whether capital letters mark names.
const (
	capitalClasses = 1<<detectors.Cap | 1<<detectors.Mixed | 1<<detectors.Upper
	wordClasses    = capitalClasses | 1<<detectors.Lower
)

// entry returns the lexicon's entry of token i.
func (d text) entry(i int) lexicon.Entry {
	t := &d.Tokens[i]
	if !t.Class.IsWord() {
		return 0
	}
	return lexicon.Word(t.Lexicon).Entry()
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
	switch t.Ch {
	case '.':
		return !d.abbreviated(i - 1)
	case '!', '?', ':', '"', '-', '>':
		return true
	}
	return false
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

// ends reports whether the sentence is over at token i.
func (d text) ends(i int) bool {
	if i >= len(d.Tokens) {
		return true
	}
	t := &d.Tokens[i]
	if t.Class == detectors.Other {
		return true
	}
	if t.Class != detectors.Punct {
		return false
	}
	switch t.Ch {
	case '!', '?', ',', ';', ':', ')':
		return true
	case '.':
		return !d.abbreviated(i) && (i+1 == len(d.Tokens) || !d.Tokens[i+1].Glued() || !d.Tokens[i+1].Class.IsWord())
	case '-':
		return !t.Glued()
	}
	return false
}

// isComma reports whether token i is a comma.
func (d text) isComma(i int) bool { return i < len(d.Tokens) && d.Tokens[i].Ch == ',' }

// midCapital reports whether token i has a mid-sentence capital: a capital
// letter that its place in the sentence does not explain.
func (d text) midCapital(i int) bool {
	return d.cased && d.Tokens[i].UpperCase() && !d.begins(i)
}

// midCapitalAfter reports whether the token after j is a word with a
// mid-sentence capital.
func (d text) midCapitalAfter(j int) bool {
	return j+1 < len(d.Tokens) && d.Tokens[j+1].Class != detectors.Letter && d.midCapital(j+1)
}

// inDate reports whether the month of token i is part of a date.
func (d text) inDate(i int) bool {
	if i+1 < len(d.Tokens) {
		if next := &d.Tokens[i+1]; next.Class == detectors.Digits || next.Is(detectors.Ordinal|detectors.NumWord|detectors.Teen|detectors.Tens) {
			return true
		}
	}
	if i == 0 {
		return false
	}
	return d.LeadsToMonth(i-1, true) || d.Tokens[i-1].Class == detectors.Digits || d.Tokens[i-1].Is(detectors.Ordinal)
}

// isNumber reports whether token i is a number or a word for one.
func (d text) isNumber(i int) bool {
	t := &d.Tokens[i]
	return t.Class == detectors.Digits || t.Is(detectors.NumWord|detectors.Teen|detectors.Tens)
}

// inCode reports whether the word of token i stands for a letter in a code: "E
// as in echo, 5 5 1 2".
func (d text) inCode(i int) bool {
	r := d.RunAt(i)
	return r >= 0 && d.Runs[r].Digits > 0 && d.Runs[r].Len() > 2
}

// offersHelp reports whether an offer to help begins with this word at token i
// or after a comma there: "how may I help you".
func (d text) offersHelp(i int, word string) bool {
	if d.isComma(i) {
		i++
	}
	return d.WordIs(i, word) && i+1 < len(d.Tokens) && d.Tokens[i+1].Is(detectors.Function)
}

// plain reports whether the token's word alone carries no sign of a name: grammar,
// numbers, days, and words on the list of everyday ones.
func plain(t *detectors.Token) bool {
	return t.Is(detectors.Function|detectors.Backchannel|detectors.Filler|detectors.Weekday|detectors.Clock|detectors.Correct|
		detectors.NumWord|detectors.Teen|detectors.Tens|detectors.Scale|detectors.Currency|detectors.Title) ||
		t.Class == detectors.Clitic
}

// speaksOf reports whether the text has a word of a set.
func (d text) speaksOf(words wordlist.Set) bool {
	for i := range d.Tokens {
		if words.Has(d.Tokens[i].Hash) {
			return true
		}
	}
	return false
}
