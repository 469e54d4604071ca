package anonymize_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/internal/boundedfile"
	"sotto/schemas"
)

// cutBraces returns an example without the braces around its value, and the position of the value in
// code points.
func cutBraces(t *testing.T, example string) (text string, start, end int) {
	t.Helper()
	before, rest, ok1 := strings.Cut(example, "{")
	value, after, ok2 := strings.Cut(rest, "}")
	if !ok1 || !ok2 || value == "" || strings.ContainsAny(after, "{}") {
		t.Fatalf("%q has not one value in braces", example)
	}
	start = len([]rune(before))
	return before + value + after, start, start + len([]rune(value))
}

// find returns the entities of a call that consists of one text.
func find(t *testing.T, e *anonymize.Engine, text string) []schemas.Entity {
	t.Helper()
	conversation := anonymize.NewConversation(e)
	out := conversation.Add(&schemas.RawEvent{CallID: "c-1", Seq: 1, Type: schemas.Utterance, Text: text})
	return out.Clean.Entities
}

// onlyListed are the infoTypes that only the user's dictionaries and rules find.
var onlyListed = map[detectors.InfoType]bool{detectors.Time: true, detectors.Gender: true, detectors.EthnicGroup: true}

// onlyLearned are the infoTypes whose values no rule finds, but the tagger.
var onlyLearned = map[detectors.InfoType]bool{
	detectors.PersonName: true, detectors.OrganizationName: true, detectors.Product: true, detectors.Age: true, detectors.MedicalTerm: true,
	detectors.Location: true, detectors.USState: true, detectors.StreetAddress: true, detectors.DateOfBirth: true,
}

// onlyWritten are the infoTypes whose values rules find if they are written, but not if they are said.
var onlyWritten = map[detectors.InfoType]bool{
	detectors.EmailAddress: true, detectors.UserName: true, detectors.DomainName: true, detectors.URL: true,
}

// The rules find every example of the catalog but those of onlyLearned and onlyWritten, whole and with the right infoType, and no
// counter-example. With the tagger every example is masked, as whatever infoType. InfoTypes that
// are off by default are switched on.
func TestExamplesOfTheCatalog(t *testing.T) {
	dir := t.TempDir()
	rules := "info_types:\n"
	for _, row := range detectors.Rows() {
		if row.Off {
			rules += "  " + string(row.Type) + ": {enabled: true}\n"
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	engines := [2]*anonymize.Engine{}
	for i := range engines {
		var err error
		if engines[i], err = anonymize.New(anonymize.Options{RawOffsets: true, Policy: boundedfile.Dir(dir)}); err != nil {
			t.Fatal(err)
		}
	}
	engine, tagged := anonymize.RulesAlone(engines[0]), engines[1]
	for _, row := range detectors.Rows() {
		t.Run(string(row.Type), func(t *testing.T) {
			if len(row.Not) == 0 || len(row.Written) == 0 && !onlyListed[row.Type] {
				t.Error("an example or a counter-example is missing")
			}
			for i, example := range slices.Concat(row.Written, row.Spoken) {
				text, start, end := cutBraces(t, example)
				found := find(t, engine, text)
				if !onlyLearned[row.Type] && !(onlyWritten[row.Type] && i >= len(row.Written)) && !slices.ContainsFunc(found, func(f schemas.Entity) bool {
					return f.Type == string(row.Type) && *f.RawStart == start && *f.RawEnd == end
				}) {
					t.Errorf("%q: found %s", example, list(text, found))
				}
				found = find(t, tagged, text)
				if !covered(found, start, end) {
					t.Errorf("%q, with the tagger: found %s", example, list(text, found))
				}
			}
			for _, text := range row.Not {
				found := find(t, engine, text)
				if slices.ContainsFunc(found, func(f schemas.Entity) bool { return f.Type == string(row.Type) }) {
					t.Errorf("%q: found %s", text, list(text, found))
				}
			}
		})
	}
}

// covered reports whether the letters and digits from start to end are in one or more of the findings.
func covered(found []schemas.Entity, start, end int) bool {
	for at := start; at < end; at++ {
		if !slices.ContainsFunc(found, func(f schemas.Entity) bool { return *f.RawStart <= at && at < *f.RawEnd }) {
			// Between two findings is a space or a mark.
			if !slices.ContainsFunc(found, func(f schemas.Entity) bool { return *f.RawStart == at+1 || *f.RawStart == at+2 }) {
				return false
			}
		}
	}
	return true
}

func list(text string, found []schemas.Entity) string {
	runes := []rune(text)
	var out []string
	for _, f := range found {
		out = append(out, f.Type+" "+string(runes[*f.RawStart:*f.RawEnd]))
	}
	return strings.Join(out, ", ")
}
