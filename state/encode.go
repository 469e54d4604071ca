package state

import (
	"errors"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

// The encoded form is CBOR with integer keys. A key that a reader does not
// know is skipped, a key that is absent has its zero value, so that fields may
// be added; none may change its meaning.

type wireCall struct {
	Types     []string       `cbor:"1,keyasint,omitempty"`
	Counts    []uint32       `cbor:"2,keyasint,omitempty"`
	Entities  []wireEntity   `cbor:"3,keyasint,omitempty"`
	Speakers  []wireSpeaker  `cbor:"4,keyasint,omitempty"`
	Questions []wireQuestion `cbor:"5,keyasint,omitempty"`
	Dictation *wireDictation `cbor:"6,keyasint,omitempty"`
	Seed      []byte         `cbor:"7,keyasint,omitempty"`
	Held      []wireDeferred `cbor:"8,keyasint,omitempty"`
}

type wireEntity struct {
	Type   uint8    `cbor:"1,keyasint,omitempty"`
	Kind   uint8    `cbor:"2,keyasint,omitempty"`
	Part   uint8    `cbor:"3,keyasint,omitempty"`
	Source uint8    `cbor:"4,keyasint,omitempty"`
	Weak   bool     `cbor:"5,keyasint,omitempty"`
	Owner  uint8    `cbor:"6,keyasint,omitempty"`
	Num    uint32   `cbor:"7,keyasint,omitempty"`
	Forms  []string `cbor:"8,keyasint,omitempty"`
	Own    bool     `cbor:"9,keyasint,omitempty"`
}

type wireSpeaker struct {
	ID    string `cbor:"1,keyasint,omitempty"`
	Alias int    `cbor:"2,keyasint,omitempty"`
	Label string `cbor:"3,keyasint,omitempty"`
	// Clean is absent when it is the label itself.
	Clean string `cbor:"4,keyasint,omitempty"`
}

type wireQuestion struct {
	Type     string `cbor:"1,keyasint,omitempty"`
	Part     uint8  `cbor:"2,keyasint,omitempty"`
	Spell    bool   `cbor:"3,keyasint,omitempty"`
	Asker    uint8  `cbor:"4,keyasint,omitempty"`
	Seq      int64  `cbor:"5,keyasint,omitempty"`
	TimeMS   int64  `cbor:"6,keyasint,omitempty"`
	Partial  bool   `cbor:"7,keyasint,omitempty"`
	Answered bool   `cbor:"8,keyasint,omitempty"`
	Back     int    `cbor:"9,keyasint,omitempty"`
}

type wireDictation struct {
	Entity  int    `cbor:"1,keyasint,omitempty"`
	Speaker uint8  `cbor:"2,keyasint,omitempty"`
	Code    string `cbor:"3,keyasint,omitempty"`
	Seq     int64  `cbor:"4,keyasint,omitempty"`
	TimeMS  int64  `cbor:"5,keyasint,omitempty"`
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

// must is for options that are constants: they are valid or no test passes.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// MarshalBinary encodes the memory; equal memories give equal bytes.
func (c *Call) MarshalBinary() ([]byte, error) {
	w := wireCall{Types: c.types, Counts: c.counts, Seed: c.seed}
	for i := range c.entities {
		e := &c.entities[i]
		w.Entities = append(w.Entities, wireEntity{
			Type: e.typ, Kind: uint8(e.kind), Part: uint8(e.part), Source: uint8(e.source),
			Weak: e.weak, Owner: uint8(e.owner), Num: e.num, Forms: e.aliases, Own: e.own,
		})
	}
	for _, s := range c.speakers {
		x := wireSpeaker{ID: s.id, Alias: s.alias, Label: s.label}
		if s.clean != s.label {
			x.Clean = s.clean
		}
		w.Speakers = append(w.Speakers, x)
	}
	for _, q := range c.questions {
		w.Questions = append(w.Questions, wireQuestion{
			Type: q.Type, Part: uint8(q.Part), Spell: q.Spell, Asker: uint8(q.Asker), Seq: q.Seq, TimeMS: q.TimeMS,
			Partial: q.Partial, Answered: q.Answered, Back: q.FromEnd,
		})
	}
	if d := c.dictation; d != (Dictation{}) {
		w.Dictation = &wireDictation{
			Entity: d.Entity, Speaker: uint8(d.Speaker), Code: d.Code, Seq: d.Seq, TimeMS: d.TimeMS,
		}
	}
	for i := range c.deferred {
		w.Held = append(w.Held, c.deferred[i].wire())
	}
	return encoder.Marshal(&w)
}

// errMemory says nothing of the content, which is personal.
var errMemory = errors.New("state: the encoded memory of the call is not valid")

// UnmarshalBinary replaces the memory by the encoded one. It fails on bytes
// that MarshalBinary cannot have written and then leaves the memory as it was;
// the error does not quote them.
func (c *Call) UnmarshalBinary(data []byte) error {
	var w wireCall
	if err := decoder.Unmarshal(data, &w); err != nil {
		return errMemory
	}
	d := Call{types: w.Types, counts: w.Counts, seed: w.Seed}
	if len(d.types) != len(d.counts) || len(d.types) > maxTypes || len(w.Speakers) > maxSpeakers ||
		len(w.Questions) > maxQuestions || len(w.Seed) != 0 && len(w.Seed) != SeedSize {
		return errMemory
	}
	for _, s := range w.Speakers {
		if s.Alias < 0 || s.Alias > len(w.Speakers) || len(s.ID) > maxSpeakerID {
			return errMemory
		}
		if s.Alias > 0 {
			d.appeared++
		}
		if len(s.Label) > maxLabel || len(s.Clean) > 4*maxLabel {
			return errMemory
		}
		if s.Clean == "" {
			s.Clean = s.Label
		}
		d.speakers = append(d.speakers, speaker{id: s.ID, alias: s.Alias, label: s.Label, clean: s.Clean})
	}
	speakerOK := func(s uint8) bool { return int(s) <= len(w.Speakers) }
	for _, e := range w.Entities {
		if int(e.Type) >= len(d.types) || e.Kind >= kinds || e.Part >= parts || e.Source >= sources ||
			!speakerOK(e.Owner) || e.Num > d.counts[e.Type] || !formsOK(e.Forms) {
			return errMemory
		}
		x := entity{
			typ: e.Type, kind: Kind(e.Kind), part: Part(e.Part), source: Source(e.Source),
			weak: e.Weak, owner: SpeakerID(e.Owner), num: e.Num, aliases: e.Forms, own: e.Own,
		}
		x.keys = keysOf(&x)
		d.entities = append(d.entities, x)
	}
	for _, q := range w.Questions {
		if q.Part >= parts || q.Back < 0 || !speakerOK(q.Asker) {
			return errMemory
		}
		d.questions = append(d.questions, Question{
			Type: q.Type, Part: Part(q.Part), Spell: q.Spell, Asker: SpeakerID(q.Asker), Seq: q.Seq, TimeMS: q.TimeMS,
			Partial: q.Partial, Answered: q.Answered, FromEnd: q.Back,
		})
	}
	if m := w.Dictation; m != nil {
		if m.Entity < 0 || m.Entity > len(d.entities) || !speakerOK(m.Speaker) || len(m.Code) > maxDictation {
			return errMemory
		}
		d.dictation = Dictation{
			Entity: m.Entity, Speaker: SpeakerID(m.Speaker), Code: m.Code, Seq: m.Seq, TimeMS: m.TimeMS,
		}
	}
	for i := range w.Held {
		if !d.Defer(w.Held[i].deferred()) {
			return errMemory
		}
	}
	*c = d
	return nil
}

func formsOK(forms []string) bool {
	if len(forms) == 0 || len(forms) > maxForms {
		return false
	}
	for _, f := range forms {
		if f == "" || len(f) > maxForm || !utf8.ValidString(f) {
			return false
		}
	}
	return true
}
