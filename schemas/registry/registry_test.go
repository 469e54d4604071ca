package registry

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"sotto/schemas"
)

func TestRegistersItsSchemas(t *testing.T) {
	f := newFakeRegistry(t)
	c := newCodec(t, f)
	again := newCodec(t, f) // a second start finds them
	for name, event := range map[string]struct {
		subject string
		write   func(*schemas.Codec) ([]byte, error)
	}{
		"RawEvent":   {"calls.raw-value", func(c *schemas.Codec) ([]byte, error) { return c.AppendRaw(nil, start) }},
		"CleanEvent": {"calls.clean-value", func(c *schemas.Codec) ([]byte, error) { return c.AppendClean(nil, &schemas.CleanEvent{}) }},
		"AuditEvent": {"calls.risk-audit-value", func(c *schemas.Codec) ([]byte, error) { return c.AppendAudit(nil, &schemas.AuditEvent{}) }},
		"DeadLetter": {"calls.dead-letter-value", func(c *schemas.Codec) ([]byte, error) { return c.AppendDeadLetter(nil, &schemas.DeadLetter{}) }},
	} {
		s, ok := f.GetSchema(event.subject, 1)
		if !ok {
			t.Errorf("subject %s has no schema", event.subject)
			continue
		}
		text, err := os.ReadFile("../" + name + ".avsc")
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			t.Fatal(err)
		}
		if s.Schema.Schema != compact.String() {
			t.Errorf("subject %s has another schema: %s", event.subject, s.Schema.Schema)
		}
		for _, codec := range []*schemas.Codec{c, again} {
			record, err := event.write(codec)
			if err != nil || int(binary.BigEndian.Uint32(record[1:])) != s.ID {
				t.Errorf("subject %s: %v, or records name another schema than %d, which is registered", event.subject, err, s.ID)
			}
		}
	}
	if _, ok := f.GetSchema("calls.raw-value", 2); ok {
		t.Error("the second start made a second version")
	}
}

func TestStartNeedsOnlyToReadWhatIsRegistered(t *testing.T) {
	f := newFakeRegistry(t)
	newCodec(t, f)
	var writes int
	count := func(r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/versions") {
			writes++
		}
	}
	f.before.Store(&count)
	newCodec(t, f)
	if writes > 0 {
		t.Errorf("%d attempts to register what is registered", writes)
	}
}

func TestReadOnlyRegistersNothing(t *testing.T) {
	f := newFakeRegistry(t)
	f.add(t, "calls.clean-value", rawSchema(callIDField)) // an earlier version
	check := func() error {
		_, err := schemas.NewCodec(context.Background(), schemas.Options{Registry: New(f.client(t), true), Topics: testTopics})
		return err
	}
	if err := check(); err != nil {
		t.Error(err)
	}
	if _, ok := f.GetSchema("calls.clean-value", 2); ok || f.SubjectExists("calls.risk-audit-value") {
		t.Error("a schema was registered")
	}
	f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		incompatible := strings.HasPrefix(r.URL.Path, "/compatibility/subjects/calls.clean-value/")
		if incompatible {
			w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
			fmt.Fprint(w, `{"is_compatible":false}`)
		}
		return incompatible
	})
	if err := check(); err == nil || !strings.Contains(err.Error(), "calls.clean-value as incompatible") {
		t.Errorf("the registry would refuse a schema: %v", err)
	}
}

func TestUnsetTopicsAreNotRegistered(t *testing.T) {
	f := newFakeRegistry(t)
	c, err := schemas.NewCodec(context.Background(), schemas.Options{Registry: New(f.client(t), false), Topics: schemas.Topics{Clean: "calls.clean"}})
	if err != nil {
		t.Fatal(err)
	}
	if f.SubjectExists("calls.raw-value") || f.SubjectExists("-value") {
		t.Error("a schema was registered for a topic that is not given")
	}
	if _, err := c.AppendClean(nil, &schemas.CleanEvent{CallID: "c", Type: schemas.Start}); err != nil {
		t.Error(err)
	}
	dst := []byte("x")
	for what, write := range map[string]func() ([]byte, error){
		"raw":   func() ([]byte, error) { return c.AppendRaw(dst, start) },
		"audit": func() ([]byte, error) { return c.AppendAudit(dst, &schemas.AuditEvent{}) },
		"dead":  func() ([]byte, error) { return c.AppendDeadLetter(dst, &schemas.DeadLetter{}) },
	} {
		if got, err := write(); err == nil || string(got) != "x" {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	// JSON needs none.
	if _, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON, Registry: New(f.client(t), false), Topics: testTopics}); err != nil || f.SubjectExists("calls.raw-value") {
		t.Errorf("writing JSON registers schemas (%v)", err)
	}
}

func TestTheRawSubjectIsLeftToItsProducers(t *testing.T) {
	f := newFakeRegistry(t)
	theirs := rawSchema(callIDField, seqField, typeField)
	id := f.add(t, "calls.raw-value", theirs)
	c := newCodec(t, f)
	if _, ok := f.GetSchema("calls.raw-value", 2); ok {
		t.Error("a version was added to the producers' subject")
	}
	if _, err := c.DecodeRaw(withID(id, endBody)); err != nil {
		t.Error(err)
	}
	if _, err := c.AppendRaw(nil, start); err == nil {
		t.Error("a raw event was written without a registered schema")
	}
	// The other subjects are ours: a new version of the schema is added.
	f = newFakeRegistry(t)
	f.add(t, "calls.clean-value", rawSchema(callIDField))
	newCodec(t, f)
	if _, ok := f.GetSchema("calls.clean-value", 2); !ok {
		t.Error("our own subject was not brought up to date")
	}
}

func TestNewCodecFails(t *testing.T) {
	ctx := context.Background()
	if _, err := schemas.NewCodec(ctx, schemas.Options{Format: "protobuf"}); err == nil {
		t.Error("an unknown format is accepted")
	}

	f := newFakeRegistry(t)
	f.status.Store(http.StatusServiceUnavailable)
	_, err := schemas.NewCodec(ctx, schemas.Options{Registry: New(f.client(t), false), Topics: testTopics})
	if !errors.Is(err, schemas.ErrUnavailable) || !strings.Contains(err.Error(), "calls.raw-value") {
		t.Errorf("a registry that fails: %v", err)
	}

	for _, failing := range []string{"lookup", "register"} {
		f := newFakeRegistry(t)
		f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/versions") != (failing == "register") {
				return false
			}
			w.WriteHeader(http.StatusForbidden)
			return true
		})
		_, err := schemas.NewCodec(ctx, schemas.Options{Registry: New(f.client(t), false), Topics: testTopics})
		if !errors.Is(err, schemas.ErrUnavailable) || !strings.Contains(err.Error(), "403") {
			t.Errorf("a registry that forbids to %s: %v", failing, err)
		}
	}

	f = newFakeRegistry(t)
	f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/versions") {
			return false
		}
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"error_code": 409, "message": "incompatible"}`))
		return true
	})
	_, err = schemas.NewCodec(ctx, schemas.Options{Registry: New(f.client(t), false), Topics: testTopics})
	if err == nil || errors.Is(err, schemas.ErrUnavailable) || !strings.Contains(err.Error(), "incompatible") {
		t.Errorf("a registry that refuses: %v", err)
	}
}

func TestSchemasAreFetchedOnce(t *testing.T) {
	f := newFakeRegistry(t)
	c := newCodec(t, f)
	record, err := c.AppendRaw(nil, start)
	if err != nil {
		t.Fatal(err)
	}
	before := f.requests.Load()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 50 {
				if _, err := c.DecodeRaw(record); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := f.requests.Load() - before; n != 1 {
		t.Errorf("%d requests for one schema", n)
	}
}

func TestUnknownSchemaIDs(t *testing.T) {
	f := newFakeRegistry(t)
	c, client := jsonCodec(t, f)
	now := time.Now()
	client.now = func() time.Time { return now }

	before := f.requests.Load()
	for range 3 {
		_, err := c.DecodeRaw(withID(4711, "x"))
		wantReason(t, "an ID that nobody registered", err, schemas.ReasonUnknownSchema)
	}
	if n := f.requests.Load() - before; n != 1 {
		t.Errorf("%d requests for one unknown ID", n)
	}
	before = f.requests.Load()
	for _, id := range []int{0, -1, -1 << 31} {
		_, err := c.DecodeRaw(withID(id, "x"))
		wantReason(t, "an ID that no registry gives", err, schemas.ReasonUnknownSchema)
	}
	if n := f.requests.Load() - before; n != 0 {
		t.Errorf("%d requests for impossible IDs", n)
	}
	// The schema is registered later.
	f.SeedSchema("late", 1, 4711, sr.Schema{Schema: rawSchema(callIDField, seqField, typeField)})
	good := withID(4711, endBody)
	_, err := c.DecodeRaw(good)
	wantReason(t, "before it is asked again", err, schemas.ReasonUnknownSchema)
	now = now.Add(unknownFor + time.Second)
	if _, err := c.DecodeRaw(good); err != nil {
		t.Errorf("after the schema was registered: %v", err)
	}
}

func TestFailuresAreForgottenInTime(t *testing.T) {
	f := newFakeRegistry(t)
	client := New(f.client(t), false)
	for id := 1000; id < 1000+maxFailures+10; id++ {
		if _, err := client.Schema(uint32(id)); err == nil {
			t.Fatal("an unknown schema was found")
		}
	}
	if n := len(client.failed); n > maxFailures {
		t.Errorf("%d failures are remembered", n)
	}
}

func TestUnusableSchemas(t *testing.T) {
	f := newFakeRegistry(t)
	for name, s := range map[string]sr.Schema{
		"no record": {Schema: `"string"`},
		"Protobuf":  {Schema: `syntax = "proto3"; message M {}`, Type: sr.TypeProtobuf},
		"not Avro":  {Schema: `{"type":"record"}`},
	} {
		f.Reset()
		c := newCodec(t, f)
		f.SeedSchema("s", 1, 99, s)
		_, err := c.DecodeRaw(withID(99, "x"))
		wantReason(t, name, err, schemas.ReasonWrongSchema)
	}
}

// What is written with a JSON Schema is JSON, whatever that schema refers to.
func TestJSONSchemas(t *testing.T) {
	f := newFakeRegistry(t)
	c := newCodec(t, f)
	f.SeedSchema("other", 1, 98, sr.Schema{Schema: `{"type":"string"}`, Type: sr.TypeJSON})
	f.SeedSchema("s", 1, 99, sr.Schema{Schema: `{"type":"object"}`, Type: sr.TypeJSON, References: []sr.SchemaReference{{Name: "other", Subject: "other", Version: 1}}})
	if e, err := c.DecodeRaw(withID(99, `{"call_id":"c","seq":1,"type":"END"}`)); err != nil || e.CallID != "c" {
		t.Errorf("%+v, %v", e, err)
	}
	if body, s, err := c.Framed(withID(99, `{"a":1}`)); err != nil || s != nil || string(body) != `{"a":1}` {
		t.Errorf("%q, %v, %v", body, s, err)
	}
}

func TestTheLatestSchemaOfASubject(t *testing.T) {
	f := newFakeRegistry(t)
	client := New(f.client(t), true)
	f.add(t, "inner", `{"type":"enum","name":"E","symbols":["A"]}`)
	f.add(t, "avro", `{"type":"array","items":"E"}`, sr.SchemaReference{Name: "E", Subject: "inner", Version: 1})
	f.SeedSchema("json", 1, 51, sr.Schema{Schema: `{"type":"object"}`, Type: sr.TypeJSON})
	f.SeedSchema("proto", 1, 52, sr.Schema{Schema: `syntax = "proto3"; message M {}`, Type: sr.TypeProtobuf})
	f.SeedSchema("broken", 1, 53, sr.Schema{Schema: `syntax = "proto3"; message M { N n = 1; }`, Type: sr.TypeProtobuf})
	for subject, want := range map[string]struct {
		kind string
		bad  bool
	}{"avro": {"AVRO", false}, "json": {"JSON", false}, "proto": {"PROTOBUF", false}, "broken": {"PROTOBUF", true}, "nobody": {"", false}} {
		kind, err := client.Latest(t.Context(), subject)
		if kind != want.kind || (err != nil) != want.bad {
			t.Errorf("%s: %s, %v", subject, kind, err)
		}
	}
	f.status.Store(http.StatusServiceUnavailable)
	if _, err := client.Latest(t.Context(), "avro"); !errors.Is(err, schemas.ErrUnavailable) {
		t.Errorf("a registry that fails: %v", err)
	}
}

func TestTooManyReferences(t *testing.T) {
	f := newFakeRegistry(t)
	c := newCodec(t, f)
	var refs []sr.SchemaReference
	for i := range maxReferences + 1 {
		name := fmt.Sprintf("E%d", i)
		f.add(t, name, fmt.Sprintf(`{"type":"enum","name":%q,"symbols":["A"]}`, name))
		refs = append(refs, sr.SchemaReference{Name: name, Subject: name, Version: 1})
	}
	main := rawSchema(callIDField, seqField, typeField)
	body := endBody
	if _, err := c.DecodeRaw(withID(f.add(t, "fits", main, refs[1:]...), body)); err != nil {
		t.Errorf("%d references: %v", maxReferences, err)
	}
	_, err := c.DecodeRaw(withID(f.add(t, "too many", main, refs...), body))
	wantReason(t, "one reference more", err, schemas.ReasonWrongSchema)
}

// While the registry does not answer, nothing is known about the record. The error must be
// temporary, not one that makes the record a dead letter.
func TestUnavailableRegistry(t *testing.T) {
	f := newFakeRegistry(t)
	writer := newCodec(t, f)
	record, err := writer.AppendRaw(nil, start)
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{401, 403, 404, 408, 429, 500, 502, 503} {
		c, client := jsonCodec(t, f)
		now := time.Now()
		client.now = func() time.Time { return now }

		f.status.Store(int64(status))
		before := f.requests.Load()
		for range 3 {
			wantUnavailable(t, c, record)
		}
		if n := f.requests.Load() - before; n != 1 {
			t.Errorf("status %d: %d requests at once to a registry that fails", status, n)
		}
		f.status.Store(0)
		now = now.Add(unavailableFor + time.Millisecond)
		if _, err := c.DecodeRaw(record); err != nil {
			t.Errorf("status %d: after it is over: %v", status, err)
		}
	}
}

func wantUnavailable(t *testing.T, c *schemas.Codec, record []byte) {
	t.Helper()
	_, err := c.DecodeRaw(record)
	var bad *schemas.DecodeError
	if !errors.Is(err, schemas.ErrUnavailable) || errors.As(err, &bad) {
		t.Errorf("error %v, want schemas.ErrUnavailable", err)
	}
}

func TestRegistryThatIsNotThere(t *testing.T) {
	f := newFakeRegistry(t)
	c := newCodec(t, f)
	f.Close()
	wantUnavailable(t, c, withID(7, "x"))
}

func TestRegistryThatHangs(t *testing.T) {
	f := newFakeRegistry(t)
	c, client := jsonCodec(t, f)
	client.timeout = 20 * time.Millisecond
	hang := func(r *http.Request) { <-r.Context().Done() }
	f.before.Store(&hang)
	start := time.Now()
	wantUnavailable(t, c, withID(7, "x"))
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("gave up after %v", took)
	}
}

func TestRegistryWithInvalidAnswers(t *testing.T) {
	f := newFakeRegistry(t)
	c := newCodec(t, f)
	f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		_, _ = w.Write([]byte("<html>Welcome to the hotel's network</html>"))
		return true
	})
	wantUnavailable(t, c, withID(7, "x"))
}

// A record may be text that begins like Avro. Its first letters are then read as a schema ID, and
// must not appear in an error in any form.
func TestErrorsHoldNoIDs(t *testing.T) {
	f := newFakeRegistry(t)
	record := []byte("\x00JimH is my name")
	id := "1248423240" // "JimH" as a number
	failures := map[string]func(c *Client){
		"unknown": func(*Client) {},
		"failing": func(*Client) { f.status.Store(500) },
		"quoting": func(*Client) {
			f.Intercept(func(w http.ResponseWriter, r *http.Request) bool { http.Error(w, r.URL.Path+" JimH", 500); return true })
		},
		"hanging":  func(c *Client) { c.timeout = time.Millisecond },
		"vanished": func(*Client) { f.Close() },
	}
	for _, name := range []string{"unknown", "failing", "hanging", "quoting", "vanished"} {
		f.status.Store(0)
		c, client := jsonCodec(t, f)
		failures[name](client)
		_, err := c.DecodeRaw(record)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if s := err.Error(); strings.Contains(s, id) || strings.Contains(s, "Jim") {
			t.Errorf("%s: the error holds a part of the record", name)
		}
	}
}
