// Package presidio does what the analyzer and the anonymizer of Presidio do with the findings of the engine: names,
// filters, ad hoc recognizers, operators. Package serve has the endpoints.
package presidio

import (
	"cmp"
	"slices"

	"sotto/detectors"
)

// Refusal is why a request cannot be served. Its text goes to the client: nothing of a request gets into it but
// positions.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Room is how much a response may still grow.
type Room interface {
	// Take takes from it an item with some strings, or fails.
	Take(strings ...string) error
}

// names are the infoTypes that Presidio has under another name. All others keep theirs.
var names = map[detectors.InfoType]string{
	detectors.PersonName:       "PERSON",
	detectors.OrganizationName: "ORGANIZATION",
	detectors.StreetAddress:    "LOCATION",
	detectors.USState:          "LOCATION",
	detectors.CreditCardNumber: "CREDIT_CARD",
	detectors.SSN:              "US_SSN",
	detectors.Passport:         "US_PASSPORT",
	detectors.RoutingNumber:    "ABA_ROUTING_NUMBER",
	detectors.EthnicGroup:      "NRP",
	detectors.DateOfBirth:      "DATE_TIME",
	detectors.Date:             "DATE_TIME",
	detectors.Time:             "DATE_TIME",
}

// Name is what Presidio calls an infoType.
func Name(infoType string) string {
	return cmp.Or(names[detectors.InfoType(infoType)], infoType)
}

// Types are all names that the analyzer can return.
var Types = func() []string {
	var all []string
	for _, t := range detectors.InfoTypes() {
		all = append(all, Name(string(t)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}()

// Recognizers names what finds things: the rules, the tagger, the user's dictionaries, and
// what masks turns in other languages.
var Recognizers = []string{"cue", "pattern", "tagger", "dictionary", "language"}
