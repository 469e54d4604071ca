package anonymize

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/detectors"
	"sotto/detectors/spoken"
)

// Parts of one value are joined, and two values that follow each other stay two.
func TestPartsOfOneValueAreJoined(t *testing.T) {
	const (
		id, birth, street, place, region  = detectors.GenericID, detectors.DateOfBirth, detectors.StreetAddress, detectors.Location, detectors.USState
		person, company, user, mail, host = detectors.PersonName, detectors.OrganizationName, detectors.UserName, detectors.EmailAddress, detectors.DomainName
	)
	type types = []detectors.InfoType
	for _, c := range []struct {
		text string // each finding is in braces; one that has a form, and so a value, ends in "="
		of   types
		want types
	}{
		{"it is {gte} {5641}", types{id, id}, types{id}},
		{"it is {DR}-{163853}", types{id, id}, types{id}},
		{"the order is {AX884213}. {BX552190} is the old one", types{id, id}, types{id, id}},
		{"{may} {the fourth}", types{birth, birth}, types{birth}},
		{"{may 4 1980=}, {june 9 1983=}", types{birth, birth}, types{birth, birth}},
		{"{ida quimby} {otto tarn}", types{person, person}, types{person, person}},

		{"{twelve hill road} and {fourth street}", types{street, street}, types{street}},
		{"{12 Hill Road}, {Oakmere}, {Ohio} {44120}", types{street, place, region, street}, types{street}},
		{"{twelve hill road} {oakmere} {ohio} {four four one two oh}", types{street, place, region, street}, types{street}},
		{"{12 Hill Road}, {second floor}", types{street, street}, types{street}},
		{"{12 Hill Road}, {14 Mill Street}", types{street, street}, types{street, street}},
		{"{12 Hill Road} and {Oakmere}", types{street, place}, types{street, place}},
		{"{Oakmere}, {Ohio}", types{place, region}, types{place, region}},

		{"{i}.{quimby}", types{user, user}, types{user}},
		{"{ines}.{quimby}", types{person, mail}, types{mail}},
		{"look {at} {example.com=}", types{mail, host}, types{host}},
		{"{ida} {at} {example.com=}", types{person, mail, host}, types{mail, host}},
		{"it is {ines} {dot} {quimby} {at example dot com}", types{person, mail, person, mail}, types{mail}},
		{"{ines} {quimby at example dot com}", types{person, mail}, types{person, mail}},

		{"{City of} {Oakmere}", types{company, place}, types{company}},
		{"{U}.{S}. {Tarn Bureau}", types{company, company, company}, types{company}},
		{"{tarn} {financial}", types{company, company}, types{company}},
		{"{the tarn} {tarn}", types{company, company}, types{company, company}},
		{"{St}. {Anne}", types{place, person}, types{place}},
	} {
		d, found := withBraces(t, c.text, c.of)
		var got types
		for _, f := range joinParts(d, found) {
			got = append(got, f.Type)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}

// What continues a value that is dictated has the number of that value, and what the user names has its own infoType.
func TestSomeValuesAreNotJoined(t *testing.T) {
	for name, change := range map[string]func(f *detectors.Finding){
		"dictated": func(f *detectors.Finding) { f.Origin, f.Value = detectors.FromDictation, "134" },
		"by user":  func(f *detectors.Finding) { f.Evidence, f.Type = detectors.ByUser, detectors.USState },
	} {
		for at := range 2 {
			d, found := withBraces(t, "{12 Hill Road}, {Oakmere}", []detectors.InfoType{detectors.StreetAddress, detectors.Location})
			change(&found[at])
			if got := joinParts(d, found); len(got) != 2 {
				t.Errorf("%s, at %d: %d findings", name, at, len(got))
			}
		}
	}
}

// TestJoiningTakesTimeInProportion: a value may have very many parts.
func TestJoiningTakesTimeInProportion(t *testing.T) {
	for _, part := range []string{"{gte} ", "{a}.", "{tarn} "} {
		for _, infoType := range []detectors.InfoType{detectors.GenericID, detectors.OrganizationName, detectors.StreetAddress} {
			const n = 100_000
			types := slices.Repeat([]detectors.InfoType{infoType}, n)
			d, found := withBraces(t, strings.Repeat(part, n), types)
			began := time.Now()
			joinParts(d, found)
			if took := time.Since(began); took > 5*time.Second { // in square, it would be minutes
				t.Errorf("%q as %s: %s", part, infoType, took)
			}
		}
	}
}

// withBraces returns a document without the braces around findings of these infoTypes, and the findings.
func withBraces(t *testing.T, marked string, types []detectors.InfoType) (d *detectors.Document, found []detectors.Finding) {
	t.Helper()
	var text strings.Builder
	for rest := marked; ; {
		before, after, ok := strings.Cut(rest, "{")
		text.WriteString(before)
		if !ok {
			break
		}
		inner, behind, _ := strings.Cut(after, "}")
		f := detectors.Finding{Start: text.Len(), Type: types[len(found)], Evidence: detectors.ByModel}
		if strings.HasSuffix(inner, "=") {
			inner, f.Value, f.Evidence = inner[:len(inner)-1], "1980-05-04", detectors.ByStructure
		}
		text.WriteString(inner)
		f.End = text.Len()
		found, rest = append(found, f), behind
	}
	d = new(detectors.Document)
	d.Reset(text.String())
	spoken.Scan(d)
	return d, found
}
