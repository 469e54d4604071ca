package risk

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// scoreEntry is what a score file says of an infoType. What it leaves out
// stays as it is.
type scoreEntry struct {
	Tag     *string   `yaml:"tag"`
	Group   *Group    `yaml:"group"`
	Score   *int      `yaml:"score"`
	Speaker *int      `yaml:"speaker"`
	Partial *Rounding `yaml:"partial"`
}

// ReadScores reads a score file and returns the table with its changes: a YAML
// mapping from infoType to any of score, speaker (the score of a speaker's
// own), partial (up or down), group and tag.
//
//	EMAIL_ADDRESS: {score: 3}
//	BADGE_NUMBER: {score: 4, group: id-number, partial: up}
//
// An infoType that the table does not know needs a score; the others are its
// own name as tag, group other, rounding down. Errors name file and line, all
// of them at once.
func (t *Table) ReadScores(r io.Reader, name string) (*Table, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, firstLine(err))
	}
	var entries []Entry
	var problems []error
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		values, ok := mappingValues(doc.Body)
		if !ok {
			problems = append(problems, fmt.Errorf("%s:%d: not a mapping from infoType to scores", name, doc.Body.GetToken().Position.Line))
			continue
		}
		for _, v := range values {
			line := v.Key.GetToken().Position.Line
			e, err := t.entry(v)
			if err == nil {
				err = e.check()
			}
			if err != nil {
				problems = append(problems, fmt.Errorf("%s:%d: %w", name, line, err))
				continue
			}
			entries = append(entries, e)
		}
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

func mappingValues(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// entry merges what a file says of an infoType into what the table says.
func (t *Table) entry(v *ast.MappingValueNode) (Entry, error) {
	infoType := v.Key.GetToken().Value
	var given scoreEntry
	if err := yaml.NodeToValue(v.Value, &given, yaml.Strict()); err != nil {
		return Entry{}, fmt.Errorf("score of %s: %s", infoType, firstLine(err))
	}
	e, known := t.Lookup(infoType)
	if !known {
		if given.Score == nil {
			return Entry{}, fmt.Errorf("score of %s: the infoType is not in the table, so it needs a score", infoType)
		}
		e = Entry{Type: infoType, Tag: infoType, Group: GroupOther, Partial: Down}
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

// firstLine is the message of an error without the excerpt that follows it.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
