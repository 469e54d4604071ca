package topic

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
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
	if err := cluster.CreateTopic(t.Context(), audit, 2, nil); err != nil {
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
	if err := first.Erase(t.Context(), "c2"); err != nil {
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
		var fatal *fatalError
		if err == nil || errors.As(err, &fatal) != c.fatal {
			t.Errorf("%s: %v", name, err)
		}
	}
}
