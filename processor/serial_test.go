package processor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
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

// serial is the stream as one would write it with a single thread, a log in
// memory and nothing that fails: the reference for what the real one writes.
type serial struct {
	t     testing.TB
	set   *config.Settings
	codec *schemas.Codec
	eng   engine
	keys  *state.Keyring
	// clean, audit and dead are the values written, per key in order.
	clean, audit, dead, final map[string][]string
	records, refused          int             // clean events, dead letters
	riskSampled, gated        int             // audit events because of doubt, ENDs over the limit
	lacking                   int             // final versions that do not hold all
	held, heldRefused         int             // events that waited; those on which the engine failed then
	open, going               map[string]bool // in memory; not ended
	rates, limits             config.ByContext
	doc                       detectors.Document
}

type serialCall struct {
	callMeta
	memory *state.Call
	// What the second look has shown, and what is decided by it.
	ledger      estimate.CandidateSet
	left        []detectors.SubthresholdFinding // in the event just applied
	uniformly   bool
	riskSampled bool
	missing     int64
	// What is kept for the final version, and what that found.
	kept     []*schemas.CleanEvent
	bytes    int
	leftover int64
}

func newSerial(r *rig, wrap func(engine) engine) *serial {
	r.t.Helper()
	e, err := r.set.NewEngine()
	if err != nil {
		r.t.Fatal(err)
	}
	keys, err := state.LoadKeyring(r.keyFile())
	if err != nil {
		r.t.Fatal(err)
	}
	s := &serial{t: r.t, set: &r.set, codec: r.codec, eng: e, keys: keys,
		clean: map[string][]string{}, audit: map[string][]string{}, dead: map[string][]string{}, open: map[string]bool{}, going: map[string]bool{}, final: map[string][]string{}}
	if wrap != nil {
		s.eng = wrap(e)
	}
	s.rates = s.set.AuditRates()
	s.limits = s.set.Gate().Limits
	parts := map[int32][]*kgo.Record{}
	for _, rec := range r.read(r.topics.Raw) {
		parts[rec.Partition] = append(parts[rec.Partition], rec)
	}
	for _, p := range slices.Sorted(maps.Keys(parts)) {
		s.partition(parts[p])
	}
	return s
}

func (s *serial) partition(recs []*kgo.Record) {
	idle, grace := s.set.CallIdleTimeout.Milliseconds(), s.set.CallGrace.Milliseconds()
	calls := map[string]*serialCall{}
	over := map[string]bool{}
	var clock int64
	for _, rec := range recs {
		ev, err := s.codec.DecodeRaw(rec.Value)
		if err != nil {
			var e *schemas.DecodeError
			errors.As(err, &e)
			s.refuse(rec, "", e.Reason, err.Error())
			continue
		}
		id := ev.CallID
		clock = max(clock, ev.TimestampMS)
		if c := calls[id]; c != nil && !c.Ended {
			c.Active = clock
		}
		type ring struct {
			at int64
			id string
		}
		var fired []ring
		for k, c := range calls {
			if anonymize.Resume(s.eng, c.memory).Overdue(clock) {
				s.release(rec.Partition, k, c)
			}
		}
		for k, c := range calls {
			at := c.Active + idle
			if c.Ended {
				at = c.EndedAt + grace
			}
			if at <= clock {
				fired = append(fired, ring{at, k})
			}
		}
		slices.SortFunc(fired, func(a, b ring) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
		for _, r := range fired {
			c := calls[r.id]
			if c.Ended {
				delete(calls, r.id)
				over[r.id] = true
				continue
			}
			s.release(rec.Partition, r.id, c)
			end := &schemas.RawEvent{CallID: r.id, Seq: c.LastSeq + 1, Type: schemas.End, Context: c.Context, Tenant: c.Tenant, TimestampMS: c.Active + idle}
			clean, _ := s.eng.Apply(c.memory, s.eng.Prepare(end))
			c.leftover = s.review(c)
			s.write(&clean, c, schemas.ClosedByIdle)
			c.Ended, c.EndedAt = true, clock
		}
		if ev.Interim() {
			continue
		}
		if len(ev.Text) > s.set.MaxTextBytes {
			s.refuse(rec, id, intake.TextTooLong, intake.Details[intake.TextTooLong])
			continue
		}
		c := calls[id]
		if c == nil && over[id] {
			s.refuse(rec, id, reasonLate, reasonDetails[reasonLate])
			continue
		}
		if c == nil {
			c = &serialCall{callMeta: callMeta{Active: clock}, memory: state.NewCall()}
			s.sample(c, id, ev.Context)
		}
		memory, note := c.memory.Clone(), state.RecordPosition{Utterances: c.Utterances, Clock: clock, Offset: rec.Offset, TimestampMS: rec.Timestamp.UnixMilli()}
		if ev.Type == schemas.Utterance {
			note.Utterances++
		}
		var ready []anonymize.Released
		if c.Ended {
			ready = []anonymize.Released{{Prepared: s.eng.Prepare(ev)}}
		} else {
			ready, _ = anonymize.Resume(s.eng, memory).Accept(s.eng.Prepare(ev), note)
		}
		going := len(ready) > 0 && !ready[len(ready)-1].Deferred
		if _, _, ok := s.apply(memory.Clone(), s.eng.Prepare(ev)); going && !ok {
			s.refuse(rec, id, reasonPanic, reasonDetails[reasonPanic])
			continue
		}
		calls[id], c.memory = c, memory
		s.applyDeferred(rec.Partition, id, c, ready)
		c.LastSeq = max(c.LastSeq, ev.Seq)
		c.Context, c.Tenant = cmp.Or(c.Context, ev.Context), cmp.Or(c.Tenant, ev.Tenant)
		if ev.Type == schemas.Utterance {
			c.Utterances++
		}
		if !c.Ended {
			c.Active = clock
		}
		if !going {
			s.held++
			continue
		}
		clean, left, _ := s.apply(c.memory, ready[len(ready)-1].Prepared)
		c.left = left
		if ev.Type == schemas.End && !c.Ended {
			c.leftover = s.review(c)
		}
		s.write(&clean, c, schemas.ClosedByEnd)
		if ev.Type == schemas.End && !c.Ended {
			c.Ended, c.EndedAt = true, clock
		}
	}
	for id, c := range calls {
		s.open[id], s.going[id] = true, !c.Ended
	}
}

func (s *serial) apply(c *state.Call, p *anonymize.Prepared) (clean schemas.CleanEvent, left []detectors.SubthresholdFinding, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	clean, _ = s.eng.Apply(c, p)
	return clean, p.Subthreshold, true
}

// release writes what waits in a call.
func (s *serial) release(partition int32, id string, c *serialCall) {
	released, _ := anonymize.Resume(s.eng, c.memory).Release()
	s.applyDeferred(partition, id, c, released)
}

// waited writes those of the events that have waited.
func (s *serial) applyDeferred(partition int32, id string, c *serialCall, ready []anonymize.Released) {
	utterances := c.Utterances
	for _, r := range ready {
		if !r.Deferred {
			continue
		}
		before := c.memory.Clone()
		clean, left, ok := s.apply(c.memory, r.Prepared)
		if !ok {
			c.memory = before
			s.refuse(&kgo.Record{Topic: s.set.TopicRaw, Partition: partition, Offset: r.Position.Offset, Timestamp: time.UnixMilli(r.Position.TimestampMS)},
				id, reasonPanic, reasonDetails[reasonPanic])
			s.heldRefused++
			continue
		}
		c.left, c.Utterances = left, r.Position.Utterances
		s.write(&clean, c, schemas.ClosedByEnd)
	}
	c.Utterances = utterances
}

func (s *serial) sample(c *serialCall, id, context string) {
	c.Draw, c.Uniform = s.keys.Draw("audit", id), s.rates.Of(context)
	c.uniformly = c.Draw < c.Uniform
}

func (s *serial) write(clean *schemas.CleanEvent, c *serialCall, by schemas.ClosedBy) {
	var sampling *schemas.Sampling
	if c.memory == nil {
		if c.uniformly {
			sampling = &schemas.Sampling{Rate: c.Uniform, Reason: "uniform"}
		}
	} else {
		estimated := estimate.Plus(s.look(clean, c), c.leftover)
		if clean.Type == schemas.End {
			clean.Call = s.summary(c, estimated, by)
		}
		square := min(1, estimated/5) * min(1, estimated/5)
		rate := max(c.Uniform, s.set.AuditDoubtRate*square)
		if !c.uniformly && !c.riskSampled && c.Draw < rate {
			c.riskSampled, c.missing = true, c.Utterances
			if clean.Type == schemas.Utterance {
				c.missing--
			}
		}
		switch {
		case c.uniformly:
			sampling = &schemas.Sampling{Rate: rate, Reason: "uniform", EstimatedRisk: &estimated}
		case c.riskSampled:
			s.riskSampled++
			sampling = &schemas.Sampling{Rate: rate, Reason: "doubt", EstimatedRisk: &estimated, Missing: c.missing}
		}
	}
	v, err := s.codec.AppendClean(nil, clean)
	if err != nil {
		s.t.Fatal(err)
	}
	s.clean[clean.CallID] = append(s.clean[clean.CallID], string(v))
	s.conclude(clean, c)
	s.records++
	if sampling != nil {
		v, err := s.codec.AppendAudit(nil, &schemas.AuditEvent{CleanEvent: *clean, Sampling: *sampling})
		if err != nil {
			s.t.Fatal(err)
		}
		s.audit[clean.CallID] = append(s.audit[clean.CallID], string(v))
	}
}

// look is the second look at an anonymized text.
func (s *serial) look(clean *schemas.CleanEvent, c *serialCall) float64 {
	if clean.Type == schemas.Utterance {
		c.ledger, _ = c.ledger.Observe(&s.doc, clean.Text, clean.Entities, c.left)
	}
	var found estimate.Found
	for t, n := range c.memory.Entities() {
		found.Add(t, n)
	}
	return c.ledger.Risk(c.Utterances, found)
}

// review masks what was learnt later in what is kept and returns what it found
// in thousandths of a point.
func (s *serial) review(c *serialCall) (left int64) {
	if s.set.TopicFinal == "" {
		return 0
	}
	found := map[string]bool{}
	for i, e := range c.kept {
		reviewed, added, _ := s.eng.Review(c.memory, e)
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

// conclude writes what an event does to the final topic: an END that closes its
// call writes the call, one event later than that itself.
func (s *serial) conclude(clean *schemas.CleanEvent, c *serialCall) {
	put := func(e *schemas.CleanEvent) {
		v, err := s.codec.AppendClean(nil, e)
		if err != nil {
			s.t.Fatal(err)
		}
		s.final[e.CallID] = append(s.final[e.CallID], string(v))
	}
	switch {
	case s.set.TopicFinal == "" || c.memory == nil:
	case clean.Type == schemas.End:
		utterances := int64(0)
		if !c.Ended {
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
		last.Call = s.summary(c, c.ledger.Risk(c.Utterances, found), clean.Call.ClosedBy)
		if lacks := c.Utterances - utterances; !c.Ended && lacks > 0 {
			s.lacking++
			last.Call.Release, last.Call.Reason = false, fmt.Sprintf("the final version lacks %d utterances", lacks)
		}
		put(&last)
		c.kept = nil
	case c.Ended:
		put(clean)
	default:
		v, err := keptCodec.AppendClean(nil, clean)
		if err != nil {
			s.t.Fatal(err)
		}
		if c.bytes+len(v) <= s.set.FinalMaxBytes {
			e := *clean
			c.kept, c.bytes = append(c.kept, &e), c.bytes+len(v)
		}
	}
}

func (s *serial) summary(c *serialCall, estimated float64, by schemas.ClosedBy) *schemas.CallSummary {
	sum := &schemas.CallSummary{Utterances: c.Utterances, Entities: c.memory.Entities(), EstimatedRisk: &estimated, Release: true, ClosedBy: by}
	if limit := s.limits.Of(c.Context); s.set.RiskGate != "off" && estimated > limit {
		s.gated++
		sum.Release = s.set.RiskGate == "warn"
		sum.Reason = fmt.Sprintf("the estimated risk of %v is over the limit of %v", estimated, limit)
	}
	return sum
}

func (s *serial) refuse(rec *kgo.Record, id, reason, detail string) {
	v, err := s.codec.AppendDeadLetter(nil, &schemas.DeadLetter{Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset,
		CallID: id, Reason: reason, Detail: detail, TimestampMS: rec.Timestamp.UnixMilli()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.refused++
	s.dead[id] = append(s.dead[id], string(v))
}

// compare tells how what a topic holds differs from the reference.
func compare(t testing.TB, topic string, got, want map[string][]string) {
	t.Helper()
	for _, id := range slices.Sorted(maps.Keys(want)) {
		g, w := got[id], want[id]
		if topic == "dead letters" { // their order among each other means nothing
			slices.Sort(g)
			slices.Sort(w)
		}
		if slices.Equal(g, w) {
			continue
		}
		at := 0
		for at < min(len(g), len(w)) && g[at] == w[at] {
			at++
		}
		show := func(list []string) string {
			if at < len(list) {
				return list[at]
			}
			return "nothing"
		}
		t.Errorf("%s, call %q: %d records, want %d; the first difference is at %d:\n got %s\nwant %s", topic, id, len(g), len(w), at, show(g), show(w))
		return
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if want[id] == nil {
			t.Errorf("%s holds the call %q, which it should not", topic, id)
			return
		}
	}
}
