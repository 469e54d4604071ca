package processor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

// The headers of clean and audit events, by which a consumer routes records without decoding them (docs/consumers.md). Two of
// them are told from the rest by their mere presence, which is all that some tools can ask for: every utterance has a role, and
// every END a release. None holds anything that a producer may choose freely.
const (
	headerType    = "sotto-type"
	headerPolicy  = "sotto-policy"
	headerRole    = "sotto-role"
	headerRelease = "sotto-release"
	headerTenant  = "sotto-tenant"
)

// maxKnownHeaders bounds what hashed tenants, of which there may be any number, make a worker remember.
const maxKnownHeaders = 256

// label is all that the headers of an event depend on.
type label struct {
	kind   schemas.EventType
	detail string // the role or the release
	policy string
	tenant string
}

// labelled are the headers of a record and the bytes that they add to it.
type labelled struct {
	list  []kgo.RecordHeader
	bytes int
}

// headers makes those of events. Events with the same label share them, so that they cost no memory. Not safe for concurrent use.
type headers struct {
	known map[label]labelled
}

func (h *headers) of(e *schemas.CleanEvent) labelled {
	l := label{kind: e.Type, policy: e.Policy, tenant: e.Tenant}
	switch e.Type {
	case schemas.Utterance:
		l.detail = string(schemas.RoleUnknown)
		if s := e.Speaker; s != nil && (s.Role == schemas.RoleAgent || s.Role == schemas.RoleCustomer) {
			l.detail = string(s.Role)
		}
	case schemas.End:
		l.detail = strconv.FormatBool(e.Call != nil && e.Call.Release)
	}
	if known, ok := h.known[l]; ok {
		return known
	}
	if h.known == nil || len(h.known) >= maxKnownHeaders {
		h.known = map[label]labelled{}
	}
	l.policy, l.tenant = strings.Clone(l.policy), strings.Clone(l.tenant) // without what they are a part of
	made := l.headers()
	h.known[l] = made
	return made
}

// headers returns a list without room, so that whoever appends to it, such as the tracing, copies it.
func (l *label) headers() (made labelled) {
	list := make([]kgo.RecordHeader, 0, 4)
	add := func(name, value string) {
		list = append(list, kgo.RecordHeader{Key: name, Value: []byte(value)})
		made.bytes += len(name) + len(value)
	}
	add(headerType, string(l.kind))
	add(headerPolicy, l.policy)
	switch l.kind {
	case schemas.Utterance:
		add(headerRole, l.detail)
	case schemas.End:
		add(headerRelease, l.detail)
	}
	if l.tenant != "" {
		add(headerTenant, l.tenant)
	}
	made.list = slices.Clip(list)
	return made
}
