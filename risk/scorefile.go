package risk

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"

	"sotto/detectors"
)

// scoreEntry is what a score file says of an infoType. What it leaves out
// stays as it is.
type scoreEntry struct {
	Tag     *string          `yaml:"tag"`
	Group   *detectors.Group `yaml:"group"`
	Score   *int             `yaml:"score"`
	Speaker *int             `yaml:"speaker"`
	Partial *Rounding        `yaml:"partial"`
}

// ReadScores reads a score file and returns the table with its changes: a YAML
// mapping from infoType to any of score, speaker (the score of a speaker's
// own), partial (up or down), group and tag.
//
//	EMAIL_ADDRESS: {score: 3}
//	BADGE_NUMBER: {score: 4, group: id-number, partial: up}
//
// An infoType that the table does not know needs a score; the others are its
// own name as tag, group other, rounding down. Errors name the file, and the line or all infoTypes
// that are wrong.
func (t *Table) ReadScores(r io.Reader, name string) (*Table, error) {
	var given map[string]scoreEntry
	if err := yaml.NewDecoder(r, yaml.Strict()).Decode(&given); err != nil && !errors.Is(err, io.EOF) {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			return nil, fmt.Errorf("%s:%d: %s", name, at.GetToken().Position.Line, at.GetMessage())
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var entries []Entry
	var problems []error
	for _, infoType := range slices.Sorted(maps.Keys(given)) {
		e, err := t.entry(infoType, given[infoType])
		if err == nil {
			err = e.check()
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
		entries = append(entries, e)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	changed, err := t.With(entries...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return changed, nil
}

// entry merges what a file says of an infoType into what the table says.
func (t *Table) entry(infoType string, given scoreEntry) (Entry, error) {
	e, known := t.Lookup(infoType)
	if !known {
		if given.Score == nil {
			return Entry{}, fmt.Errorf("score of %s: the infoType is not in the table, so it needs a score", infoType)
		}
		e = Entry{Type: infoType, Tag: infoType, Group: detectors.GroupOther, Partial: Down}
	}
	if given.Score != nil {
		if given.Speaker == nil && (!known || e.Speaker == e.Score || e.Speaker < *given.Score) {
			e.Speaker = *given.Score
		}
		e.Score = *given.Score
	}
	set(&e.Speaker, given.Speaker)
	set(&e.Tag, given.Tag)
	set(&e.Group, given.Group)
	set(&e.Partial, given.Partial)
	return e, nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
