package risk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MaxScore is the highest score of one piece of information, and the threshold
// that the mean plus one standard deviation of a corpus has to stay below.
const MaxScore = 5

// directScore is where direct identifiers begin. The paper gives names, cards,
// passports and SSNs 5, counts addresses, phone numbers and bank accounts
// among the direct identifiers too, which have 4 or more, and says that
// indirect ones have 2 or 3.
const directScore = 4

// Group is a row group of Table 6.
type Group string

// The groups of Table 6, and one for the types that the table leaves out.
const (
	GroupContact     Group = "contact"
	GroupEntities    Group = "entities"
	GroupDemographic Group = "demographic"
	GroupHealth      Group = "health"
	GroupID          Group = "id-number"
	GroupPayment     Group = "payment"
	GroupOther       Group = "other"
)

var groups = []Group{GroupContact, GroupEntities, GroupDemographic, GroupHealth, GroupID, GroupPayment, GroupOther}

// Rounding says where half of an odd score goes when only a part of the
// information was missed.
type Rounding string

// The two ways to round.
const (
	Down Rounding = "down"
	Up   Rounding = "up"
)

// Entry is what the table says of one infoType.
type Entry struct {
	// Type is the infoType, as in a tag.
	Type string
	// Tag is the short name that annotators use after MISSED_; Type itself is
	// understood too.
	Tag   string
	Group Group
	// Score is between 0 and MaxScore.
	Score int
	// Speaker is the score when the piece belongs to a speaker of the call.
	// It equals Score but for organizations and products.
	Speaker int
	// Partial rounds the half of an odd score.
	Partial Rounding
}

// Direct reports whether the infoType identifies a person by itself.
func (e Entry) Direct() bool { return e.Score >= directScore }

// score gives the points of one missed piece.
func (e Entry) score(partial, speaker bool) int {
	s := e.Score
	if speaker {
		s = e.Speaker
	}
	if !partial {
		return s
	}
	if e.Partial == Up {
		return (s + 1) / 2
	}
	return s / 2
}

// Table holds the scores of all infoTypes. It is immutable and safe for
// concurrent use.
type Table struct {
	entries map[string]Entry
	tags    map[string]string
}

// table6 is Table 6 of the paper, row by row. The last group is ours: NUMERIC
// and SPELLED_WORD are pieces of something whose type nobody could tell, so
// they have the score of half a GENERIC_ID and of half a PERSON_NAME; gender
// and ethnic group weigh like the other demographic facts; a date or time of
// day says nothing of a person by itself.
var table6 = []Entry{
	{Type: "EMAIL_ADDRESS", Tag: "EMAIL", Group: GroupContact, Score: 4},
	{Type: "LOCATION", Group: GroupContact, Score: 2},
	{Type: "LOCATION_COORDINATES", Tag: "LOCATION_COORD", Group: GroupContact, Score: 4},
	{Type: "US_STATE", Group: GroupContact, Score: 1},
	{Type: "PERSON_NAME", Group: GroupContact, Score: 5, Partial: Up},
	{Type: "PHONE_NUMBER", Tag: "PHONE", Group: GroupContact, Score: 4},
	{Type: "STREET_ADDRESS", Tag: "ADDRESS", Group: GroupContact, Score: 4},
	{Type: "USER_NAME", Group: GroupContact, Score: 3},

	{Type: "DOMAIN_NAME", Tag: "DOMAIN", Group: GroupEntities, Score: 1},
	{Type: "HTTP_COOKIE", Group: GroupEntities, Score: 1},
	{Type: "ORGANIZATION_NAME", Group: GroupEntities, Score: 0, Speaker: 2},
	{Type: "PRODUCT", Group: GroupEntities, Score: 0, Speaker: 2},
	{Type: "STORAGE_SIGNED_POLICY_DOCUMENT", Tag: "STORAGE_SIGNED_POLICY", Group: GroupEntities, Score: 2},
	{Type: "STORAGE_SIGNED_URL", Group: GroupEntities, Score: 3},
	{Type: "URL", Group: GroupEntities, Score: 2},

	{Type: "AGE", Group: GroupDemographic, Score: 1},
	{Type: "DATE_OF_BIRTH", Group: GroupDemographic, Score: 3},
	{Type: "GENDER", Group: GroupDemographic, Score: 1},
	{Type: "ETHNIC_GROUP", Group: GroupDemographic, Score: 1},

	{Type: "ICD9_CODE", Group: GroupHealth, Score: 2},
	{Type: "ICD10_CODE", Group: GroupHealth, Score: 2},
	{Type: "MEDICAL_RECORD_NUMBER", Group: GroupHealth, Score: 5},
	{Type: "MEDICAL_TERM", Group: GroupHealth, Score: 1},

	{Type: "ADVERTISING_ID", Group: GroupID, Score: 3},
	{Type: "GENERIC_ID", Group: GroupID, Score: 4},
	{Type: "ICCID_NUMBER", Group: GroupID, Score: 4},
	{Type: "IMEI_HARDWARE_ID", Group: GroupID, Score: 4},
	{Type: "IMSI_ID", Group: GroupID, Score: 4},
	{Type: "IP_ADDRESS", Group: GroupID, Score: 3},
	{Type: "MAC_ADDRESS", Group: GroupID, Score: 3},
	{Type: "MAC_ADDRESS_LOCAL", Group: GroupID, Score: 3},
	{Type: "PASSPORT", Group: GroupID, Score: 5},
	{Type: "VAT_NUMBER", Group: GroupID, Score: 2},
	{Type: "VEHICLE_IDENTIFICATION_NUMBER", Group: GroupID, Score: 5},

	{Type: "CREDIT_CARD_NUMBER", Group: GroupPayment, Score: 5},
	{Type: "CREDIT_CARD_TRACK_NUMBER", Group: GroupPayment, Score: 5},
	{Type: "IBAN_CODE", Group: GroupPayment, Score: 5},
	{Type: "SWIFT_CODE", Group: GroupPayment, Score: 1},
	{Type: "ROUTING_NUMBER", Group: GroupPayment, Score: 3},
	{Type: "SSN", Group: GroupPayment, Score: 5},

	{Type: "NUMERIC", Group: GroupOther, Score: 2},
	{Type: "SPELLED_WORD", Group: GroupOther, Score: 3, Partial: Up},
	{Type: "DATE", Group: GroupOther, Score: 0},
	{Type: "TIME", Group: GroupOther, Score: 0},
}

// Table6 returns the default scores: Table 6 of the paper, and a few infoTypes
// that it does not list.
func Table6() *Table {
	entries := make(map[string]Entry, len(table6))
	for _, e := range table6 {
		if e.Tag == "" {
			e.Tag = e.Type
		}
		if e.Partial == "" {
			e.Partial = Down
		}
		if e.Speaker == 0 {
			e.Speaker = e.Score
		}
		entries[e.Type] = e
	}
	return newTable(entries)
}

func newTable(entries map[string]Entry) *Table {
	t := &Table{entries: entries, tags: make(map[string]string, 2*len(entries))}
	for _, e := range entries {
		t.tags[e.Tag] = e.Type
	}
	for _, e := range entries {
		t.tags[e.Type] = e.Type
	}
	return t
}

// Lookup returns the entry of an infoType.
func (t *Table) Lookup(infoType string) (Entry, bool) {
	e, ok := t.entries[infoType]
	return e, ok
}

// Entries returns all entries, by group and then by infoType.
func (t *Table) Entries() []Entry {
	return slices.SortedFunc(maps.Values(t.entries), func(a, b Entry) int {
		if d := slices.Index(groups, a.Group) - slices.Index(groups, b.Group); d != 0 {
			return d
		}
		return strings.Compare(a.Type, b.Type)
	})
}

// Points scores one missed piece on its own. An infoType that the table does
// not know scores MaxScore: what cannot be judged is taken for the worst.
func (t *Table) Points(p Piece) int {
	e, ok := t.entries[p.Type]
	if !ok {
		e = Entry{Type: p.Type, Group: GroupOther, Score: MaxScore, Speaker: MaxScore, Partial: Up}
	}
	return e.score(p.Partial, p.Speaker)
}

// With returns a copy of the table in which the given entries replace or join
// its own. It fails when an entry is not valid.
func (t *Table) With(entries ...Entry) (*Table, error) {
	m := maps.Clone(t.entries)
	for _, e := range entries {
		if err := e.check(); err != nil {
			return nil, err
		}
		m[e.Type] = e
	}
	owner := make(map[string]string, len(m))
	for _, e := range m {
		if other, taken := owner[e.Tag]; taken {
			return nil, fmt.Errorf("score of %s: tag %s already belongs to %s", max(e.Type, other), e.Tag, min(e.Type, other))
		}
		owner[e.Tag] = e.Type
	}
	return newTable(m), nil
}

func (e Entry) check() error {
	switch {
	case !validName(e.Type):
		return fmt.Errorf("infoType %q is not made of capital letters, digits and underscores", e.Type)
	case !validName(e.Tag):
		return fmt.Errorf("score of %s: tag %q is not made of capital letters, digits and underscores", e.Type, e.Tag)
	case e.Score < 0 || e.Score > MaxScore:
		return fmt.Errorf("score of %s is %d; it must be between 0 and %d", e.Type, e.Score, MaxScore)
	case e.Speaker < e.Score || e.Speaker > MaxScore:
		return fmt.Errorf("score of %s for a speaker is %d; it must be between its plain score, %d, and %d", e.Type, e.Speaker, e.Score, MaxScore)
	case e.Partial != Up && e.Partial != Down:
		return fmt.Errorf("score of %s: partial must be up or down", e.Type)
	case !slices.Contains(groups, e.Group):
		return fmt.Errorf("score of %s: group must be one of %v", e.Type, groups)
	}
	return nil
}

// validName reports whether s looks like an infoType and cannot be taken for
// one with a suffix.
func validName(s string) bool {
	if s == "" || strings.HasSuffix(s, suffixPartial) || strings.HasSuffix(s, suffixSpeaker) {
		return false
	}
	for i, r := range s {
		switch {
		case r >= 'A' && r <= 'Z':
		case i > 0 && (r == '_' || r >= '0' && r <= '9'):
		default:
			return false
		}
	}
	return true
}
