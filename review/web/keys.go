package web

import (
	"slices"

	"sotto/detectors"
	"sotto/review"
)

// Key is a key that marks the selected words with an infoType.
type Key struct {
	Key  string `json:"key"`
	Type string `json:"type"`
}

func keysOf(mode review.Mode) []Key {
	if mode == review.Label {
		return slices.Concat(typeKeys, labelKeys)
	}
	return typeKeys
}

// labelKeys are for what only raw text is labelled with.
var labelKeys = []Key{{"/", string(detectors.Date)}, {":", string(detectors.Time)}, {"$", "MONEY"}, {"F", "OTHER"}}

// typeKeys are the infoTypes with a key of their own, the most frequent ones on digits. All others
// are chosen by name. P, S, U, =, Z, X, N, A, R, J, K, G and H do something else.
var typeKeys = []Key{
	{"1", string(detectors.PersonName)},
	{"2", string(detectors.OrganizationName)},
	{"3", string(detectors.Location)},
	{"4", string(detectors.StreetAddress)},
	{"5", string(detectors.PhoneNumber)},
	{"6", string(detectors.EmailAddress)},
	{"7", string(detectors.GenericID)},
	{"8", string(detectors.Numeric)},
	{"9", string(detectors.DateOfBirth)},
	{"0", string(detectors.Age)},
	{"D", string(detectors.Product)},
	{"M", string(detectors.MedicalTerm)},
	{"E", string(detectors.MedicalRecordNumber)},
	{"C", string(detectors.CreditCardNumber)},
	{"B", string(detectors.SSN)},
	{"O", string(detectors.RoutingNumber)},
	{"T", string(detectors.USState)},
	{"Y", string(detectors.UserName)},
	{"W", string(detectors.URL)},
	{"V", string(detectors.VIN)},
	{"Q", string(detectors.Passport)},
	{"I", string(detectors.IPAddress)},
	{"L", string(detectors.SpelledWord)},
}
