package state

import (
	"cmp"
	"strings"

	"sotto/detectors"
	"sotto/state/linking"
)

// linkSpelled looks for a spelled word among names and organizations before codes, and for a spelled name among names.
func (c *Call) linkSpelled(m *Mention) int {
	name := m.asName()
	i := c.personOf(&name)
	m.likely = name.likely
	if i < 0 && m.Kind == detectors.KindName {
		i = c.linkSpelledBefore(m)
	}
	if i >= 0 {
		return i
	}
	word := name.alias()
	if i := c.best(detectors.KindOrg, func(e *entity) int { return textScore(e, word, true) }); i >= 0 {
		return i
	}
	if i := c.begun(word); i >= 0 {
		return i
	}
	name.Code = cmp.Or(m.Code, strings.ToUpper(word))
	return c.linkCode(&name)
}

// minBegun is how many letters at the beginning of the name that became known last are enough to mean it.
const minBegun = 3

// begun returns the position of the person that became known last if a word of the name begins with the letters, else
// -1: who spells a long name pauses.
func (c *Call) begun(letters string) int {
	for i := len(c.entities) - 1; i >= 0 && len(letters) >= minBegun; i-- {
		e := &c.entities[i]
		if e.Kind != detectors.KindName {
			continue
		}
		for w := range strings.FieldsSeq(e.Aliases.At(0)) {
			if strings.HasPrefix(w, letters) {
				return i
			}
		}
		break
	}
	return -1
}

// linkCode looks for a code among codes, then among texts that differ only in spaces and
// case.
func (c *Call) linkCode(m *Mention) int {
	if i := c.best(detectors.KindCode, func(e *entity) int { return codeScore(e, m, c.types[e.Type] == m.Type) }); i >= 0 {
		return i
	}
	lower := strings.ToLower(m.Code)
	return c.best(detectors.KindText, func(e *entity) int {
		for k := range e.Aliases.Len() {
			if linking.SameLetters(e.Aliases.At(k), lower) {
				return scoreExact
			}
		}
		return 0
	})
}

// minEcho is how many digits at the end of the code that became known last are enough to mean it.
const minEcho = 2

// echoed returns the position of the code that became known last if the mention is its end, else -1: who hears a
// number repeats its end.
func (c *Call) echoed(m *Mention) int {
	if m.Kind != detectors.KindCode || len(m.Code) < minEcho || !digits(m.Code) {
		return -1
	}
	for i := len(c.entities) - 1; i >= 0; i-- {
		e := &c.entities[i]
		if e.Kind != detectors.KindCode {
			continue
		}
		if c.types[e.Type] == m.Type || e.Weak || m.Weak {
			for k := range e.Aliases.Len() {
				if strings.HasSuffix(e.Aliases.At(k), m.Code) {
					return i
				}
			}
		}
		return -1
	}
	return -1
}
