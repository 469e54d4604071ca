package ner

import (
	"sotto/detectors"
	"sotto/detectors/ids"
	"sotto/detectors/ner/sequence"
)

// How many dates are dates of birth, by what surrounds them: the shares of the labelled dates in
// training/corpora/calls/train (10,600, November 2026). Of dates without any of these, 4 % are.
const (
	birthAsked  = 0.9  // the turn before asks for one
	birthBeside = 0.88 // the turn has another one
	birthBefore = 0.75 // the last turns had one
	birthNamed  = 0.62 // a word of the turn speaks of birth
	ageBeside   = 0.38 // the turn has an age
	ageBefore   = 0.14 // the last turns had one
)

// sureQuantity is the probability from which a word is taken for a part of a date, a time or an amount.
const sureQuantity = 0.5

var noDates = lists.Set("no dates")

// addDates adds the dates that are not found yet. A date is one of birth if what surrounds it makes that
// likely enough for the operating point.
func (t *Tagger) addDates(d *detectors.Document, c *sequence.Context) {
	birth := t.birthLikely(d, c) >= t.thresholds.Date
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Type == detectors.Date && (birth || t.isPlainlyBirth(d, f)) {
			f.Type = detectors.DateOfBirth
		}
	}
	for i := 0; i < t.Len(); i++ {
		p := t.chain.Marginals[i][sequence.Quantity]
		if t.allowed[i] == outsideOnly || p < sureQuantity {
			continue
		}
		first := i
		for i+1 < t.Len() && t.allowed[i+1] != outsideOnly && t.chain.Marginals[i+1][sequence.Quantity] >= sureQuantity && !t.reader.Elements[i+1].Begins {
			i++
		}
		f := detectors.Finding{
			Start: t.start(d, first), End: int(d.Tokens[t.reader.Elements[i].Token].End), Type: detectors.Date,
			Likelihood: detectors.LikelihoodOf(p), Score: p, Detector: "model", Evidence: detectors.ByModel, Origin: detectors.FromTagger,
		}
		if birth {
			f.Type = detectors.DateOfBirth
		}
		if isDate(d, &f) && !overlaps(d.Findings, &f) {
			d.Add(f)
		}
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Type == detectors.DateOfBirth {
			widenDate(d, f)
		}
	}
}

// isPlainlyBirth reports whether a date with its year answers a question for one of birth, or stands right behind a word such as "born".
func (t *Tagger) isPlainlyBirth(d *detectors.Document, f *detectors.Finding) bool {
	const beside = 8 // characters
	return hasYear(d, f) && (t.birthAsked || d.HotBefore(detectors.HotBirth, d.TokenAt(f.Start), beside))
}

// widenDate adds the article and the possessive to a date of birth, which are part of it in the labels: "the ninth",
// "New Year's".
func widenDate(d *detectors.Document, f *detectors.Finding) {
	if before := d.TokenAt(f.Start) - 1; d.WordIs(before, "the") {
		f.Start = int(d.Tokens[before].Start)
	}
	if after := d.TokenAt(f.End); after < len(d.Tokens) && d.Tokens[after].Class == detectors.Clitic {
		f.End = int(d.Tokens[after].End)
	}
}

// birthLikely returns how likely a date of the turn is one of birth, by the highest of the shares above
// that applies.
func (t *Tagger) birthLikely(d *detectors.Document, c *sequence.Context) (p float32) {
	before := func(k sequence.Kind) bool { return c.Other.Has(k) || c.Own == k }
	beside := func(k sequence.Kind) bool {
		for i := range d.Findings {
			if sequence.KindOfType(d.Findings[i].Type) == k {
				return true
			}
		}
		return false
	}
	switch {
	case (c.Asked | c.Pending).Level(sequence.Birth) > 0:
		return birthAsked
	case beside(sequence.Birth):
		return birthBeside
	case before(sequence.Birth):
		return birthBefore
	case d.HasHotword(detectors.HotBirth):
		return birthNamed
	case beside(sequence.Age):
		return ageBeside
	case before(sequence.Age):
		return ageBefore
	}
	return 0
}

// monthAlone is the probability from which a month is taken for a date of birth where nothing around it speaks of birth
// or age. It lets the months of ordinary talk stay; the calls of dev lose 0.02 points of characters by it at most.
const monthAlone = 0.3

// isMonthAlone reports whether a date of birth is a month alone where nothing speaks of birth or age: "you pay in May".
func (t *Tagger) isMonthAlone(d *detectors.Document, c *sequence.Context, s *Span) bool {
	return s.Kind == sequence.Birth && s.First == s.Last && s.P < monthAlone &&
		d.Tokens[t.reader.Elements[s.First].Token].Is(detectors.Month) && t.birthLikely(d, c) == 0
}

// isDate reports whether a quantity is a date: it has a month, a weekday, an ordinal or a year, or it is
// called by a name, as a holiday is. Others are times of day and amounts.
func isDate(d *detectors.Document, f *detectors.Finding) bool {
	number, name := false, false
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		x := &d.Tokens[i]
		switch {
		case d.WordIn(i, noDates), x.Ch == ':', x.Ch == '$':
			return false
		case x.Is(detectors.Month | detectors.Weekday | detectors.Ordinal), x.Class == detectors.Digits && isYear(d.Word(i)):
			return true
		case x.Is(detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Scale | detectors.Homophone), x.Class == detectors.Digits:
			number = true
		case x.Class.IsWord() && !x.Is(detectors.Function):
			name = true
		}
	}
	return name && !number
}

// hasYear reports whether a date has its year in digits.
func hasYear(d *detectors.Document, f *detectors.Finding) bool {
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		if d.Tokens[i].Class == detectors.Digits && isYear(d.Word(i)) {
			return true
		}
	}
	return false
}

// isYear reports whether digits may be a year that people talk about.
func isYear(digits []byte) bool {
	y := ids.Number(digits)
	return len(digits) == 4 && y >= 1900 && y < 2050
}

func overlaps(findings []detectors.Finding, f *detectors.Finding) bool {
	for i := range findings {
		if findings[i].Start < f.End && f.Start < findings[i].End {
			return true
		}
	}
	return false
}
