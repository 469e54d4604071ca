package transcripts

import (
	"cmp"
	"slices"
	"strings"

	"sotto/internal/gold"
	"sotto/schemas"
)

// Conversations reads the calls of a file as labelled conversations, whatever its format; see
// ReadFile. The entities of clean events become labels, and their roles become speakers.
func Conversations(path string) ([]gold.Conversation, error) {
	var all []*Transcript
	calls := map[string]*Transcript{}
	err := ReadFile(path, func(e *schemas.CleanEvent) error {
		c := calls[e.CallID]
		if c == nil {
			c = &Transcript{ID: e.CallID}
			calls[e.CallID] = c
			all = append(all, c)
		}
		if e.Type == schemas.Utterance {
			c.Events = append(c.Events, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []gold.Conversation
	for _, c := range all {
		slices.SortStableFunc(c.Events, func(x, y *schemas.CleanEvent) int { return cmp.Compare(x.Seq, y.Seq) })
		out = append(out, c.conversation())
	}
	return out, nil
}

func (c *Transcript) conversation() gold.Conversation {
	out := gold.Conversation{ID: c.ID, Utterances: []gold.Utterance{}}
	for _, e := range c.Events {
		out.Context = e.Context
		u := gold.Utterance{Text: e.Text}
		if e.Speaker != nil {
			u.Speaker = strings.ToLower(string(e.Speaker.Role))
			if e.Speaker.Role == schemas.RoleUnknown {
				u.Speaker = e.Speaker.ID
			}
		}
		for _, s := range e.Entities {
			u.Entities = append(u.Entities, gold.Span{Start: s.Start, End: s.End, Type: s.Type})
		}
		out.Utterances = append(out.Utterances, u)
	}
	return out
}
