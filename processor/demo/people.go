package demo

import (
	"fmt"
	"strings"

	"sotto/schemas"
)

// people compares the numbers of persons in generated calls with who they are.
type people struct {
	// tags has the tags of each person, persons whose each tag is.
	tags, persons map[inCall]map[string]bool
}

// inCall is a person or a tag of a call.
type inCall struct{ call, name string }

// add adds the persons whom an utterance names, and the label of who speaks.
func (p *people) add(m *message, c *schemas.CleanEvent) {
	for _, x := range m.mentions {
		for i := range c.Entities {
			if e := &c.Entities[i]; e.RawStart != nil && e.RawEnd != nil && *e.RawStart < x.End && *e.RawEnd > x.Start {
				if e.ID != 0 {
					p.note(c.CallID, x.Person, fmt.Sprintf("%s_%d", e.Type, e.ID))
				}
				break
			}
		}
	}
	if c.Speaker != nil && m.speaks != "" {
		if label, ok := strings.CutPrefix(c.Speaker.Label, "[PERSON_NAME_"); ok {
			p.note(c.CallID, m.speaks, "PERSON_NAME_"+strings.TrimSuffix(label, "]"))
		}
	}
}

func (p *people) note(call, person, tag string) {
	note(p.tags, inCall{call, person}, tag)
	note(p.persons, inCall{call, tag}, person)
}

func note(of map[inCall]map[string]bool, key inCall, value string) {
	if of[key] == nil {
		of[key] = map[string]bool{}
	}
	of[key][value] = true
}

// sentence says how many people had one number of their own.
func (p *people) sentence() string {
	several, shared := severalIn(p.tags), severalIn(p.persons)
	if len(p.tags) == 0 {
		return "that is not known, because nobody has marked the people of these calls, or their names have no numbers."
	}
	answer := fmt.Sprintf("%d of %s named had one number throughout their call", len(p.tags)-several, count(len(p.tags), "person"))
	if shared > 0 {
		return answer + fmt.Sprintf("; %s stood for more than one of them.", count(shared, "number"))
	}
	return answer + ", and no number stood for two of them."
}

// severalIn counts the keys with more than one value.
func severalIn(of map[inCall]map[string]bool) (n int) {
	for _, values := range of {
		if len(values) > 1 {
			n++
		}
	}
	return n
}
