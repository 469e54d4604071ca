package cue

import (
	"sort"

	"sotto/detectors"
)

// somebodysName adds the name at token k after a phrase that begins at token i:
// "under the name of". The name of a place or a thing is not a person's.
func (d text) somebodysName(i, k int) {
	if d.WordIs(i, "name") {
		switch {
		case d.WordIn(i-1, namedPlaces):
			d.placeByName(k)
			return
		case d.WordIn(i-1, namedThings):
			return
		}
	}
	d.certainName(k, -8, 0)
}

// certainName adds the name at token k after a phrase that leaves little doubt; least
// is the score that its first word must have.
func (d text) certainName(k, least int, hint detectors.Hint) {
	if end := d.spelledName(k, hint); end > k {
		if hint == detectors.HintSelf {
			d.affiliation(end)
		}
		return
	}
	end := d.nameAt(k, least)
	if end == k {
		return
	}
	switch {
	case hint&(detectors.HintGiven|detectors.HintSurname) != 0 && d.isTitle(k):
		return
	case hint == detectors.HintGiven:
		end = k + 1 // "first name Ann last name Lee"
	case hint != detectors.HintSurname && end == k+1 && d.lastSurname(end):
		end++
	}
	d.person(k, end, detectors.VeryLikely, hint)
	if hint == detectors.HintSelf {
		d.affiliation(end)
	}
}

// possibleName adds the name at token k, if its first word has at least the
// given score.
func (d text) possibleName(k, least int, hint detectors.Hint) {
	if end := d.nameAt(k, least); end > k {
		d.person(k, end, detectors.Likely, hint)
	}
}

// possibleOwnName adds the speaker's name at token k after a phrase, at token i, that may
// introduce anything.
func (d text) possibleOwnName(i, k int) {
	if end := d.spelledName(k, detectors.HintSelf); end > k {
		d.affiliation(end)
		d.orgBefore(i)
		return
	}
	end := d.nameAt(k, -8)
	if end == k {
		// "I'm with ..." and "this is ... from" are phrases of their own.
		return
	}
	score := d.nameScore(k)
	if score == notName {
		score = 4 // a title
	}
	if score < 2 && !(d.endsName(end) && score >= -8) {
		return
	}
	if end == k+1 && d.lastSurname(end) && score >= 3 {
		end++
	}
	d.person(k, end, detectors.Likely, detectors.HintSelf)
	d.affiliation(end)
	d.orgBefore(i)
}

// ownNameBefore adds the speaker's name at token k if a word that goes with a
// name stands behind it: "it's Pam calling".
func (d text) ownNameBefore(k int) {
	if end := d.nameAt(k, 1); end > k && (d.endsName(end) || d.nameScore(k) >= 6) {
		d.person(k, end, detectors.Likely, detectors.HintSelf)
		d.affiliation(end)
	}
}

// nameOfRelative adds the name at token k after "my wife" and the like.
func (d text) nameOfRelative(k int) {
	least := -2
	if d.entry(k).Given() >= 4 && (d.ends(k+1) || d.isNumber(k+1)) {
		least = -6 // "my son art thirteen years old"
	}
	d.possibleName(k, least, detectors.HintOther)
}

// spelledName adds a name that is spelled letter by letter at token k and returns
// its end, k when there is none.
func (d text) spelledName(k int, hint detectors.Hint) int {
	n := sort.Search(len(d.Runs), func(i int) bool { return d.Runs[i].First >= k })
	if n == len(d.Runs) {
		return k
	}
	r := &d.Runs[n]
	if r.First != k || r.Digits > 0 || r.Letters < 3 || r.Connectors > r.Letters {
		return k
	}
	d.Add(detectors.Finding{
		Start: r.Start, End: r.End, Type: detectors.PersonName, Detector: "cue", Likelihood: detectors.VeryLikely,
		Score: detectors.ScoreOf(detectors.VeryLikely), Evidence: detectors.ByCue | detectors.BySpeech, Hint: hint,
		Value: string(detectors.AppendCode(nil, d.Symbols(r))),
	})
	return r.Last + 1
}

// givenNameBefore adds the first name that is said before "last name" at token i:
// "Mark. Last name Tucker."
func (d text) givenNameBefore(i int) {
	j := i
	for j > 0 && d.Tokens[j-1].Class == detectors.Punct {
		j--
	}
	if j == 0 || j < i-1 || !d.Tokens[j-1].Class.IsWord() {
		return
	}
	least := 3
	if j < i && (j == 1 || d.begins(j-1) || d.Tokens[j-2].Is(detectors.Copula|detectors.Backchannel)) {
		least = -4
	}
	if d.firstName(j-1, least) {
		d.person(j-1, j, detectors.Likely, detectors.HintSelf|detectors.HintGiven)
	}
}

// nameByTitle adds the name after the title at token i.
func (d text) nameByTitle(i int) {
	if !d.isTitle(i) {
		return
	}
	if end := d.nameAt(i, -8); end > i {
		hint := detectors.Hint(0)
		if d.wordsIn(i, end) == 2 {
			hint = detectors.HintSurname
		}
		d.person(i, end, detectors.VeryLikely, hint)
	}
}

func (d text) wordsIn(i, j int) int {
	n := 0
	for ; i < j; i++ {
		if d.Tokens[i].Class.IsWord() {
			n++
		}
	}
	return n
}
