// Package oracle computes what the stream must write, so that tests compare its topics with it byte
// for byte. It calls the engine as any program may, and uses nothing of the stream's own code.
package oracle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/anonymize/intake"
	"sotto/config"
	"sotto/detectors"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/sealing"
)

// Input is what the stream gets.
type Input struct {
	Settings *config.Settings
	Codec    *schemas.Codec
	Engine   anonymize.Anonymizer
	Keys     *sealing.Keyring
	// Raw are the records of the raw topic, by partition in order.
	Raw []*kgo.Record
	// CloseAll lets the clock continue after the last record until every call is over, as the wall
	// clock does.
	CloseAll bool
	// IdleEnds says of each idle call how many calls the graph of the partition had counted when it
	// ended. The wall clock, too, moves the clock of a partition without records, so that events
	// alone do not tell. Nil: they do.
	IdleEnds map[string]int64
	// Late and Failed are the reasons that the stream gives in dead letters.
	Late, Failed Reason
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
	// Identifying are the indirect identifiers in final versions, Unjudged the calls that ended
	// before there were enough, and Forgotten the n-grams that the graphs had no room for.
	Identifying, Unjudged, Forgotten int
	// Open are the calls that have a state at the end, Going those that have not ended.
	Open, Going map[string]bool
}

// Run computes what the stream must write, with one thread, a log in memory and no failures.
func Run(ctx context.Context, in Input) (*Output, error) {
	kept, err := schemas.NewCodec(ctx, schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		return nil, err
	}
	s := &stream{Input: in, out: Output{
		Clean: map[string][]string{}, Audit: map[string][]string{}, Dead: map[string][]string{}, Final: map[string][]string{},
		Open: map[string]bool{}, Going: map[string]bool{},
	}, rates: in.Settings.AuditRates(), limits: in.Settings.RiskLimits(), kept: kept}
	parts := map[int32][]*kgo.Record{}
	for _, rec := range in.Raw {
		parts[rec.Partition] = append(parts[rec.Partition], rec)
	}
	for _, p := range slices.Sorted(maps.Keys(parts)) {
		s.partition(p, parts[p])
	}
	return &s.out, s.err
}

type stream struct {
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
	clock int64 // in ms
	// events counts the events, and clocks are those of their producers.
	events int
	clocks []*producerClock
	graph  graph
}

// producerClock is a clock that some producers have. at is the number of the event by which it was
// heard last.
type producerClock struct {
	behind, said int64
	at           int
}

// pass moves the clock by an event, as docs/stream.md says.
func (p *partition) pass(t, idle int64) {
	near := idle / 4
	p.events++
	if len(p.clocks) == 0 {
		p.clock = t
	}
	off := func(c *producerClock) int64 { return max(t+c.behind-p.clock, p.clock-t-c.behind) }
	slices.SortFunc(p.clocks, func(a, b *producerClock) int { return b.at - a.at })
	var own *producerClock
	for _, c := range p.clocks {
		if off(c) <= near && (own == nil || off(c) < off(own)) {
			own = c
		}
	}
	if own == nil {
		own = &producerClock{behind: p.clock - t, said: p.clock}
		p.clocks = append(p.clocks[:min(len(p.clocks), 15)], own)
	}
	limit := t + own.behind
	for _, c := range p.clocks {
		if c != own && p.events-c.at < 300 {
			limit = min(limit, c.said+near)
		}
	}
	p.clock = max(p.clock, limit)
	own.behind = min(own.behind, p.clock-t)
	own.said, own.at = max(own.said, t+own.behind), p.events
}

type call struct {
	memory     *state.Call
	utterances int64
	lastSeq    int64
	lastTime   int64
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

func (s *stream) partition(id int32, recs []*kgo.Record) {
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

func (s *stream) record(p *partition, rec *kgo.Record) {
	ev, err := s.Codec.DecodeRaw(rec.Value)
	if err != nil {
		var e *schemas.DecodeError
		errors.As(err, &e)
		s.refuse(rec, "", Reason{e.Reason, err.Error()})
		return
	}
	p.pass(ev.TimestampMS, s.Settings.CallIdleTimeout.Milliseconds())
	if c := p.calls[ev.CallID]; c != nil && !c.ended {
		c.active = p.clock
	}
	s.fire(p)
	c := p.calls[ev.CallID]
	switch {
	case ev.Interim():
	case len(ev.Text) > s.Settings.MaxTextBytes:
		s.refuse(rec, ev.CallID, Reason{intake.TextTooLong, schemas.Explain(intake.TextTooLong)})
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

// fire closes the calls that are idle, and ends the grace period of those that have ended.
func (s *stream) fire(p *partition) {
	var idle []idleCall
	for id, c := range p.calls {
		switch {
		case !c.ended && s.idleAt(c) <= p.clock:
			idle = append(idle, idleCall{id, s.idleAt(c), s.IdleEnds[id]})
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

// idleCall is a call that ends because of a time. counted is that of IdleEnds.
type idleCall struct {
	id          string
	at, counted int64
}

func (s *stream) idleAt(c *call) int64 {
	return c.active + s.Settings.CallIdleTimeout.Milliseconds()
}

// closeIdle writes the END of an idle call.
func (s *stream) closeIdle(p *partition, id string, c *call) {
	at := c.lastTime + s.Settings.CallIdleTimeout.Milliseconds()
	end := &schemas.RawEvent{CallID: id, Seq: c.lastSeq + 1, Type: schemas.End, Context: c.context, Tenant: c.tenant, TimestampMS: at}
	clean, _ := s.Engine.Apply(c.memory, s.Engine.Prepare(end))
	s.write(p, &clean, c, schemas.ClosedByIdle)
	c.ended, c.endedAt = true, p.clock
}

// closeEarly ends the idle calls that the wall clock ended before a call that ends now.
func (s *stream) closeEarly(p *partition, before string) {
	for {
		next := ""
		for id, c := range p.calls {
			if e, ok := s.IdleEnds[id]; ok && !c.ended && e == p.graph.calls && id != before {
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
func (s *stream) event(p *partition, c *call, rec *kgo.Record, ev *schemas.RawEvent) {
	before := c.memory.Clone()
	clean, left, ok := s.apply(c.memory, s.Engine.Prepare(ev))
	if !ok {
		c.memory = before
		s.refuse(rec, ev.CallID, s.Failed)
		if s.Settings.RemoteTier != "" { // it was accepted when it was staged
			p.calls[ev.CallID] = c
			c.count(ev, p.clock)
		}
		return
	}
	p.calls[ev.CallID], c.left = c, left
	c.count(ev, p.clock)
	s.write(p, &clean, c, schemas.ClosedByEnd)
	if ev.Type == schemas.End && !c.ended {
		c.ended, c.endedAt = true, p.clock
	}
}

// count notes an event that was accepted.
func (c *call) count(ev *schemas.RawEvent, clock int64) {
	c.lastSeq, c.lastTime = max(c.lastSeq, ev.Seq), max(c.lastTime, ev.TimestampMS)
	c.context, c.tenant = cmp.Or(c.context, ev.Context), cmp.Or(c.tenant, ev.Tenant)
	if ev.Type == schemas.Utterance {
		c.utterances++
	}
	if !c.ended {
		c.active = clock
	}
}

func (s *stream) apply(c *state.Call, p *anonymize.Prepared) (clean schemas.CleanEvent, left []detectors.SubthresholdFinding, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	clean, _ = s.Engine.Apply(c, p)
	return clean, p.Subthreshold, true
}

func (s *stream) sample(c *call, id, context string) {
	c.draw, c.uniform = s.Keys.Draw("audit", id), s.rates.Of(context)
	c.uniformly = c.draw < c.uniform
}

func (s *stream) write(p *partition, clean *schemas.CleanEvent, c *call, by schemas.ClosedBy) {
	published := slices.Clone(c.kept)
	if clean.Type == schemas.End && !c.ended {
		s.closeEarly(p, clean.CallID)
		c.leftover = s.closingPass(c)
	}
	estimated := estimate.Plus(s.look(clean, c), c.leftover)
	if clean.Type == schemas.End {
		clean.Call = s.summary(c, estimated, by)
		clean.Call.Renumbered = c.memory.Renumbered()
		clean.Call.Indirect = s.countCall(p, c, clean.CallID, published)
	}
	square := min(1, estimated/5) * min(1, estimated/5)
	rate := max(c.uniform, s.Settings.AuditRiskRate*square)
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
func (s *stream) look(clean *schemas.CleanEvent, c *call) float64 {
	if clean.Type == schemas.Utterance {
		c.candidates, _ = c.candidates.Observe(&s.doc, clean.Text, clean.Entities, c.left)
	}
	var found estimate.Found
	for t, n := range c.memory.Entities() {
		found.Add(t, n)
	}
	return estimate.At(s.Engine.Sensitivity("", "")).Risk(c.candidates, c.utterances, found)
}

// closingPass masks in the kept utterances what became known later, and returns the risk of what it
// found in thousandths of a point.
func (s *stream) closingPass(c *call) (left int64) {
	if s.Settings.TopicFinal == "" {
		return 0
	}
	found := map[string]bool{}
	again, _ := s.Engine.Reread(context.Background(), c.kept) // which nothing ends
	for i, e := range c.kept {
		closed, added, _ := s.Engine.ClosingPass(c.memory, e, again[i])
		c.kept[i] = &closed
		for _, a := range added {
			if k := fmt.Sprint(a.Type, a.ID); !found[k] && a.Score >= 0.5 {
				found[k] = true
				left += estimate.Leftover(a.Type, c.memory.OfSpeaker(state.Ref{Type: a.Type, N: a.ID}))
			}
		}
	}
	c.memory.Settle()
	for i, e := range c.kept {
		final := s.Engine.Renumber(c.memory, e)
		c.kept[i] = &final
	}
	return left
}

// conclude writes the effect of an event on the final topic: the END that closes a call writes the
// call, and an event within the grace period is written by itself.
func (s *stream) conclude(p *partition, clean *schemas.CleanEvent, c *call) {
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
		last.Call = s.summary(c, estimate.At(s.Engine.Sensitivity("", "")).Risk(c.candidates, c.utterances, found), clean.Call.ClosedBy)
		if in := clean.Call.Indirect; in != nil {
			last.Call.Indirect = &schemas.IndirectSummary{Calls: in.Calls, Judged: in.Judged, Count: in.Count}
		}
		last.Call.Renumbered = c.memory.Renumbered()
		for t, numbers := range last.Call.Renumbered {
			last.Call.Entities[t] -= int64(len(numbers))
		}
		if lacks := c.utterances - utterances; !c.ended && lacks > 0 {
			s.out.Lacking++
			last.Call.Release, last.Call.Reason = false, fmt.Sprintf("the final version lacks %d utterances", lacks)
		}
		put(&last)
		c.kept = nil
	case c.ended:
		final := s.Engine.Renumber(c.memory, clean)
		put(s.countLate(p, c, &final))
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

func (s *stream) summary(c *call, estimated float64, by schemas.ClosedBy) *schemas.CallSummary {
	sum := &schemas.CallSummary{Utterances: c.utterances, Entities: c.memory.Entities(), EstimatedRisk: &estimated, Release: true, ClosedBy: by}
	upper := estimate.Upper(estimated)
	if limit := s.limits.Of(c.context); s.Settings.RiskGate != "off" && upper > limit {
		s.out.Gated++
		sum.Release = s.Settings.RiskGate == "warn"
		sum.Reason = fmt.Sprintf("the estimated risk is %v, and one call in twenty like it is over %v; the limit is %v", estimated, upper, limit)
	}
	return sum
}

func (s *stream) refuse(rec *kgo.Record, id string, why Reason) {
	v, err := s.Codec.AppendDeadLetter(nil, &schemas.DeadLetter{Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset,
		CallID: id, Reason: why.Name, Detail: why.Detail, TimestampMS: rec.Timestamp.UnixMilli()})
	if err != nil {
		s.fail(err)
	}
	s.out.Refused++
	s.out.Dead[id] = append(s.out.Dead[id], string(v))
}

// fail keeps the first error.
func (s *stream) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
