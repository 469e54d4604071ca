package schemas

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

var testTopics = Topics{Raw: "calls.raw", Clean: "calls.clean", Audit: "calls.risk-audit", DeadLetter: "calls.dead-letter"}

// fakeRegistry is a Schema Registry that counts requests and can fail.
type fakeRegistry struct {
	*srfake.Registry
	requests atomic.Int64
	status   atomic.Int64                          // answered to everything if not 0
	before   atomic.Pointer[func(r *http.Request)] // called for each request
}

func newFakeRegistry(t testing.TB) *fakeRegistry {
	f := &fakeRegistry{Registry: srfake.New()}
	t.Cleanup(f.Close)
	f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		f.requests.Add(1)
		if do := f.before.Load(); do != nil {
			(*do)(r)
		}
		if status := int(f.status.Load()); status != 0 {
			w.WriteHeader(status)
			return true
		}
		return false
	})
	return f
}

func (f *fakeRegistry) client(t testing.TB, opts ...sr.ClientOpt) *sr.Client {
	t.Helper()
	// It has its own transport, so that no connection outlives the test.
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	opts = append([]sr.ClientOpt{sr.URLs(f.URL()), sr.HTTPClient(&http.Client{Transport: transport, Timeout: 5 * time.Second})}, opts...)
	client, err := sr.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// add registers a schema under a subject of its own and returns its ID.
func (f *fakeRegistry) add(t testing.TB, subject, text string, refs ...sr.SchemaReference) int {
	t.Helper()
	id, _, err := f.RegisterSchema(subject, sr.Schema{Schema: text, References: refs})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newRegistryCodec(t testing.TB, f *fakeRegistry) *Codec {
	t.Helper()
	c, err := NewCodec(context.Background(), Options{Registry: f.client(t), Topics: testTopics})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
