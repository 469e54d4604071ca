package state

import (
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

// The encoded form is CBOR with integer keys. Readers skip a key that they do not know, and
// an absent key has its zero value. Fields may therefore be added; none may change its
// meaning.

type wireCall struct {
	Types     []string     `cbor:"1,keyasint,omitempty"`
	Counts    []uint32     `cbor:"2,keyasint,omitempty"`
	Entities  []wireEntity `cbor:"3,keyasint,omitempty"`
	Speakers  []speaker    `cbor:"4,keyasint,omitempty"`
	Questions []Question   `cbor:"5,keyasint,omitempty"`
	Dictation Dictation    `cbor:"6,keyasint,omitzero"`
	Seed      []byte       `cbor:"7,keyasint,omitempty"`
	Staged    []Staged     `cbor:"8,keyasint,omitempty"`
	Turns     []Turn       `cbor:"9,keyasint,omitempty"`
	Language  string       `cbor:"10,keyasint,omitempty"`
	Withheld  string       `cbor:"11,keyasint,omitempty"`
}

type wireEntity struct {
	Type    uint8    `cbor:"1,keyasint,omitempty"`
	Kind    uint8    `cbor:"2,keyasint,omitempty"`
	Part    uint8    `cbor:"3,keyasint,omitempty"`
	Source  uint8    `cbor:"4,keyasint,omitempty"`
	Weak    bool     `cbor:"5,keyasint,omitempty"`
	Owner   uint8    `cbor:"6,keyasint,omitempty"`
	Num     uint32   `cbor:"7,keyasint,omitempty"`
	Aliases []string `cbor:"8,keyasint,omitempty"`
	Own     bool     `cbor:"9,keyasint,omitempty"`
}

// maxElements bounds the arrays that the decoder makes.
const maxElements = 1 << 16

var (
	encoder = must(cbor.CoreDetEncOptions().EncMode())
	decoder = must(cbor.DecOptions{
		MaxArrayElements: maxElements,
		MaxMapPairs:      64,
		MaxNestedLevels:  8,
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
		UTF8:             cbor.UTF8RejectInvalid,
	}.DecMode())
)

// must is for constant options: they are valid, or no test passes.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// MarshalBinary encodes the state; equal states have equal encodings.
func (c *Call) MarshalBinary() ([]byte, error) {
	w := wireCall{
		Types: c.types, Counts: c.counts, Entities: make([]wireEntity, len(c.entities)), Speakers: c.speakers, Questions: c.questions,
		Dictation: c.dictation, Seed: c.seed, Staged: c.staged, Turns: c.turns, Language: c.language, Withheld: c.withheld,
	}
	for i := range c.entities {
		w.Entities[i] = c.entities[i].wire()
	}
	return encoder.Marshal(&w)
}

// errEncoding says nothing about the content, which is personal.
var errEncoding = errors.New("state: the encoded state of the call is not valid")

// UnmarshalBinary replaces the state by the encoded one. On bytes that MarshalBinary cannot
// have written it fails and leaves the state as it was; the error does not quote them.
func (c *Call) UnmarshalBinary(data []byte) error {
	var w wireCall
	if err := decoder.Unmarshal(data, &w); err != nil {
		return errEncoding
	}
	d := Call{types: w.Types, counts: w.Counts, seed: w.Seed}
	if len(d.types) != len(d.counts) || len(d.types) > maxTypes || len(w.Seed) != 0 && len(w.Seed) != SeedSize {
		return errEncoding
	}
	// Each part may refer to those before it.
	for _, read := range []func(*wireCall) bool{d.readSpeakers, d.readEntities, d.readQuestions, d.readDictation, d.readStaged, d.readTurns, d.readLanguages} {
		if !read(&w) {
			return errEncoding
		}
	}
	*c = d
	return nil
}

// readSpeakers takes over the encoded speakers, and reports whether they are valid.
func (c *Call) readSpeakers(w *wireCall) bool {
	c.speakers = w.Speakers
	for _, s := range c.speakers {
		if s.Alias < 0 || s.Alias > len(c.speakers) || len(s.ID) > maxSpeakerID || len(s.Label) > maxLabel || len(s.Clean) > 4*maxLabel {
			return false
		}
		if s.Alias > 0 {
			c.appeared++
		}
	}
	return len(c.speakers) <= maxSpeakers
}

// hasSpeaker reports whether an encoded SpeakerID is one of the call.
func (c *Call) hasSpeaker(s SpeakerID) bool { return int(s) <= len(c.speakers) }

// readEntities takes over the encoded entities, and reports whether they are valid.
func (c *Call) readEntities(w *wireCall) bool {
	for i := range w.Entities {
		e, ok := w.Entities[i].entity()
		if !ok || int(e.typ) >= len(c.types) || e.num > c.counts[e.typ] || !c.hasSpeaker(e.owner) {
			return false
		}
		c.entities = append(c.entities, e)
	}
	return true
}

// readQuestions takes over the encoded questions, and reports whether they are valid.
func (c *Call) readQuestions(w *wireCall) bool {
	c.questions = w.Questions
	return len(c.questions) <= maxQuestions && !slices.ContainsFunc(c.questions, func(q Question) bool {
		return q.Part >= parts || q.FromEnd < 0 || !c.hasSpeaker(q.Asker)
	})
}

// readDictation takes over the encoded dictation, and reports whether it is valid.
func (c *Call) readDictation(w *wireCall) bool {
	c.dictation = w.Dictation
	d := &c.dictation
	return d.Entity >= 0 && d.Entity <= len(c.entities) && c.hasSpeaker(d.Speaker) && len(d.Code) <= maxDictation
}

// readStaged takes over the encoded staged events, and reports whether they are valid.
func (c *Call) readStaged(w *wireCall) bool {
	return !slices.ContainsFunc(w.Staged, func(s Staged) bool { return !c.Stage(s) })
}

func (e *entity) wire() wireEntity {
	return wireEntity{
		Type: e.typ, Kind: uint8(e.kind), Part: uint8(e.part), Source: uint8(e.source),
		Weak: e.weak, Owner: uint8(e.owner), Num: e.num, Aliases: e.aliases.list(), Own: e.own,
	}
}

// entity returns the decoded entity; false if it is not valid by itself.
func (w *wireEntity) entity() (entity, bool) {
	if w.Kind >= kinds || w.Part >= parts || w.Source >= sources || !areAliases(w.Aliases) {
		return entity{}, false
	}
	return entity{
		typ: w.Type, kind: Kind(w.Kind), part: Part(w.Part), source: Source(w.Source),
		weak: w.Weak, owner: SpeakerID(w.Owner), num: w.Num, aliases: aliases{w.Aliases[0], w.Aliases[1:]}, own: w.Own,
	}, true
}

func areAliases(aliases []string) bool {
	if len(aliases) == 0 || len(aliases) > maxAliases {
		return false
	}
	for _, a := range aliases {
		if a == "" || len(a) > maxAlias || !utf8.ValidString(a) {
			return false
		}
	}
	return true
}
