package processor

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/processor/partition"
	"sotto/schemas"
)

// A call by a clock that is an hour behind goes on after one with the right clock comes back,
// although the process has restarted in between. The wall clock stands still, so that it ends
// nothing.
func TestAProducerWhoseClockIsBehindKeepsItsCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.CallIdleTimeout, r.Set.CallGrace = time.Minute, 5*time.Second
	start := func() *instance {
		return r.start("a", func(p *Processor) { p.now = func() time.Time { return time.Unix(4e9, 0) } })
	}
	const behind = int64(time.Hour / time.Millisecond)
	in := start()
	sent, at := 0, int64(0)
	say := func(call string, late int64) {
		e := utterance(call, at/1000, "x", "this is Rosa Lindqvist speaking")
		e.TimestampMS = 1_700_000_000_000 + at - late
		r.Feed(r.Raw(0, e))
		sent++
	}
	say("right", 0)
	for ; at < 90_000; at += 3000 {
		say(fmt.Sprint("late", at/3000%10), behind)
	}
	r.Await(r.Topics.Clean, sent)
	in.mustStop(t)
	start()
	say("right again", 0)
	for n := range 10 {
		say(fmt.Sprint("late", n), behind)
	}
	for _, e := range r.Clean(r.Await(r.Topics.Clean, sent)) {
		if e.Type == schemas.End && e.CallID != "right" {
			t.Errorf("call %s has ended", e.CallID)
		}
	}
	if n := len(r.DeadLetters()); n > 0 {
		t.Errorf("%d dead letters", n)
	}
}

func TestTheTimeOfARecord(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000)
	for kind, want := range map[int8]partition.Time{0: {MS: 5}, 1: {MS: at.UnixMilli(), Broker: true}, -1: {MS: 5}} {
		r := preparedRecord{
			rec: &kgo.Record{Timestamp: at, Attrs: kgo.NewRecordAttrs(kgo.RecordAttrsOpts{TimestampType: kind})},
			ev:  &schemas.RawEvent{TimestampMS: 5},
		}
		if got := r.time(); got != want {
			t.Errorf("type %d: %+v", kind, got)
		}
	}
}

// With LogAppendTime, what the events say does not matter.
func TestTheTimeOfTheBrokerEndsCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	if _, ok := r.Cluster.(*brokertest.Kfake); ok {
		t.Skip("the embedded broker has CreateTime only")
	}
	kind := "LogAppendTime"
	answers, err := r.admin().AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "message.timestamp.type", Value: &kind}}, r.Topics.Raw)
	if err != nil || answers[0].Err != nil {
		t.Fatal(err, answers)
	}
	r.Set.CallIdleTimeout = time.Second
	r.start("a")
	r.Feed(r.Raw(0, utterance("silent", 1, "x", "hello")))
	for n := range int64(20) { // the log always moves, so the wall clock does not count
		e := utterance("kept", n, "x", "hello")
		e.TimestampMS -= n * time.Hour.Milliseconds()
		r.Feed(r.Raw(0, e))
		time.Sleep(80 * time.Millisecond)
	}
	ends := map[string]int64{}
	for _, e := range r.Clean(r.Await(r.Topics.Clean, 22)) {
		if e.Type == schemas.End {
			ends[e.CallID] = e.TimestampMS
		}
	}
	if ends["silent"] == 0 || ends["kept"] != 0 {
		t.Errorf("the calls that have ended are %v", ends)
	}
}
