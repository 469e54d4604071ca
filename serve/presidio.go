package serve

import (
	"cmp"
	"net/http"
	"slices"

	"sotto/detectors"
)

// presidioNames are the infoTypes that Presidio has under another name. All others keep theirs.
var presidioNames = map[detectors.InfoType]string{
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

func presidioName(infoType string) string {
	return cmp.Or(presidioNames[detectors.InfoType(infoType)], infoType)
}

// presidioTypes are all names that the analyzer can return.
var presidioTypes = func() []string {
	var all []string
	for _, t := range detectors.InfoTypes() {
		all = append(all, presidioName(string(t)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}()

// presidioRecognizers names what finds things: the rules, the tagger, the user's dictionaries, and
// what masks turns in other languages.
var presidioRecognizers = []string{"cue", "pattern", "tagger", "dictionary", "language"}

// lists is an endpoint that always answers with a list.
func lists(names []string) handler {
	return func(w http.ResponseWriter, _ *http.Request) error { return write(w, http.StatusOK, names) }
}

// fixed is an endpoint that always answers with a text.
func fixed(kind string, text []byte) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(text) // into the answer, which keeps it
		return nil
	}
}
