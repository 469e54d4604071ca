package state

import (
	"sotto/detectors"
	"sotto/state/linking"
)

// otherPart returns the position of the person of whom only the first or the last name is known, if the other part of it is said now,
// by the speaker of the own name, in answer to a question, or as linking.OtherPart says, else -1. named is the mention as package linking
// sees it.
func (c *Call) otherPart(m *Mention, named *linking.Mention) int {
	if q := c.partAsked(m, named); q != nil {
		if i := c.askedAbout(q, named); i >= 0 {
			return i
		}
	}
	if m.Self && m.Part != linking.PartAny {
		return c.best(detectors.KindName, func(e *entity) int {
			if e.Owner == m.Speaker && e.Aliases.Len() == 1 && e.Lacks(m.Part) {
				return 1
			}
			return 0
		})
	}
	return linking.OtherPart(named, persons{c})
}

// partAsked returns the question for one part of a name that a mention answers, nil if there is none.
func (c *Call) partAsked(m *Mention, named *linking.Mention) *Question {
	const soon = 2 // turns
	if m.Place > 0 || m.Talk.Kin || m.Talk.Role == linking.RoleThird || len(m.Words) > maxSurname {
		return nil
	}
	for i := len(c.questions) - 1; i >= 0; i-- {
		q := &c.questions[i]
		if q.Type == m.Type && q.FromEnd == 0 && q.Seq < m.Seq {
			if q.Part != linking.PartAny && q.Asker != m.Speaker && named.Turns(q.Seq, q.TimeMS) <= soon {
				return q
			}
			return nil
		}
	}
	return nil
}

// maxSurname bounds the words of a last name: "de la Cruz".
const maxSurname = 3

// askedAbout returns the position of the person of whose name a question asks for a part, as far as that is known: who answers, or
// who was mentioned last; else -1.
func (c *Call) askedAbout(q *Question, m *linking.Mention) int {
	const near = 6 // turns
	own, last := linking.OfSpeaker(persons{c}, m.Speaker), -1
	for i := range c.entities {
		e := &c.entities[i]
		if e.Kind != detectors.KindName || !e.IsSaid() || e.Owner != 0 && (e.Owner == q.Asker || q.Whose == OfThird && e.Owner == m.Speaker) || e.Ago(m) > near {
			continue
		}
		if last < 0 || e.Last >= c.entities[last].Last {
			last = i
		}
	}
	at := last
	if q.Whose == OfListener && own >= 0 || at < 0 && q.Whose != OfThird {
		at = own
	}
	if at < 0 || !c.entities[at].Lacks(q.Part) {
		return -1
	}
	return at
}

// AskedName returns which part of a name was asked for last, beside who asked and whether letter by letter, and how
// many turns before a mention that was.
func (c *Call) AskedName(m *Mention) (question, ago uint8) {
	now := linking.Mention{Seq: m.Seq, StartMS: m.StartMS}
	for i := range c.questions {
		q := &c.questions[i]
		if q.Type != m.Type || q.Seq > m.Seq {
			continue
		}
		question = 1 + uint8(q.Part)
		if q.Spell {
			question += uint8(linking.Parts)
		}
		if q.Asker == m.Speaker {
			question += 2 * uint8(linking.Parts)
		}
		ago = uint8(min(now.Turns(q.Seq, q.TimeMS), 20))
	}
	return question, ago
}
