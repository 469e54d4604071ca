package state

import (
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/state/linking"
)

// namesSpeaker reports whether speakers name themselves.
func (m *Mention) namesSpeaker() bool {
	return m.Self || m.Kind == detectors.KindName && m.Talk.Role == linking.RoleOwn
}

// persons are the entities of a call as package linking sees them.
type persons struct{ call *Call }

func (p persons) Len() int { return len(p.call.entities) }

func (p persons) Person(i int) *linking.Person {
	if e := &p.call.entities[i]; e.Kind == detectors.KindName {
		return &e.Person
	}
	return nil
}

func (p persons) Speakers() int { return p.call.appeared }

// named returns the mention of a person as package linking sees it.
func (c *Call) named(m *Mention) linking.Mention {
	return linking.Mention{
		Type: slices.Index(c.types, m.Type), Alias: m.alias(), Words: m.Words, Part: m.Part,
		Guessed: m.Guessed, Known: m.Known, Spelled: m.Spelled, Self: m.Self, Other: m.Other,
		Source: m.Source, Speaker: m.Speaker, Talker: c.talker(m.Speaker), Seq: m.Seq, StartMS: m.StartMS, EndMS: m.EndMS, Place: m.Place, Talk: m.Talk,
	}
}

// asName returns a mention with the words of a name, which a spelled code may be.
func (m *Mention) asName() Mention {
	name := *m
	if m.Kind == detectors.KindCode {
		name.Kind, name.Code = detectors.KindName, ""
		name.Words = []string{strings.ToLower(m.Code)}
		name.form = name.Words[0]
	}
	return name
}

// linkSpelledBefore returns the position of the spelled word or the user name as which a name was first found, or -1.
func (c *Call) linkSpelledBefore(m *Mention) int {
	whole := m.alias()
	joined := strings.ReplaceAll(whole, " ", "")
	return c.best(detectors.KindCode, func(e *entity) int {
		if (e.Weak || len(whole) >= minGuess) && strings.EqualFold(e.Aliases.At(0), joined) {
			return 1
		}
		return 0
	})
}

// EachPair describes the mention of a person beside each person of the call, newest first, whom it may be.
func (c *Call) EachPair(m *Mention, do func(i int, pair *linking.Pair)) {
	name := m.asName()
	named := c.named(&name)
	linking.EachPair(&named, persons{c}, do)
}

// LinkAs links a mention to entity i, or to a new one if i is -1, whatever the model of pairs says, and returns its position.
func (c *Call) LinkAs(m Mention, i, limit int) int {
	m.form = m.alias()
	if i < 0 {
		i = c.create(m, limit)
	} else {
		c.merge(i, m)
	}
	if i >= 0 {
		if m.Whole != "" && len(m.Whole) <= linking.MaxAlias && m.Kind == c.entities[i].Kind {
			c.addAlias(i, m.Whole)
		}
		c.assignNumber(i)
	}
	return i
}

// KnowsAsTwo reports whether two names are each that of a person who has a number, of two people.
func (c *Call) KnowsAsTwo(a, b string) bool {
	var first, second uint32 // the numbers of the last of each
	for i := range c.entities {
		e := &c.entities[i]
		if e.Kind != detectors.KindName || e.Num == 0 {
			continue
		}
		isFirst, isSecond := e.Aliases.Has(a), e.Aliases.Has(b) && !e.hasSurname(b)
		if isFirst && isSecond {
			return false
		}
		if isFirst {
			first = e.final()
		}
		if isSecond {
			second = e.final()
		}
	}
	return first != 0 && second != 0 && first != second
}

// KnowsAsOne reports whether the name of somebody begins with two names, one after the other.
func (c *Call) KnowsAsOne(a, b string) bool {
	for i := range c.entities {
		e := &c.entities[i]
		for k := 0; e.Kind == detectors.KindName && k < e.Aliases.Len(); k++ {
			rest, hasFirst := strings.CutPrefix(e.Aliases.At(k), a+" ")
			if rest, has := strings.CutPrefix(rest, b); hasFirst && has && (rest == "" || rest[0] == ' ') {
				return true
			}
		}
	}
	return false
}

// IsOfOther reports whether a name is one of somebody who talks in the call, but not of the speaker.
func (c *Call) IsOfOther(name string, s linking.SpeakerID) bool {
	isOther := false
	for i := range c.entities {
		if e := &c.entities[i]; e.Kind == detectors.KindName && e.Owner != 0 && e.Aliases.Has(name) {
			if e.Owner == s {
				return false
			}
			isOther = s != 0
		}
	}
	return isOther
}

// MayBearName reports whether the person at position i is known by a first name alone, to which the last name of the one at
// position k may belong.
func (c *Call) MayBearName(i, k int) bool {
	a, b := &c.entities[i], &c.entities[k]
	return a.Kind == detectors.KindName && b.Kind == detectors.KindName && a.Part != linking.PartSurname && !strings.Contains(a.Aliases.Longest(), " ")
}

// hasSurname reports whether a word is the last name of a person: "lucinda quimby" beside a Mr. Quimby is one person.
func (e *entity) hasSurname(word string) bool {
	return e.Part == linking.PartSurname && e.Aliases.Len() == 1 || strings.HasSuffix(e.Aliases.Longest(), " "+word)
}

// addFullName adds the alias "given surname" to entity i when the surname of a person becomes
// known of whom only the given name was.
func (c *Call) addFullName(i int, surname string) {
	e := &c.entities[i]
	if e.Part != linking.PartSurname && !strings.Contains(e.Aliases.Longest(), " ") && e.Aliases.At(0) != surname {
		c.addAlias(i, e.Aliases.At(0)+" "+surname)
	}
}
