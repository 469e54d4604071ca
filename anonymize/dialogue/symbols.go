package dialogue

import (
	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/state"
)

const (
	// maxLone is how many digits or letters a turn has at most that gives them one at a time.
	maxLone = 2
	// minListed is from how many digits or letters on a list with "and" in between is one value
	// that nobody asked for.
	minListed = 6
)

// symbols are the digits and letters that a part of a text says: where it stands, and how many
// there are.
type symbols struct{ start, end, n int }

// loneSymbols returns the digits or letters that are all a turn says, beside fillers and words
// before an answer, if they are so few that no detector can know them: "um, four".
func loneSymbols(d *detectors.Document) (s symbols, ok bool) {
	if len(d.Runs) == 0 {
		return loneLetter(d)
	}
	i, j := answerWithin(d)
	if r := &d.Runs[0]; len(d.Runs) == 1 && isLone(r) && i >= r.First && j-1 <= r.Last {
		return symbols{r.Start, r.End, r.Len()}, true
	}
	return symbols{}, false
}

// loneLetter returns the letter that is all a turn says, beside fillers. "I" is in no run: it is a
// word, unless a letter is asked for.
func loneLetter(d *detectors.Document) (s symbols, ok bool) {
	for i := range d.Tokens {
		switch t := &d.Tokens[i]; {
		case t.Class == detectors.Punct, t.Is(detectors.Filler):
		case t.Class != detectors.Letter || ok:
			return symbols{}, false
		default:
			s, ok = symbols{int(t.Start), int(t.End), 1}, true
		}
	}
	return s, ok
}

// isLone reports whether a run is so short that it alone looks like anything.
func isLone(r *detectors.Run) bool {
	return r.Len() > 0 && r.Len() <= maxLone && !r.Scaled && !r.Claimed
}

// begins reports whether a turn that answers a question gives only a digit or a letter, of which
// others may follow one at a time. A name that is given so is spelled.
func begins(d *detectors.Document, q *state.Question) bool {
	if _, lone := loneSymbols(d); lone {
		q.Spell = q.Spell || mention.Kind(detectors.InfoType(q.Type)) == detectors.KindName
		return true
	}
	return asksForSymbols(q) && len(d.Runs) > 0 && d.Runs[len(d.Runs)-1].Closes && isLone(&d.Runs[len(d.Runs)-1])
}

// FindSymbols adds the digits and letters that a turn gives one at a time. It comes after all
// detectors, since alone they look like anything: the digit or letter that is all a turn says while
// a code or a spelling is asked for, and lists, "4 and 5 and 3 and 9". A list that nobody asked for
// must be long, and not count.
func FindSymbols(d *detectors.Document, c *state.Call, turn Turn) {
	if asked := symbolsAsked(c, turn); asked != "" {
		if s, ok := loneSymbols(d); ok {
			addSymbols(d, s, asked, detectors.ByExpectation)
		}
		eachList(d, func(s symbols, _, _ int) { addSymbols(d, s, asked, detectors.ByExpectation) })
		return
	}
	eachList(d, func(s symbols, first, last int) {
		if s.n >= minListed && !isCounting(d, first, last) {
			addSymbols(d, s, detectors.Numeric, 0)
		}
	})
}

// symbolsAsked returns the infoType for which a turn is asked to give digits or letters, "" for
// none.
func symbolsAsked(c *state.Call, turn Turn) detectors.InfoType {
	for i := range c.Questions() {
		if q := &c.Questions()[i]; asksForSymbols(q) && strength(c, turn, q) > 0 {
			return detectors.InfoType(q.Type)
		}
	}
	return ""
}

// isCounting reports whether each of the runs first to last is one more than the one before.
func isCounting(d *detectors.Document, first, last int) bool {
	for k := first; k < last; k++ {
		a, b := mention.RunCode(d, &d.Runs[k]), mention.RunCode(d, &d.Runs[k+1])
		if len(a) != 1 || len(b) != 1 || b[0] != a[0]+1 {
			return false
		}
	}
	return true
}

func addSymbols(d *detectors.Document, s symbols, t detectors.InfoType, e detectors.Evidence) {
	d.Add(detectors.Finding{
		Start: s.start, End: s.end, Type: t, Likelihood: detectors.VeryLikely,
		Score: detectors.ScoreOf(detectors.VeryLikely), Detector: "question", Evidence: e,
	})
}

// eachList calls f for each part of a text that says two or more short runs with "and" between
// them, with the first and the last of these runs.
func eachList(d *detectors.Document, f func(s symbols, first, last int)) {
	for k := 0; k < len(d.Runs); {
		s, last := symbols{d.Runs[k].Start, d.Runs[k].End, d.Runs[k].Len()}, k
		for isLone(&d.Runs[last]) && last+1 < len(d.Runs) && isLone(&d.Runs[last+1]) && isListed(d, last) {
			last++
			s.end, s.n = d.Runs[last].End, s.n+d.Runs[last].Len()
		}
		if last > k {
			f(s, k, last)
		}
		k = last + 1
	}
}

// isListed reports whether run k and the next one are parts of a list: "and" stands between them,
// perhaps with fillers and marks.
func isListed(d *detectors.Document, k int) (and bool) {
	for i := d.Runs[k].Last + 1; i < d.Runs[k+1].First; i++ {
		switch t := &d.Tokens[i]; {
		case beforeContinuation.Has(t.Hash):
			and = true
		case t.Class != detectors.Punct && !t.Is(detectors.Filler):
			return false
		}
	}
	return and
}

func asksForSymbols(q *state.Question) bool {
	switch t := detectors.InfoType(q.Type); t {
	case detectors.Age, detectors.Date, detectors.Time:
		return false
	default:
		return q.Spell || mention.Kind(t) == detectors.KindCode
	}
}
