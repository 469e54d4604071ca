package tagger

import (
	"sotto/detectors"
	"sotto/detectors/ner/sequence"
	"sotto/internal/gold"
)

// memory is what a conversation has told so far, as the call's state knows it when the tagger is used.
type memory struct {
	turns    []sequence.Turn
	speakers map[string]int
	known    map[uint64]sequence.Kind
}

func newMemory() *memory {
	return &memory{speakers: map[string]int{}, known: map[uint64]sequence.Kind{}}
}

func (m *memory) speaker(name string) int {
	if _, ok := m.speakers[name]; !ok {
		m.speakers[name] = len(m.speakers)
	}
	return m.speakers[name]
}

func (m *memory) context(speaker string, i int) sequence.Context {
	c := sequence.NewContext(m.turns, m.speaker(speaker), int64(i), -1)
	c.Known = m
	return c
}

// KindOf returns the kind of a word that was told, None for one that was not.
func (m *memory) KindOf(word uint64) sequence.Kind { return m.known[word] }

// forget hides the conversation of some turns, so that the model also works without it.
func (t *trainer) forget(c *sequence.Context) {
	if t.rng.IntN(12) == 0 {
		*c = sequence.Context{Known: c.Known}
	}
	if t.rng.IntN(8) == 0 {
		c.Known = nil
	}
}

// turnOf describes the turn that was read by its labels.
func (t *trainer) turnOf(c *gold.Conversation, u *gold.Utterance, m *memory, i int) sequence.Turn {
	turn := sequence.Turn{Speaker: m.speaker(u.Speaker), Seq: int64(i), TimeMS: -1, Asked: t.askedBy(c)}
	n := len(t.reader.Elements)
	for i, set := range t.allowed {
		k, _ := single(set)
		if k == sequence.None || k == sequence.Quantity {
			continue
		}
		turn.Kinds |= 1 << k
		if i >= n-2 {
			turn.End = k
		}
	}
	return turn
}

// add remembers a turn and the words of its names.
func (m *memory) add(turn sequence.Turn, t *trainer) {
	for i, set := range t.allowed {
		k, _ := single(set)
		token := &t.doc.Tokens[t.reader.Elements[i].Token]
		if sequence.Memorable[k] && token.Hash != 0 && token.Len() > 1 && !token.Is(detectors.Function|detectors.NumWord) {
			m.known[token.Hash] = k
		}
	}
	m.turns = sequence.AddTurn(m.turns, turn)
}
