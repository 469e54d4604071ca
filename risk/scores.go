package risk

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sotto/detectors"
)

// MaxScore is the highest score of one piece of information, and the threshold
// that the mean plus one standard deviation of a corpus has to stay below.
const MaxScore = 5

// Rounding says where half of an odd score goes when only a part of the
// information was missed.
type Rounding string

// The two ways to round.
const (
	Down Rounding = "down"
	Up   Rounding = "up"
)

// Entry is the row of the table for one infoType.
type Entry struct {
	// Type is the infoType, as in a tag.
	Type string
	// Tag is the short name that annotators use after MISSED_; Type itself is
	// understood too.
	Tag string
	// Group is the row group of Table 6.
	Group detectors.Group
	// Score is between 0 and MaxScore.
	Score int
	// Speaker is the score when the piece belongs to a speaker of the call. It equals Score except
	// for organizations and products.
	Speaker int
	// Partial rounds the half of an odd score.
	Partial Rounding
}

// Direct reports whether the infoType identifies a person by itself.
func (e Entry) Direct() bool { return e.Score >= detectors.DirectScore }

func (e Entry) score(partial, speaker bool) int {
	s := e.Score
	if speaker {
		s = e.Speaker
	}
	switch {
	case !partial:
		return s
	case e.Partial == Up:
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

// Table6 returns the default scores, those of the catalog of infoTypes: Table 6 of the
// paper, and a few infoTypes that it does not list.
func Table6() *Table {
	entries := make(map[string]Entry, len(detectors.Rows()))
	for i := range detectors.Rows() {
		row := &detectors.Rows()[i]
		e := Entry{
			Type: string(row.Type), Tag: cmp.Or(row.Tag, string(row.Type)), Group: row.Group,
			Score: row.Score, Speaker: max(row.Score, row.SpeakerScore), Partial: Down,
		}
		if row.RoundUp {
			e.Partial = Up
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
		groups := detectors.Groups()
		return cmp.Or(slices.Index(groups, a.Group)-slices.Index(groups, b.Group), strings.Compare(a.Type, b.Type))
	})
}

// Points scores one missed piece on its own. An infoType that the table does
// not know scores MaxScore: what cannot be judged counts as the worst.
func (t *Table) Points(p Piece) int {
	e, ok := t.entries[p.Type]
	if !ok {
		e = Entry{Type: p.Type, Group: detectors.GroupOther, Score: MaxScore, Speaker: MaxScore, Partial: Up}
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
	case !slices.Contains(detectors.Groups(), e.Group):
		return fmt.Errorf("score of %s: group must be one of %v", e.Type, detectors.Groups())
	}
	return nil
}

var nameForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// validName reports whether s looks like an infoType and cannot be taken for
// one with a suffix.
func validName(s string) bool {
	return nameForm.MatchString(s) && !strings.HasSuffix(s, suffixPartial) && !strings.HasSuffix(s, suffixSpeaker)
}
