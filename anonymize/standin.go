package anonymize

import (
	"strings"

	"sotto/detectors"
	"sotto/schemas"
)

// standIns are what the encoder reads in place of masks: it has learned from calls in which people say values, and not from tags.
var standIns = map[detectors.InfoType]string{
	detectors.PersonName: "Jordan", detectors.OrganizationName: "Norwell Bank", detectors.Product: "Galaxy", detectors.Location: "Dayton",
	detectors.USState: "Ohio", detectors.StreetAddress: "12 Main Street", detectors.PhoneNumber: "555 0134",
	detectors.EmailAddress: "jordan at example dot com", detectors.DomainName: "example dot com", detectors.URL: "www dot example dot com",
	detectors.UserName: "jordan99", detectors.Age: "40", detectors.DateOfBirth: "March 3rd 1980", detectors.MedicalTerm: "asthma",
	detectors.Date: "March 3rd", detectors.Time: "noon", detectors.SpelledWord: "J O R", detectors.Gender: "male", detectors.EthnicGroup: "Danish",
}

// otherStandIn is that of all other infoTypes, whose values are numbers and codes.
const otherStandIn = "40 82 17"

// withStandIn is a clean text with stand-ins in place of its masks.
type withStandIn struct {
	text string
	// pieces are the stretches between the stand-ins.
	pieces []piece
}

// piece is a stretch of the text: where it begins in it and in the clean text, and its length, in bytes.
type piece struct{ at, clean, length int }

// withStandIns returns the text of an event with stand-ins in place of its masks.
func withStandIns(clean *schemas.CleanEvent) (u withStandIn) {
	var b strings.Builder
	byteOf, from := byteOffsets(clean.Text), 0
	copyTo := func(to int) {
		u.pieces = append(u.pieces, piece{b.Len(), from, to - from})
		b.WriteString(clean.Text[from:to])
	}
	for _, m := range clean.Entities {
		start, end := byteOf(m.Start), byteOf(m.End)
		copyTo(start)
		standIn, ok := standIns[detectors.InfoType(m.Type)]
		if !ok {
			standIn = otherStandIn
		}
		b.WriteString(standIn)
		from = end
	}
	copyTo(len(clean.Text))
	u.text = b.String()
	return u
}

// place returns where a span of the text is in the clean text, without what lies in stand-ins at its ends. ok is false if
// nothing is left of it or a stand-in lies within it.
func (u *withStandIn) place(start, end int) (cleanStart, cleanEnd int, ok bool) {
	for _, p := range u.pieces {
		from, to := max(start, p.at), min(end, p.at+p.length)
		if from >= to {
			continue
		}
		if ok {
			return 0, 0, false
		}
		cleanStart, cleanEnd, ok = from-p.at+p.clean, to-p.at+p.clean, true
	}
	return cleanStart, cleanEnd, ok
}
