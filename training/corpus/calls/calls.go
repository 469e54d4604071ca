// Package calls reads, checks, counts and writes labelled calls in marked-up text, the format of
// training/corpora/calls, which people can read and correct:
//
//	// kind 2
//	### id=W101 context=customer_support vertical=auto_insurance
//	AGENT: {{ORGANIZATION_NAME|Harwick Mutual}}, this is {{PERSON_NAME|Ines}}. How can I help?
//	CUSTOMER: it's {{PERSON_NAME|tom}}
//
// training/corpora/GUIDE.md describes the format and says what to label. Labelled calls are personal data
// like any other: errors name file and line and never the text. Only a Note quotes it.
package calls

import (
	"os"
	"path/filepath"
	"strings"

	"sotto/detectors"
	"sotto/internal/gold"
)

// Extension is how the names of files of marked-up text end.
const Extension = ".txt"

// ReadFile reads labelled conversations: marked-up text when the name ends in Extension, gold JSON
// lines otherwise.
func ReadFile(path string) ([]gold.Conversation, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if IsMarkup(path) {
		return Parse(f, path)
	}
	return gold.Read(f, path)
}

// IsMarkup reports whether a file of this name holds marked-up text.
func IsMarkup(name string) bool { return strings.EqualFold(filepath.Ext(name), Extension) }

// labelTypes are the infoTypes that a label may have.
var labelTypes = func() map[string]bool {
	m := map[string]bool{
		// Labelled so that they can be excluded from scoring.
		"MONEY": true, "OTHER": true,
	}
	for _, t := range detectors.InfoTypes() {
		m[string(t)] = true
	}
	// Nobody labels them: the guide has no rule for them.
	delete(m, string(detectors.Gender))
	delete(m, string(detectors.EthnicGroup))
	return m
}()
