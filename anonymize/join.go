package anonymize

import (
	"slices"
	"strings"
	"unicode"

	"sotto/anonymize/dialogue"
	"sotto/detectors"
	"sotto/detectors/ner"
)

// joinParts makes one finding of the parts of one value. It changes found.
func joinParts(d *detectors.Document, found []detectors.Finding) []detectors.Finding {
	found = withoutAt(d, found)
	if len(found) == 0 {
		return found
	}
	n := 0
	for i := 1; i < len(found); i++ {
		a, b := &found[n], &found[i]
		if infoType, ok := wholeOf(d, a, b); ok {
			a.Append(b)
			a.Type, a.Value = infoType, ""
			continue
		}
		n++
		found[n] = *b
	}
	return found[:n+1]
}

// withoutAt returns the findings without those that are only an "at" before a host or a URL, which the tagger takes for the beginning of
// an e-mail address: "upload it at example.com". Behind another value, it may be within an address. It changes found.
func withoutAt(d *detectors.Document, found []detectors.Finding) []detectors.Finding {
	n := 0
	for i := range found {
		f := &found[i]
		if isAt(d, f) && i+1 < len(found) && isHost(string(found[i+1].Type)) && isSpace(d.Text[f.End:found[i+1].Start]) &&
			(n == 0 || !isSpace(d.Text[found[n-1].End:f.Start])) {
			continue
		}
		found[n] = *f
		n++
	}
	return found[:n]
}

// isAt reports whether a finding is an "at" that the tagger alone takes for an e-mail address.
func isAt(d *detectors.Document, f *detectors.Finding) bool {
	return f.Type == detectors.EmailAddress && f.Evidence == detectors.ByModel && strings.EqualFold(strings.TrimSpace(d.Text[f.Start:f.End]), "at")
}

func isSpace(s string) bool { return strings.TrimSpace(s) == "" }

// isHost reports whether an infoType is that of a host or a URL.
func isHost(infoType string) bool {
	return infoType == string(detectors.URL) || infoType == string(detectors.DomainName)
}

// wholeOf reports whether two findings, one after the other, are parts of one value, and which infoType the value has.
func wholeOf(d *detectors.Document, a, b *detectors.Finding) (infoType detectors.InfoType, ok bool) {
	if b.Start-a.End > maxJoint || dialogue.ContinuesDictation(a) || dialogue.ContinuesDictation(b) { // which have a number already
		return "", false
	}
	between := strings.ToLower(d.Text[a.End:b.Start])
	switch {
	case a.Type == b.Type && slices.Contains(joints[a.Type], between):
		return a.Type, a.Evidence&b.Evidence&detectors.ByStructure == 0 && (isPiece(d, a) || isPiece(d, b) || inOneRun(d, a, b))
	case a.Type != b.Type && (a.Evidence|b.Evidence)&detectors.ByUser != 0:
		return "", false // what the user names keeps its infoType
	case a.End-a.Start == 1 && between == " as in ": // "G as in Golf"
		return nameType(a, b), true
	case a.Type == detectors.StreetAddress && (between == ", " || between == " "):
		return a.Type, continuesAddress(d, b)
	case isProper[a.Type] && isProper[b.Type]:
		return nameType(a, b), isOneName(d, a, b, between)
	}
	return markedType(d, a, b, between)
}

// markedType returns the infoType of two parts with a mark between them that makes them one value, said or written: "ida dot" and "quimby at", "a" and "quimby" in
// "a.quimby". Neither part may be proved to be whole: a host behind "at" need not belong to an e-mail address.
func markedType(d *detectors.Document, a, b *detectors.Finding, between string) (infoType detectors.InfoType, ok bool) {
	switch {
	case (a.Evidence|b.Evidence)&(detectors.ByChecksum|detectors.ByStructure) != 0:
	case between == " " && isSaidAddress(d, a, b):
		return detectors.EmailAddress, true
	case between == "." || between == "_" || between == "-":
		return writtenType(a, b)
	}
	return "", false
}

// maxJoint bounds the bytes between two parts of a value.
const maxJoint = 16

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
				if n++; n > few {
					return false
				}
			}
		}
	}
	return true
}

// inOneRun reports whether two findings are codes that were said in one run: "B. 231 C. for A. two".
func inOneRun(d *detectors.Document, a, b *detectors.Finding) bool {
	run := d.RunAt(d.TokenAt(a.Start))
	return a.Type == detectors.GenericID && run >= 0 && run == d.RunAt(d.TokenAt(b.Start))
}

// isSaidAddress reports whether one of two findings is an e-mail address that begins or ends with a said mark at the other one, as no
// whole address does.
func isSaidAddress(d *detectors.Document, a, b *detectors.Finding) bool {
	return a.Type == detectors.EmailAddress && isSaidMark(d, d.TokenAt(a.End)-1) || b.Type == detectors.EmailAddress && isSaidMark(d, d.TokenAt(b.Start))
}

// isSaidMark reports whether token i says a mark of an address, as "dot" does.
func isSaidMark(d *detectors.Document, i int) bool {
	t := &d.Tokens[i]
	return t.Is(detectors.Connect) && t.Class.IsWord() && strings.IndexByte(".@_-", t.Ch) >= 0
}

// continuesAddress reports whether a finding behind a street belongs to the same address: a city, a state, a floor or a postal code,
// but no other street and no other house.
func continuesAddress(d *detectors.Document, f *detectors.Finding) bool {
	switch f.Type {
	case detectors.Location, detectors.USState:
		return true
	case detectors.StreetAddress:
	default:
		return false
	}
	first := d.TokenAt(f.Start)
	for i := first; i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		if d.Tokens[i].Is(detectors.StreetType) {
			return false
		}
	}
	run := d.RunAt(first)
	return run < 0 || d.Runs[run].End >= f.End
}

// isProper has the infoTypes whose values are proper names.
var isProper = map[detectors.InfoType]bool{detectors.PersonName: true, detectors.OrganizationName: true, detectors.Location: true}

// nameType returns the infoType of a name of two parts.
func nameType(a, b *detectors.Finding) detectors.InfoType {
	if b.Type == detectors.OrganizationName {
		return b.Type
	}
	return a.Type
}

// isOneName reports whether two proper names are one: an abbreviation and what follows it, "St. Anne", what an apostrophe parts, or two
// of the parts of an organization, "City of" and "Oakmere".
func isOneName(d *detectors.Document, a, b *detectors.Finding, between string) bool {
	switch between {
	case "'", "’":
		return true
	case ".", ". ", " ":
	default:
		return false
	}
	if b.End-a.Start > maxName {
		return false
	}
	first, second := strings.ToLower(d.Text[a.Start:a.End]), strings.ToLower(d.Text[b.Start:b.End])
	areOrganizations := a.Type == detectors.OrganizationName && b.Type == a.Type
	switch {
	case slices.Contains(abbreviations, first):
		return true
	case between != " ":
		return areOrganizations && isInitial(first)
	case a.Type == detectors.OrganizationName && strings.HasSuffix(first, " of"):
		return true
	}
	return areOrganizations && !strings.Contains(first, second) && !strings.Contains(second, first) // not one name said twice
}

// abbreviations are the first words of places, and of people and companies that have the name of one.
var abbreviations = []string{"st", "mt", "ft"}

// isInitial reports whether a name ends with one letter by itself: "U", "U.S".
func isInitial(name string) bool {
	return len(name[strings.LastIndexAny(name, " .")+1:]) == 1
}

// writtenType returns the infoType of one written word with a mark in it, such as "a.quimby", if it is a code, the name of an account
// or an address.
func writtenType(a, b *detectors.Finding) (infoType detectors.InfoType, ok bool) {
	for _, f := range [...]*detectors.Finding{b, a} {
		if slices.Contains(written, ner.KindOfType(f.Type)) {
			return f.Type, true
		}
	}
	return "", false
}

// written are the kinds of values that are written as one word.
var written = []ner.Kind{ner.KindOfType(detectors.GenericID), ner.KindOfType(detectors.UserName), ner.KindOfType(detectors.EmailAddress)}
