// Package callgen makes up phone calls: several domains, invented people and
// companies, numbers written and spoken, spelled names, corrections, values
// dictated over several turns. It serves the demo, the tests and the load
// generators, and since it knows what it put where, it also yields the gold:
// which words are personal, and whose.
//
// A call depends on the seed and its own number only, so that any call can be
// made again, alone and in any order.
package callgen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"sotto/schemas"
)

// Config says which calls to make. The zero value is usable.
type Config struct {
	// Seed chooses the calls; equal seeds give equal calls.
	Seed uint64
	// Prefix starts each call ID; "call" if empty.
	Prefix string
	// Start is the event time of the first events; a fixed day if zero.
	Start time.Time
	// Interim is the share of utterances that an interim hypothesis precedes.
	Interim float64
}

// Span is a stretch of an utterance that is personal information. Positions
// count Unicode code points, end exclusive.
type Span struct {
	Start, End int
	Type       string
	// Entity is equal for the spans of a call that tell the same information.
	Entity string
}

// Event is a raw event and what is personal in its text.
type Event struct {
	schemas.RawEvent
	Gold []Span
}

// Call is one call from START, if it has one, to END.
type Call struct {
	ID     string
	Domain string
	Events []Event
}

// Generator makes calls. It is immutable and safe for concurrent use.
type Generator struct {
	cfg     Config
	scripts []*script
}

var loadScripts = sync.OnceValue(mustLoadScripts)

// New returns a generator.
func New(cfg Config) *Generator {
	if cfg.Prefix == "" {
		cfg.Prefix = "call"
	}
	if cfg.Start.IsZero() {
		cfg.Start = time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC)
	}
	return &Generator{cfg: cfg, scripts: loadScripts()}
}

var tenants = []string{"north", "south", "east", "west"}

// Call makes the n-th call. Its events are in order and their times start at
// the configured Start.
func (g *Generator) Call(n int) *Call {
	r := g.rand(n)
	s := g.scripts[r.IntN(len(g.scripts))]
	b := &builder{
		r:       r,
		clock:   g.cfg.Start.UnixMilli(),
		origin:  g.cfg.Start.UnixMilli(),
		interim: g.cfg.Interim,
		call:    &Call{ID: fmt.Sprintf("%s-%06d", g.cfg.Prefix, n), Domain: s.domain, Events: make([]Event, 0, 48)},
		tenant:  pick(r, tenants),
	}
	switch s.domain {
	case "sales", "voicemail":
		b.context = s.domain
	default:
		b.context = "customer_support"
	}
	b.facts.reset(r, s.domain, r.IntN(4) == 0)
	b.speakers()
	if r.IntN(10) > 0 {
		b.start()
	}
	for i := range s.phases {
		p := &s.phases[i]
		n := p.min + r.IntN(p.max-p.min+1)
		// A random start and step take n different exchanges.
		at, step := r.IntN(len(p.pool)), 1
		if n > 1 {
			step = coprimeStep(r, len(p.pool))
		}
		for range n {
			for _, l := range p.pool[at] {
				b.utter(&l)
			}
			at = (at + step) % len(p.pool)
		}
	}
	b.end()
	return b.call
}

// rand is the source of all that is random in the n-th call.
func (g *Generator) rand(n int) *rand.Rand { return rand.New(rand.NewPCG(g.cfg.Seed, uint64(n))) }

// builder makes one call.
type builder struct {
	r               *rand.Rand
	facts           facts
	call            *Call
	seq             int64
	clock, origin   int64 // milliseconds of event time
	interim         float64
	context, tenant string
	agent, customer *schemas.Speaker
	buf             []byte
	runes           int
	gold            []Span
}

func (b *builder) event(t schemas.EventType) *Event {
	b.seq++
	b.call.Events = append(b.call.Events, Event{RawEvent: schemas.RawEvent{
		CallID: b.call.ID, Seq: b.seq, Type: t, Context: b.context, Tenant: b.tenant,
		Language: "en-US", TimestampMS: b.clock,
	}})
	return &b.call.Events[len(b.call.Events)-1]
}

// speakers decides what upstream calls the two parties: often by name, and by
// IDs that may be personal themselves.
func (b *builder) speakers() {
	f, r := &b.facts, b.r
	b.agent = &schemas.Speaker{ID: fmt.Sprintf("agent-%d", 1000+r.IntN(9000)), Role: schemas.RoleAgent}
	switch r.IntN(5) {
	case 0:
		b.agent.Label = "Agent"
	case 1:
		b.agent.Label = f.cast[roleAgent].full()
	default:
		b.agent.Label = f.cast[roleAgent].first
	}
	b.customer = &schemas.Speaker{ID: "+1" + f.phoneDigits(), Role: schemas.RoleCustomer}
	switch r.IntN(4) {
	case 0:
		b.customer.Label = f.cast[roleCustomer].full()
	case 1:
		b.customer.Label = f.cast[roleCustomer].first
	case 2:
		b.customer.Label = "Customer"
	}
}

func (b *builder) start() {
	f := &b.facts
	e := b.event(schemas.Start)
	a := &f.cast[roleAgent]
	e.Participants = []schemas.Participant{{SpeakerID: b.agent.ID, Names: []string{a.full()}, Organization: f.form("org").written}}
	if b.r.IntN(2) == 0 {
		e.Participants = append(e.Participants, schemas.Participant{
			SpeakerID: b.customer.ID,
			Names:     []string{f.cast[roleCustomer].full()},
			Phones:    []string{f.form("phone").written},
		})
	}
	b.clock += 400
}

func (b *builder) end() {
	b.clock += 300
	b.event(schemas.End)
}

func (b *builder) utter(l *scriptLine) {
	b.buf, b.runes, b.gold = b.buf[:0], 0, nil
	b.render(l.parts)
	if b.facts.plain {
		b.trimEnd()
	}
	speaker := b.customer
	if l.agent {
		speaker = b.agent
	}
	// About 60 milliseconds a letter, and a breath before each turn.
	begin := b.clock + 200 + int64(b.r.IntN(700))
	stop := begin + 60*int64(b.runes)
	if b.interim > 0 && b.r.Float64() < b.interim && b.runes > 12 {
		b.clock = begin + (stop-begin)/2
		e := b.event(schemas.Utterance)
		final := false
		e.Final, e.Speaker, e.Text = &final, speaker, prefix(b.buf, b.runes/2)
	}
	b.clock = stop
	e := b.event(schemas.Utterance)
	e.Speaker, e.Text, e.Gold = speaker, string(b.buf), b.gold
	times := [2]int64{begin - b.origin, stop - b.origin}
	e.StartMS, e.EndMS = &times[0], &times[1]
}

func (b *builder) render(parts []part) {
	for i := range parts {
		p := &parts[i]
		switch {
		case p.choice != nil:
			b.render(pick(b.r, p.choice))
		case p.slot == nil:
			if b.facts.plain {
				b.add(p.plain)
			} else {
				b.add(p.text)
			}
		default:
			start := b.runes
			b.add(b.facts.say(p.slot))
			if p.slot.infoType != "" {
				b.gold = append(b.gold, Span{Start: start, End: b.runes, Type: p.slot.infoType, Entity: p.slot.entity})
			}
		}
	}
}

// add appends s. Where an abbreviation ends a sentence, one full stop does for
// both.
func (b *builder) add(s string) {
	if len(b.buf) > 0 && b.buf[len(b.buf)-1] == '.' && strings.HasPrefix(s, ".") {
		s = s[1:]
	}
	b.buf = append(b.buf, s...)
	b.runes += utf8.RuneCountInString(s)
}

// trimEnd removes the spaces that a dropped full stop left behind.
func (b *builder) trimEnd() {
	for len(b.buf) > 0 && b.buf[len(b.buf)-1] == ' ' {
		b.buf = b.buf[:len(b.buf)-1]
		b.runes--
	}
}

// prefix is the first n code points of text.
func prefix(text []byte, n int) string {
	for i := range string(text) {
		if n == 0 {
			return string(text[:i])
		}
		n--
	}
	return string(text)
}
