// Package state is one call's memory and its sealed form.
//
// The memory answers three questions for the engine: which number does this
// piece of information have in this call (entity.go, person.go, value.go),
// which words of a text are known in this call (index.go), and what was asked
// that may be answered next (dialogue.go).
package state

// Call is what must be remembered of one call so that its next event is
// anonymized like its earlier ones: entities and their numbers, speakers, what
// is known of the participants, open questions. It is not safe for concurrent
// use.
//
// Everything that decides an outcome is in the encoded form: a Call that was
// encoded and decoded behaves as the original does.
//
// What the fields point to is never written to after it was stored: a change
// replaces it. That is why a copy of the struct is a deep copy.
type Call struct {
	// types names the infoTypes seen so far; entities refer to them by
	// position. counts holds how many numbers each of them has given out.
	types    []string
	counts   []uint32
	entities []entity
	speakers []speaker
	// appeared counts the speakers that have an alias.
	appeared  int
	questions []Question
	dictation Dictation
	// deferred are the events that wait, see Held.
	deferred []Deferred
	// seed is what draws of the call derive from, nil while nothing was drawn.
	seed []byte

	// index finds known words in a text. It is derived from entities and nil
	// until it is asked for.
	index *Index
}

// NewCall returns the memory of a call of which nothing is known.
func NewCall() *Call { return &Call{} }

// Clone returns a deep copy. It costs one small allocation whatever the size
// of the memory.
func (c *Call) Clone() *Call { d := *c; return &d }

// Entities counts the different entities per infoType that have a number. The
// map is the caller's.
func (c *Call) Entities() map[string]int64 {
	m := make(map[string]int64, len(c.types))
	for i, t := range c.types {
		if c.counts[i] > 0 {
			m[t] = int64(c.counts[i])
		}
	}
	return m
}

// typeIndex returns the position of an infoType, adding it when it is new.
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

// maxTypes bounds the infoTypes of one call; an infoType beyond it gets no
// numbers.
const maxTypes = 255

// numberOf gives entity i its number if it has none yet.
func (c *Call) numberOf(i int) (n int, changed bool) {
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
