package processor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/schemas"
)

func TestASilentPartitionClosesItsCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.Set.CallIdleTimeout = time.Second
	r.Set.CallGrace = time.Second
	r.Set.AuditRate = "1"
	r.start("a")
	r.Feed(speech(r, "c", 1, 2)...)
	events := r.Clean(r.Await(r.Topics.Clean, 3))
	end := events[2]
	if end.Type != schemas.End || end.Seq != 3 || end.Call == nil || end.Call.ClosedBy != schemas.ClosedByIdle || end.Call.Utterances != 2 {
		t.Fatalf("after the idle timeout came %+v, want an END with 2 utterances, closed by idleness", end)
	}
	eventually(t, "the tombstone", func() bool {
		recs := r.Read(r.Topics.State)
		return recs[len(recs)-1].Value == nil
	})
	r.Feed(r.Raw(0, utterance("c", 4, "x", "this is Rosa Lindqvist speaking")))
	if d := await(t, r, 1)[0]; d.Reason != reasonLate {
		t.Errorf("an utterance after the grace has the reason %s, want %s", d.Reason, reasonLate)
	}
	if got := len(r.Read(r.Topics.Audit)); got != 3 {
		t.Errorf("%d audit events at rate 1, want 3", got)
	}
}

// The END of an idle call has the number that the next event may have, too. A reader that drops
// duplicates by the documented key keeps both.
func TestTheEndOfAnIdleCallHidesNoUtterance(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.CallIdleTimeout, r.Set.CallGrace = time.Second, time.Minute
	r.start("a")
	r.Feed(speech(r, "c", 1, 2)...)
	r.Await(r.Topics.Clean, 3) // with the END
	r.Feed(r.Raw(0, utterance("c", 3, "x", "one more thing")))
	r.Feed(r.Raw(0, ended("c", 4)))
	events := r.Clean(r.Await(r.Topics.Clean, 5))
	if events[2].Type != schemas.End || events[2].Seq != events[3].Seq {
		t.Fatalf("the END has the number %d and the utterance after it %d: the test shows nothing", events[2].Seq, events[3].Seq)
	}
	kept := map[schemas.EventKey]bool{}
	for _, e := range events {
		kept[e.Key()] = true
	}
	if len(kept) != len(events) {
		t.Errorf("%d of %d events are left after duplicates are dropped", len(kept), len(events))
	}
}

func TestABrokerThatDoesNotAnswerClosesNoCalls(t *testing.T) {
	t.Parallel()
	r, fake := fakeRig(t, 1)
	r.Set.CallIdleTimeout = time.Second
	r.start("a")
	r.Feed(speech(r, "c", 1, 1)...)
	r.Await(r.Topics.Clean, 1)
	f := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: r.Topics.Raw, Err: kerr.NotLeaderForPartition, Count: -1})
	time.Sleep(2 * time.Second)
	if n := len(r.Read(r.Topics.State)); n != 1 {
		t.Errorf("%d states written while the broker did not answer, want only that of the first utterance", n)
	}
	f.Remove()
	r.Await(r.Topics.Clean, 2)
}

func TestAnUtteranceWithinTheGraceContinuesTheNumbers(t *testing.T) {
	r := newRig(t, 1)
	in := r.start("a")
	r.Feed(speech(r, "c", 1, 1)...)
	r.Feed(r.Raw(0, ended("c", 2)))
	r.Await(r.Topics.Clean, 2)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	r.start("a") // the state of the ended call survives this, too
	r.Feed(r.Raw(0, utterance("c", 3, "x", "this is Rosa Lindqvist speaking")))
	e := r.Clean(r.Await(r.Topics.Clean, 3))[2]
	if e.Late || len(e.Entities) == 0 || e.Entities[0].ID != 1 {
		t.Errorf("within the grace: late %v, entities %+v; want number 1 again", e.Late, e.Entities)
	}
}

// An END that overtakes the last utterances says what was known when it came. They follow it, in
// the final topic as well, and go on with the numbers.
func TestUtterancesThatTheENDOvertook(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.KeepFinals(1)
	r.start("a")
	r.Feed(speech(r, "c", 1, 1)...)
	r.Feed(r.Raw(0, ended("c", 4)))
	r.Feed(speech(r, "c", 2, 2)...)
	for _, topic := range []string{r.Topics.Clean, r.Set.TopicFinal} {
		events := r.Clean(r.Await(topic, 4))
		var seqs []int64
		for _, e := range events {
			seqs = append(seqs, e.Seq)
		}
		if !slices.Equal(seqs, []int64{1, 4, 2, 3}) {
			t.Fatalf("%s has the events %v, want each where it came", topic, seqs)
		}
		if n := events[1].Call.Utterances; n != 1 {
			t.Errorf("%s: the END counts %d utterances, want those before it", topic, n)
		}
		if first, last := events[0].Entities[0], events[3].Entities[0]; first.ID != last.ID || first.Type != last.Type {
			t.Errorf("%s: the numbers after the END are others", topic)
		}
	}
	if n := len(r.DeadLetters()); n > 0 {
		t.Errorf("%d dead letters", n)
	}
}

func TestAPlainUtteranceCostsNoState(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.start("a")
	var recs []*kgo.Record
	for i := range int64(50) {
		recs = append(recs, r.Raw(0, utterance("c", i+1, "x", "let me have a look at that")))
	}
	for _, rec := range recs {
		r.Feed(rec)
	}
	r.Await(r.Topics.Clean, 50)
	if n := len(r.Read(r.Topics.State)); n != 1 {
		t.Errorf("50 plain utterances wrote %d states, want only that of the first utterance", n)
	}
}

// When a call has expired, its state is gone, and with it the values that only its START had. A
// late event is therefore withheld.
func TestLateEventsAreWithheld(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.CallIdleTimeout, r.Set.CallGrace = time.Second, time.Second
	r.start("a")
	start := &schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Start, TimestampMS: 1_700_000_000_000,
		Participants: []schemas.Participant{{SpeakerID: "x", Names: []string{"Quimbolt"}}}}
	r.Feed(r.Raw(0, start), r.Raw(0, ended("c", 2)))
	eventually(t, "the tombstone", func() bool {
		recs := r.Read(r.Topics.State)
		return len(recs) > 0 && recs[len(recs)-1].Value == nil
	})
	r.Feed(r.Raw(0, utterance("c", 3, "x", "quimbolt speaking")))
	dead := r.Await(r.Topics.DeadLetter, 1)
	if d := r.DeadLetters()[0]; d.Reason != reasonLate || strings.Contains(string(dead[0].Value), "uimbolt") {
		t.Errorf("the dead letter is %+v", d)
	}
	for _, rec := range r.Read(r.Topics.Clean) {
		if strings.Contains(strings.ToLower(string(rec.Value)), "quimbolt") {
			t.Error("a late event leaks a name that only the START knew")
		}
	}
}

// The numbers of an expired call must never restart at 1, however many calls have ended since, and
// whether or not the process has restarted.
func TestACallIsNeverForgotten(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.MaxClosedCalls = 1
	r.Set.CallIdleTimeout, r.Set.CallGrace = time.Second, time.Second
	in := r.start("a")
	const calls = 4
	for i := range calls {
		r.Feed(speech(r, fmt.Sprint("c", i), 1, 1)...)
		r.Feed(r.Raw(0, ended(fmt.Sprint("c", i), 2)))
	}
	eventually(t, "the tombstones", func() bool {
		n := 0
		for _, rec := range r.Read(r.Topics.State) {
			if rec.Value == nil {
				n++
			}
		}
		return n == calls
	})
	lateEvents := func(seq int64) {
		t.Helper()
		before := len(r.DeadLetters())
		r.Feed(r.Raw(0, utterance("c0", seq, "x", "this is Rosa Lindqvist speaking")), r.Raw(0, ended("c0", seq+1)))
		for _, d := range await(t, r, before+2) {
			if d.Reason != reasonLate {
				t.Errorf("a dead letter has the reason %s, want %s", d.Reason, reasonLate)
			}
		}
	}
	lateEvents(3)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	r.start("a")
	lateEvents(5)
	if n := len(r.Read(r.Topics.Clean)); n != 2*calls {
		t.Errorf("%d clean events, want %d: an expired call was opened again", n, 2*calls)
	}
}

func await(t *testing.T, r *rig, n int) (dead []*schemas.DeadLetter) {
	t.Helper()
	eventually(t, "the dead letters", func() bool { dead = r.DeadLetters(); return len(dead) >= n })
	return dead
}
