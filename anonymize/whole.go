package anonymize

import (
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// withoutWords drops what is masked although it is no value: marks that are written as character references ("&lt;"), what only the
// tagger masks and is nothing but a word that names such a value ("exp" and "cvv" say what follows; but words such as "street" are
// parts of an address), and months and verbs where somebody is called May or April.
func withoutWords(d *detectors.Document, found []detectors.Finding) []detectors.Finding {
	return slices.DeleteFunc(found, func(f detectors.Finding) bool {
		if isReference(d.Text, &f) {
			return true
		}
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

// isReference reports whether a finding that only a model or a form speaks for is the name or the number in a character reference
// that stands for a mark, by which chats from web pages write punctuation. What stands for a letter or a digit may be a part of a
// value, and so may a mark between two of them: "ida&#64;northfold.ca".
func isReference(text string, f *detectors.Finding) bool {
	const longest = len("&thetasym;")
	start := strings.TrimSuffix(text[:f.Start], "#")
	if !strings.HasSuffix(start, "&") || !strings.HasPrefix(text[f.End:], ";") || f.End-f.Start > longest ||
		f.Evidence&^(detectors.ByModel|detectors.ByShape) != 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(start[:len(start)-1])
	after, _ := utf8.DecodeRuneInString(text[f.End+1:])
	if isLetterOrDigit(before) && isLetterOrDigit(after) {
		return false
	}
	mark := []rune(html.UnescapeString(text[len(start)-1 : f.End+1]))
	return len(mark) == 1 && mark[0] != utf8.RuneError && (unicode.IsPunct(mark[0]) || unicode.IsSymbol(mark[0]) || unicode.IsSpace(mark[0]))
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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
