package processor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sotto/anonymize"
	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
	"sotto/state"
)

// holding turns hold-back on.
func holding(r *rig, n int, d time.Duration) { r.set.HoldBack, r.set.HoldBackTime = n, d }

func texts(events []*schemas.CleanEvent) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.Text)
	}
	return all
}

// A process dies while somebody dictates a card number whose first words are deferred. Its
// successor continues as if nothing had happened, and until then nothing of the deferred text is
// visible anywhere.
func TestKilledWhileAnUtteranceIsDeferred(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	holding(r, 5, 10*time.Minute)
	r.set.AuditRate = "1"
	r.set.RebalanceTimeout = 6 * time.Second
	if _, ok := r.cluster.(*brokertest.Kfake); ok {
		r.set.SessionTimeout = time.Second
	}
	call := []*schemas.RawEvent{
		utterance("c", 1, "agent", "this is Rosa Lindqvist, how can I help?"),
		utterance("c", 2, "customer", "I want to pay, my card is four five"),
		utterance("c", 3, "agent", "okay"),
		utterance("c", 4, "customer", "three two one five one one"),
		utterance("c", 5, "agent", "go ahead"),
		utterance("c", 6, "customer", "two eight three oh three six six"),
		utterance("c", 7, "agent", "thank you, that is all"),
	}
	want := []string{
		"this is [PERSON_NAME_1], how can I help?", "I want to pay, my card is [CREDIT_CARD_NUMBER_1]", "okay", "[CREDIT_CARD_NUMBER_1]",
		"go ahead", "[CREDIT_CARD_NUMBER_1]", "thank you, that is all",
	}
	in := r.start("a")
	for i, ev := range call {
		r.feed(r.raw(0, ev))
		if i == 0 {
			r.await(r.topics.Clean, 1)
		} else if i < 5 { // each of them is held by the next state
			eventually(t, "the state that holds the event", func() bool { return waiting(r) == i })
		}
		if i == 1 || i == 3 || i == 4 {
			in.kill()
			in = r.start(fmt.Sprint("a", i))
		}
	}
	clean := r.clean(r.await(r.topics.Clean, len(call)))
	if got := texts(clean); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for i, e := range clean {
		if e.Seq != call[i].Seq || e.TimestampMS != call[i].TimestampMS {
			t.Errorf("event %d has the number %d and the time %d", i, e.Seq, e.TimestampMS)
		}
	}
	eventually(t, "the audit events", func() bool { return len(r.read(r.topics.Audit)) == len(call) })
	if err := in.stop(); err != nil {
		t.Error(err)
	}
	s := newSerial(r, nil)
	compare(t, "clean", byCall(r.read(r.topics.Clean)), s.Clean)
	compare(t, "audit", byCall(r.read(r.topics.Audit)), s.Audit)
	for _, topic := range []string{r.topics.State, r.topics.Clean, r.topics.Audit, r.topics.DeadLetter} {
		for _, rec := range r.read(topic) {
			if bytes.Contains(rec.Value, []byte("four five")) || bytes.Contains(rec.Value, []byte("one one")) {
				t.Errorf("a record of %s shows deferred text", topic)
			}
		}
	}
	if strings.Contains(r.log.String(), "four five") {
		t.Error("the log shows deferred text")
	}
}

// waiting returns how many events the newest state of the only call holds, -1 if there is no state.
func waiting(r *rig) int {
	recs := r.read(r.topics.State)
	if len(recs) == 0 {
		return -1
	}
	keys, err := state.LoadKeyring(r.keyFile())
	if err != nil {
		r.t.Fatal(err)
	}
	last := recs[len(recs)-1]
	o := stateOpener{keys: keys.Opener(), vault: newVault()}
	c, err := o.open(string(last.Key), last.Value, transcript{})
	if err != nil {
		r.t.Fatal(err)
	}
	return len(c.deferred())
}

// Deferred utterances are released by the end of the call, by the idle timeout of the call, by the
// event time of other calls, and in a silent partition by the wall clock.
func TestDeferredUtterancesAreReleased(t *testing.T) {
	t.Parallel()
	open := utterance("c", 1, "customer", "my card is four five")
	for name, c := range map[string]struct {
		after   []*schemas.RawEvent
		time    time.Duration
		of      func(*config.Settings)
		records int
	}{
		"END":              {[]*schemas.RawEvent{ended("c", 2)}, 10 * time.Minute, nil, 2},
		"another call":     {[]*schemas.RawEvent{utterance("d", 31, "x", "well, okay")}, 3 * time.Second, nil, 2},
		"its own next one": {[]*schemas.RawEvent{utterance("c", 31, "customer", "three two one five one one two eight three oh three six six")}, time.Second, nil, 2},
		"silence":          {nil, 500 * time.Millisecond, nil, 1},
		"idleness":         {nil, 500 * time.Millisecond, func(s *config.Settings) { s.CallIdleTimeout = 600 * time.Millisecond }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			holding(r, 5, c.time)
			if c.of != nil {
				c.of(&r.set)
			}
			in := r.start("a")
			r.feed(r.raw(0, open))
			for _, ev := range c.after {
				r.feed(r.raw(0, ev))
			}
			clean := r.clean(r.await(r.topics.Clean, c.records))
			at := slices.IndexFunc(clean, func(e *schemas.CleanEvent) bool { return e.CallID == "c" })
			if e := clean[at]; e.Seq != 1 || e.Type != schemas.Utterance {
				t.Errorf("event %d comes first", e.Seq)
			}
			if last := clean[len(clean)-1]; last.Type == schemas.End && last.Call.Utterances != 1 {
				t.Errorf("END counts %d utterances", last.Call.Utterances)
			}
			if name == "its own next one" && strings.Contains(clean[0].Text, "CREDIT_CARD") {
				t.Error("an event that came too late changed how the one before it is masked")
			}
			eventually(t, "a state that holds nothing", func() bool { return waiting(r) == 0 })
			if m := scrape(t, in); strings.Contains(m, "sotto_events_held_total 0") {
				t.Error("the metrics do not count the deferred event")
			}
		})
	}
}

// An event on which the engine fails when it is released becomes a dead letter under its own
// offset. All other events continue.
func TestADeferredEventThatFails(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	holding(r, 5, 10*time.Minute)
	first := r.start("a", func(p *Processor) { p.wrap = withPanics })
	r.feed(r.raw(0, utterance("c", 1, "agent", "this is Rosa Lindqvist")), r.raw(0, utterance("c", 2, "customer", "my card is four five")),
		r.raw(0, utterance("c", 3, "agent", panicMark)))
	eventually(t, "the state that holds two events", func() bool { return waiting(r) == 2 })
	first.kill()
	r.start("b", func(p *Processor) { p.wrap = withPanics })
	r.feed(r.raw(0, utterance("c", 4, "customer", "three two one five one one two eight three oh three six six")), r.raw(0, ended("c", 5)))
	clean := r.clean(r.await(r.topics.Clean, 4))
	want := []string{"this is [PERSON_NAME_1]", "my card is [CREDIT_CARD_NUMBER_1]", "[CREDIT_CARD_NUMBER_1]", ""}
	if got := texts(clean); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	dead := r.deadLetters()
	if len(dead) != 1 || dead[0].Offset != 2 || dead[0].Partition != 0 || dead[0].Reason != reasonPanic || dead[0].CallID != "c" || dead[0].TimestampMS == 0 {
		t.Errorf("dead letters %+v", dead)
	}
	if strings.Contains(r.log.String(), panicMark) {
		t.Error("the log shows the text")
	}
	s := newSerial(r, withPanics)
	compare(t, "clean", byCall(r.read(r.topics.Clean)), s.Clean)
	compare(t, "dead letters", byCall(r.read(r.topics.DeadLetter)), s.Dead)
	if s.HeldRefused != 1 {
		t.Error("the reference did not refuse the deferred event")
	}
}

// swelling makes the output of one text larger than a record may be.
type swelling struct{ engine }

func (s swelling) Apply(c *state.Call, prep *anonymize.Prepared) (schemas.CleanEvent, bool) {
	clean, changed := s.engine.Apply(c, prep)
	if prep.Event.Text == panicMark {
		clean.Text, clean.Entities = strings.Repeat("x", maxRecordBytes+1), []schemas.Entity{}
	}
	return clean, changed
}

// An event whose output is too large when it is released becomes a dead letter and nothing else: it
// is in no version of the call, and leaves no trace in the state.
func TestADeferredEventThatIsTooLarge(t *testing.T) {
	r := newRig(t, 1)
	r.keepFinals(1)
	holding(r, 5, 10*time.Minute)
	r.start("a", func(p *Processor) { p.wrap = func(e engine) engine { return swelling{e} } })
	r.feed(r.raw(0, utterance("c", 1, "customer", "my card is four five")), r.raw(0, utterance("c", 2, "agent", panicMark)),
		r.raw(0, utterance("c", 3, "customer", "three two one five one one two eight three oh three six six")), r.raw(0, ended("c", 4)))
	clean := r.clean(r.await(r.topics.Clean, 3))
	want := []string{"my card is [CREDIT_CARD_NUMBER_1]", "[CREDIT_CARD_NUMBER_1]", ""}
	if got := texts(clean); !slices.Equal(got, want) {
		t.Errorf("got %d events, want %d", len(got), len(want))
	}
	if dead := r.deadLetters(); len(dead) != 1 || dead[0].Offset != 1 || dead[0].Reason != reasonOutputTooLarge {
		t.Errorf("dead letters %+v", dead)
	}
	eventually(t, "the final version without the event", func() bool { return len(r.read(r.set.TopicFinal)) == 3 })
}

// A release without hold-back must stop rather than lose deferred events: see
// TestOnlyAStateWithDeferredEventsHasTheNewVersion. So a state has the new version only while it holds
// deferred events.
func TestAStateHasTheNewVersionWhileAnEventIsDeferred(t *testing.T) {
	r := newRig(t, 1)
	holding(r, 5, 10*time.Minute)
	r.start("a")
	for i, text := range []string{"this is Rosa Lindqvist", "my card is four five", "three two one five one one two eight three oh three six six"} {
		r.feed(r.raw(0, utterance("c", int64(i+1), "customer", text)))
		eventually(t, "the next state", func() bool { return len(r.read(r.topics.State)) == i+1 })
	}
	for i, rec := range r.read(r.topics.State) {
		if want := []byte{1, 2, 1}[i]; rec.Value[0] != want {
			t.Errorf("state %d is of version %d, want %d", i+1, rec.Value[0], want)
		}
	}
}

// TestHoldTimers plays a partition with commits, aborts and crashes. Deferred events are released
// by the first event after their time, and not before.
func TestHoldTimers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lim := testLimits()
		lim.idle, lim.hold, lim.holding = 1<<40, 500, true
		p := newPartition(0, lim)
		p.begin()
		queues := map[string][]int64{} // of the model
		type event struct {
			id    string
			at    int64
			holds bool
		}
		var log []event
		var want [][]string
		now := int64(1000)
		for range rapid.IntRange(1, 80).Draw(t, "events") {
			now += rapid.SampledFrom([]int64{0, 1, 100, 499, 500, 501}).Draw(t, "dt")
			ev := event{fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "call")), now, rapid.Bool().Draw(t, "holds")}
			log = append(log, ev)
			var out []string
			for id, q := range queues {
				if len(q) > 0 && q[0]+lim.hold <= now {
					out = append(out, id)
					delete(queues, id)
				}
			}
			slices.Sort(out)
			want = append(want, out)
			if ev.holds {
				queues[ev.id] = append(queues[ev.id], now)
			} else {
				delete(queues, ev.id)
			}
		}
		// The worker's part: deferred events are in the state of the call.
		work := func(c *call) *state.Call {
			if err := c.begin(p.vault); err != nil {
				t.Fatal(err)
			}
			c.changed = true
			return c.pending
		}
		states := map[string]*state.Call{}
		committed := 0
		for at := 0; at < len(log); {
			upTo := min(len(log), at+rapid.IntRange(1, 10).Draw(t, "transaction"))
			for i := at; i < upTo; i++ {
				var got []string
				for _, d := range p.advance(log[i].at, p.calls[log[i].id]) {
					mem := work(d.call)
					if held := mem.Deferred(); d.what == timerHold && len(held) > 0 && held[0].Position.Clock+lim.hold <= p.clock {
						got = append(got, d.call.id)
						mem.ClearDeferred()
					}
				}
				slices.Sort(got)
				if !slices.Equal(got, want[i]) {
					t.Fatalf("event %d releases %v, want %v", i, got, want[i])
				}
				c, _ := p.admit(log[i].id, &schemas.RawEvent{Type: schemas.Utterance, TimestampMS: log[i].at})
				mem := work(c)
				if !log[i].holds {
					mem.ClearDeferred()
				} else if !mem.Defer(state.Deferred{Event: []byte("x"), Position: state.RecordPosition{Clock: p.clock}}) {
					t.Skip("too many deferred events")
				}
				p.next++
			}
			switch end := rapid.SampledFrom([]string{"commit", "abort", "crash"}).Draw(t, "end"); end {
			case "commit":
				for _, c := range p.touched {
					if c.latest() != nil {
						states[c.id] = c.latest().Clone()
					}
				}
				p.commit()
				restSome(t, p)
				p.begin()
				at, committed = upTo, upTo
			case "abort":
				p.rollback()
				p.begin()
				at = committed
			default:
				clock := p.savedClock
				p = newPartition(0, lim)
				for id, mem := range states {
					p.restoreCall(&call{id: id, awake: &awake{memory: mem.Clone()}})
				}
				p.ready(int64(committed), clock)
				p.begin()
				at = committed
			}
		}
	})
}
