package schemas

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
)

func withID(id int, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{magicConfluent}, uint32(id)), body...)
}

func TestRegistersItsSchemas(t *testing.T) {
	f := newFakeRegistry(t)
	c := newRegistryCodec(t, f)
	for k, subject := range []string{"calls.raw-value", "calls.clean-value", "calls.risk-audit-value", "calls.dead-letter-value"} {
		s, ok := f.GetSchema(subject, 1)
		if !ok {
			t.Errorf("subject %s has no schema", subject)
			continue
		}
		if s.Schema.Schema != families()[k].text {
			t.Errorf("subject %s has another schema: %s", subject, s.Schema.Schema)
		}
		if got := binary.BigEndian.Uint32(c.headers[k][1:]); int(got) != s.ID {
			t.Errorf("subject %s: records name schema %d, registered is %d", subject, got, s.ID)
		}
	}
	// A second start finds them.
	again := newRegistryCodec(t, f)
	for k := range numKinds {
		if string(again.headers[k]) != string(c.headers[k]) {
			t.Errorf("%s: another ID at the second start", recordNames[k])
		}
	}
	if _, ok := f.GetSchema("calls.raw-value", 2); ok {
		t.Error("the second start made a second version")
	}
}

func TestStartNeedsOnlyToReadWhatIsRegistered(t *testing.T) {
	f := newFakeRegistry(t)
	newRegistryCodec(t, f)
	var writes int
	count := func(r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/versions") {
			writes++
		}
	}
	f.before.Store(&count)
	newRegistryCodec(t, f)
	if writes > 0 {
		t.Errorf("%d attempts to register what is registered", writes)
	}
}

func TestReadOnlyRegistersNothing(t *testing.T) {
	f := newFakeRegistry(t)
	f.add(t, "calls.clean-value", rawSchema(callIDField)) // an earlier version
	check := func() error {
		_, err := NewCodec(context.Background(), Options{Registry: f.client(t), Topics: testTopics, ReadOnly: true})
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
	c, err := NewCodec(context.Background(), Options{Registry: f.client(t), Topics: Topics{Clean: "calls.clean"}})
	if err != nil {
		t.Fatal(err)
	}
	if f.SubjectExists("calls.raw-value") || f.SubjectExists("-value") {
		t.Error("a schema was registered for a topic that is not given")
	}
	if _, err := c.AppendClean(nil, sampleClean()); err != nil {
		t.Error(err)
	}
	dst := []byte("x")
	for what, write := range map[string]func() ([]byte, error){
		"raw":   func() ([]byte, error) { return c.AppendRaw(dst, sampleRaw()) },
		"audit": func() ([]byte, error) { return c.AppendAudit(dst, &AuditEvent{}) },
		"dead":  func() ([]byte, error) { return c.AppendDeadLetter(dst, &DeadLetter{}) },
	} {
		if got, err := write(); err == nil || string(got) != "x" {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	// JSON needs none.
	if _, err := NewCodec(context.Background(), Options{Format: FormatJSON, Registry: f.client(t), Topics: testTopics}); err != nil || f.SubjectExists("calls.raw-value") {
		t.Errorf("writing JSON registers schemas (%v)", err)
	}
}

func TestTheRawSubjectIsLeftToItsProducers(t *testing.T) {
	f := newFakeRegistry(t)
	theirs := rawSchema(callIDField, seqField, typeField)
	id := f.add(t, "calls.raw-value", theirs)
	c := newRegistryCodec(t, f)
	if _, ok := f.GetSchema("calls.raw-value", 2); ok {
		t.Error("a version was added to the producers' subject")
	}
	if _, err := c.DecodeRaw(withID(id, string(appendString(appendLong(appendString(nil, "c"), 1), "END")))); err != nil {
		t.Error(err)
	}
	if _, err := c.AppendRaw(nil, sampleRaw()); err == nil {
		t.Error("a raw event was written without a registered schema")
	}
	// The other subjects are ours: a new version of the schema is added.
	f = newFakeRegistry(t)
	f.add(t, "calls.clean-value", rawSchema(callIDField))
	newRegistryCodec(t, f)
	if _, ok := f.GetSchema("calls.clean-value", 2); !ok {
		t.Error("our own subject was not brought up to date")
	}
}

func TestNewCodecFails(t *testing.T) {
	ctx := context.Background()
	if _, err := NewCodec(ctx, Options{Format: "protobuf"}); err == nil {
		t.Error("an unknown format is accepted")
	}

	f := newFakeRegistry(t)
	f.status.Store(http.StatusServiceUnavailable)
	_, err := NewCodec(ctx, Options{Registry: f.client(t), Topics: testTopics})
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "calls.raw-value") {
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
		_, err := NewCodec(ctx, Options{Registry: f.client(t), Topics: testTopics})
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "403") {
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
	_, err = NewCodec(ctx, Options{Registry: f.client(t), Topics: testTopics})
	if err == nil || errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "incompatible") {
		t.Errorf("a registry that refuses: %v", err)
	}
}

func TestSchemasAreFetchedOnce(t *testing.T) {
	f := newFakeRegistry(t)
	c := newRegistryCodec(t, f)
	record, err := c.AppendRaw(nil, sampleRaw())
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
	c := newRegistryCodec(t, f)
	now := time.Now()
	c.registry.now = func() time.Time { return now }

	before := f.requests.Load()
	for range 3 {
		_, err := c.DecodeRaw(withID(4711, "x"))
		wantReason(t, "an ID that nobody registered", err, ReasonUnknownSchema)
	}
	if n := f.requests.Load() - before; n != 1 {
		t.Errorf("%d requests for one unknown ID", n)
	}
	before = f.requests.Load()
	for _, id := range []int{0, -1, -1 << 31} {
		_, err := c.DecodeRaw(withID(id, "x"))
		wantReason(t, "an ID that no registry gives", err, ReasonUnknownSchema)
	}
	if n := f.requests.Load() - before; n != 0 {
		t.Errorf("%d requests for impossible IDs", n)
	}
	// The schema is registered later.
	f.SeedSchema("late", 1, 4711, sr.Schema{Schema: rawSchema(callIDField, seqField, typeField)})
	good := withID(4711, string(appendString(appendLong(appendString(nil, "c"), 1), "END")))
	_, err := c.DecodeRaw(good)
	wantReason(t, "before it is asked again", err, ReasonUnknownSchema)
	now = now.Add(unknownFor + time.Second)
	if _, err := c.DecodeRaw(good); err != nil {
		t.Errorf("after the schema was registered: %v", err)
	}
}

func TestFailuresAreForgottenInTime(t *testing.T) {
	f := newFakeRegistry(t)
	c := newRegistryCodec(t, f)
	for id := 1000; id < 1000+maxFailures+10; id++ {
		if _, err := c.registry.schema(uint32(id)); err == nil {
			t.Fatal("an unknown schema was found")
		}
	}
	if n := len(c.registry.failed); n > maxFailures {
		t.Errorf("%d failures are remembered", n)
	}
}

func TestUnusableSchemas(t *testing.T) {
	f := newFakeRegistry(t)
	for name, s := range map[string]sr.Schema{
		"no record":   {Schema: `"string"`},
		"Protobuf":    {Schema: `syntax = "proto3"; message M {}`, Type: sr.TypeProtobuf},
		"JSON Schema": {Schema: rawSchema(callIDField), Type: sr.TypeJSON},
		"not Avro":    {Schema: `{"type":"record"}`},
	} {
		f.Reset()
		c := newRegistryCodec(t, f)
		f.SeedSchema("s", 1, 99, s)
		_, err := c.DecodeRaw(withID(99, "x"))
		wantReason(t, name, err, ReasonWrongSchema)
	}
}

func TestTooManyReferences(t *testing.T) {
	f := newFakeRegistry(t)
	c := newRegistryCodec(t, f)
	var refs []sr.SchemaReference
	for i := range maxReferences + 1 {
		name := fmt.Sprintf("E%d", i)
		f.add(t, name, fmt.Sprintf(`{"type":"enum","name":%q,"symbols":["A"]}`, name))
		refs = append(refs, sr.SchemaReference{Name: name, Subject: name, Version: 1})
	}
	main := rawSchema(callIDField, seqField, typeField)
	body := string(appendString(appendLong(appendString(nil, "c"), 1), "END"))
	if _, err := c.DecodeRaw(withID(f.add(t, "fits", main, refs[1:]...), body)); err != nil {
		t.Errorf("%d references: %v", maxReferences, err)
	}
	_, err := c.DecodeRaw(withID(f.add(t, "too many", main, refs...), body))
	wantReason(t, "one reference more", err, ReasonWrongSchema)
}

// While the registry does not answer, nothing is known about the record. The error must be
// temporary, not one that makes the record a dead letter.
func TestUnavailableRegistry(t *testing.T) {
	f := newFakeRegistry(t)
	writer := newRegistryCodec(t, f)
	record, err := writer.AppendRaw(nil, sampleRaw())
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{401, 403, 404, 408, 429, 500, 502, 503} {
		c, err := NewCodec(context.Background(), Options{Format: FormatJSON, Registry: f.client(t)})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		c.registry.now = func() time.Time { return now }

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

func wantUnavailable(t *testing.T, c *Codec, record []byte) {
	t.Helper()
	_, err := c.DecodeRaw(record)
	var bad *DecodeError
	if !errors.Is(err, ErrUnavailable) || errors.As(err, &bad) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
}

func TestRegistryThatIsNotThere(t *testing.T) {
	f := newFakeRegistry(t)
	c := newRegistryCodec(t, f)
	f.Close()
	wantUnavailable(t, c, withID(7, "x"))
}

func TestRegistryThatHangs(t *testing.T) {
	f := newFakeRegistry(t)
	c, err := NewCodec(context.Background(), Options{Format: FormatJSON, Registry: f.client(t)})
	if err != nil {
		t.Fatal(err)
	}
	c.registry.timeout = 20 * time.Millisecond
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
	c := newRegistryCodec(t, f)
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
	failures := map[string]func(c *Codec){
		"unknown": func(*Codec) {},
		"failing": func(*Codec) { f.status.Store(500) },
		"quoting": func(*Codec) {
			f.Intercept(func(w http.ResponseWriter, r *http.Request) bool { http.Error(w, r.URL.Path+" JimH", 500); return true })
		},
		"hanging":  func(c *Codec) { c.registry.timeout = time.Millisecond },
		"vanished": func(*Codec) { f.Close() },
	}
	for _, name := range []string{"unknown", "failing", "hanging", "quoting", "vanished"} {
		f.status.Store(0)
		c, err := NewCodec(context.Background(), Options{Format: FormatJSON, Registry: f.client(t)})
		if err != nil {
			t.Fatal(err)
		}
		failures[name](c)
		_, err = c.DecodeRaw(record)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if s := err.Error(); strings.Contains(s, id) || strings.Contains(s, "Jim") {
			t.Errorf("%s: the error holds a part of the record", name)
		}
	}
}
