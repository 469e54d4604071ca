package detectors

import (
	"fmt"
	"slices"

	"sotto/detectors/ids"
)

// Row is all that Sotto knows of one infoType. Everything that depends on the infoType reads it
// here. A code-like infoType, such as the number of a library card, takes no more than a row and a
// validator in package ids. CONTRIBUTING.md has the steps.
type Row struct {
	Type InfoType
	// position is its position in Rows.
	position int
	// About says in a few words what a value is.
	About string

	// Group is the row group of Table 6, GroupOther for an infoType that the table does not have.
	// Tag is the short name that annotators use after MISSED_, if it is not Type.
	Group Group
	Tag   string
	// Score is the residual-risk score of a missed value, from 0 to 5. From DirectScore on the
	// infoType identifies a person by itself. SpeakerScore is the score of a value that belongs to
	// a speaker, if it is higher. RoundUp rounds the half of an odd score up when only a part of
	// the value was missed.
	Score, SpeakerScore int
	RoundUp             bool

	// Off says that the infoType is masked only if the user asks for it.
	Off bool
	// Compare says how it is decided whether two values are the same information.
	Compare Comparison
	// HasForm says that the infoType has a form of its own: 'sotto eval' reports those apart.
	HasForm bool

	// NamedBy are the hotwords that name a value: a code near one is read as this infoType, if it
	// matches. AnnouncedBy are those that only announce a value or ask for one, and SupportedBy those
	// that only support a form that the detector of the infoType has found.
	NamedBy, AnnouncedBy, SupportedBy []Hotwords
	// Window is how many characters away a hotword may be, 0 for the window of the document.
	// Shorter codes than ShortLength need one within ShortWindow, and longer ones than MaxLength, if
	// that is not 0, are not read as this infoType by a hotword.
	Window, ShortWindow    int
	ShortLength, MaxLength int

	// Match says how well a code matches; nil for an infoType that is no code.
	Match func(code []byte) ids.Match
	// Canonical returns the form of a code by which values are compared. It may change the code.
	// nil is the code itself.
	Canonical func(code []byte) []byte
	// Length is the length of a whole value, if all have about the same, else 0. A code of at most
	// PartLength characters is only a part of a value, such as its last four digits.
	Length, PartLength int
	// Forms are those by which a code is known to be a value without a hotword.
	Forms []Form

	// Written and Spoken are examples with the value in braces. Not are texts in which nothing of
	// this infoType may be found. A test runs them all.
	Written, Spoken, Not []string
}

// Group is a row group of Table 6.
type Group string

// The groups of Table 6, and one for the infoTypes that the table leaves out.
const (
	GroupContact     Group = "contact"
	GroupEntities    Group = "entities"
	GroupDemographic Group = "demographic"
	GroupHealth      Group = "health"
	GroupID          Group = "id-number"
	GroupPayment     Group = "payment"
	GroupOther       Group = "other"
)

// Groups returns all groups in the order of Table 6.
func Groups() []Group {
	return []Group{GroupContact, GroupEntities, GroupDemographic, GroupHealth, GroupID, GroupPayment, GroupOther}
}

// DirectScore is the score from which on an infoType is a direct identifier. The paper gives names,
// cards, passports and SSNs 5, counts addresses, phone numbers and bank accounts among the direct
// identifiers too, which have 4 or more, and says that indirect ones have 2 or 3.
const DirectScore = 4

// Comparison says how it is decided whether two values of an infoType are the same information.
type Comparison uint8

// The comparisons.
const (
	// CompareCode: by their digits and letters, however they are said.
	CompareCode Comparison = iota
	// CompareName: as names of persons, by parts, spelling and sound.
	CompareName
	// CompareOrganization: as names of organizations, without legal forms.
	CompareOrganization
	// CompareText: by their words.
	CompareText
	// CompareValue: by the date, time or number that was understood; by their words where only
	// these are known.
	CompareValue
)

// String names the comparison.
func (c Comparison) String() string {
	return [...]string{"code", "name", "organization", "text", "value"}[c]
}

// Kind says by which rules mentions of a call are linked. It is in sealed states: a value keeps its meaning.
type Kind uint8

const (
	// KindText is compared word by word: places, products, addresses.
	KindText Kind = iota
	// KindName is a person: a part of the name is enough, and words that sound alike.
	KindName
	// KindOrg is an organization: legal forms do not count, and a beginning is enough.
	KindOrg
	// KindCode is letters and digits compared without case and separators:
	// numbers, e-mail addresses, identifiers. It is the last one.
	KindCode
)

// Kind returns the rules by which the state of a call compares such values. A value that was
// understood is compared as a code.
func (c Comparison) Kind() Kind {
	switch c {
	case CompareName:
		return KindName
	case CompareOrganization:
		return KindOrg
	case CompareText:
		return KindText
	}
	return KindCode
}

var (
	rows     = slices.Concat(contactRows, entityRows, demographicRows, healthRows, idRows, paymentRows, otherRows)
	rowIndex = indexRows()
)

// catalogIndex finds rows by their infoType, which is asked for several times for each finding.
type catalogIndex [256]*Row

// slot returns the place of the infoType's row, which is nil if it has none.
func (x *catalogIndex) slot(t InfoType) **Row {
	i := uint8(len(t))
	if t != "" {
		i = i*37 ^ t[0]*5 ^ t[len(t)-1]*11 ^ t[len(t)/2]
	}
	for x[i] != nil && x[i].Type != t {
		i++
	}
	return &x[i]
}

func indexRows() *catalogIndex {
	index := new(catalogIndex)
	for i := range rows {
		r := &rows[i]
		place := index.slot(r.Type)
		if *place != nil {
			panic(fmt.Sprintf("detectors: the catalog has %s twice", r.Type))
		}
		*place, r.position = r, i
	}
	return index
}

// Rows returns the catalog in the order of Table 6. It must not be changed.
func Rows() []Row { return rows }

// Row returns the row of the infoType, nil for one of the user's own.
func (t InfoType) Row() *Row { return *rowIndex.slot(t) }

// Position returns the position of the row in Rows.
func (r *Row) Position() int { return r.position }

// Direct reports whether the infoType identifies a person by itself.
func (r *Row) Direct() bool { return r.Score >= DirectScore }
