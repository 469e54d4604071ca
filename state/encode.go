package state

import (
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"

	"sotto/detectors"
	"sotto/state/linking"
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
	Window    []byte       `cbor:"12,keyasint,omitempty"`
	Settled   bool         `cbor:"13,keyasint,omitempty"`
}

type wireEntity struct {
	entityFacts
	wirePerson
	Aliases []string `cbor:"8,keyasint,omitempty"`
}

// wirePerson is linking.Facts, field by field, with the keys.
type wirePerson struct {
	Type    uint8             `cbor:"1,keyasint,omitempty"`
	Part    linking.Part      `cbor:"3,keyasint,omitempty"`
	Source  linking.Source    `cbor:"4,keyasint,omitempty"`
	Owner   linking.SpeakerID `cbor:"6,keyasint,omitempty"`
	Num     uint32            `cbor:"7,keyasint,omitempty"`
	Called  linking.SpeakerID `cbor:"10,keyasint,omitempty"`
	By      linking.SpeakerID `cbor:"11,keyasint,omitempty"`
	Gender  linking.Gender    `cbor:"12,keyasint,omitempty"`
	Seen    linking.Seen      `cbor:"13,keyasint,omitempty"`
	Last    int64             `cbor:"14,keyasint,omitempty"`
	Said    uint8             `cbor:"15,keyasint,omitempty"`
	Maybe   uint16            `cbor:"17,keyasint,omitempty"`
	Names   uint8             `cbor:"18,keyasint,omitempty"`
	LastMS  int64             `cbor:"20,keyasint,omitempty"`
	Doubt   int8              `cbor:"19,keyasint,omitempty"`
	Leaning linking.Leaning   `cbor:"21,keyasint,omitempty"`
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
		Dictation: c.dictation, Seed: c.seed, Staged: c.staged, Turns: c.turns, Language: c.language, Withheld: c.withheld, Window: c.window, Settled: c.settled,
	}
	for i, e := range c.entities {
		w.Entities[i] = wireEntity{e.entityFacts, wirePerson(e.Facts), e.Aliases.List()}
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
	d := Call{
		types: w.Types, counts: w.Counts, speakers: w.Speakers, questions: w.Questions, dictation: w.Dictation, turns: w.Turns,
		language: w.Language, withheld: w.Withheld, seed: w.Seed, window: w.Window, settled: w.Settled,
	}
	// Each part may refer to those before it.
	if !d.isBounded() || !d.readSpeakers() || !d.readEntities(w.Entities) || !d.isDialogue() ||
		slices.ContainsFunc(w.Staged, func(s Staged) bool { return !d.Stage(s) }) {
		return errEncoding
	}
	*c = d
	return nil
}

// isBounded reports whether a decoded state has no more of anything than it may have.
func (c *Call) isBounded() bool {
	return len(c.types) == len(c.counts) && len(c.types) <= maxTypes && (len(c.seed) == 0 || len(c.seed) == SeedSize) &&
		len(c.speakers) <= maxSpeakers && len(c.questions) <= maxQuestions && len(c.dictation.Code) <= maxDictation &&
		len(c.turns) <= maxTurns && len(c.window) <= MaxWindow && isLanguage(c.language) && isLanguage(c.withheld)
}

// readSpeakers counts the decoded speakers who have talked, and reports whether all are valid.
func (c *Call) readSpeakers() bool {
	for _, s := range c.speakers {
		if s.Alias < 0 || s.Alias > len(c.speakers) ||
			len(s.ID) > maxSpeakerID || len(s.Label) > maxLabel || len(s.Clean) > 4*maxLabel {
			return false
		}
		if s.Alias > 0 {
			c.appeared++
		}
	}
	return true
}

// hasSpeaker reports whether a decoded SpeakerID is one of the call.
func (c *Call) hasSpeaker(s linking.SpeakerID) bool { return int(s) <= len(c.speakers) }

// readEntities takes over the decoded entities, and reports whether they are valid.
func (c *Call) readEntities(decoded []wireEntity) bool {
	for _, e := range decoded {
		if e.Kind > detectors.KindCode || e.Part >= linking.Parts || e.Source >= linking.Sources || !areAliases(e.Aliases) ||
			int(e.Type) >= len(c.types) || e.Num > c.counts[e.Type] ||
			e.Gender > linking.Female || e.Final > e.Num || int64(e.Maybe) > int64(len(decoded)) ||
			!c.hasSpeaker(e.Owner) || !c.hasSpeaker(e.Called) || !c.hasSpeaker(e.By) || !e.Leaning.IsValid() {
			return false
		}
		c.entities = append(c.entities, entity{e.entityFacts, linking.Person{
			Facts: linking.Facts(e.wirePerson), Aliases: linking.NewAliases(e.Aliases[0], e.Aliases[1:]...),
		}})
	}
	return true
}

// isDialogue reports whether the decoded questions, dictation and turns are valid.
func (c *Call) isDialogue() bool {
	d := &c.dictation
	return d.Entity >= 0 && d.Entity <= len(c.entities) && c.hasSpeaker(d.Speaker) &&
		!slices.ContainsFunc(c.questions, func(q Question) bool {
			return q.Part >= linking.Parts || q.Whose >= whoses || q.FromEnd < 0 || !c.hasSpeaker(q.Asker)
		}) &&
		!slices.ContainsFunc(c.turns, func(t Turn) bool { return !c.hasSpeaker(t.Speaker) })
}

func areAliases(aliases []string) bool {
	isWrong := func(a string) bool { return a == "" || len(a) > linking.MaxAlias || !utf8.ValidString(a) }
	return len(aliases) > 0 && len(aliases) <= maxAliases && !slices.ContainsFunc(aliases, isWrong)
}
