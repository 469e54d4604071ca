package topic

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/review"
	"sotto/review/store"
	"sotto/schemas"
)

const patience = 20 * time.Second

func TestMain(m *testing.M) { brokertest.Main(m) }

func start(t *testing.T, cluster brokertest.Cluster, audit, annotations string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "review.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	codec, err := schemas.NewCodec(t.Context(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- Run(ctx, s, Options{
			Audit: audit, Annotations: annotations, Codec: codec, Log: slog.New(slog.DiscardHandler),
			Client: []kgo.Opt{kgo.SeedBrokers(cluster.Brokers()...)},
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// TestALostStoreIsRebuilt reads calls from the audit topic, annotates one, erases another, and
// starts again without the file.
func TestALostStoreIsRebuilt(t *testing.T) {
	cluster := brokertest.Open(t)
	audit, annotations := cluster.Name("audit"), cluster.Name("annotations")
	if err := brokertest.CreateTopic(t.Context(), cluster, audit, 2, nil); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c1", "c2"} {
		if err := brokertest.Produce(t.Context(), cluster, sampled(t, audit, id)...); err != nil {
			t.Fatal(err)
		}
	}
	first := start(t, cluster, audit, annotations)
	arrived := func(s *store.Store, id string) bool {
		_, err := s.Call(t.Context(), id)
		return err == nil
	}
	await(t, "the calls arrive", func() bool { return arrived(first, "c1") && arrived(first, "c2") })
	for _, id := range []string{"c1", "c2"} {
		reading := review.Reading{CallID: id, Kind: review.Annotation, Annotator: "ann", Done: true, Spans: []review.Span{
			{Place: review.Place{Seq: 1, Start: 6, End: 13}, Type: "PERSON_NAME"},
		}}
		if _, err := first.Save(t.Context(), reading); err != nil {
			t.Fatal(err)
		}
	}
	sent := func() bool {
		unsent, err := first.Unsent(t.Context(), 10)
		return err == nil && len(unsent) == 0
	}
	await(t, "the readings are sent", sent)
	if err := first.Erase(t.Context(), "root", "c2"); err != nil {
		t.Fatal(err)
	}
	await(t, "the erasure is sent", sent)

	second := start(t, cluster, audit, annotations)
	await(t, "the store is rebuilt", func() bool {
		r, err := second.Reading(t.Context(), "c1", review.Annotation, "ann")
		return err == nil && arrived(second, "c1") && r.Done && len(r.Spans) == 1 && r.Spans[0].End == 13
	})
	await(t, "the erased call is gone", func() bool {
		readings, err := second.Readings(t.Context(), "c2")
		return err == nil && len(readings) == 0 && !arrived(second, "c2")
	})
	records, err := brokertest.ReadAll(t.Context(), cluster, annotations, brokertest.Committed)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if strings.Contains(string(r.Value), "Halpert") {
			t.Error("a record holds text of the call")
		}
	}
}

// TestACompactedTopicRebuildsTheFigures loses the store and, in the audit topic, the texts, after the
// topic of readings has been compacted: of each reading its last revision is left, and of an erased
// call only that it is erased.
func TestACompactedTopicRebuildsTheFigures(t *testing.T) {
	t.Parallel()
	cluster := brokertest.Open(t)
	audit, empty, annotations := cluster.Name("audit"), cluster.Name("empty"), cluster.Name("annotations")
	for _, topic := range []string{audit, empty} {
		if err := brokertest.CreateTopic(t.Context(), cluster, topic, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := brokertest.CreateTopic(t.Context(), cluster, annotations, 1, map[string]string{
		"cleanup.policy": "compact", "segment.ms": "100", "min.cleanable.dirty.ratio": "0.01", "delete.retention.ms": "0", "max.compaction.lag.ms": "1",
	}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c1", "c2", "c3"} {
		if err := brokertest.Produce(t.Context(), cluster, sampled(t, audit, id)...); err != nil {
			t.Fatal(err)
		}
	}
	first := start(t, cluster, audit, annotations)
	await(t, "the calls arrive", func() bool {
		_, total, err := first.Queue(t.Context(), store.Filter{}, review.Annotation, "ann", 0, 1)
		return err == nil && total == 3
	})
	save := func(id string, end int) {
		t.Helper()
		r, err := first.Reading(t.Context(), id, review.Annotation, "ann")
		if err != nil {
			t.Fatal(err)
		}
		r.Done, r.Spans = true, []review.Span{{Place: review.Place{Seq: 1, Start: 6, End: end}, Type: "PERSON_NAME"}}
		if _, err := first.Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		awaitSent(t, first)
	}
	for _, end := range []int{8, 9, 13} {
		save("c1", end)
	}
	save("c2", 13)
	save("c3", 13)
	if err := first.Erase(t.Context(), "root", "c2"); err != nil {
		t.Fatal(err)
	}
	awaitSent(t, first)
	compact(t, cluster, annotations, func() { save("c3", 12); save("c3", 13) })

	want, err := first.Read(t.Context(), review.Missed, false)
	if err != nil || len(want) != 2 {
		t.Fatal(want, err)
	}
	second := start(t, cluster, empty, annotations)
	var got []review.Read
	await(t, "the store is rebuilt", func() bool {
		got, err = second.Read(t.Context(), review.Missed, false)
		return err == nil && len(got) == len(want) && got[1].Readings[0].Revision == want[1].Readings[0].Revision
	})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("without texts, the store has\n%+v, want\n%+v", got, want)
	}
	if _, total, err := second.Queue(t.Context(), store.Filter{}, review.Annotation, "ann", 0, 1); err != nil || total != 0 {
		t.Errorf("%d calls without a text are in the queue: %v", total, err)
	}

	third := start(t, cluster, audit, annotations)
	await(t, "the texts arrive too", func() bool {
		got, err = third.Read(t.Context(), review.Missed, true)
		return err == nil && len(got) == 2 && got[0].Call.ID == "c1" && len(got[0].Call.Utterances) == 1
	})
	if _, err := third.Call(t.Context(), "c2"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the erased call comes back: %v", err)
	}
	if _, total, err := third.Queue(t.Context(), store.Filter{State: store.StateDone}, review.Annotation, "ann", 0, 1); err != nil || total != 2 {
		t.Errorf("%d calls are done: %v", total, err)
	}
}

func awaitSent(t *testing.T, s *store.Store) {
	t.Helper()
	await(t, "all is sent", func() bool {
		unsent, err := s.Unsent(t.Context(), 10)
		return err == nil && len(unsent) == 0
	})
}

// compact has the broker compact a topic, which Apache Kafka does on its own. Both leave the latest
// records as they are, so roll writes more.
func compact(t *testing.T, cluster brokertest.Cluster, topic string, roll func()) {
	t.Helper()
	fake, ok := cluster.(*brokertest.Kfake)
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(300 * time.Millisecond) {
		if roll(); ok {
			fake.Compact()
		}
		records, err := brokertest.ReadAll(t.Context(), cluster, topic, brokertest.Committed)
		if err != nil {
			t.Fatal(err)
		}
		old := slices.ContainsFunc(records, func(r *kgo.Record) bool {
			key := string(r.Key)
			return strings.HasPrefix(key, `["c2"`) || strings.HasPrefix(key, `["c1"`) && !strings.Contains(string(r.Value), `"end":13`)
		})
		if !old {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the topic is not compacted: %d records %s", len(records), records[0].Key)
		}
	}
}

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct {
		key, value string
		fatal      bool
	}{
		"no key":        {"", "{}", false},
		"not JSON":      {`["c","annotation","a"]`, "{", false},
		"unknown kind":  {`["c","nothing","a"]`, "{}", false},
		"later version": {`["c","annotation","a"]`, `{"v":2}`, true},
	} {
		_, err := decode(&kgo.Record{Key: []byte(c.key), Value: []byte(c.value)})
		if err == nil || errors.Is(err, errLaterVersion) != c.fatal {
			t.Errorf("%s: %v", name, err)
		}
	}
}
