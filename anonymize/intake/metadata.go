package intake

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"sotto/schemas"
)

// Other stands for every context and tenant that is not known.
const Other = "other"

// CanaryTenant is the tenant of synthetic calls. It is always known.
const CanaryTenant = "canary"

// Metadata decides which values of the fields around the text may reach the outputs. These fields
// are free-form: a producer can put a phone number or a name into each of them.
type Metadata struct {
	// Contexts and Tenants are the known values. An unknown one becomes Other.
	Contexts, Tenants map[string]bool
	// HashTenant, unless nil, replaces a tenant that is not known by its keyed hash.
	HashTenant func(string) string
}

// Normalize replaces the context, the language and the times of a raw event by what may be
// published. An event time that is not plausible becomes received, the time when the event was
// received, in ms; 0 if that is not known. Normalize is idempotent. It leaves the tenant, by which
// the user's dictionaries are chosen.
func (m *Metadata) Normalize(e *schemas.RawEvent, received int64) {
	e.Context = known(e.Context, m.Contexts)
	e.Language = Language(e.Language)
	if !plausibleOffset(e.StartMS) {
		e.StartMS = nil
	}
	if !plausibleOffset(e.EndMS) || e.StartMS != nil && e.EndMS != nil && *e.EndMS < *e.StartMS {
		e.EndMS = nil
	}
	if !plausibleTime(e.TimestampMS, received) {
		e.TimestampMS = received
	}
}

// Tenant returns the tenant to publish for that of a raw event.
func (m *Metadata) Tenant(tenant string) string {
	switch {
	case tenant == CanaryTenant:
		return tenant
	case tenant == "" || m.Tenants[tenant] || m.HashTenant == nil:
		return known(tenant, m.Tenants)
	}
	return m.HashTenant(tenant)
}

func known(value string, set map[string]bool) string {
	if value == "" || set[value] {
		return value
	}
	return Other
}

// languageTag is a language with an optional script and region. Variants and extensions are free
// text.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$`)

// Language returns a tag if it is one of BCP 47, otherwise "".
func Language(tag string) string {
	if tag == "" || knownLanguages.has(tag) {
		return tag
	}
	if !languageTag.MatchString(tag) {
		return ""
	}
	if _, err := language.Parse(tag); err != nil {
		return ""
	}
	knownLanguages.add(tag)
	return tag
}

// knownLanguages are valid tags that have occurred. To parse a tag takes longer than to decode the
// rest of its event, and a deployment has few of them.
var knownLanguages = tagSet{tags: map[string]bool{}}

// maxKnownLanguages bounds what producers can make us remember.
const maxKnownLanguages = 256

// tagSet is a set of strings of limited size, safe for concurrent use.
type tagSet struct {
	mu   sync.RWMutex
	tags map[string]bool
}

func (s *tagSet) has(tag string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tags[tag]
}

// add adds a copy of a tag, unless the set is full.
func (s *tagSet) add(tag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tags) < maxKnownLanguages {
		s.tags[strings.Clone(tag)] = true
	}
}

const (
	// earliestTime is 2000-01-01: an event time before that is a number of another kind.
	earliestTime = 946_684_800_000
	// latestTime is 2100-01-01, for events whose time of receipt is not known.
	latestTime = 4_102_444_800_000
	// maxAhead is how far an event time may be ahead of its receipt.
	maxAhead = 24 * time.Hour
	// maxOffset bounds times from the start of a call.
	maxOffset = 24 * time.Hour
)

func plausibleTime(ms, received int64) bool {
	latest := int64(latestTime)
	if received > 0 {
		latest = received + maxAhead.Milliseconds()
	}
	return ms >= earliestTime && ms <= latest
}

func plausibleOffset(ms *int64) bool { return ms == nil || *ms >= 0 && *ms <= maxOffset.Milliseconds() }
