package state

import (
	"strings"
	"unicode"

	"sotto/detectors"
)

// SeedSize is the size of the seed of a call's draws, in bytes.
const SeedSize = 32

// Seed is the seed of the call's draws, nil if there is none yet. It is secret. It is
// remembered, so that a call that is open when the keys are rotated keeps its surrogates. The
// slice must not be changed.
func (c *Call) Seed() []byte { return c.seed }

// SetSeed remembers the seed of the call's draws. A seed that does not have SeedSize bytes is
// a programming error and is ignored.
func (c *Call) SetSeed(seed []byte) {
	if len(seed) == SeedSize {
		c.seed = append([]byte(nil), seed...)
		c.others++
	}
}

// LongestAlias is the alias with the most words of the entity with a number above 0, in lower
// case; empty if there is no such entity.
func (c *Call) LongestAlias(r Ref) string {
	if e := c.numbered(r); e != nil {
		return e.Aliases.Longest()
	}
	return ""
}

// FullName is the alias with the most words of the person with a number above 0, in lower case: of several entities that turned out to
// be one person, of the first that was called by a word of a text. It is empty if there is no such person.
func (c *Call) FullName(r Ref, text string) string {
	for i := range c.entities {
		if e := &c.entities[i]; r.N > 0 && int(e.final()) == r.N && c.types[e.Type] == r.Type && e.isCalled(text) {
			return e.Aliases.Longest()
		}
	}
	return c.LongestAlias(r)
}

// isCalled reports whether a word of a text, in whatever case, stands in a name of a person.
func (e *entity) isCalled(text string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		for k := range e.Aliases.Len() {
			if hasWord(e.Aliases.At(k), w) {
				return true
			}
		}
	}
	return false
}

// FirstAlias is what the entity with a number above 0 was called first, in lower case; empty if
// there is no such entity. It stays the same throughout the call.
func (c *Call) FirstAlias(r Ref) string {
	if e := c.numbered(r); e != nil {
		return e.Aliases.At(0)
	}
	return ""
}

// HasName reports whether a word, in lower case, stands in the name of somebody of the call: of those who were known before an entity
// and of the entity itself, by what each was called first, or of all where the call is read again. What is true of a word stays true
// throughout the call.
func (c *Call) HasName(r Ref, word string) bool {
	if c.names != nil {
		return c.names[word]
	}
	this := c.numbered(r)
	for i := range c.entities {
		e := &c.entities[i]
		if c.types[e.Type] == r.Type && hasWord(e.Aliases.At(0), word) {
			return true
		}
		if e == this {
			break
		}
	}
	return false
}

// allNames returns the words of all names.
func (c *Call) allNames() map[string]bool {
	all := map[string]bool{}
	for i := range c.entities {
		if e := &c.entities[i]; e.Kind == detectors.KindName {
			for k := range e.Aliases.Len() {
				for w := range strings.FieldsSeq(e.Aliases.At(k)) {
					all[w] = true
				}
			}
		}
	}
	return all
}

func hasWord(text, word string) bool {
	for w := range strings.FieldsSeq(text) {
		if w == word {
			return true
		}
	}
	return false
}

// OfSpeaker reports whether the entity with a number above 0 is an organization or product of
// a speaker.
func (c *Call) OfSpeaker(r Ref) bool {
	e := c.numbered(r)
	return e != nil && e.Own
}

// numbered returns the entity with a number above 0, nil if there is none: of several with one number, the first.
func (c *Call) numbered(r Ref) *entity {
	for i := range c.entities {
		if e := &c.entities[i]; r.N > 0 && int(e.Num) == r.N && c.types[e.Type] == r.Type {
			return e
		}
	}
	return nil
}
