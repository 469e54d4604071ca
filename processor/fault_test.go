package processor

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/internal/testkit/brokertest"
)

// fakeRig is a rig whose broker can inject faults.
func fakeRig(t *testing.T, partitions int32) (*rig, *brokertest.Kfake) {
	t.Helper()
	brokertest.OnlyEmbedded(t)
	c, err := brokertest.StartKfake()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return newRigOn(t, c, partitions), c
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	brokertest.Eventually(t, time.Minute, what, cond)
}

// scrape returns the metrics of an instance, as /metrics shows them.
func scrape(t *testing.T, in *instance) string {
	t.Helper()
	w := httptest.NewRecorder()
	in.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func get(in *instance, path string) (int, string) {
	w := httptest.NewRecorder()
	in.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

func speech(r *rig, call string, from, n int64) []*kgo.Record {
	var recs []*kgo.Record
	for i := from; i < from+n; i++ {
		recs = append(recs, r.Raw(0, utterance(call, i, "x", "this is Rosa Lindqvist speaking, my number is 604 555 0134")))
	}
	return recs
}

func sameAsSerial(t *testing.T, r *rig) {
	t.Helper()
	want := newSerial(r, nil)
	compare(t, "clean", byCall(r.Await(r.Topics.Clean, want.Records)), want.Clean)
	r.CheckHeaders()
}

func TestAFencedSessionIsRecreated(t *testing.T) {
	r, _ := fakeRig(t, 1)
	in := r.start("a")
	r.Feed(speech(r, "c", 1, 3)...)
	r.Await(r.Topics.Clean, 3)
	// Another client takes the transactional ID.
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...), kgo.TransactionalID(in.sessionTxnID(0)))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if _, _, err := cl.ProducerID(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Feed(speech(r, "c", 4, 3)...)
	sameAsSerial(t, r)
	if log := r.log.String(); !strings.Contains(log, "another process uses the transactional ID") {
		t.Error("the log does not say that another process uses the transactional ID")
	}
}

func TestALostPartitionIsAssignedAgain(t *testing.T) {
	t.Parallel()
	r, fake := fakeRig(t, 2)
	r.start("a")
	r.Feed(speech(r, "c", 1, 3)...)
	r.Await(r.Topics.Clean, 3)
	// The coordinator no longer knows the member, so all its partitions are lost.
	f := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID, Count: 1})
	eventually(t, "the loss", func() bool { return f.Hits() > 0 })
	r.Feed(speech(r, "c", 4, 3)...)
	sameAsSerial(t, r)
	if log := r.log.String(); !strings.Contains(log, "partitions revoked") {
		t.Error("the loss is not in the log")
	}
}

func TestAHungRestoreIsReported(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.RestoreTimeout = 500 * time.Millisecond
	// A transaction that stays open on the state topic blocks the restore.
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...), kgo.TransactionalID("a stranger"), kgo.TransactionTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: r.Topics.State, Key: []byte("c"), Value: []byte("x")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	in := r.start("a")
	eventually(t, "the log of the hung restore", func() bool {
		log := r.log.String()
		return strings.Contains(log, "no progress for 500ms") && strings.Contains(log, "transaction that is still open") && strings.Contains(log, r.Topics.State)
	})
	eventually(t, "/readyz to fail", func() bool {
		code, _ := get(in, "/readyz")
		return code == 503
	})
	if !strings.Contains(scrape(t, in), `sotto_restore_failures_total{kind="failed"}`) {
		t.Error("the failed restore is not counted")
	}
	// When the transaction ends, the processor recovers by itself.
	if err := cl.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	r.Feed(speech(r, "c", 1, 3)...)
	sameAsSerial(t, r)
}

// haltedBy runs a processor over a state that it cannot read and returns the reason that it
// reports. The other partition must continue.
func haltedBy(t *testing.T, r *rig, change func()) (why string, in *instance) {
	t.Helper()
	first := r.start("a")
	r.Feed(r.Raw(0, utterance("stuck", 1, "x", "my name is Rosa")), r.Raw(1, utterance("free", 1, "x", "my name is Olav")))
	r.Await(r.Topics.Clean, 2)
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	change()
	in = r.start("a")
	r.Feed(r.Raw(0, utterance("stuck", 2, "x", "hello")), r.Raw(1, utterance("other", 1, "x", "hello")))
	eventually(t, "the halt", func() bool {
		var code int
		code, why = get(in, "/readyz")
		return code == 503 && strings.Contains(why, "is stopped")
	})
	return why, in
}

func TestAnUnknownStateVersionStopsItsPartitionOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	why, _ := haltedBy(t, r, func() {
		var rec *kgo.Record
		for _, s := range r.Read(r.Topics.State) {
			if string(s.Key) == "stuck" {
				rec = s
			}
		}
		later := bytes.Clone(rec.Value)
		later[0] = 99
		r.Feed(&kgo.Record{Topic: r.Topics.State, Partition: 0, Key: rec.Key, Value: later})
	})
	for _, want := range []string{"partition 0", "version 99", "run the release that wrote it"} {
		if !strings.Contains(why, want) {
			t.Errorf("the reason lacks %q: %s", want, why)
		}
	}
	for _, e := range r.Clean(r.Await(r.Topics.Clean, 3)) {
		if e.CallID == "stuck" && e.Seq == 2 {
			t.Error("an event was processed although the state of its call could not be read")
		}
	}
	if got := len(r.Read(r.Topics.Clean)); got != 3 {
		t.Errorf("%d clean events, want 3: only those of the other partition", got)
	}
}

func TestAWrongKeyStopsThePartition(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	why, in := haltedBy(t, r, func() { r.WriteKeys("1 " + testKey(9)) })
	if !strings.Contains(why, "wrong key") {
		t.Errorf("the reason does not mention the key: %s", why)
	}
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	// With the right key back, everything continues where it stopped.
	r.WriteKeys("1 " + testKey(1))
	r.start("a")
	sameAsSerial(t, r)
}

func TestAMissingKeyVersionSaysWhich(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	why, _ := haltedBy(t, r, func() { r.WriteKeys("2 " + testKey(2)) })
	if !strings.Contains(why, "version 1") || !strings.Contains(why, "add that key to the file") {
		t.Errorf("the reason does not say which key is missing: %s", why)
	}
}

// A partition that was stopped because its key was missing resumes when the key file has it again.
func TestAMissingKeyIsReadAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	_, in := haltedBy(t, r, func() { r.WriteKeys("2 " + testKey(2)) })
	r.WriteKeys("2 " + testKey(2) + "\n1 " + testKey(1))
	eventually(t, "the stream to be ready", func() bool { return in.Ready() == nil })
	sameAsSerial(t, r)
	if strings.Contains(r.log.String(), "the session is recreated") {
		t.Error("the session counts as failed")
	}
}

func TestKeysRotateWhileCallsAreOpen(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"keep", "hash"} {
		t.Run(mode, func(t *testing.T) {
			r := newRig(t, 1)
			r.Set.CallID = mode
			r.Set.Reload = 100 * time.Millisecond
			in := r.start("a")
			r.Feed(speech(r, "c", 1, 2)...)
			r.Await(r.Topics.Clean, 2)
			r.WriteKeys("2 " + testKey(2) + "\n1 " + testKey(1))
			eventually(t, "the reload", func() bool { return strings.Contains(r.log.String(), "state keys reloaded") })
			r.Feed(speech(r, "c", 3, 2)...)
			r.Await(r.Topics.Clean, 4)
			if err := in.stop(); err != nil {
				t.Fatal(err)
			}
			r.start("a")
			r.Feed(speech(r, "c", 5, 1)...)
			r.Feed(r.Raw(0, ended("c", 6)))
			events := r.Clean(r.Await(r.Topics.Clean, 6))
			for _, e := range events {
				if e.CallID != events[0].CallID {
					t.Fatalf("the call changed its ID when the key was rotated")
				}
				for _, x := range e.Entities {
					if x.ID != 1 {
						t.Errorf("event %d: %s has number %d, want 1 throughout", e.Seq, x.Type, x.ID)
					}
				}
			}
			if end := events[5]; end.Call == nil || end.Call.Utterances != 5 {
				t.Errorf("END has the summary %+v, want 5 utterances", end.Call)
			}
			if hashed := events[0].CallID != "c"; hashed != (mode == "hash") {
				t.Errorf("call ID %q in mode %s", events[0].CallID, mode)
			}
			if mode == "hash" {
				for _, topic := range []string{r.Topics.Clean, r.Topics.State} {
					for _, rec := range r.Read(topic) {
						if string(rec.Key) == "c" || bytes.Contains(rec.Value, []byte(`"call_id":"c"`)) {
							t.Errorf("the call ID is in %s", topic)
						}
					}
				}
			}
		})
	}
}

// secretText may only be in the raw topic.
const secretText = "Hildegard Xylander"

func TestBadRecordsBecomeDeadLettersWithoutTheirText(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	for i, v := range [][]byte{
		[]byte("not Avro, " + secretText),
		[]byte(`{"call_id": "c", "seq": "` + secretText + `"}`),
		[]byte(`{"seq": 4, "type": "UTTERANCE", "text": "` + secretText + `"}`),
		[]byte(`{"call_id": "c", "seq": 1, "type": "` + secretText + `"}`),
		append([]byte(`{"call_id":"c","seq":5,"type":"UTTERANCE","text":"`+secretText+"\xff\xfe"), `"}`...),
		[]byte{0, 0, 0, 0, 9, 'H', 'i', 'l'},
		[]byte{0xC3, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 'H'},
		nil,
	} {
		r.Feed(&kgo.Record{Topic: r.Topics.Raw, Key: []byte(secretText), Value: v, Headers: []kgo.RecordHeader{{Key: "n", Value: []byte{byte(i)}}}})
	}
	long := utterance("long", 1, "x", strings.Repeat(secretText+" ", 10<<20/len(secretText)))
	r.Feed(r.Raw(0, long))
	r.Feed(r.Raw(0, utterance("rather long", 1, "x", strings.Repeat(secretText+" ", 5000))))
	lexical := utterance("rather long, unformatted", 1, "x", "short")
	form := long.Text[:100_000]
	lexical.Lexical = &form
	r.Feed(r.Raw(0, lexical))
	r.Feed(r.Raw(0, utterance("falls", 1, "x", panicMark)), r.Raw(0, utterance("good", 1, "x", "all is well")))
	in := r.start("a", func(p *Processor) { p.wrap = withPanics })
	r.Await(r.Topics.Clean, 1)
	var reasons []string
	eventually(t, "the dead letters", func() bool { return len(r.DeadLetters()) >= 12 })
	for _, d := range r.DeadLetters() {
		reasons = append(reasons, d.Reason)
		if d.Topic != r.Topics.Raw || d.Detail == "" {
			t.Errorf("dead letter %+v does not say where and why", d)
		}
	}
	slices.Sort(reasons)
	want := []string{"empty_record", "invalid_utf8", "missing_call_id", "no_registry", "panic", "record_too_large", "text_too_long", "text_too_long", "unknown_format", "unknown_schema", "unknown_type", "wrong_type"}
	if !slices.Equal(reasons, want) {
		t.Errorf("reasons\n got %v\nwant %v", reasons, want)
	}
	if got := len(r.Read(r.Topics.Clean)); got != 1 {
		t.Errorf("%d clean events, want the good one only", got)
	}
	metrics := scrape(t, in)
	if err := in.stop(); err != nil {
		t.Error(err)
	}
	seen := map[string][]byte{"the log": []byte(r.log.String()), "the metrics": []byte(metrics)}
	for _, topic := range []string{r.Topics.Clean, r.Topics.Audit, r.Topics.State, r.Topics.DeadLetter} {
		for _, rec := range r.Read(topic) {
			seen[topic] = append(append(append(seen[topic], rec.Key...), rec.Value...), '\n')
		}
	}
	for where, data := range seen {
		for _, secret := range []string{"Hildegard", "Xylander", panicMark, "secret text of the call"} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("text of a call is in %s", where)
			}
		}
	}
}

func TestStartUpRefusesTopicsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(r *rig)
		want   string
	}{
		"counts differ": {func(r *rig) {
			r.Set.TopicState = r.Cluster.Name("narrow")
			if err := brokertest.CreateTopic(r.T.Context(), r.Cluster, r.Set.TopicState, 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
				r.T.Fatal(err)
			}
		}, "has 1 partitions and topic"},
		"missing":       {func(r *rig) { r.Set.TopicAudit = r.Cluster.Name("nowhere") }, "does not exist: create it"},
		"not compacted": {func(r *rig) { r.Set.TopicState, r.Set.TopicDeadLetter = r.Topics.DeadLetter, r.Topics.State }, "it must be compact"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 3)
			c.change(r)
			in := r.start("a", func(p *Processor) { p.topicPatience = 500 * time.Millisecond })
			select {
			case <-in.done:
			case <-time.After(20 * time.Second):
				t.Fatal("the processor did not stop")
			}
			if in.err == nil || !strings.Contains(in.err.Error(), c.want) {
				t.Errorf("got %v, want %q", in.err, c.want)
			}
		})
	}
}

func TestRetentionThatPassedTheGroupStopsTheProcess(t *testing.T) {
	t.Parallel()
	r, fake := fakeRig(t, 1)
	in := r.start("a")
	r.Feed(speech(r, "c", 1, 4)...)
	r.Await(r.Topics.Clean, 4)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	r.Feed(speech(r, "c", 5, 4)...)
	if err := fake.DeleteRecords(r.Topics.Raw, 0, 7); err != nil {
		t.Fatal(err)
	}
	in = r.start("a")
	select {
	case <-in.done:
	case <-time.After(30 * time.Second):
		t.Fatal("the processor continues although records are lost")
	}
	if !errors.Is(in.err, errFatal) || !strings.Contains(in.err.Error(), "retention is too short") {
		t.Errorf("got %v", in.err)
	}
}

func TestARevocationWhileIdleIsCleared(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	a := r.start("a")
	r.Feed(r.Raw(0, utterance("c", 1, "x", "hello")))
	r.Await(r.Topics.Clean, 1)
	// Partitions are reassigned back and forth while nothing is consumed.
	for i := range 3 {
		b := r.start(fmt.Sprint("b", i))
		eventually(t, "the second member", func() bool { return b.Ready() == nil })
		if err := b.stop(); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the first member", func() bool { return a.Ready() == nil })
	for p := range int32(4) {
		r.Feed(r.Raw(p, utterance(fmt.Sprint("d", p), 1, "x", "hello")))
	}
	r.Await(r.Topics.Clean, 5)
	if m := scrape(t, a); strings.Contains(m, `sotto_transactions_aborted_total{reason="rebalance"}`) {
		t.Error("a transaction was aborted for a rebalance that was over")
	}
}

func TestStoppingFinishesWhatIsInFlight(t *testing.T) {
	brokertest.NoLeaks(t)
	r := newRig(t, 2)
	r.Set.CommitInterval = time.Second // long enough to be in the middle of one
	r.Set.TransactionTimeout = 10 * time.Second
	in := r.start("a")
	eventually(t, "the start", func() bool { return in.Ready() == nil })
	r.Feed(speech(r, "c", 1, 20)...)
	time.Sleep(200 * time.Millisecond)
	began := time.Now()
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("stopping took %s", took)
	}
	if n := len(r.Read(r.Topics.Clean)); n != 20 {
		t.Errorf("%d of 20 events are written after a graceful stop", n)
	}
}
