package processor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize/intake"
	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

// A consumer knows by the headers alone what an event is, in all topics of events. TestAnyHistoryEqualsASerialRun has calls that
// are idle.
func TestHeadersSayWhatARecordIs(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.KeepFinals(1)
	r.Set.AuditRate = "1"
	in := r.start("a")
	at := func(e *schemas.RawEvent, tenant string) *kgo.Record {
		e.Tenant = tenant
		return r.Raw(0, e)
	}
	nobody := utterance("c", 3, "y", "it is nobody's")
	nobody.Speaker = nil
	r.Feed(
		at(&schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Start, TimestampMS: 1_700_000_000_000}, "north"),
		at(utterance("c", 2, "x", "this is Rosa Lindqvist"), "north"),
		at(nobody, "Rosa Lindqvist"),
		at(ended("c", 4), "north"),
		at(utterance("c", 5, "x", "this is Rosa again"), "north"),
		at(ended("d", 1), ""))
	clean := r.Await(r.Topics.Clean, 6)
	for _, topic := range []string{r.Topics.Audit, r.Set.TopicFinal} {
		r.Await(topic, 6)
	}
	if err := in.stop(); err != nil {
		t.Error(err)
	}
	r.CheckHeaders()
	policy := in.Policy()
	events := r.Clean(clean)
	for what, want := range map[string]string{
		"c 1 START":     `[{sotto-type START} {sotto-policy POLICY} {sotto-tenant north}]`,
		"c 2 UTTERANCE": `[{sotto-type UTTERANCE} {sotto-policy POLICY} {sotto-role AGENT} {sotto-tenant north}]`,
		"c 3 UTTERANCE": `[{sotto-type UTTERANCE} {sotto-policy POLICY} {sotto-role UNKNOWN} {sotto-tenant other}]`,
		"c 4 END":       `[{sotto-type END} {sotto-policy POLICY} {sotto-release true} {sotto-tenant north}]`,
		"c 5 UTTERANCE": `[{sotto-type UTTERANCE} {sotto-policy POLICY} {sotto-role AGENT} {sotto-tenant north}]`,
		"d 1 END":       `[{sotto-type END} {sotto-policy POLICY} {sotto-release true}]`,
	} {
		want = strings.ReplaceAll(want, "POLICY", policy)
		i := slices.IndexFunc(events, func(e *schemas.CleanEvent) bool { return fmt.Sprintf("%s %d %s", e.CallID, e.Seq, e.Type) == what })
		if i < 0 {
			t.Errorf("there is no event %s", what)
			continue
		}
		if got := fmt.Sprintf("%s", clean[i].Headers); got != want {
			t.Errorf("%s has the headers\n%s, want\n%s", what, got, want)
		}
	}
}

// What is personal and stands around the text does not get into a header: raw tenants, roles and labels that a producer filled
// with names, headers of the raw record. Call IDs that are hashed do not either.
func TestHeadersHaveNothingPersonal(t *testing.T) {
	t.Parallel()
	const name = "Wilhelmina Quillfeather"
	r := newRig(t, 1)
	r.KeepFinals(1)
	r.Set.AuditRate, r.Set.CallID, r.Set.Tenant = "1", "hash", "hash"
	said := utterance(name, 1, name, "I am "+name)
	said.Speaker.Role, said.Speaker.Label, said.Tenant, said.Context, said.Language = name, name, name, name, name
	end := ended(name, 2)
	end.Tenant = name
	recs := []*kgo.Record{r.Raw(0, said), r.Raw(0, end)}
	for _, rec := range recs {
		rec.Headers = []kgo.RecordHeader{{Key: name, Value: []byte(name)}, {Key: headerType, Value: []byte(name)}}
	}
	r.start("a")
	r.Feed(recs...)
	for _, topic := range []string{r.Topics.Clean, r.Topics.Audit, r.Set.TopicFinal} {
		for _, rec := range r.Await(topic, 2) {
			if all := strings.ToLower(fmt.Sprintf("%s", rec.Headers)); strings.Contains(all, "wilhelmina") || strings.Contains(all, "quillfeather") || bytes.Contains([]byte(all), rec.Key) {
				t.Errorf("a record of %s has the headers %s", topic, all)
			}
		}
	}
	r.CheckHeaders()
	tenant := r.Clean(r.Read(r.Topics.Clean))[0].Tenant
	if tenant == "" || tenant == intake.Other {
		t.Errorf("the tenant is %q: the test does not cover one that is hashed", tenant)
	}
}

// A record with its headers is no larger than its topic permits.
func TestHeadersCountForTheSizeOfARecord(t *testing.T) {
	t.Parallel()
	r := narrowRig(t, brokertest.Open(t), minMessageBytes)
	r.Set.AuditRate, r.Set.AuditRiskRate = "0", 0
	in := r.start("a")
	// Nothing of it is masked, so that a value is longer by what its text is longer.
	filler := func(n int) string { return strings.Repeat("okay then ", n/10) + strings.Repeat(".", n%10) }
	r.Feed(r.Raw(0, utterance("c", 1, "x", filler(20))))
	first := r.Await(r.Topics.Clean, 1)[0]
	headerBytes := 0
	for _, h := range first.Headers {
		headerBytes += len(h.Key) + len(h.Value)
	}
	if headerBytes == 0 {
		t.Fatal("there are no headers")
	}
	room := in.recordLimit() - len(first.Key) - len(first.Value) + 20
	r.Feed(r.Raw(0, utterance("c", 2, "x", filler(room-headerBytes))), r.Raw(0, utterance("c", 3, "x", filler(room-headerBytes+1))), r.Raw(0, utterance("c", 4, "x", filler(20))))
	eventually(t, "all events", func() bool { return len(r.Read(r.Topics.Clean))+len(r.DeadLetters()) == 4 })
	var seqs []int64
	for _, e := range r.Clean(r.Read(r.Topics.Clean)) {
		seqs = append(seqs, e.Seq)
	}
	if dead := r.DeadLetters(); !slices.Equal(seqs, []int64{1, 2, 4}) || len(dead) != 1 || dead[0].Reason != reasonOutputTooLarge {
		t.Errorf("the clean topic has the events %v, and there are %d dead letters", seqs, len(dead))
	}
}

// Events with the same headers share them, and hashed tenants do not make a worker keep ever more.
func TestHeadersAreSharedAndBounded(t *testing.T) { // not parallel: it counts allocations
	var known headers
	said := func(tenant string) *schemas.CleanEvent {
		return &schemas.CleanEvent{Type: schemas.Utterance, Policy: "0123456789ab", Tenant: tenant, Speaker: &schemas.Speaker{Role: schemas.RoleAgent}}
	}
	end := &schemas.CleanEvent{Type: schemas.End, Policy: "0123456789ab", Call: &schemas.CallSummary{Release: true}}
	known.of(said("north"))
	known.of(end)
	e := said("north")
	if n := testing.AllocsPerRun(100, func() { known.of(e); known.of(end) }); n > 0 {
		t.Errorf("headers that are known take %v allocations", n)
	}
	shared := known.of(e).list
	if with := append(shared, kgo.RecordHeader{Key: "traceparent"}); &with[0] == &shared[0] {
		t.Error("a header that is added to one record writes to the memory of others")
	}
	for i := range 10 * maxKnownHeaders {
		known.of(said(fmt.Sprint(i)))
	}
	if n := len(known.known); n > maxKnownHeaders {
		t.Errorf("%d headers are kept", n)
	}
}

func BenchmarkHeaders(b *testing.B) {
	var known headers
	e := &schemas.CleanEvent{Type: schemas.Utterance, Policy: "0123456789ab", Tenant: "north", Speaker: &schemas.Speaker{Role: schemas.RoleAgent}}
	b.ReportAllocs()
	for b.Loop() {
		known.of(e)
	}
}
