package registry

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"sotto/schemas"
)

var testTopics = schemas.Topics{Raw: "calls.raw", Clean: "calls.clean", Audit: "calls.risk-audit", DeadLetter: "calls.dead-letter"}

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

func newCodec(t testing.TB, f *fakeRegistry) *schemas.Codec {
	t.Helper()
	c, err := schemas.NewCodec(context.Background(), schemas.Options{Registry: New(f.client(t), false), Topics: testTopics})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// jsonCodec is a codec that registers nothing, with the client by which it reads.
func jsonCodec(t testing.TB, f *fakeRegistry) (*schemas.Codec, *Client) {
	t.Helper()
	r := New(f.client(t), false)
	c, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON, Registry: r})
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

func withID(id int, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), body...)
}

func rawSchema(fields ...string) string {
	return `{"type": "record", "name": "RawEvent", "namespace": "sotto.v1", "fields": [` + strings.Join(fields, ",") + `]}`
}

const (
	callIDField = `{"name": "call_id", "type": "string"}`
	seqField    = `{"name": "seq", "type": "long"}`
	typeField   = `{"name": "type", "type": "string"}`
	// endBody is the event 1 of call "c" in a schema of these fields, an END.
	endBody = "\x02c\x02\x06END"
)

var start = &schemas.RawEvent{CallID: "c", Type: schemas.Start}

func wantReason(t *testing.T, what string, err error, reason string) {
	t.Helper()
	var bad *schemas.DecodeError
	if !errors.As(err, &bad) || bad.Reason != reason {
		t.Errorf("%s: %v, want reason %s", what, err, reason)
	}
}
