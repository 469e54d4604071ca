package sizing

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"sotto/anonymize"
	"sotto/internal/callgen"
	"sotto/schemas"
	"sotto/state"
)

// TestMeasuredSizes holds the figures about sizes against generated calls. The figures
// about speed need a quiet machine; their commands are in the table.
func TestMeasuredSizes(t *testing.T) {
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatAvro})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gen := callgen.New(callgen.Config{Seed: 1})
	var raw, clean, words, changes, utterances float64
	for n := range 60 {
		c := anonymize.NewConversation(engine)
		for i := range gen.Call(n).Events {
			ev := &gen.Call(n).Events[i].RawEvent
			released, changed := c.Accept(engine.Prepare(ev), state.RecordPosition{})
			for _, r := range released {
				out := c.Apply(r)
				changed = changed || out.Changed
				if ev.Type != schemas.Utterance {
					continue
				}
				out.Clean.CallID = ev.CallID
				value, err := codec.AppendClean(nil, &out.Clean)
				if err != nil {
					t.Fatal(err)
				}
				clean += float64(len(value))
			}
			if ev.Type == schemas.Utterance {
				value, err := codec.AppendRaw(nil, ev)
				if err != nil {
					t.Fatal(err)
				}
				raw += float64(len(value))
				words += float64(len(strings.Fields(ev.Text)))
				utterances++
				if changed {
					changes++
				}
			}
		}
	}
	perTwelve := 12 / (words / utterances)
	for _, m := range []struct {
		f   Figure
		got float64
	}{
		{RawBytes, raw / utterances * perTwelve}, {CleanBytes, clean / utterances * perTwelve}, {StateShare, changes / utterances},
	} {
		t.Logf("%s: %.3g %s (%.1f words in the mean utterance)", m.f.Name, m.got, m.f.Unit, words/utterances)
		if math.Abs(m.got/m.f.Value-1) > 0.25 {
			t.Errorf("%s: measured %.3g, the figure is %.3g", m.f.Name, m.got, m.f.Value)
		}
	}
}

func load(calls int) Load {
	return Load{Calls: calls, WordsPerMinute: 150, WordsPerUtterance: 12, CallMinutes: 6, Grace: 5 * time.Minute,
		OpenCalls: 20_000, CommitRecords: 20_000, Replication: 3, AuditShare: 0.02}
}

func TestMoreCallsNeverNeedLess(t *testing.T) {
	before := Compute(load(1))
	for calls := 2; calls < 3_000_000; calls += calls/3 + 1 {
		p := Compute(load(calls))
		if p.Pods < before.Pods || p.Partitions < before.Partitions || p.Cores < before.Cores || p.In <= before.In {
			t.Fatalf("%d calls: %+v, fewer: %+v", calls, p, before)
		}
		if p.Partitions < p.Pods || p.PodMemory > podMemory || float64(p.HeldCalls) > float64(p.Partitions*20_000) {
			t.Fatalf("%d calls do not fit: %+v", calls, p)
		}
		before = p
	}
}

func TestComputedByHand(t *testing.T) {
	p := Compute(load(50_000))
	if math.Abs(p.Utterances-10_416.67) > 1 { // 50,000 calls of 150 words a minute, 12 to an utterance
		t.Errorf("%v utterances per second", p.Utterances)
	}
	if p.HeldCalls != 91_667 { // those of the last five minutes are still in their grace period
		t.Errorf("%d calls in memory", p.HeldCalls)
	}
	if want := p.Utterances * 1.5 / 33_000; math.Abs(p.Cores-max(1, want)) > 0.01 {
		t.Errorf("%v cores", p.Cores)
	}
}

func TestTables(t *testing.T) {
	var text, markdown strings.Builder
	loads := []Load{load(1000), load(1_000_000)}
	if err := WriteTable(&text, loads); err != nil {
		t.Fatal(err)
	}
	if err := WriteMarkdown(&markdown, loads); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{text.String(), markdown.String()} {
		if !strings.Contains(s, "1,000,000") || !strings.Contains(s, "partitions") {
			t.Error(s)
		}
	}
	if strings.Count(markdown.String(), "\n") != 4 {
		t.Error(markdown.String())
	}
}
