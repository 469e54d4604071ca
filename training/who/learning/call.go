// Package learning trains and measures the model of pairs on the mentions that the engine finds in marked calls.
package learning

import (
	"encoding/json"
	"io"
	"strings"

	"sotto/detectors"
	"sotto/state"
	"sotto/state/linking"
)

// Example is a marked call as the engine reads it.
type Example struct {
	ID       string
	Speakers []string
	// Labels has the first name of each speaker who is known, and People who that is.
	Labels, People []string
	// Began is with which event each speaker began to talk.
	Began    []int64
	Mentions []Mention
}

// Mention is one that the engine found. Person is "" if nobody marked it, and "?" if it cannot be known.
type Mention struct {
	state.Mention
	Speaking int
	Person   string
}

// Read reads calls as JSON lines.
func Read(r io.Reader) ([]*Example, error) {
	var all []*Example
	for d := json.NewDecoder(r); ; {
		c := &Example{}
		if err := d.Decode(c); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
}

// limit bounds the entities of a call.
const limit = 1000

// replay gives the mentions of a call to do, in order, those of the labels among them if labelled, and returns its state.
func (c *Example) replay(labelled bool, do func(k *state.Call, m state.Mention, person string)) *state.Call {
	k, began := state.NewCall(), 0
	for i := range c.Mentions {
		m := c.Mentions[i]
		for ; began < len(c.Speakers) && c.Began[began] <= m.Seq; began++ {
			s := k.Speaker(c.Speakers[began])
			k.NumberSpeaker(s)
			if label := c.Labels[began]; labelled && label != "" && !strings.HasSuffix(label, ".") {
				do(k, state.Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{strings.ToLower(label)}, Self: true, Speaker: s,
					Seq: c.Began[began], Source: linking.SourceLabel}, c.People[began])
			}
		}
		m.Mention.Speaker = k.Speaker(c.Speakers[m.Speaking])
		do(k, m.Mention, m.Person)
	}
	return k
}

// decidesPerson reports whether the model of pairs decides who a mention is.
func decidesPerson(m *state.Mention) bool { return m.Kind == detectors.KindName || m.Spelled }
