// Package state is the state of one call and its encoded form. Package linking decides who is who, and package sealing
// seals the form.
//
// The state answers three questions for the engine: which entity of this call is a mention
// (entity.go, person.go, value.go), which words of a text are known in this call (index.go),
// and what was asked or begun that the next utterances may answer or continue (dialogue.go,
// staged.go).
package state

import "slices"

// Call is what must be remembered of one call so that its next event is anonymized like its
// earlier ones: entities and their numbers, speakers, what is known of the participants, open
// questions, staged events. It is not safe for concurrent use.
//
// Everything that decides the outcome is in the encoded form: a Call that was encoded and
// decoded behaves like the original.
//
// What the fields point to may be shared with copies of the call. It is changed only if own says
// that it is not; otherwise a changed copy replaces it. That is why a copy of the struct without
// own is a deep copy.
type Call struct {
	// types are the infoTypes so far, to which entities refer by position. counts is how many
	// numbers of each have been given.
	types    []string
	counts   []uint32
	entities []entity
	speakers []speaker
	// appeared counts the speakers that have an alias.
	appeared  int
	questions []Question
	dictation Dictation
	turns     []Turn
	// window is what the encoder has read of the last turns, in its own form. It is never written to.
	window []byte
	// staged are the events that wait with the answers of remote tiers.
	staged []Staged
	// language is that of the last turn that said in which language it is, "" for English.
	// withheld is the first other language because of which the call is not released.
	language, withheld string
	// seed is what the call's draws derive from, nil until something is drawn.
	seed []byte
	// names are the words of all names that the call is known to say, where it is read again; otherwise nil.
	names map[string]bool

	// index finds known words in a text. It is derived from entities: nil until it is needed, and
	// to be made again if stale.
	index *Index
	stale bool
	// knowledge counts the changes of entities, others those of everything else on which later decisions
	// may depend, wherever the call was copied in between.
	knowledge, others uint64
	own               fields
	// settled means that the call is over, and that it is decided who is one.
	settled bool
	// united means that numbers that have become others do not count. It is not encoded.
	united bool
}

// fields is a set of fields of a Call.
type fields uint8

const (
	typesField fields = 1 << iota
	countsField
	entitiesField
	speakersField
	questionsField
	turnsField
	indexField
)

// own makes the slice of a field such that it may be changed: a copy, with room for more elements, if it may be shared.
func own[T any](c *Call, field fields, s *[]T, more int) {
	if c.own&field == 0 {
		*s = withRoom(*s, more)
		c.own |= field
	}
}

// withRoom returns a copy of a slice with room for more elements.
func withRoom[T any](s []T, more int) []T { return append(make([]T, 0, len(s)+more), s...) }

// Changes counts the changes on which later decisions may depend: as long as it is the same number, the
// state need not be saved again.
func (c *Call) Changes() uint64 { return c.knowledge + c.others }

// NewCall returns the state of a call of which nothing is known.
func NewCall() *Call { return &Call{} }

// Clone returns a deep copy. It costs one small allocation, whatever the size of the state.
func (c *Call) Clone() *Call {
	if c.own != 0 {
		c.own = 0
	}
	d := *c
	return &d
}

// Entities counts the entities of each infoType that have a number. The map is the
// caller's.
func (c *Call) Entities() map[string]int64 {
	m := make(map[string]int64, len(c.types))
	c.EachCount(func(infoType string, n int64) { m[infoType] = n })
	return m
}

// EachCount calls f for each infoType of which numbers have been given, with how many, in the
// order of their first appearance. It allocates nothing.
func (c *Call) EachCount(f func(infoType string, n int64)) {
	for i, t := range c.types {
		n := int64(c.counts[i])
		if c.united {
			n -= c.renumbered(uint8(i))
		}
		if n > 0 {
			f(t, n)
		}
	}
}

// typeIndex returns the position of an infoType, which it adds if it is new.
func (c *Call) typeIndex(infoType string) uint8 {
	if i := slices.Index(c.types, infoType); i >= 0 {
		return uint8(i)
	}
	own(c, typesField, &c.types, 3)
	own(c, countsField, &c.counts, 3)
	c.types, c.counts = append(c.types, infoType), append(c.counts, 0)
	return uint8(len(c.types) - 1)
}

// maxTypes bounds the infoTypes of one call. Further ones get no numbers.
const maxTypes = 255

// assignNumber gives entity i a number if it has none yet.
func (c *Call) assignNumber(i int) {
	if c.entities[i].Num > 0 {
		return
	}
	own(c, countsField, &c.counts, 3)
	own(c, entitiesField, &c.entities, 2)
	e := &c.entities[i]
	c.counts[e.Type]++
	e.Num = c.counts[e.Type]
	c.knowledge++
}

func (c *Call) ref(i int) Ref {
	e := &c.entities[i]
	return Ref{Type: c.types[e.Type], N: int(e.final()), Source: e.Source}
}

// replace stores a changed entity in place of entity i.
func (c *Call) replace(i int, e entity) {
	own(c, entitiesField, &c.entities, 2)
	c.entities[i] = e
	c.stale = true
	c.knowledge++
}

// add stores a new entity and returns its position.
func (c *Call) add(e entity) int {
	own(c, entitiesField, &c.entities, 2)
	c.entities = append(c.entities, e)
	if c.index != nil && !c.stale {
		c.ownIndex()
		c.index.extend(c)
	}
	c.knowledge++
	return len(c.entities) - 1
}

// EndDialogue forgets what is asked, dictated and talked about, so that a text that nobody said is
// not taken for an answer.
func (c *Call) EndDialogue() {
	c.questions, c.dictation, c.turns, c.window, c.language = nil, Dictation{}, nil, nil, ""
}

// Restart returns the state of the same call before its first event, with what the call is known to
// say: every entity is known and has no number yet, persons who turned out to be one are one, and every speaker is known and has not talked.
// Nothing is asked, dictated or staged. Draws continue with the same seed.
func (c *Call) Restart() *Call {
	d := &Call{types: c.types, counts: make([]uint32, len(c.counts)), seed: c.seed, names: c.allNames()}
	d.entities = c.joined()
	for i := range d.entities {
		e := &d.entities[i]
		e.Num, e.Final, e.Maybe = 0, 0, 0
	}
	for _, s := range c.speakers {
		d.speakers = append(d.speakers, speaker{ID: s.ID})
	}
	return d
}
