package schemas

import (
	"context"
	"slices"
	"testing"
)

var testTopics = Topics{Raw: "calls.raw", Clean: "calls.clean", Audit: "calls.risk-audit", DeadLetter: "calls.dead-letter"}

// memoryRegistry is a Schema Registry in memory. The ID of a schema is its position, from 1.
type memoryRegistry struct {
	texts   []string
	schemas []*Schema
}

func (m *memoryRegistry) Schema(id uint32) (*Schema, error) {
	if id == 0 || int(id) > len(m.schemas) {
		return nil, bad(ReasonUnknownSchema)
	}
	return m.schemas[id-1], nil
}

func (m *memoryRegistry) Register(_ context.Context, _, text string, _ bool) (int, error) {
	if i := slices.Index(m.texts, text); i >= 0 {
		return i + 1, nil
	}
	s, err := ParseSchema(text)
	m.texts, m.schemas = append(m.texts, text), append(m.schemas, s)
	return len(m.schemas), err
}

// add registers a schema and returns its ID.
func (m *memoryRegistry) add(t testing.TB, text string) int {
	t.Helper()
	id, err := m.Register(t.Context(), "", text, false)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newRegistryCodec(t testing.TB, m *memoryRegistry) *Codec {
	t.Helper()
	c, err := NewCodec(t.Context(), Options{Registry: m, Topics: testTopics})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
