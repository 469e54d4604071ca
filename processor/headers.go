package processor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

// The headers of clean and audit events, by which a consumer routes records without decoding them (docs/consumers.md). Some tools
// can ask only whether a header is there: every utterance, and nothing else, has a role, and every END, and nothing else, a release.
// No header holds anything that a producer may choose freely.
const (
	headerType    = "sotto-type"
	headerPolicy  = "sotto-policy"
	headerRole    = "sotto-role"
	headerRelease = "sotto-release"
	headerTenant  = "sotto-tenant"
)

// maxKnownHeaders bounds what hashed tenants, of which there may be any number, make a worker remember.
const maxKnownHeaders = 256

// headerKey is all that the headers of an event depend on.
type headerKey struct {
	kind   schemas.EventType
	detail string // the role or the release
	policy string
	tenant string
}

// headerList are the headers of a record, and how many bytes they add to it.
type headerList struct {
	list  []kgo.RecordHeader
	bytes int
}

// headers makes the headers of events. Events with the same key share one list, so that most cost no memory. It is not safe for
// concurrent use.
type headers struct {
	known map[headerKey]headerList
}

func (h *headers) of(e *schemas.CleanEvent) headerList {
	k := headerKey{kind: e.Type, policy: e.Policy, tenant: e.Tenant}
	switch e.Type {
	case schemas.Utterance:
		k.detail = string(schemas.RoleUnknown)
		if s := e.Speaker; s != nil && (s.Role == schemas.RoleAgent || s.Role == schemas.RoleCustomer) {
			k.detail = string(s.Role)
		}
	case schemas.End:
		k.detail = strconv.FormatBool(e.Call != nil && e.Call.Release)
	}
	if known, ok := h.known[k]; ok {
		return known
	}
	if h.known == nil || len(h.known) >= maxKnownHeaders {
		h.known = map[headerKey]headerList{}
	}
	k.policy, k.tenant = strings.Clone(k.policy), strings.Clone(k.tenant) // which may be parts of longer strings
	made := k.headers()
	h.known[k] = made
	return made
}

// headers returns the headers of events with the key. The list has no capacity left, so that who appends to it, as tracing does,
// copies it.
func (k *headerKey) headers() (made headerList) {
	list := make([]kgo.RecordHeader, 0, 4)
	add := func(name, value string) {
		list = append(list, kgo.RecordHeader{Key: name, Value: []byte(value)})
		made.bytes += len(name) + len(value)
	}
	add(headerType, string(k.kind))
	add(headerPolicy, k.policy)
	switch k.kind {
	case schemas.Utterance:
		add(headerRole, k.detail)
	case schemas.End:
		add(headerRelease, k.detail)
	}
	if k.tenant != "" {
		add(headerTenant, k.tenant)
	}
	made.list = slices.Clip(list)
	return made
}
