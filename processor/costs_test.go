//go:build !race

package processor

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/processor/partition"
	"sotto/schemas"
	"sotto/state/sealing"
)

var updateCosts = flag.Bool("update-costs", false, "write the costs that are measured as the baseline")

const (
	costsFile = "costs.json"
	// costsTolerance is by how much a cost may exceed its baseline. The counts are the same in each
	// run, but for a few allocations of the runtime.
	costsTolerance = 0.05
)

// TestCosts compares what a record costs in allocations and bytes with testdata/costs.json. It
// measures no times, so it does not depend on the machine; the race detector would allocate, too. A
// change that is worth its cost updates the baseline: `go test ./processor -run TestCosts
// -update-costs`.
func TestCosts(t *testing.T) {
	// Whole transactions only, of 500 records.
	events := generated(60, 20)[:1500]
	got := map[string]float64{}
	maps.Copy(got, pipelineCosts(t, events))
	maps.Copy(got, topicCosts(t, events))
	maps.Copy(got, restoreCosts(t))
	file := filepath.Join("testdata", costsFile)
	for what, v := range got {
		got[what] = math.Round(v*100) / 100
	}
	if *updateCosts {
		data, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(data, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var baseline map[string]float64
	if err := json.Unmarshal(data, &baseline); err != nil {
		t.Fatal(err)
	}
	for _, what := range slices.Sorted(maps.Keys(got)) {
		want, ok := baseline[what]
		switch {
		case !ok:
			t.Errorf("%s: %.4g, and the baseline lacks it", what, got[what])
		case got[what] > want*(1+costsTolerance)+0.005:
			t.Errorf("%s: %.4g, more than the baseline of %.4g", what, got[what], want)
		case got[what] < want*(1-costsTolerance):
			t.Logf("%s: %.4g, less than the baseline of %.4g; -update-costs keeps it", what, got[what], want)
		}
	}
}

// pipelineCosts are the allocations and their bytes of each step that a record takes, on one
// goroutine and per record.
func pipelineCosts(t *testing.T, events []*schemas.RawEvent) map[string]float64 {
	r := newRig(t, 1)
	r.Set.Codec = schemas.FormatAvro
	p, err := New(t.Context(), r.Set)
	if err != nil {
		t.Fatal(err)
	}
	costs := map[string]float64{}
	for _, format := range []string{schemas.FormatAvro, schemas.FormatJSON} {
		codec, err := schemas.NewCodec(t.Context(), schemas.Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		records := make([]*kgo.Record, len(events))
		for i, e := range events {
			value, err := codec.AppendRaw(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			records[i] = &kgo.Record{Key: []byte(e.CallID), Value: value}
		}
		count(costs, "decode "+format, len(events), func() {
			pre := p.preparer()
			for _, rec := range records {
				pr := preparedRecord{rec: rec}
				if pre.decode(&pr); pr.ev == nil {
					t.Fatalf("a record does not decode: %s", pr.reason)
				}
			}
		})
	}
	e := p.engine.Load()
	clean := make([]schemas.CleanEvent, 0, len(events))
	count(costs, "engine", len(events), func() {
		clean = clean[:0]
		open := map[string]anonymize.Conversation{}
		for _, ev := range events {
			c, ok := open[ev.CallID]
			if !ok {
				c = anonymize.NewConversation(e)
				open[ev.CallID] = c
			}
			out := c.Add(ev)
			out.Clean.CallID = ev.CallID
			clean = append(clean, out.Clean)
		}
	})
	count(costs, "encode", len(events), func() {
		var o outputs
		for i := range clean {
			value, err := p.codec.AppendClean(o.Room(sizeHint(&clean[i])), &clean[i])
			if err != nil {
				t.Fatal(err)
			}
			o.record(kgo.Record{Value: o.Keep(value)})
		}
	})
	return costs
}

// restoreCosts are the allocations and their bytes for a record of the state topic, from the fetch to
// the dormant call.
func restoreCosts(t *testing.T) map[string]float64 {
	r := newRig(t, 1)
	keys, err := sealing.LoadKeyring(r.KeyFile())
	if err != nil {
		t.Fatal(err)
	}
	e, err := anonymize.New(anonymize.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]anonymize.Conversation{}
	for _, ev := range openCalls(500) {
		c, ok := calls[ev.CallID]
		if !ok {
			c = anonymize.NewConversation(e)
			calls[ev.CallID] = c
		}
		c.Add(ev)
	}
	var records []*kgo.Record
	for id, c := range calls {
		var body bytes.Buffer
		if err := partition.EncodeState(&body, partition.Meta{Utterances: 20, Context: "sales", Next: 1000, Clock: 1763683200000}, c.Call(), partition.Risk{}); err != nil {
			t.Fatal(err)
		}
		sealer, err := keys.Sealer(id)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, &kgo.Record{Key: []byte(id), Value: sealer.Seal(nil, body.Bytes())})
	}
	costs := map[string]float64{}
	count(costs, "restore", len(records), func() {
		states, p := partition.NewStates(len(records)), partition.New(0, partition.Limits{Workers: 1})
		for _, rec := range records {
			states.Add(rec.Key, rec.Value)
		}
		if err := states.Open(keys, p); err != nil || p.Size() != len(records) {
			t.Fatalf("%d calls of %d: %v", p.Size(), len(records), err)
		}
	})
	return costs
}

// count adds the allocations and bytes of f per record, after a run that fills caches and pools. It takes
// the least of three runs: a goroutine that moves to another processor finds an empty pool there.
func count(costs map[string]float64, what string, records int, f func()) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	f()
	allocations, size := math.Inf(1), math.Inf(1)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		allocations = min(allocations, float64(after.Mallocs-before.Mallocs))
		size = min(size, float64(after.TotalAlloc-before.TotalAlloc))
	}
	costs[what+": allocations per record"] = allocations / float64(records)
	costs[what+": allocated bytes per record"] = size / float64(records)
}

// topicCosts are the bytes that the stream writes per raw record. Transactions end after a number of
// records, so that equal input gives equal output.
func topicCosts(t *testing.T, events []*schemas.RawEvent) map[string]float64 {
	r := newRig(t, 1)
	r.Set.Codec = schemas.FormatAvro
	r.Set.CommitInterval, r.Set.TransactionTimeout, r.Set.CommitRecords = 20*time.Second, time.Minute, 500
	var recs []*kgo.Record
	for _, e := range events {
		recs = append(recs, r.Raw(0, e))
	}
	r.Feed(recs...)
	in := r.start("a")
	eventually(t, "all full transactions to be committed", func() bool { return in.consumed() >= len(events) })
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	size := func(topic string) (sum int) {
		for _, rec := range r.Read(topic) {
			sum += len(rec.Value)
		}
		return sum
	}
	perRecord := func(bytes int) float64 { return float64(bytes) / float64(len(events)) }
	return map[string]float64{
		"clean bytes per record": perRecord(size(r.Topics.Clean)),
		"state bytes per record": perRecord(size(r.Topics.State)),
	}
}
