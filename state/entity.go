package state

import (
	"slices"
	"strings"
)

// Kind says by which rules two mentions are found to be the same information.
type Kind uint8

const (
	// KindText is compared word by word: places, products, addresses.
	KindText Kind = iota
	// KindName is a person: parts count, and words that sound alike.
	KindName
	// KindOrg is an organization: legal forms do not count, a beginning does.
	KindOrg
	// KindCode is letters and digits compared without case and separators:
	// numbers, e-mail addresses, identifiers.
	KindCode

	kinds = iota
)

// Part says which part of a name a mention is.
type Part uint8

const (
	// PartAny is not known.
	PartAny Part = iota
	// PartGiven is a first name.
	PartGiven
	// PartSurname is a last name.
	PartSurname

	parts = iota
)

// Source says how an entity came to be known.
type Source uint8

const (
	// SourceSaid was found in what was said.
	SourceSaid Source = iota
	// SourceParticipant was given with the START of the call.
	SourceParticipant
	// SourceLabel is a speaker's label.
	SourceLabel

	sources = iota
)

// Mention is one piece of information as it was found in a text.
type Mention struct {
	Type string
	Kind Kind
	// Words are the lower-case words, for a name without title and possessive.
	// Of KindCode, Words is empty.
	Words []string
	// Code is the canonical form of a KindCode mention, see Canonical. A
	// spelled word has its letters here whatever its kind.
	Code string
	// Part is which part of a name the words are.
	Part Part
	// Weak says that the type is a fallback, that the shape alone was seen: a
	// digit sequence, a spelled word; of words, that the detector was in doubt. It
	// gives way to the type of an entity that has the same value, and words of
	// which nothing better is known are not looked for in later turns.
	Weak bool
	// Guessed says that the type of the words is the guess of the tagger. It gives
	// way to that of what was called exactly so before.
	Guessed bool
	// Spelled says that Code was spelled letter by letter, so that it may be a
	// name or an organization that is known.
	Spelled bool
	// Speaker is who talks.
	Speaker SpeakerID
	// Self says that the speaker says it of himself; Other, that it is
	// somebody else than the speaker; Addressed, that he talks to whom he
	// names, which is hardly himself.
	Self, Other, Addressed bool
	// OfSpeaker says that an organization or product is a speaker's own: whom he
	// works for or calls for, not one that is merely mentioned.
	OfSpeaker bool
	Source    Source
}

// Ref is what a mention was found to be.
type Ref struct {
	Type string
	// N is its number within the type, 0 where there is none because the
	// bound on entities is reached.
	N int
	// Source is how the entity came to be known first.
	Source Source
}

// entity is one piece of information. All of it is personal.
type entity struct {
	typ    uint8
	kind   Kind
	part   Part
	source Source
	weak   bool
	// own says that it is an organization or product of a speaker.
	own   bool
	owner SpeakerID
	// num is its number within the type, 0 as long as it was not said.
	num uint32
	// aliases are the canonical aliases seen, the words of each joined by one
	// space, or the canonical code.
	aliases []string
	// keys are the words by which it is found in a text, derived from the rest.
	keys []wordKey
}

const (
	// maxForms bounds the remembered forms of an entity, maxForm the bytes of
	// each; what is longer is compared by its beginning.
	maxForms = 8
	maxForm  = 120
	// fewEntities is up to how many entities each may have more than one form.
	// With it a memory of 3,000 entities stays under 800 kB, whatever was said,
	// and fits a Kafka message of 1 MB.
	fewEntities = 400
)

// LinkOrCreate tells which entity of the call the mention is, remembers it if it is
// new, and gives it its number. At limit entities a new one is not remembered
// and has no number. changed tells whether the memory changed.
func (c *Call) LinkOrCreate(m Mention, limit int) (r Ref, changed bool) {
	i := c.Link(m)
	if i < 0 {
		if len(c.entities) >= limit || !m.hasValue() {
			return Ref{Type: m.Type}, false
		}
		if i = c.remember(m); i < 0 {
			return Ref{Type: m.Type}, false
		}
		changed = true
	} else {
		changed = c.learn(i, m)
	}
	n, given := c.numberOf(i)
	e := &c.entities[i]
	return Ref{Type: c.types[e.typ], N: n, Source: e.source}, changed || given
}

// Know remembers a value that nobody has said yet, so that it has no number.
func (c *Call) Know(m Mention, limit int) (changed bool) {
	if !m.hasValue() {
		return false
	}
	if i := c.Link(m); i >= 0 {
		return c.learn(i, m)
	}
	return len(c.entities) < limit && c.remember(m) >= 0
}

// KnowAs adds another form to what first is: two names of one person.
func (c *Call) KnowAs(first, m Mention) (changed bool) {
	if i := c.Link(first); i >= 0 && m.hasValue() {
		return c.addAlias(i, m.form())
	}
	return false
}

func (m *Mention) hasValue() bool { return m.form() != "" }

// form is what is remembered of the mention.
func (m *Mention) form() string {
	s := m.Code
	if m.Kind != KindCode {
		s = strings.Join(m.Words, " ")
	}
	if len(s) > maxForm {
		s = s[:maxForm]
	}
	return strings.ToValidUTF8(s, "")
}

func (c *Call) remember(m Mention) int {
	if len(c.types) >= maxTypes || len(c.entities) >= maxElements {
		return -1
	}
	e := entity{
		typ: c.typeIndex(m.Type), kind: m.Kind, part: m.Part, source: m.Source, weak: m.Weak, own: m.OfSpeaker,
		aliases: []string{m.form()},
	}
	if m.Self {
		e.owner = m.Speaker
	}
	return c.add(e)
}

// learn takes over what a further mention tells of entity i.
func (c *Call) learn(i int, m Mention) (changed bool) {
	e := c.entities[i]
	if m.Self && m.Speaker != 0 && e.owner == 0 {
		e.owner = m.Speaker
		changed = true
	}
	if m.OfSpeaker && !e.own {
		e.own, changed = true, true
	}
	if e.num == 0 && e.weak && !m.Weak && m.Kind == e.kind && len(c.types) < maxTypes {
		// Known in advance as some value; what it is shows when it is said.
		e.typ, e.weak = c.typeIndex(m.Type), false
		changed = true
	}
	if e.weak && !m.Weak && m.Kind == e.kind && e.kind != KindCode {
		e.weak = false
		changed = true
	}
	if m.Source > e.source {
		e.source = m.Source
		changed = true
	}
	if changed {
		c.replace(i, e)
	}
	if m.Kind == e.kind {
		changed = c.addAlias(i, m.form()) || changed
		if m.Kind == KindName && m.Part == PartSurname {
			changed = c.addFullName(i, m.form()) || changed
		}
	}
	return changed
}

func (c *Call) addAlias(i int, form string) bool {
	e := c.entities[i]
	if len(e.aliases) >= maxForms || form == "" || len(c.entities) > fewEntities {
		return false
	}
	for _, f := range e.aliases {
		if f == form {
			return false
		}
	}
	e.aliases = append(e.aliases[:len(e.aliases):len(e.aliases)], form)
	c.replace(i, e)
	return true
}

// Link returns the position of the entity that the mention is, or -1.
func (c *Call) Link(m Mention) int {
	i := c.find(m)
	if !m.Guessed || i >= 0 && slices.Contains(c.entities[i].aliases, m.form()) {
		return i
	}
	if form := m.form(); len(form) >= minGuess {
		for k := len(c.entities) - 1; k >= 0; k-- {
			if e := &c.entities[k]; e.kind != KindCode && e.num > 0 && slices.Contains(e.aliases, form) {
				return k
			}
		}
	}
	return i
}

// minGuess is how many bytes words must have to be what was called exactly so and
// taken for something else.
const minGuess = 4

func (c *Call) find(m Mention) int {
	if m.Spelled {
		return c.findSpelled(m)
	}
	switch m.Kind {
	case KindName:
		return c.findPerson(&m)
	case KindOrg:
		return c.best(KindOrg, func(e *entity) int { return orgScore(e, m.form()) })
	case KindCode:
		return c.findCode(&m)
	default:
		form := m.form()
		return c.best(KindText, func(e *entity) int {
			if c.types[e.typ] != m.Type && !e.weak && !m.Weak {
				return 0
			}
			return textScore(e, form)
		})
	}
}

// best returns the entity of a kind with the highest score above 0; among
// equals the one that came last, since a conversation speaks of what was
// brought up last.
func (c *Call) best(k Kind, score func(*entity) int) int {
	at, top := -1, 0
	for i := range c.entities {
		if e := &c.entities[i]; e.kind == k {
			if s := score(e); s > 0 && s >= top {
				at, top = i, s
			}
		}
	}
	return at
}

// findSpelled looks a spelled word up among names and organizations before
// codes.
func (c *Call) findSpelled(m Mention) int {
	word := strings.ToLower(m.Code)
	if i := c.findPerson(&Mention{Kind: KindName, Words: []string{word}, Part: m.Part}); i >= 0 {
		return i
	}
	if i := c.best(KindOrg, func(e *entity) int { return orgScore(e, word) }); i >= 0 {
		return i
	}
	return c.findCode(&m)
}

// findCode looks a code up among codes, then among texts that are the same but
// for spaces and case.
func (c *Call) findCode(m *Mention) int {
	if i := c.best(KindCode, func(e *entity) int { return codeScore(e, m, c.types[e.typ] == m.Type) }); i >= 0 {
		return i
	}
	return c.best(KindText, func(e *entity) int {
		for _, f := range e.aliases {
			if sameLetters(f, strings.ToLower(m.Code)) {
				return scoreForm
			}
		}
		return 0
	})
}
