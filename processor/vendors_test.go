package processor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize/intake"
	"sotto/anonymize/intake/mapping"
	"sotto/config"
	"sotto/schemas"
)

// personalSamples are in the samples of every vendor.
var personalSamples = []string{"Fennick", "fennick", "4417 9083", "604 555 0172"}

// vendorRig is a rig whose raw topic is read by a mapping, and the records of the vendor's samples.
func vendorRig(t *testing.T, name string) (*rig, []*kgo.Record) {
	t.Helper()
	r := newRig(t, 1)
	r.Set.RawFormat = name
	data, err := os.ReadFile(filepath.Join("..", "anonymize", "intake", "mapping", "testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var recs []*kgo.Record
	for _, rec := range mapping.Records(data, "") {
		recs = append(recs, &kgo.Record{Topic: r.Topics.Raw, Key: rec.Key, Value: rec.Value})
	}
	return r, recs
}

// expected are the events that a mapping makes of records.
func expected(t *testing.T, r *rig, recs []*kgo.Record) (events []*schemas.RawEvent) {
	t.Helper()
	m, err := r.Set.RawMapping()
	if err != nil {
		t.Fatal(err)
	}
	trial := mapping.NewTrial(m)
	for _, rec := range recs {
		for _, o := range trial.Read(mapping.Record{Value: rec.Value, Key: rec.Key}) {
			if o.Event != nil {
				events = append(events, o.Event)
			}
		}
	}
	return events
}

// checkCall compares what the stream wrote with the events of a call, and looks for personal
// information outside of the raw topic.
func checkCall(t *testing.T, r *rig, want []*schemas.RawEvent, outside ...string) {
	t.Helper()
	got := r.Clean(r.Await(r.Topics.Clean, len(want)))
	if len(got) != len(want) {
		t.Fatalf("%d clean events, want %d", len(got), len(want))
	}
	said := int64(0)
	for i, e := range got {
		if w := want[i]; e.CallID != w.CallID || e.Seq != w.Seq || e.Type != w.Type {
			t.Errorf("event %d is %s %d, want %s %d", i, e.Type, e.Seq, w.Type, w.Seq)
		}
		if e.Type == schemas.Utterance {
			said++
		}
		if e.Type == schemas.End && (e.Call.Utterances != said || e.Call.ClosedBy != schemas.ClosedByEnd) {
			t.Errorf("the END counts %d utterances of %d, closed by %s", e.Call.Utterances, said, e.Call.ClosedBy)
		}
		outside = append(outside, e.Text)
	}
	outside = append(outside, r.log.String())
	for _, rec := range append(r.Read(r.Topics.DeadLetter), r.Read(r.Topics.State)...) {
		outside = append(outside, string(rec.Value))
	}
	for _, text := range outside {
		for _, p := range personalSamples {
			if strings.Contains(text, p) {
				t.Errorf("%q is outside of the raw topic", p)
			}
		}
	}
}

// The samples of every vendor come out as a complete call in order, with its END, if each message comes
// twice and the process dies twice: after some of the call was committed, and right after the rest has
// arrived.
func TestMessagesOfVendorsBecomeCalls(t *testing.T) {
	t.Parallel()
	names := mapping.Names()
	if testing.Short() {
		names = []string{"deepgram", "retell"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, recs := vendorRig(t, name)
			want := expected(t, r, recs)
			half := len(recs) / 2
			first := len(expected(t, r, recs[:half]))
			in := r.start("a")
			r.Feed(recs[:half]...)
			r.Await(r.Topics.Clean, first)
			in.kill()
			in = r.start("a")
			// A member that dies while it joins keeps its group waiting for a minute.
			eventually(t, "the second start", func() bool { return in.Ready() == nil })
			r.Feed(slices.Concat(recs[:half], recs[half:], copied(recs[half:]))...)
			in.kill()
			in = r.start("a")
			checkCall(t, r, want)
			if err := in.stop(); err != nil {
				t.Error(err)
			}
			if n := len(r.Read(r.Topics.Clean)); n != len(want) {
				t.Errorf("%d clean events, want %d", n, len(want))
			}
			checkCall(t, r, want, scrape(t, in))
			if n := len(r.DeadLetters()); n > 0 {
				t.Errorf("%d dead letters", n)
			}
		})
	}
}

// copied returns records with the same content: a client writes into those that it produces.
func copied(recs []*kgo.Record) []*kgo.Record {
	copies := make([]*kgo.Record, len(recs))
	for i, rec := range recs {
		copies[i] = &kgo.Record{Topic: rec.Topic, Partition: rec.Partition, Key: rec.Key, Value: rec.Value, Headers: rec.Headers}
	}
	return copies
}

// A platform that never says that a call is over, and one whose last message is lost.
func TestACallWithoutAnEndBecomesIdle(t *testing.T) {
	r, recs := vendorRig(t, "google")
	r.Set.CallIdleTimeout = 2 * time.Second
	r.start("a")
	r.Feed(recs...)
	got := r.Clean(r.Await(r.Topics.Clean, 5))
	last := got[len(got)-1]
	if len(got) != 5 || last.Type != schemas.End || last.Call.ClosedBy != schemas.ClosedByIdle || last.Seq != got[3].Seq+1 {
		t.Errorf("%d events, the last is %s %d", len(got), last.Type, last.Seq)
	}
}

// What the mapping does not know, what is damaged and what was revised becomes a dead letter with its
// reason and nothing of its content. An event of ours in the same topic is one nevertheless.
func TestMessagesThatAreNoEvents(t *testing.T) {
	r, recs := vendorRig(t, "deepgram")
	in := r.start("a")
	id := string(recs[0].Key)
	raw := func(value string) *kgo.Record {
		return &kgo.Record{Topic: r.Topics.Raw, Key: []byte(id), Value: []byte(value)}
	}
	revised := strings.Replace(string(recs[1].Value), "Maren.", "Fennick.", 1)
	end := r.Raw(0, ended(id, 90_000_000))
	feed := append(slices.Clone(recs[:2]), raw(revised), raw(`{"type":"Error","description":"Fennick"}`), raw(`{"type":"Results","Fennick`),
		raw(""), &kgo.Record{Topic: r.Topics.Raw, Key: []byte("Fennick"), Value: recs[1].Value}, end)
	r.Feed(feed...)
	want := expected(t, r, recs[:2])
	want = append(want, ended(id, 90_000_000))
	checkCall(t, r, want)
	reasons := map[string]int{}
	for _, d := range r.DeadLetters() {
		reasons[d.Reason]++
	}
	for _, reason := range []string{mapping.ReasonRevised, mapping.ReasonUnknown, schemas.ReasonInvalidJSON, schemas.ReasonEmpty, intake.KeyMismatch} {
		if reasons[reason] != 1 {
			t.Errorf("%d dead letters for %s, want 1", reasons[reason], reason)
		}
	}
	if got := scrape(t, in); !strings.Contains(got, "sotto_interim_dropped_total 1") {
		t.Error("the interim result is not counted")
	}
}

// Events of ours are read beside the messages of every vendor, also where a mapping ignores whatever has a type.
func TestOwnEventsAreReadBesideEveryVendor(t *testing.T) {
	codec, err := schemas.NewCodec(t.Context(), schemas.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range mapping.Names() {
		m, err := mapping.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		p := &preparer{settings: &config.Settings{MaxTextBytes: 1 << 16}, codec: codec, mapping: m}
		for _, own := range []string{
			`{"call_id":"c1","seq":99999999,"type":"END"}`, `{"call_id":"c1","seq":0,"type":"START"}`, `{"call_id":"c1","seq":7,"type":"UTTERANCE","text":"hello"}`,
		} {
			got := p.messages([]*kgo.Record{{Key: []byte("c1"), Value: []byte(own)}})
			if len(got) != 1 || got[0].ev == nil || got[0].ev.CallID != "c1" {
				t.Errorf("%s: %s is dropped as %q, or a dead letter for %q", name, own, got[0].dropped, got[0].reason)
			}
		}
	}
}

// Several messages of one record are events of their own: one that fails is a dead letter alone.
func TestAFailingMessageLeavesTheOthersOfItsRecord(t *testing.T) {
	r, recs := vendorRig(t, "retell")
	bad := strings.Replace(string(recs[4].Value), "Thanks Tobias, I can see the account.", panicMark, 1)
	rec := &kgo.Record{Topic: r.Topics.Raw, Key: recs[4].Key, Value: []byte(bad)}
	want := slices.DeleteFunc(expected(t, r, []*kgo.Record{rec}), func(e *schemas.RawEvent) bool { return e.Text == panicMark })
	if len(want) != 4 {
		t.Fatalf("%d events are left", len(want))
	}
	r.start("a", func(p *Processor) { p.wrap = func(e engine) engine { return panicsInPrepare{e} } })
	r.Feed(rec)
	got := r.Clean(r.Await(r.Topics.Clean, 4))
	if dead := r.DeadLetters(); len(dead) != 1 || dead[0].Reason != reasonPanic {
		t.Errorf("%d dead letters", len(dead))
	}
	for i, e := range got {
		if e.Type != want[i].Type {
			t.Errorf("event %d is %s", i, e.Type)
		}
	}
}

// Events of ours whose numbers do not grow are counted.
func TestRepeatedNumbersAreCounted(t *testing.T) {
	r := newRig(t, 1)
	in := r.start("a")
	r.Feed(speech(r, "c", 1, 2)...)
	r.Feed(speech(r, "c", 2, 1)...)
	r.Feed(speech(r, "c", 1, 1)...)
	r.Await(r.Topics.Clean, 4)
	eventually(t, "the counts", func() bool {
		got := scrape(t, in)
		return strings.Contains(got, `sotto_events_out_of_sequence_total{kind="repeated"} 1`) && strings.Contains(got, `sotto_events_out_of_sequence_total{kind="lower"} 1`)
	})
}
