package anonymize

import (
	"slices"
	"strings"
	"unicode"

	"sotto/detectors"
	"sotto/detectors/lookalike"
	"sotto/detectors/ner"
)

// withoutTags drops what lies within a tag that the raw text has, because somebody else has masked it: the number of
// [PERSON_NAME_1] is nobody's. The tag is escaped later. What the user's own rules find stays masked.
func withoutTags(d *detectors.Document, found []detectors.Finding) []detectors.Finding {
	if len(found) == 0 {
		return found
	}
	var buf [8]lookalike.Match
	tags := lookalike.AppendMatches(buf[:0], d.Text)
	return slices.DeleteFunc(found, func(f detectors.Finding) bool {
		for len(tags) > 1 && tags[1].Inside <= f.Start {
			tags = tags[1:]
		}
		if len(tags) == 0 || f.Start < tags[0].Inside || f.Evidence&detectors.ByUser != 0 {
			return false
		}
		name := tags[0].Inside + tags[0].Marks
		length := strings.IndexByte(d.Text[name:], ']')
		return length >= 0 && f.End <= name+length && isNameOfTag(d.Text[name:name+length])
	})
}

// isNameOfTag reports whether what stands between brackets is an infoType with the number of an entity, or without
// one. More than two digits may be the end of a value, and those behind AGE or NUMERIC the value.
func isNameOfTag(name string) bool {
	i := strings.LastIndexByte(name, '_')
	if number := name[i+1:]; i > 0 && number != "" && len(number) <= 2 && number[0] != '0' && strings.Trim(number, "0123456789") == "" {
		name = name[:i]
	}
	t := detectors.InfoType(name)
	return t.Row() != nil && t != detectors.Age && t != detectors.Numeric
}

// joinSpelled makes one finding of the letters of a name that is spelled, where the tagger finds each letter as a
// name of its own: "K as in kite, E, double T" is one person.
func joinSpelled(d *detectors.Document) {
	for i := range d.Findings {
		run := &d.Findings[i]
		if run.Type != detectors.PersonName && run.Type != detectors.SpelledWord || run.Evidence&detectors.ByModel != 0 ||
			!slices.ContainsFunc(d.Runs, func(r detectors.Run) bool { return r.Start == run.Start && r.End == run.End }) {
			continue
		}
		n, likely := 0, run.Likelihood
		for k := range d.Findings {
			f := &d.Findings[k]
			if f.Evidence == detectors.ByModel && f.Type == detectors.PersonName && run.Start <= f.Start && f.End <= run.End {
				n++
				likely = max(likely, f.Likelihood)
			}
		}
		if n > 1 {
			run.Type, run.Likelihood, run.Evidence = detectors.PersonName, likely, run.Evidence|detectors.ByModel|detectors.ByCue
		}
	}
}

// withoutWords drops what is masked although it is a plain word: what only the tagger masks and is nothing but a
// word that names such a value ("exp" and "cvv" say what follows; but words such as "street" are parts of an
// address), and months and verbs where somebody is called May or April.
func withoutWords(d *detectors.Document, found []detectors.Finding) []detectors.Finding {
	return slices.DeleteFunc(found, func(f detectors.Finding) bool {
		if f.Type == detectors.PersonName {
			if f.Evidence == detectors.ByModel && f.Origin != detectors.FromTagger {
				return false // a service, a list or the second reading found it: their masks all stay
			}
			return f.Evidence&detectors.ByUser == 0 && isMonthOrVerb(d, &f)
		}
		if f.Evidence != detectors.ByModel || f.Origin != detectors.FromTagger || f.Type == detectors.StreetAddress {
			return false
		}
		kind := ner.KindOfType(f.Type)
		return slices.ContainsFunc(d.Hotwords, func(h detectors.HotwordHit) bool {
			return h.Start == f.Start && h.End == f.End && (kind == code || kind == ner.KindOfType(h.Hotword.InfoType()))
		})
	})
}

// code is the kind of numbers that identify something.
var code = ner.KindOfType(detectors.GenericID)

// isMonthOrVerb reports whether a finding is a month by the words around it, "in May" or "May 3", or the verb of a
// question, "May I".
func isMonthOrVerb(d *detectors.Document, f *detectors.Finding) bool {
	i := d.TokenAt(f.Start)
	if i >= len(d.Tokens) || int(d.Tokens[i].End) != f.End || !d.Tokens[i].Is(detectors.Month) {
		return false
	}
	if i+1 < len(d.Tokens) && d.Tokens[i+1].Class == detectors.Clitic {
		return false // "in May's name"
	}
	if i+1 < len(d.Tokens) && d.Tokens[i+1].Class == detectors.Digits && d.Tokens[i+1].Len() <= 2 && (i+2 == len(d.Tokens) || d.Tokens[i+2].Class != detectors.Digits) {
		return true
	}
	if d.WordIs(i, "may") && (i == 0 || d.Tokens[i-1].Class == detectors.Punct) && (d.WordIs(i+1, "i") || d.WordIs(i+1, "we")) {
		return true
	}
	// A person may be meant by "of April" and "by April".
	return d.LeadsToMonth(i-1, false) && !d.WordIs(i-1, "of") && !d.WordIs(i-1, "by")
}

// joints stand within one value rather than between two, by infoType: nobody says two addresses in one breath, and of the training
// labels with "of" between two dates of birth, organizations or places, with "&" between two organizations and with "and"
// between two streets, more than nine of ten are one value. Two codes and two dates of birth may follow each other:
// isPiece and inOneRun tell.
var joints = map[detectors.InfoType][]string{
	detectors.StreetAddress:    {" ", " of ", " and ", " and the ", " & "},
	detectors.OrganizationName: {" of ", " of the ", " & "},
	detectors.Location:         {" of "},
	detectors.DateOfBirth:      {" ", ", ", " of ", " of the ", " the "},
	detectors.EmailAddress:     {" ", " at "},
	detectors.GenericID:        {" ", "-", " - ", "/", ". "},
}

// isProper has the infoTypes whose values are proper names.
var isProper = map[detectors.InfoType]bool{detectors.PersonName: true, detectors.OrganizationName: true, detectors.Location: true}

// isPiece reports whether a finding may be a part of a value that the one beside it is a part of, too: not if it is a whole date, or
// a code of more than a few letters and digits.
func isPiece(d *detectors.Document, f *detectors.Finding) bool {
	const few = 3
	switch f.Type {
	case detectors.DateOfBirth:
		return f.Value == ""
	case detectors.GenericID:
		n := 0
		for _, r := range d.Text[f.Start:f.End] {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				n++
			}
		}
		return n <= few
	}
	return true
}

// inOneRun reports whether two findings are codes that were said in one run: "B. 231 C. for A. two".
func inOneRun(d *detectors.Document, a, b *detectors.Finding) bool {
	run := d.RunAt(d.TokenAt(a.Start))
	return a.Type == detectors.GenericID && run >= 0 && run == d.RunAt(d.TokenAt(b.Start))
}

// joinParts makes one finding of an abbreviation and the name that follows it, "St. Anne", of a name and what
// follows its apostrophe, and of what joints connect: "Mill Street and 4th". It changes found.
func joinParts(d *detectors.Document, found []detectors.Finding) []detectors.Finding {
	for i := len(found) - 2; i >= 0; i-- {
		a, b := &found[i], &found[i+1]
		switch between := d.Text[a.End:b.Start]; {
		case a.Type == b.Type && slices.Contains(joints[a.Type], strings.ToLower(between)) && a.Evidence&b.Evidence&detectors.ByStructure == 0 &&
			(isPiece(d, a) || isPiece(d, b) || inOneRun(d, a, b)):
		case a.End-a.Start == 1 && strings.EqualFold(between, " as in "): // "G as in Golf"
		case !isProper[a.Type] || !isProper[b.Type]:
			continue
		case between == "'" || between == "’":
		case between == ". " || between == "." || between == " ":
			if !slices.Contains([]string{"st", "mt", "ft"}, strings.ToLower(d.Text[a.Start:a.End])) {
				continue
			}
		default:
			continue
		}
		if b.Type == detectors.OrganizationName {
			a.Type = b.Type
		}
		a.Append(b)
		a.Value = ""
		found = slices.Delete(found, i+1, i+2)
	}
	return found
}
