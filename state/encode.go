package state

import (
	"errors"
	"sync"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

// The encoded form is CBOR with integer keys. Readers skip a key that they do not know, and
// an absent key has its zero value. Fields may therefore be added; none may change its
// meaning.

type wireCall struct {
	Types     []string      `cbor:"1,keyasint,omitempty"`
	Counts    []uint32      `cbor:"2,keyasint,omitempty"`
	Entities  []wireEntity  `cbor:"3,keyasint,omitempty"`
	Speakers  []wireSpeaker `cbor:"4,keyasint,omitempty"`
	Questions []Question    `cbor:"5,keyasint,omitempty"`
	Dictation *Dictation    `cbor:"6,keyasint,omitempty"`
	Seed      []byte        `cbor:"7,keyasint,omitempty"`
	Staged    []wireStaged  `cbor:"8,keyasint,omitempty"`
	Turns     []Turn        `cbor:"9,keyasint,omitempty"`
	Language  string        `cbor:"10,keyasint,omitempty"`
	Withheld  string        `cbor:"11,keyasint,omitempty"`
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

type wireSpeaker struct {
	ID    string `cbor:"1,keyasint,omitempty"`
	Alias int    `cbor:"2,keyasint,omitempty"`
	Label string `cbor:"3,keyasint,omitempty"`
	// Clean is absent if it equals the label.
	Clean string `cbor:"4,keyasint,omitempty"`
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

// wireCalls holds *wireCall whose slices are used again.
var wireCalls = sync.Pool{New: func() any { return &wireCall{} }}

// release clears everything with text of a call and puts w back into the pool. Turns are numbers.
func (w *wireCall) release() {
	clear(w.Entities)
	clear(w.Speakers)
	clear(w.Questions)
	clear(w.Staged)
	*w = wireCall{Entities: w.Entities[:0], Speakers: w.Speakers[:0], Questions: w.Questions[:0], Staged: w.Staged[:0], Turns: w.Turns[:0]}
	wireCalls.Put(w)
}

// MarshalBinary encodes the state; equal states have equal encodings.
func (c *Call) MarshalBinary() ([]byte, error) {
	w := wireCalls.Get().(*wireCall)
	defer w.release()
	w.Types, w.Counts, w.Seed, w.Language, w.Withheld = c.types, c.counts, c.seed, c.language, c.withheld
	for i := range c.entities {
		w.Entities = append(w.Entities, c.entities[i].wire())
	}
	for i := range c.speakers {
		w.Speakers = append(w.Speakers, c.speakers[i].wire())
	}
	w.Questions = append(w.Questions, c.questions...)
	if c.dictation != (Dictation{}) {
		d := c.dictation
		w.Dictation = &d
	}
	for i := range c.staged {
		w.Staged = append(w.Staged, c.staged[i].wire())
	}
	w.Turns = append(w.Turns, c.turns...)
	return encoder.Marshal(w)
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
	if len(w.Speakers) > maxSpeakers {
		return false
	}
	for i := range w.Speakers {
		s, ok := w.Speakers[i].speaker()
		if !ok || s.alias > len(w.Speakers) {
			return false
		}
		if s.alias > 0 {
			c.appeared++
		}
		c.speakers = append(c.speakers, s)
	}
	return true
}

// hasSpeaker reports whether an encoded SpeakerID is one of the call.
func (c *Call) hasSpeaker(s uint8) bool { return int(s) <= len(c.speakers) }

// readEntities takes over the encoded entities, and reports whether they are valid.
func (c *Call) readEntities(w *wireCall) bool {
	for i := range w.Entities {
		e, ok := w.Entities[i].entity()
		if !ok || int(e.typ) >= len(c.types) || e.num > c.counts[e.typ] || !c.hasSpeaker(uint8(e.owner)) {
			return false
		}
		c.entities = append(c.entities, e)
	}
	return true
}

// readQuestions takes over the encoded questions, and reports whether they are valid.
func (c *Call) readQuestions(w *wireCall) bool {
	if len(w.Questions) > maxQuestions {
		return false
	}
	for _, q := range w.Questions {
		if q.Part >= parts || q.FromEnd < 0 || !c.hasSpeaker(uint8(q.Asker)) {
			return false
		}
		c.questions = append(c.questions, q)
	}
	return true
}

// readDictation takes over the encoded dictation, and reports whether it is valid.
func (c *Call) readDictation(w *wireCall) bool {
	m := w.Dictation
	if m == nil {
		return true
	}
	if m.Entity < 0 || m.Entity > len(c.entities) || !c.hasSpeaker(uint8(m.Speaker)) || len(m.Code) > maxDictation {
		return false
	}
	c.dictation = *m
	return true
}

// readStaged takes over the encoded staged events, and reports whether they are valid.
func (c *Call) readStaged(w *wireCall) bool {
	for i := range w.Staged {
		if !c.Stage(w.Staged[i].staged()) {
			return false
		}
	}
	return true
}

func (s *speaker) wire() wireSpeaker {
	w := wireSpeaker{ID: s.id, Alias: s.alias, Label: s.label}
	if s.clean != s.label {
		w.Clean = s.clean
	}
	return w
}

// speaker returns the decoded speaker; false if it is not valid by itself.
func (w *wireSpeaker) speaker() (speaker, bool) {
	if w.Alias < 0 || len(w.ID) > maxSpeakerID || len(w.Label) > maxLabel || len(w.Clean) > 4*maxLabel {
		return speaker{}, false
	}
	s := speaker{id: w.ID, alias: w.Alias, label: w.Label, clean: w.Clean}
	if s.clean == "" {
		s.clean = s.label
	}
	return s, true
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
