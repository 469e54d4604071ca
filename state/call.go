// Package state is the state of one call and its sealed form.
//
// The state answers three questions for the engine: which entity of this call is a mention
// (entity.go, person.go, value.go), which words of a text are known in this call (index.go),
// and what was asked or begun that the next utterances may answer or continue (dialogue.go,
// deferred.go).
package state

// Call is what must be remembered of one call so that its next event is anonymized like its
// earlier ones: entities and their numbers, speakers, what is known of the participants, open
// questions, deferred events. It is not safe for concurrent use.
//
// Everything that decides the outcome is in the encoded form: a Call that was encoded and
// decoded behaves like the original.
//
// What the fields point to is never changed after it was stored, but replaced. That is why a
// copy of the struct is a deep copy.
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
	// deferred are the events that wait for what is said after them.
	deferred []Deferred
	// language is that of the last turn that said in which language it is, "" for English.
	// withheld is the first other language because of which the call is not released.
	language, withheld string
	// seed is what the call's draws derive from, nil until something is drawn.
	seed []byte

	// index finds known words in a text. It is derived from entities, and nil until it is
	// needed.
	index *Index
}

// NewCall returns the state of a call of which nothing is known.
func NewCall() *Call { return &Call{} }

// Clone returns a deep copy. It costs one small allocation, whatever the size of the state.
func (c *Call) Clone() *Call { d := *c; return &d }

// Entities counts the entities of each infoType that have a number. The map is the
// caller's.
func (c *Call) Entities() map[string]int64 {
	m := make(map[string]int64, len(c.types))
	for i, t := range c.types {
		if c.counts[i] > 0 {
			m[t] = int64(c.counts[i])
		}
	}
	return m
}

// typeIndex returns the position of an infoType, which it adds if it is new.
func (c *Call) typeIndex(infoType string) uint8 {
	for i, t := range c.types {
		if t == infoType {
			return uint8(i)
		}
	}
	c.types = append(c.types[:len(c.types):len(c.types)], infoType)
	c.counts = append(c.counts[:len(c.counts):len(c.counts)], 0)
	return uint8(len(c.types) - 1)
}

// maxTypes bounds the infoTypes of one call. Further ones get no numbers.
const maxTypes = 255

// assignNumber gives entity i a number if it has none yet.
func (c *Call) assignNumber(i int) (n int, changed bool) {
	if e := &c.entities[i]; e.num > 0 {
		return int(e.num), false
	}
	e := c.entities[i]
	counts := append([]uint32(nil), c.counts...)
	counts[e.typ]++
	c.counts = counts
	e.num = counts[e.typ]
	c.replace(i, e)
	return int(e.num), true
}

// replace stores a changed entity in place of entity i.
func (c *Call) replace(i int, e entity) {
	e.keys = keysOf(&e)
	next := append([]entity(nil), c.entities...)
	next[i] = e
	c.entities = next
	c.index = nil
}

// add stores a new entity and returns its position.
func (c *Call) add(e entity) int {
	e.keys = keysOf(&e)
	c.entities = append(c.entities[:len(c.entities):len(c.entities)], e)
	c.index = nil
	return len(c.entities) - 1
}
