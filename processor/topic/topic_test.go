package topic_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/processor/topic"
)

// rig is a broker with a topic of two partitions.
func rig(t *testing.T) (*brokertest.Kfake, *config.Settings) {
	t.Helper()
	c, err := brokertest.StartKfake()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := brokertest.CreateTopic(t.Context(), c, "clean", 2, nil); err != nil {
		t.Fatal(err)
	}
	s, err := config.Load(map[string]string{
		"SOTTO_KAFKA_BROKERS": strings.Join(c.Brokers(), ","), "SOTTO_STATE_KEY_FILE": "unused", "SOTTO_CODEC": "json",
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, &s
}

func event(call string, seq int) *kgo.Record {
	return &kgo.Record{Topic: "clean", Key: []byte(call), Value: fmt.Appendf(nil, `{"call_id": %q, "seq": %d, "type": "UTTERANCE", "text": "hi", "entities": []}`, call, seq)}
}

// transaction writes records in a transaction that is committed or aborted.
func transaction(t *testing.T, c *brokertest.Kfake, end kgo.TransactionEndTry, records ...*kgo.Record) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.TransactionalID(t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := cl.EndTransaction(t.Context(), end); err != nil {
		t.Fatal(err)
	}
}

func TestReadsWhatIsCommittedOnce(t *testing.T) {
	c, s := rig(t)
	seen := map[string]int{}
	read := func(from map[int32]int64) map[int32]int64 {
		t.Helper()
		next, err := topic.Read(t.Context(), s, "clean", from, func(e topic.Event) error {
			seen[fmt.Sprint(e.CallID, e.Seq)]++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	next := read(nil)
	transaction(t, c, kgo.TryCommit, event("a", 1), event("b", 1), event("c", 1))
	// The topic ends in an aborted transaction, of which only the control record is delivered.
	transaction(t, c, kgo.TryAbort, event("a", 2), event("b", 2), event("c", 2))
	next = read(next)
	if want := map[string]int{"a1": 1, "b1": 1, "c1": 1}; !maps.Equal(seen, want) {
		t.Fatalf("%v", seen)
	}
	again := read(next)
	if !maps.Equal(again, next) || len(seen) != 3 {
		t.Errorf("reading again from %v gives %v", next, again)
	}
	transaction(t, c, kgo.TryCommit, event("a", 3))
	read(next)
	if seen["a3"] != 1 || len(seen) != 4 {
		t.Errorf("%v", seen)
	}
}

func TestReadFailsClearly(t *testing.T) {
	c, s := rig(t)
	none := func(topic.Event) error { return nil }
	if _, err := topic.Read(t.Context(), s, "clean", map[int32]int64{0: 5}, none); err == nil || !strings.Contains(err.Error(), "recreated") {
		t.Errorf("an offset after the end: %v", err)
	}
	if _, err := topic.Read(t.Context(), s, "missing", nil, none); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a topic that is not there: %v", err)
	}
	if err := brokertest.Produce(t.Context(), c, &kgo.Record{Topic: "clean", Value: []byte("secret")}); err != nil {
		t.Fatal(err)
	}
	if _, err := topic.Read(t.Context(), s, "clean", nil, none); err == nil || !strings.Contains(err.Error(), "offset 0") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a damaged record: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := topic.Read(ctx, s, "clean", nil, none); err == nil {
		t.Error("a cancelled read succeeds")
	}
}

func TestReadsFromATime(t *testing.T) {
	c, s := rig(t)
	now := time.Now().Truncate(time.Second)
	var records []*kgo.Record
	for i := range 4 {
		r := event(fmt.Sprint("call-", i), 1)
		r.Timestamp = now.Add(time.Duration(i) * time.Minute)
		records = append(records, r)
	}
	transaction(t, c, kgo.TryCommit, records...)
	for first := range 5 { // the last time is after all events
		got := 0
		if err := topic.ReadSince(t.Context(), s, "clean", now.Add(time.Duration(first)*time.Minute), func(topic.Event) error {
			got++
			return nil
		}); err != nil || got < 4-first {
			t.Errorf("%d events from minute %d on, want %d: %v", got, first, 4-first, err)
		}
		if first == 4 && got > 0 {
			t.Errorf("%d events from a time after all of them", got)
		}
	}
}

// Below the end that the topic has now there may be aborted records alone whose marker is above it, since another
// transaction is open between the two. They are never delivered.
func TestReadsToAnEndBeforeTheMarkerOfAnAbort(t *testing.T) {
	c, s := rig(t)
	begin := func(id string) *kgo.Client {
		cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.TransactionalID(id))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cl.Close)
		if err := cl.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := cl.ProduceSync(t.Context(), event("a", 1)).FirstErr(); err != nil {
			t.Fatal(err)
		}
		return cl
	}
	end := func(cl *kgo.Client, how kgo.TransactionEndTry) {
		if err := cl.EndTransaction(t.Context(), how); err != nil {
			t.Fatal(err)
		}
	}
	aborted, open := begin("aborted"), begin("open")
	end(aborted, kgo.TryAbort)
	opts, err := topic.Client(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	next, err := topic.Between(ctx, opts, "clean", func(_ *kadm.Client, _, to map[int32]int64) error {
		end(open, kgo.TryCommit)
		if to[0]+to[1] != 1 {
			t.Errorf("the topic ends at %v", to)
		}
		return nil
	}, func(*kgo.Record) error {
		t.Error("a record is delivered that was aborted, or is after the end")
		return nil
	})
	if err != nil || next[0]+next[1] != 1 {
		t.Errorf("read up to %v, %v", next, err)
	}
}
