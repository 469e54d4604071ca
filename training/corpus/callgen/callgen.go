// Package callgen makes streams of invented calls for the demo, the tests and the load generators. It
// plays those of calls.txt, which are labelled with what is personal in them, under new IDs and at new
// times, over and over if more are wanted than there are.
//
// A call depends on the seed and its own number only, so that any call can be
// made again, alone and in any order.
package callgen

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"sotto/internal/gold"
	"sotto/schemas"
	"sotto/training/corpus/calls"
)

//go:embed calls.txt
var text string

// people says who is who in calls.txt, in the order of its calls.
//
//go:embed people.jsonl
var people string

// Config says which calls to make. The zero value is usable.
type Config struct {
	// Seed chooses the first call and all that is random; equal seeds give equal calls.
	Seed uint64
	// Interim is the share of utterances that an interim hypothesis precedes.
	Interim float64
}

// Event is a raw event and what is personal in its text, in the order of the text.
type Event struct {
	schemas.RawEvent
	Gold []gold.Span
	// Mentions say which person each PERSON_NAME of Gold is, and Speaks which one talks.
	Mentions []gold.PersonMention
	Speaks   string
}

// Script is one call from START, if it has one, to END.
type Script struct {
	ID     string
	Events []Event
}

// Generator makes calls. It is immutable and safe for concurrent use.
type Generator struct{ cfg Config }

// New returns a generator.
func New(cfg Config) *Generator { return &Generator{cfg} }

// start is the event time of the first events.
var start = time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC).UnixMilli()

// written is a call of calls.txt.
type written struct {
	gold.Conversation
	agent, customer, phone string
	companies              []string // of the two parties, the agent's first
	people                 *gold.People
	mentions               [][]gold.PersonMention // of each utterance
}

// headerField is a NAME=VALUE of a header that says who speaks; spaces are written as underscores.
var headerField = regexp.MustCompile(`(agent|customer|phone|companies)=(\S+)`)

var all = sync.OnceValue(func() []written {
	conversations, err := calls.Parse(strings.NewReader(text), "calls.txt")
	if err != nil {
		panic(err) // a test reads the file
	}
	marked, err := gold.ReadPeople(strings.NewReader(people), "people.jsonl")
	if err != nil {
		panic(err)
	}
	lines := strings.Split(text, "\n")
	list := make([]written, len(conversations))
	for i, c := range conversations {
		fields := map[string]string{}
		for _, m := range headerField.FindAllStringSubmatch(lines[c.Line-1], -1) {
			fields[m[1]] = strings.ReplaceAll(m[2], "_", " ")
		}
		w := written{Conversation: c, agent: fields["agent"], customer: fields["customer"], phone: fields["phone"],
			companies: strings.Split(fields["companies"], ","), people: marked[i], mentions: make([][]gold.PersonMention, len(c.Utterances))}
		for _, m := range marked[i].Mentions {
			w.mentions[m.Utterance] = append(w.mentions[m.Utterance], m)
		}
		for _, u := range c.Utterances {
			text := []rune(u.Text)
			for k, s := range u.Entities {
				isValue := func(company string) bool { return strings.EqualFold(company, string(text[s.Start:s.End])) }
				u.Entities[k].OfSpeaker = slices.ContainsFunc(w.companies, isValue)
			}
		}
		list[i] = w
	}
	return list
})

// Call makes the n-th call. Its events are in order, and the first is at the start of a fixed day. The
// labels are shared by all calls and must not be changed.
func (g *Generator) Call(n int) *Script {
	list := all()
	w := &list[(uint64(n)+g.cfg.Seed)%uint64(len(list))]
	r := rand.New(rand.NewPCG(g.cfg.Seed, uint64(n)))
	b := &builder{r: r, clock: start, tenant: pick(r, "north", "south", "east", "west"), written: w,
		call: &Script{ID: fmt.Sprintf("call-%06d", n), Events: make([]Event, 0, len(w.Utterances)+8)}}
	b.speakers()
	if r.IntN(10) > 0 {
		b.start()
	}
	for i := range w.Utterances {
		b.utter(i, g.cfg.Interim)
	}
	b.clock += 300
	b.event(schemas.End)
	return b.call
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

type builder struct {
	*written
	r                 *rand.Rand
	call              *Script
	clock             int64 // milliseconds of event time
	tenant            string
	agentIs, calledBy *schemas.Speaker
}

func (b *builder) event(t schemas.EventType) *Event {
	b.call.Events = append(b.call.Events, Event{RawEvent: schemas.RawEvent{
		CallID: b.call.ID, Seq: int64(len(b.call.Events) + 1), Type: t, Context: b.Context, Tenant: b.tenant,
		Language: "en-US", TimestampMS: b.clock,
	}})
	return &b.call.Events[len(b.call.Events)-1]
}

// speakers decides what upstream calls the two parties: often by name, and by
// IDs that may be personal themselves.
func (b *builder) speakers() {
	first := func(name string) string { name, _, _ = strings.Cut(name, " "); return name }
	b.agentIs = &schemas.Speaker{ID: fmt.Sprintf("agent-%d", 1000+b.r.IntN(9000)), Role: schemas.RoleAgent,
		Label: pick(b.r, "Agent", b.agent, first(b.agent), first(b.agent), first(b.agent))}
	b.calledBy = &schemas.Speaker{ID: fmt.Sprintf("+1212555%04d", b.r.IntN(10000)), Role: schemas.RoleCustomer,
		Label: pick(b.r, "Customer", b.customer, first(b.customer), "")}
}

func (b *builder) start() {
	e := b.event(schemas.Start)
	e.Participants = []schemas.Participant{{SpeakerID: b.agentIs.ID, Names: []string{b.agent}, Organization: b.companies[0]}}
	if b.r.IntN(2) == 0 {
		e.Participants = append(e.Participants, schemas.Participant{
			SpeakerID: b.calledBy.ID, Names: []string{b.customer}, Phones: []string{b.phone}})
	}
	b.clock += 400
}

// utter adds a turn. It takes about 60 milliseconds a letter, and a breath before.
func (b *builder) utter(i int, interim float64) {
	u, speaker := &b.Utterances[i], b.calledBy
	if u.Role() == string(schemas.RoleAgent) {
		speaker = b.agentIs
	}
	words := []rune(u.Text)
	begin := b.clock + 200 + int64(b.r.IntN(700))
	stop := begin + 60*int64(len(words))
	if interim > 0 && b.r.Float64() < interim && len(words) > 12 {
		b.clock = begin + (stop-begin)/2
		e := b.event(schemas.Utterance)
		final := false
		e.Final, e.Speaker, e.Text = &final, speaker, string(words[:len(words)/2])
	}
	b.clock = stop
	e := b.event(schemas.Utterance)
	e.Speaker, e.Text, e.Gold = speaker, u.Text, u.Entities
	e.Mentions, e.Speaks = b.mentions[i], b.people.Speaker(u.Speaker)
	times := [2]int64{begin - start, stop - start}
	e.StartMS, e.EndMS = &times[0], &times[1]
}
