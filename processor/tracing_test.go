package processor

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/otlptest"
	"sotto/schemas"
)

const upstream = "0af7651916cd43dd8448eb211c80319c"

// traced runs a stream over a call of a caller who gives all kinds of personal information, with
// record headers that contain it, too, and over one record that cannot be decoded.
func traced(t *testing.T, change func(*config.Settings)) (r *rig, spoken []string) {
	t.Helper()
	r = newRig(t, 2)
	r.Set.AuditRate = "1"
	change(&r.Set)
	spoken = []string{"call-wilhelmina", "Wilhelmina", "Quillfeather", "604-555-0134", "wq@larkmoor.example", "caller-7"}
	call := spoken[0]
	label := &schemas.Speaker{ID: spoken[5], Label: "Wilhelmina Quillfeather", Role: schemas.RoleCustomer}
	said := func(seq int64, text string) *schemas.RawEvent {
		e := utterance(call, seq, spoken[5], text)
		e.Speaker = label
		return e
	}
	recs := []*kgo.Record{
		r.Raw(1, said(1, "Hello, my name is Wilhelmina Quillfeather.")),
		r.Raw(1, said(2, "Call me at 604-555-0134 or write to wq@larkmoor.example.")),
		r.Raw(1, ended(call, 3)),
		{Topic: r.Topics.Raw, Partition: 1, Key: []byte(call), Value: []byte("{Wilhelmina")},
	}
	for i, rec := range recs {
		rec.Headers = []kgo.RecordHeader{
			{Key: "traceparent", Value: fmt.Appendf(nil, "00-%s-%016x-01", upstream, i+1)},
			{Key: "tracestate", Value: []byte("vendor=Wilhelmina")},
			{Key: "baggage", Value: []byte("caller=Wilhelmina,call=" + call)},
			{Key: "x-caller", Value: []byte("Wilhelmina")},
		}
	}
	in := r.start("a")
	r.Feed(recs...)
	r.Await(r.Topics.Clean, 3)
	r.Await(r.Topics.DeadLetter, 1)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	return r, spoken
}

func TestTracesFollowRecordsWithoutTheirContent(t *testing.T) {
	brokertest.NoLeaks(t)
	c := otlptest.NewCollector(t)
	r, spoken := traced(t, func(s *config.Settings) { s.OTLPEndpoint, s.TraceRate = c.URL, 1 })
	spans, all := c.Spans(t)
	for _, s := range spoken {
		if strings.Contains(all, s) || strings.Contains(all, hex.EncodeToString([]byte(s))) {
			t.Errorf("the collector was sent %q", s)
		}
	}
	if !strings.Contains(all, r.Topics.Raw) || !strings.Contains(all, r.Group) {
		t.Error("the spans have neither the topic nor the group")
	}
	names := map[string]int{}
	for _, s := range spans {
		if s.TraceID == upstream && s.ParentSpanID != "" {
			names[s.Name]++
		}
	}
	for name, n := range map[string]int{r.Topics.Raw + " receive": 4, r.Topics.Clean + " publish": 3, r.Topics.Audit + " publish": 3, r.Topics.DeadLetter + " publish": 1} {
		if names[name] != n {
			t.Errorf("%d spans %q in the sender's trace, want %d", names[name], name, n)
		}
	}

	for _, topic := range []string{r.Topics.Clean, r.Topics.Audit, r.Topics.DeadLetter, r.Topics.State} {
		for _, rec := range r.Read(topic) {
			parents := traceparents(rec)
			if len(parents) != 1 {
				t.Fatalf("a record of %s has the headers %q", topic, rec.Headers)
			}
			if topic != r.Topics.State && !strings.HasPrefix(parents[0], "00-"+upstream+"-") {
				t.Errorf("a record of %s has the traceparent %s", topic, parents[0])
			}
		}
	}
	r.CheckHeaders() // there are no others
	for _, s := range spoken {
		if strings.Contains(r.log.String(), s) {
			t.Errorf("the log holds %q", s)
		}
	}
}

// traceparents are the traces that a record names.
func traceparents(rec *kgo.Record) (values []string) {
	for _, h := range rec.Headers {
		if h.Key == "traceparent" {
			values = append(values, string(h.Value))
		}
	}
	return values
}

func TestTracesDoNotTieHashedCallsToTheirRawOnes(t *testing.T) {
	c := otlptest.NewCollector(t)
	r, _ := traced(t, func(s *config.Settings) { s.OTLPEndpoint, s.TraceRate, s.CallID = c.URL, 1, "hash" })
	if spans, _ := c.Spans(t); len(spans) == 0 {
		t.Error("there are no spans")
	}
	for _, rec := range r.Read(r.Topics.Clean) {
		if len(traceparents(rec)) > 0 {
			t.Fatalf("a clean record has the headers %q", rec.Headers)
		}
	}
}

func TestTracesAreOffByDefault(t *testing.T) {
	r, _ := traced(t, func(*config.Settings) {})
	for _, topic := range []string{r.Topics.Clean, r.Topics.State, r.Topics.DeadLetter} {
		if slices.ContainsFunc(r.Read(topic), func(rec *kgo.Record) bool { return len(traceparents(rec)) > 0 }) {
			t.Errorf("a record of %s has a trace", topic)
		}
	}
	r.CheckHeaders()
}

func TestACollectorThatIsAwayDoesNotStopTheStream(t *testing.T) {
	c := otlptest.NewCollector(t)
	c.Close()
	r, _ := traced(t, func(s *config.Settings) { s.OTLPEndpoint, s.TraceRate = c.URL, 1 })
	if n := strings.Count(r.log.String(), "traces cannot be sent"); n != 1 {
		t.Errorf("the log reports %d times that traces cannot be sent", n)
	}
}
