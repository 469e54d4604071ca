package state

import (
	"strings"

	"sotto/detectors"
	"sotto/state/linking"
)

// Mention is one piece of information as it was found in a text.
type Mention struct {
	Type string
	Kind detectors.Kind
	// Words are the lower-case words, for a name without title and possessive. It is empty
	// for detectors.KindCode.
	Words []string
	// Joined is Words joined by one space; "" has them joined where that is needed.
	Joined string
	// Whole is a longer form that the call remembers, too, beside Joined: with the words around it that are masked
	// because they may belong to it. "" is none.
	Whole string
	// Code is the canonical form of a detectors.KindCode mention; see Canonical. A spelled word has
	// its letters here, whatever its kind.
	Code string
	// Part is which part of a name the words are.
	Part linking.Part
	// Weak means that the type is a fallback because only the shape was recognized, of a number or
	// a spelled word; or that the detector gave the words a low score. The type of an entity with
	// the same value takes precedence, and words that remain weak are not looked for in later
	// turns.
	Weak bool
	// Guessed means that the type of the words is the tagger's guess. The type of an
	// entity with exactly these words takes precedence.
	Guessed bool
	// Known means that the words were found because the call knows them: as a name, they are that of a known person.
	Known bool
	// Spelled means that the words or the Code were spelled letter by letter, so that they may be a known name
	// or organization, or the beginning of the name that was said last.
	Spelled bool
	// Speaker is who talks.
	Speaker linking.SpeakerID
	// Seq is the sequence number of the event; StartMS and EndMS are when it began and ended, -1 where that is not known. Place is
	// how many mentions it has before this one.
	Seq, StartMS, EndMS int64
	Place               int
	// Talk is what the words around a name say about the person.
	Talk linking.Talk
	// Self means that speakers name themselves; Other, that it is somebody other than the
	// speaker.
	Self, Other bool
	// OfSpeaker means that an organization or product is the speaker's own: one that the
	// speaker works for or calls for, and not merely mentions.
	OfSpeaker bool
	Source    linking.Source

	// form is what alias returns, "" until it is known.
	form string
	// likely are whom the model of pairs finds likeliest, once it was asked. What changes a person clears it.
	likely linking.Likely
}

// Ref is the entity that a mention is linked to.
type Ref struct {
	Type string
	// N is its number within the type, 0 if it has none because the limit on entities is
	// reached.
	N int
	// Source says how the entity became known first.
	Source linking.Source
}

// entity is one piece of information. All of it is personal.
type entity struct {
	entityFacts
	// Person is what is known of a person; of another entity, its type and number, where it is from, whose it is, and what
	// it was called: words that are joined by one space, or canonical codes.
	linking.Person
}

// entityFacts are what is known of an entity and does not say who it is.
type entityFacts struct {
	Kind detectors.Kind `cbor:"2,keyasint,omitempty"`
	Weak bool           `cbor:"5,keyasint,omitempty"`
	// Own means that it is an organization or product of a speaker.
	Own bool `cbor:"9,keyasint,omitempty"`
	// Final is the number after the person turned out to be the same as an entity with a lower one, 0 before.
	Final uint32 `cbor:"16,keyasint,omitempty"`
}

// learn adds to entity i what the talk around a mention says, which changes nothing of what is found in a text.
func (c *Call) learn(i int, m *Mention) {
	e := &c.entities[i]
	if e.Kind != detectors.KindName {
		return
	}
	facts := e.Facts
	if m.Kind == detectors.KindName {
		named := c.named(m)
		if at, doubt := c.doubted(&named, &m.likely, i); at > 0 && (facts.Maybe == 0 || doubt > facts.Doubt) {
			facts.Maybe, facts.Doubt = at, doubt
		}
		facts.Learn(&named)
	}
	if facts != e.Facts {
		own(c, entitiesField, &c.entities, 2)
		c.entities[i].Facts = facts
		c.others++
	}
}

const (
	// maxAliases bounds the aliases of an entity, linking.MaxAlias the bytes of each. Of a longer
	// one, the beginning is compared.
	maxAliases = 8
	// fewEntities is up to how many entities in a call each may get further aliases. This
	// keeps the state of a call with 3,000 entities under 800 kB, whatever was said, so
	// that it fits a Kafka message of 1 MB.
	fewEntities = 400
)

// LinkOrCreate links a mention to an entity of the call, or makes a new entity of it, and numbers the
// entity. In a call with limit entities, it makes no new one, and what it returns has no number.
func (c *Call) LinkOrCreate(m Mention, limit int) Ref {
	i := c.link(&m)
	before := c.bearing(i)
	if i >= 0 {
		c.merge(i, m)
	} else if i = c.echoed(&m); i < 0 {
		i = c.create(m, limit)
	} else if len(m.Code) >= minSuffix { // a shorter one means it now, and may mean another later
		c.merge(i, m)
	}
	if i < 0 {
		return Ref{Type: m.Type}
	}
	if m.Whole != "" && len(m.Whole) <= linking.MaxAlias && m.Kind == c.entities[i].Kind {
		c.addAlias(i, m.Whole)
	}
	isNew := c.entities[i].Num == 0
	c.assignNumber(i)
	c.reveal(i, &m, before, isNew)
	return c.ref(i)
}

// AddKnown adds a value that is known in advance. It has no number until it is said.
func (c *Call) AddKnown(m Mention, limit int) {
	if i := c.link(&m); i >= 0 && m.alias() != "" {
		c.merge(i, m)
	} else {
		c.create(m, limit)
	}
}

// AddKnownAlias adds an alias to the entity that first is: two names of one person.
func (c *Call) AddKnownAlias(first, m Mention) {
	if i := c.Link(first); i >= 0 {
		c.addAlias(i, m.alias())
	}
}

// alias is the form of the mention that is compared and remembered.
func (m *Mention) alias() string {
	if m.form != "" {
		return m.form
	}
	s := m.Code
	if m.Kind != detectors.KindCode {
		if s = m.Joined; s == "" {
			s = strings.Join(m.Words, " ")
		}
	}
	if len(s) > linking.MaxAlias {
		s = s[:linking.MaxAlias]
	}
	return strings.ToValidUTF8(s, "")
}

// create adds the entity that a mention is the first of, and returns its position, -1 if
// there is no room or the mention has no value.
func (c *Call) create(m Mention, limit int) int {
	if len(c.types) >= maxTypes || len(c.entities) >= min(limit, maxElements) || m.alias() == "" {
		return -1
	}
	e := entity{
		entityFacts{Kind: m.Kind, Weak: m.Weak, Own: m.OfSpeaker},
		linking.Person{
			Facts:   linking.Facts{Type: c.typeIndex(m.Type), Part: m.Part, Source: m.Source},
			Aliases: linking.NewAliases(m.alias()),
		},
	}
	if m.namesSpeaker() {
		e.Owner = m.Speaker
	}
	if m.Kind == detectors.KindName {
		if m.Source == linking.SourceSaid {
			e.Names = m.Talk.Names()
		}
		named := c.named(&m)
		e.Learn(&named)
		e.Maybe, e.Doubt = c.doubted(&named, &m.likely, -1)
	}
	return c.add(e)
}

// merge adds to entity i what a further mention says about it.
func (c *Call) merge(i int, m Mention) {
	e := c.entities[i]
	if next := c.updated(e, &m); next.Facts != e.Facts || next.entityFacts != e.entityFacts {
		c.replace(i, next)
		m.likely = linking.Likely{} // what is known of one person counts for the others
	}
	c.learn(i, &m)
	if m.Kind == e.Kind {
		c.addAlias(i, m.alias())
		if m.Kind == detectors.KindName && m.Part == linking.PartSurname {
			c.addFullName(i, m.alias())
		}
	}
}

// updated returns an entity with what a further mention says about it.
func (c *Call) updated(e entity, m *Mention) entity {
	if m.namesSpeaker() && (e.Owner == 0 || m.Source == linking.SourceLabel && e.Source != linking.SourceLabel) {
		e.Owner = m.Speaker
	}
	e.Own = e.Own || m.OfSpeaker
	if e.Weak && !m.Weak && m.Kind == e.Kind {
		if e.Num == 0 && len(c.types) < maxTypes {
			// It was known in advance as some value. Now that it is said, its type shows.
			e.Type, e.Weak = c.typeIndex(m.Type), false
		} else if e.Kind != detectors.KindCode {
			e.Weak = false
		}
	}
	e.Source = max(e.Source, m.Source)
	return e
}

func (c *Call) addAlias(i int, alias string) {
	e := c.entities[i]
	if e.Aliases.Len() >= maxAliases || alias == "" || len(c.entities) > fewEntities || e.Aliases.Has(alias) {
		return
	}
	e.Aliases.Add(alias)
	c.replace(i, e)
}

// Link returns the position of the entity that a mention is, or -1.
func (c *Call) Link(m Mention) int { return c.link(&m) }

// link is Link. It notes in the mention what create and merge need to know again.
func (c *Call) link(m *Mention) int {
	m.form = m.alias()
	i := c.linkByKind(m)
	if !m.Guessed || i >= 0 && c.entities[i].Aliases.Has(m.alias()) {
		return i
	}
	if alias := m.alias(); len(alias) >= minGuess {
		for k := len(c.entities) - 1; k >= 0; k-- {
			e := &c.entities[k]
			isNamesake := e.Kind == detectors.KindName && m.Kind == detectors.KindName // linkPerson took them for two people
			if e.Kind != detectors.KindCode && !isNamesake && e.Num > 0 && e.Aliases.Has(alias) {
				return k
			}
		}
	}
	return i
}

// minGuess is how many bytes words have at least that are linked to an entity with exactly
// these words, although the tagger guesses another type.
const minGuess = 2

// linkByKind returns the entity that a mention is by the rules of its kind, or -1.
func (c *Call) linkByKind(m *Mention) int {
	if m.Spelled {
		return c.linkSpelled(m)
	}
	switch m.Kind {
	case detectors.KindName:
		return c.linkPerson(m)
	case detectors.KindOrg:
		return c.best(detectors.KindOrg, func(e *entity) int { return textScore(e, m.alias(), true) })
	case detectors.KindCode:
		return c.linkCode(m)
	default:
		alias := m.alias()
		return c.best(detectors.KindText, func(e *entity) int {
			if c.types[e.Type] != m.Type && !e.Weak && !m.Weak {
				return 0
			}
			return textScore(e, alias, false)
		})
	}
}

// linkPerson returns the position of the person that a mention names, or of the code as which the name was first
// found; else -1.
func (c *Call) linkPerson(m *Mention) int {
	if i := c.personOf(m); i >= 0 {
		return i
	}
	return c.linkSpelledBefore(m)
}

// personOf returns the position of the person that a mention names, or -1.
func (c *Call) personOf(m *Mention) int {
	if m.Speaker == 0 {
		return c.linkByWords(m)
	}
	named := c.named(m)
	// The model did not learn what was given in advance.
	if i := linking.ByRules(&named, persons{c}, isParticipant); i >= 0 {
		return i
	}
	i, likely := linking.Choose(&named, persons{c})
	if m.likely = likely; i >= 0 {
		return i
	}
	return c.otherPart(m, &named)
}

// linkByWords returns the position of the person that a mention names, or -1, by rules. They decide where nobody in
// particular speaks, since the model of pairs learned in talks; elsewhere it knows what they say.
func (c *Call) linkByWords(m *Mention) int {
	named := c.named(m)
	return linking.ByRules(&named, persons{c}, isAnybody)
}

func isParticipant(p *linking.Person) bool { return p.Source == linking.SourceParticipant }

func isAnybody(*linking.Person) bool { return true }

// best returns the entity of a kind with the highest score above 0. Of entities with equal
// scores it returns the last, since a conversation is about what was mentioned last.
func (c *Call) best(k detectors.Kind, score func(*entity) int) int {
	at, top := -1, 0
	for i := range c.entities {
		if e := &c.entities[i]; e.Kind == k {
			if s := score(e); s > 0 && s >= top {
				at, top = i, s
			}
		}
	}
	return at
}
