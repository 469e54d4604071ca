// Package tagger is the learned detector of every infoType: a linear-chain conditional random
// field over the words of a turn, which also sees what the rules found, what the other party asked
// for, what the previous turns contained and what the call's memory knows.
package sequence

import "sotto/detectors"

// Kind is a group of infoTypes that the model does not tell apart. The rules, and what was asked
// for, decide the infoType within a group.
type Kind uint8

// The kinds. Quantity stands for dates, times and amounts, which are learned so that they are told
// apart from codes, but never masked.
const (
	None Kind = iota
	Person
	Organization
	Location
	Product
	Address
	Online
	User
	Phone
	Code
	Birth
	Age
	Medical
	Numeric
	Quantity
	// NumKinds counts the kinds, None included.
	NumKinds = int(Quantity) + 1
)

// Label is what the chain assigns to one element. Persons have two labels, so that two people who
// are named side by side stay two; every other kind has one.
type Label = uint8

// The labels: Outside, then one for each kind, and InsidePerson last.
const (
	Outside      Label = Label(None)
	BeginPerson  Label = Label(Person)
	InsidePerson Label = Label(Quantity) + 1
	// NumLabels counts the labels.
	NumLabels = int(InsidePerson) + 1
)

// KindOf returns the kind of a label.
func KindOf(y Label) Kind {
	if y == InsidePerson {
		return Person
	}
	return Kind(y)
}

// LabelSet is a set of labels: bit y stands for label y.
type LabelSet uint16

// AnyLabel holds every label.
const AnyLabel LabelSet = 1<<NumLabels - 1

// Has reports whether y is in the set.
func (s LabelSet) Has(y Label) bool { return s>>y&1 != 0 }

// LabelsOf returns the labels of a kind.
func LabelsOf(k Kind) LabelSet {
	if k == Person {
		return 1<<BeginPerson | 1<<InsidePerson
	}
	return 1 << Label(k)
}

// kinds maps every labelled infoType to its kind.
var kinds = map[detectors.InfoType]Kind{
	detectors.PersonName: Person, detectors.OrganizationName: Organization, detectors.Location: Location,
	detectors.USState: Location, detectors.Product: Product, detectors.StreetAddress: Address,
	detectors.EmailAddress: Online, detectors.DomainName: Online, detectors.URL: Online, detectors.UserName: User,
	detectors.PhoneNumber: Phone, detectors.DateOfBirth: Birth, detectors.Age: Age, detectors.MedicalTerm: Medical,
	detectors.Numeric: Numeric, detectors.Date: Quantity, detectors.Time: Quantity, "MONEY": Quantity,
}

// KindOfType returns the kind of an infoType. Every infoType that is not named is a code.
func KindOfType(t detectors.InfoType) Kind {
	if row := t.Row(); row != nil {
		return kindOfRow[row.Position()]
	}
	return kindByName(t)
}

// kindOfRow has the kinds of the catalog's infoTypes, by their positions.
var kindOfRow = func() []Kind {
	all := make([]Kind, len(detectors.Rows()))
	for i := range all {
		all[i] = kindByName(detectors.Rows()[i].Type)
	}
	return all
}()

func kindByName(t detectors.InfoType) Kind {
	if k, ok := kinds[t]; ok {
		return k
	}
	return Code
}

// Types are the infoTypes that a finding of a kind has where nothing suggests a more specific one.
var Types = [NumKinds]detectors.InfoType{
	Person: detectors.PersonName, Organization: detectors.OrganizationName, Location: detectors.Location,
	Product: detectors.Product, Address: detectors.StreetAddress, Online: detectors.EmailAddress,
	User: detectors.UserName, Phone: detectors.PhoneNumber, Code: detectors.GenericID,
	Birth: detectors.DateOfBirth, Age: detectors.Age, Medical: detectors.MedicalTerm, Numeric: detectors.Numeric,
}

// Memorable has the kinds whose words the call's memory recognizes where they are mentioned again.
var Memorable = [NumKinds]bool{
	Person: true, Organization: true, Location: true, Product: true, Address: true, User: true, Medical: true,
}
