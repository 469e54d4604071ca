package cue

import (
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// maxShort is how many words a turn may have to be an answer that is all name.
const maxShort = 3

// bare adds names that no phrase introduces: words that are hardly ever
// anything else, and turns that are all name.
func (d text) bare() {
	for i := 0; i < len(d.Tokens); i++ {
		t := &d.Tokens[i]
		if !t.Class.IsWord() || t.Class == detectors.Letter || t.Class == detectors.Upper && d.cased {
			continue
		}
		e := d.entry(i)
		if e.Given() < 3 || d.place(i) {
			continue
		}
		s := d.likeness(i)
		least := 9
		switch {
		case d.raised(i):
			least = 8
			if d.raisedNext(i) && d.surnamed(i+1) {
				least = -2
			} else if d.lonely(i) {
				least = 4
			}
		case d.cased && d.begins(i) && d.raisedNext(i) && d.surnamed(i+1):
			least = -2
		case d.ends(i + 1):
			least = 7
		case !d.cased && i == 0:
			least = 6
		}
		if s < least {
			continue
		}
		if end := d.nameAt(i, least); end > i {
			d.addBare(i, end, detectors.Possible)
			i = end - 1
		}
	}
	d.short()
}

// lonely tells whether the capital word of token i stands between lower-case
// ones, so that it belongs to no longer title, and where a person may stand.
func (d text) lonely(i int) bool {
	if i == 0 || d.Tokens[i-1].Class != detectors.Lower || i+1 < len(d.Tokens) && d.Tokens[i+1].Class.IsWord() && d.Tokens[i+1].Class != detectors.Lower && d.Tokens[i+1].Class != detectors.Clitic {
		return false
	}
	switch string(d.Word(i - 1)) {
	case "the", "a", "an", "my", "your", "our", "his", "her", "their", "its", "this", "of", "in", "on", "at", "by", "to", "every", "next", "last", "until", "since":
		return false
	}
	return true
}

// surnamed tells whether token i looks like a last name.
func (d text) surnamed(i int) bool {
	e := d.entry(i)
	return d.Tokens[i].Class.IsWord() && !plain(&d.Tokens[i]) && (e.Surname() >= 3 || e.Common() == 0)
}

// place tells whether the words before token i make it a place, as far as it
// can be one.
func (d text) place(i int) bool {
	if i == 0 {
		return false
	}
	n, p := lexicon.PlaceAt(d.Document, i)
	if from, to := d.stateAfter(i + n); n > 0 && from < to {
		return true // "in Alexandria Virginia"
	}
	if n == 0 || n == 1 && d.raisedNext(i) && p&lexicon.State == 0 && d.surnamed(i+1) {
		return false
	}
	switch string(d.Word(i - 1)) {
	case "in", "to", "at", "near", "of", "the", "from", "a", "an", "via", "visit", "visiting", "around":
		return true
	}
	return false
}

// short adds a turn of at most three words that is nothing but a name.
func (d text) short() {
	words, names, first, last := 0, 0, -1, 0
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			if t.Ch == ',' && words > 0 {
				return
			}
			continue
		}
		if words++; words > maxShort || !t.Class.IsWord() || t.Class == detectors.Letter {
			return
		}
		if s := d.likeness(i); s < -3 || !d.nameWord(i) || plain(t) {
			return
		} else if s >= 3 && d.entry(i).Name() > 0 {
			names++
		}
		if first < 0 {
			first = i
		}
		last = i + 1
	}
	if words == 0 || names == 0 && (words > 1 || !d.unheard(first)) {
		return
	}
	d.addBare(first, last, detectors.Possible)
}

// unheard tells whether the word of token i, which is all of a turn, is no
// word of English and not one that was typed wrong in the usual ways.
func (d text) unheard(i int) bool {
	t := &d.Tokens[i]
	if t.Class == detectors.Upper || t.Len() < 5 || t.Bits != 0 || d.entry(i) != 0 {
		return false
	}
	w := string(d.Word(i))
	for _, p := range [...]string{"ok", "thank", "thx", "tha", "yes", "yea", "yup", "no", "bye", "good", "hi", "hel", "sure", "plea", "pls", "hmm", "um", "great", "fine", "haha", "sorry"} {
		if strings.HasPrefix(w, p) {
			return false
		}
	}
	return !strings.HasSuffix(w, "ing") && !strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "ly")
}

func (d text) addBare(i, j int, l detectors.Likelihood) {
	d.Add(detectors.Finding{
		Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: detectors.PersonName, Likelihood: l,
		Score: detectors.ScoreOf(l), Detector: "names", Evidence: detectors.ByDictionary,
	})
}
