package processor

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
	"sotto/schemas/registry"
)

// TestARegistryIsAwayForAWhile writes and reads with a Schema Registry, and continues after the
// registry was unavailable.
func TestARegistryIsAwayForAWhile(t *testing.T) {
	fake := srfake.New()
	t.Cleanup(fake.Close)
	r := newRig(t, 1)
	r.Set.Codec, r.Set.SchemaRegistryURL = "avro", fake.URL()
	cl, err := sr.NewClient(sr.URLs(fake.URL()))
	if err != nil {
		t.Fatal(err)
	}
	r.Codec, err = schemas.NewCodec(t.Context(), schemas.Options{Format: schemas.FormatAvro, Registry: registry.New(cl, false),
		Topics: schemas.Topics{Raw: r.Topics.Raw, Clean: r.Topics.Clean, Audit: r.Topics.Audit, DeadLetter: r.Topics.DeadLetter}})
	if err != nil {
		t.Fatal(err)
	}
	in := r.start("a")
	r.Feed(speech(r, "c", 1, 3)...)
	for _, rec := range r.Await(r.Topics.Clean, 3) {
		if rec.Value[0] != 0 {
			t.Error("a clean event has no Confluent header")
		}
	}
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	sameAsSerial(t, r)
}

func TestAvroWithoutARegistry(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.Codec = "avro"
	r.start("a")
	// JSON goes in and single-object Avro comes out: a topic can change its codec.
	r.Feed(speech(r, "c", 1, 3)...)
	for _, rec := range r.Await(r.Topics.Clean, 3) {
		if rec.Value[0] != 0xC3 || rec.Value[1] != 1 {
			t.Error("a clean event has no single-object header")
		}
		if _, err := r.Codec.DecodeClean(rec.Value); err != nil {
			t.Error(err)
		}
	}
}

// A record whose schema cannot be fetched now does not become a dead letter. It waits, and so do
// all records after it.
func TestAnUnreachableRegistrySlowsTheStream(t *testing.T) {
	t.Parallel()
	fake := srfake.New()
	r := newRig(t, 1)
	r.Set.Codec, r.Set.SchemaRegistryURL = "avro", fake.URL()
	in := r.start("a")
	eventually(t, "the start", func() bool { return in.Ready() == nil })
	fake.Close()
	r.Feed(&kgo.Record{Topic: r.Topics.Raw, Key: []byte("c"), Value: []byte{0, 0, 0, 0, 77, 2}})
	r.Feed(speech(r, "c", 1, 2)...)
	time.Sleep(time.Second)
	if n, dead := len(r.Read(r.Topics.Clean)), len(r.Read(r.Topics.DeadLetter)); n != 0 || dead != 0 {
		t.Errorf("%d clean events and %d dead letters while the registry is unavailable, want none", n, dead)
	}
	began := time.Now()
	if err := in.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stopping took %s", took)
	}
}

// The Schema Registry is down for longer than eight transactions, and comes back: the session is recreated
// meanwhile, /readyz names the registry, and nothing is lost.
func TestTheRegistryComesBack(t *testing.T) {
	t.Parallel()
	fake := srfake.New()
	t.Cleanup(fake.Close)
	behind, err := url.Parse(fake.URL())
	if err != nil {
		t.Fatal(err)
	}
	var down atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(behind)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(front.Close)
	r := newRig(t, 1)
	r.Set.Codec, r.Set.SchemaRegistryURL = "avro", front.URL
	cl, err := sr.NewClient(sr.URLs(fake.URL()))
	if err != nil {
		t.Fatal(err)
	}
	r.Codec, err = schemas.NewCodec(t.Context(), schemas.Options{Format: schemas.FormatAvro, Registry: registry.New(cl, false),
		Topics: schemas.Topics{Raw: r.Topics.Raw, Clean: r.Topics.Clean, Audit: r.Topics.Audit, DeadLetter: r.Topics.DeadLetter}})
	if err != nil {
		t.Fatal(err)
	}
	in := r.start("a")
	eventually(t, "the start", func() bool { return in.Ready() == nil })
	down.Store(true)
	r.Feed(&kgo.Record{Topic: r.Topics.Raw, Key: []byte("c"), Value: []byte{0, 0, 0, 0, 77, 2}})
	r.Feed(speech(r, "c", 1, 2)...)
	brokertest.Eventually(t, time.Minute, "the session to be recreated", func() bool { return strings.Contains(r.log.String(), "the session is recreated") })
	eventually(t, "/readyz to name the registry", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "Schema Registry")
	})
	down.Store(false)
	r.Await(r.Topics.Clean, 2)
	if dead := r.DeadLetters(); len(dead) != 1 || dead[0].Reason != "unknown_schema" {
		t.Errorf("%d dead letters, want the record whose schema nobody knows", len(dead))
	}
	brokertest.Eventually(t, time.Minute, "the stream to be ready", func() bool { return in.Ready() == nil })
}
