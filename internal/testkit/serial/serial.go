// Package serial computes what the stream must write, with one thread, a log in memory and no
// failures. It is the oracle of the tests that disturb the stream. It calls the engine as any
// program may, and shares nothing with the processor.
package serial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/config"
	"sotto/detectors"
	"sotto/intake"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// Input is what the stream gets.
type Input struct {
	Settings *config.Settings
	Codec    *schemas.Codec
	Engine   anonymize.Anonymizer
	Keys     *state.Keyring
	// Raw are the records of the raw topic, by partition in order.
	Raw []*kgo.Record
	// CloseAll lets the clock continue after the last record until every call is over, as the wall
	// clock does.
	CloseAll bool
	// IdleEnds says of each idle call when it ended. The wall clock, too, moves the clock of a
	// partition without records, so that events alone do not tell. Nil: they do.
	IdleEnds map[string]IdleEnd
	// Late and Failed are the reasons that the stream gives in dead letters.
	Late, Failed Reason
}

// IdleEnd is when an idle call ended.
type IdleEnd struct {
	// Counted is how many calls the graph of the partition had counted.
	Counted int64
	// TimestampMS is the time of the END.
	TimestampMS int64
}

// Reason is the reason of a dead letter.
type Reason struct{ Name, Detail string }

// Output is what the stream must write.
type Output struct {
	// Clean, Audit, Dead and Final are the written values by call, in order.
	Clean, Audit, Dead, Final map[string][]string
	Records, Refused          int // clean events, dead letters
	RiskSampled, Gated        int // audit events because of the estimated risk, ENDs over the limit
	Lacking                   int // final versions that lack utterances
	Held, HeldRefused         int // events that were deferred; those on which the engine failed then
	// Identifying are the indirect identifiers in final versions, Unjudged the calls that ended before
	// there were enough, and Forgotten the n-grams that the graphs had no room for.
	Identifying, Unjudged, Forgotten int
	// Open are the calls that have a state at the end, Going those that have not ended.
	Open, Going map[string]bool
}

// Run processes the records.
func Run(ctx context.Context, in Input) (*Output, error) {
	kept, err := schemas.NewCodec(ctx, schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		return nil, err
	}
	s := &run{Input: in, out: Output{
		Clean: map[string][]string{}, Audit: map[string][]string{}, Dead: map[string][]string{}, Final: map[string][]string{},
		Open: map[string]bool{}, Going: map[string]bool{},
	}, rates: in.Settings.AuditRates(), limits: in.Settings.Gate().Limits, kept: kept}
	parts := map[int32][]*kgo.Record{}
	for _, rec := range in.Raw {
		parts[rec.Partition] = append(parts[rec.Partition], rec)
	}
	for _, p := range slices.Sorted(maps.Keys(parts)) {
		s.partition(p, parts[p])
	}
	return &s.out, s.err
}

type run struct {
	Input
	out           Output
	err           error // the first one of the codec
	rates, limits config.ByContext
	kept          *schemas.Codec // of the events that are kept for final versions
	doc           detectors.Document
}

// partition is one partition of the raw topic.
type partition struct {
	id    int32
	calls map[string]*call
	over  map[string]bool
	clock int64 // event time in ms
	graph graph
}

type call struct {
	memory     *state.Call
	utterances int64
	lastSeq    int64
	context    string
	tenant     string
	active     int64 // the clock at the last event
	ended      bool
	endedAt    int64
	// draw and uniform decide whether the call is in the audit sample.
	draw, uniform float64
	// The findings of the second look, and what they decide.
	candidates  estimate.CandidateSet
	left        []detectors.SubthresholdFinding // in the event just applied
	uniformly   bool
	riskSampled bool
	missing     int64
	// The utterances that are kept for the final version, and what that version found.
	kept     []*schemas.CleanEvent
	bytes    int
	leftover int64
}

func (s *run) partition(id int32, recs []*kgo.Record) {
	p := &partition{id: id, calls: map[string]*call{}, over: map[string]bool{}, graph: graph{users: map[string]map[string]bool{}}}
	for _, rec := range recs {
		s.record(p, rec)
	}
	if s.CloseAll {
		// The first jump ends open calls, the second ends their grace period.
		for range 2 {
			p.clock += (s.Settings.CallIdleTimeout + s.Settings.CallGrace).Milliseconds()
			s.fire(p)
		}
	}
	for id, c := range p.calls {
		s.out.Open[id], s.out.Going[id] = true, !c.ended
	}
}

func (s *run) record(p *partition, rec *kgo.Record) {
	ev, err := s.Codec.DecodeRaw(rec.Value)
	if err != nil {
		var e *schemas.DecodeError
		errors.As(err, &e)
		s.refuse(rec, "", Reason{e.Reason, err.Error()})
		return
	}
	p.clock = max(p.clock, ev.TimestampMS)
	if c := p.calls[ev.CallID]; c != nil && !c.ended {
		c.active = p.clock
	}
	s.fire(p)
	c := p.calls[ev.CallID]
	switch {
	case ev.Interim():
	case len(ev.Text) > s.Settings.MaxTextBytes:
		s.refuse(rec, ev.CallID, Reason{intake.TextTooLong, intake.Details[intake.TextTooLong]})
	case c == nil && p.over[ev.CallID]:
		s.refuse(rec, ev.CallID, s.Late)
	default:
		if c == nil {
			c = &call{memory: state.NewCall(), active: p.clock}
			s.sample(c, ev.CallID, ev.Context)
		}
		s.event(p, c, rec, ev)
	}
}

// fire closes the calls that are idle, ends the grace period of those that have ended, and releases
// what was deferred for too long.
func (s *run) fire(p *partition) {
	var idle []idleCall
	for id, c := range p.calls {
		if anonymize.Resume(s.Engine, c.memory).Overdue(p.clock) {
			s.release(p, id, c)
		}
		switch {
		case !c.ended && s.idleAt(c) <= p.clock:
			idle = append(idle, idleCall{id, s.idleAt(c), s.IdleEnds[id].Counted})
		case c.ended && c.endedAt+s.Settings.CallGrace.Milliseconds() <= p.clock:
			delete(p.calls, id)
			p.over[id] = true
		}
	}
	slices.SortFunc(idle, func(a, b idleCall) int {
		return cmp.Or(cmp.Compare(a.counted, b.counted), cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
	})
	for _, i := range idle {
		if c := p.calls[i.id]; !c.ended && i.counted <= p.graph.calls {
			s.closeIdle(p, i.id, c)
		}
	}
}

// idleCall is a call that ends because of a time. counted is its IdleEnd, 0 for all if there are none.
type idleCall struct {
	id          string
	at, counted int64
}

func (s *run) idleAt(c *call) int64 { return c.active + s.Settings.CallIdleTimeout.Milliseconds() }

// closeIdle writes the END of an idle call.
func (s *run) closeIdle(p *partition, id string, c *call) {
	s.release(p, id, c)
	at := s.idleAt(c)
	if e, ok := s.IdleEnds[id]; ok {
		at = max(at, e.TimestampMS) // the wall clock may be ahead of the events
	}
	end := &schemas.RawEvent{CallID: id, Seq: c.lastSeq + 1, Type: schemas.End, Context: c.context, Tenant: c.tenant, TimestampMS: at}
	clean, _ := s.Engine.Apply(c.memory, s.Engine.Prepare(end))
	s.write(p, &clean, c, schemas.ClosedByIdle)
	c.ended, c.endedAt = true, p.clock
}

// closeEarly ends the idle calls that the wall clock ended before a call that ends now.
func (s *run) closeEarly(p *partition, before string) {
	for {
		next := ""
		for id, c := range p.calls {
			if e, ok := s.IdleEnds[id]; ok && !c.ended && e.Counted == p.graph.calls && id != before {
				next = id
			}
		}
		if next == "" {
			return
		}
		s.closeIdle(p, next, p.calls[next])
	}
}

// event processes an event of a call that has not expired.
func (s *run) event(p *partition, c *call, rec *kgo.Record, ev *schemas.RawEvent) {
	memory, at := c.memory.Clone(), state.RecordPosition{Utterances: c.utterances, Clock: p.clock, Offset: rec.Offset, TimestampMS: rec.Timestamp.UnixMilli()}
	if ev.Type == schemas.Utterance {
		at.Utterances++
	}
	var ready []anonymize.Released
	if c.ended {
		ready = []anonymize.Released{{Prepared: s.Engine.Prepare(ev)}}
	} else {
		ready, _ = anonymize.Resume(s.Engine, memory).Accept(s.Engine.Prepare(ev), at)
	}
	now := len(ready) > 0 && !ready[len(ready)-1].Deferred
	if _, _, ok := s.apply(memory.Clone(), s.Engine.Prepare(ev)); now && !ok {
		s.refuse(rec, ev.CallID, s.Failed)
		if s.Settings.RemoteTier != "" { // it was accepted when it was staged
			p.calls[ev.CallID] = c
			c.count(ev, p.clock)
		}
		return
	}
	p.calls[ev.CallID], c.memory = c, memory
	s.applyDeferred(p, ev.CallID, c, ready)
	c.count(ev, p.clock)
	if !now {
		s.out.Held++
		return
	}
	clean, left, _ := s.apply(c.memory, ready[len(ready)-1].Prepared)
	c.left = left
	s.write(p, &clean, c, schemas.ClosedByEnd)
	if ev.Type == schemas.End && !c.ended {
		c.ended, c.endedAt = true, p.clock
	}
}

// count notes an event that was accepted.
func (c *call) count(ev *schemas.RawEvent, clock int64) {
	c.lastSeq = max(c.lastSeq, ev.Seq)
	c.context, c.tenant = cmp.Or(c.context, ev.Context), cmp.Or(c.tenant, ev.Tenant)
	if ev.Type == schemas.Utterance {
		c.utterances++
	}
	if !c.ended {
		c.active = clock
	}
}

func (s *run) apply(c *state.Call, p *anonymize.Prepared) (clean schemas.CleanEvent, left []detectors.SubthresholdFinding, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	clean, _ = s.Engine.Apply(c, p)
	return clean, p.Subthreshold, true
}

// release writes the deferred events of a call.
func (s *run) release(p *partition, id string, c *call) {
	released, _ := anonymize.Resume(s.Engine, c.memory).Release()
	s.applyDeferred(p, id, c, released)
}

// applyDeferred writes the released events that were deferred.
func (s *run) applyDeferred(p *partition, id string, c *call, ready []anonymize.Released) {
	utterances := c.utterances
	for _, r := range ready {
		if !r.Deferred {
			continue
		}
		before := c.memory.Clone()
		clean, left, ok := s.apply(c.memory, r.Prepared)
		if !ok {
			c.memory = before
			s.refuse(&kgo.Record{Topic: s.Settings.TopicRaw, Partition: p.id, Offset: r.Position.Offset, Timestamp: time.UnixMilli(r.Position.TimestampMS)},
				id, s.Failed)
			s.out.HeldRefused++
			continue
		}
		c.left, c.utterances = left, r.Position.Utterances
		s.write(p, &clean, c, schemas.ClosedByEnd)
	}
	c.utterances = utterances
}

func (s *run) sample(c *call, id, context string) {
	c.draw, c.uniform = s.Keys.Draw("audit", id), s.rates.Of(context)
	c.uniformly = c.draw < c.uniform
}

func (s *run) write(p *partition, clean *schemas.CleanEvent, c *call, by schemas.ClosedBy) {
	published := slices.Clone(c.kept)
	if clean.Type == schemas.End && !c.ended {
		s.closeEarly(p, clean.CallID)
		c.leftover = s.review(c)
	}
	estimated := estimate.Plus(s.look(clean, c), c.leftover)
	if clean.Type == schemas.End {
		clean.Call = s.summary(c, estimated, by)
		clean.Call.Indirect = s.countCall(p, c, clean.CallID, published)
	}
	square := min(1, estimated/5) * min(1, estimated/5)
	rate := max(c.uniform, s.Settings.AuditDoubtRate*square)
	if !c.uniformly && !c.riskSampled && c.draw < rate {
		c.riskSampled, c.missing = true, c.utterances
		if clean.Type == schemas.Utterance {
			c.missing--
		}
	}
	var sampling *schemas.Sampling
	switch {
	case c.uniformly:
		sampling = &schemas.Sampling{Rate: rate, Reason: "uniform", EstimatedRisk: &estimated}
	case c.riskSampled:
		s.out.RiskSampled++
		sampling = &schemas.Sampling{Rate: rate, Reason: "doubt", EstimatedRisk: &estimated, Missing: c.missing}
	}
	v, err := s.Codec.AppendClean(nil, clean)
	if err != nil {
		s.fail(err)
	}
	s.out.Clean[clean.CallID] = append(s.out.Clean[clean.CallID], string(v))
	s.conclude(p, clean, c)
	s.out.Records++
	if sampling != nil {
		v, err := s.Codec.AppendAudit(nil, &schemas.AuditEvent{CleanEvent: *clean, Sampling: *sampling})
		if err != nil {
			s.fail(err)
		}
		s.out.Audit[clean.CallID] = append(s.out.Audit[clean.CallID], string(v))
	}
}

// look is the second look at an anonymized text.
func (s *run) look(clean *schemas.CleanEvent, c *call) float64 {
	if clean.Type == schemas.Utterance {
		c.candidates, _ = c.candidates.Observe(&s.doc, clean.Text, clean.Entities, c.left)
	}
	var found estimate.Found
	for t, n := range c.memory.Entities() {
		found.Add(t, n)
	}
	return c.candidates.Risk(c.utterances, found)
}

// review masks in the kept utterances what became known later, and returns the risk of what it
// found in thousandths of a point.
func (s *run) review(c *call) (left int64) {
	if s.Settings.TopicFinal == "" {
		return 0
	}
	found := map[string]bool{}
	for i, e := range c.kept {
		reviewed, added, _ := s.Engine.Review(c.memory, e)
		c.kept[i] = &reviewed
		for _, a := range added {
			if k := fmt.Sprint(a.Type, a.ID); !found[k] {
				found[k] = true
				left += estimate.Leftover(a.Type, c.memory.OfSpeaker(state.Ref{Type: a.Type, N: a.ID}))
			}
		}
	}
	return left
}

// conclude writes the effect of an event on the final topic: the END that closes a call writes the
// call, and an event within the grace period is written by itself.
func (s *run) conclude(p *partition, clean *schemas.CleanEvent, c *call) {
	put := func(e *schemas.CleanEvent) {
		v, err := s.Codec.AppendClean(nil, e)
		if err != nil {
			s.fail(err)
		}
		s.out.Final[e.CallID] = append(s.out.Final[e.CallID], string(v))
	}
	switch {
	case s.Settings.TopicFinal == "":
	case clean.Type == schemas.End:
		utterances := int64(0)
		if !c.ended {
			for _, e := range c.kept {
				put(e)
				if e.Type == schemas.Utterance {
					utterances++
				}
			}
		}
		last := *clean
		var found estimate.Found
		for t, n := range c.memory.Entities() {
			found.Add(t, n)
		}
		last.Call = s.summary(c, c.candidates.Risk(c.utterances, found), clean.Call.ClosedBy)
		if in := clean.Call.Indirect; in != nil {
			last.Call.Indirect = &schemas.IndirectSummary{Calls: in.Calls, Judged: in.Judged, Count: in.Count}
		}
		if lacks := c.utterances - utterances; !c.ended && lacks > 0 {
			s.out.Lacking++
			last.Call.Release, last.Call.Reason = false, fmt.Sprintf("the final version lacks %d utterances", lacks)
		}
		put(&last)
		c.kept = nil
	case c.ended:
		put(s.countLate(p, c, clean))
	default:
		v, err := s.kept.AppendClean(nil, clean)
		if err != nil {
			s.fail(err)
		}
		if c.bytes+len(v) <= s.Settings.FinalMaxBytes {
			e := *clean
			c.kept, c.bytes = append(c.kept, &e), c.bytes+len(v)
		}
	}
}

func (s *run) summary(c *call, estimated float64, by schemas.ClosedBy) *schemas.CallSummary {
	sum := &schemas.CallSummary{Utterances: c.utterances, Entities: c.memory.Entities(), EstimatedRisk: &estimated, Release: true, ClosedBy: by}
	upper := estimate.Upper(estimated)
	if limit := s.limits.Of(c.context); s.Settings.RiskGate != "off" && upper > limit {
		s.out.Gated++
		sum.Release = s.Settings.RiskGate == "warn"
		sum.Reason = fmt.Sprintf("the estimated risk is %v, and one call in twenty like it is over %v; the limit is %v", estimated, upper, limit)
	}
	return sum
}

func (s *run) refuse(rec *kgo.Record, id string, why Reason) {
	v, err := s.Codec.AppendDeadLetter(nil, &schemas.DeadLetter{Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset,
		CallID: id, Reason: why.Name, Detail: why.Detail, TimestampMS: rec.Timestamp.UnixMilli()})
	if err != nil {
		s.fail(err)
	}
	s.out.Refused++
	s.out.Dead[id] = append(s.out.Dead[id], string(v))
}

// fail keeps the first error.
func (s *run) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
