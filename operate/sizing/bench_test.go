package sizing

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"

	"sotto/anonymize"
	"sotto/corpus/callgen"
	"sotto/internal/testkit/heap"
	"sotto/schemas"
	"sotto/state"
)

// sample is generated calls and what takes them through the engine.
type sample struct {
	codec  *schemas.Codec
	engine *anonymize.Engine
	calls  [][]*schemas.RawEvent
}

func newSample(tb testing.TB, calls int) *sample {
	tb.Helper()
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatAvro})
	if err != nil {
		tb.Fatal(err)
	}
	engine, err := anonymize.New(anonymize.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	s := &sample{codec: codec, engine: engine}
	gen := callgen.New(callgen.Config{Seed: 1})
	for n := range calls {
		var events []*schemas.RawEvent
		for _, e := range gen.Call(n).Events {
			events = append(events, &e.RawEvent)
		}
		s.calls = append(s.calls, events)
	}
	return s
}

// totals are the utterances of a sample: their words, their bytes, and how many of them change the
// state of their call.
type totals struct{ utterances, words, raw, clean, changes float64 }

// pass takes the calls through the engine.
func (s *sample) pass(tb testing.TB) (t totals) {
	for _, events := range s.calls {
		c := anonymize.NewConversation(s.engine)
		for _, ev := range events {
			out := c.Add(ev)
			if ev.Type != schemas.Utterance {
				continue
			}
			out.Clean.CallID = ev.CallID
			t.clean += size(tb, s.codec.AppendClean, &out.Clean)
			t.utterances++
			t.words += float64(len(strings.Fields(ev.Text)))
			t.raw += size(tb, s.codec.AppendRaw, ev)
			if out.Changed {
				t.changes++
			}
		}
	}
	return t
}

func size[T any](tb testing.TB, encode func([]byte, *T) ([]byte, error), event *T) float64 {
	value, err := encode(nil, event)
	if err != nil {
		tb.Fatal(err)
	}
	return float64(len(value))
}

// figures are the values that BenchmarkEngine reports, apart from the speed.
func (t totals) figures() map[Figure]float64 {
	return map[Figure]float64{rawBytes: t.raw / t.words * 12, cleanBytes: t.clean / t.words * 12, stateShare: t.changes / t.utterances}
}

// BenchmarkEngine reports how many utterances a core takes through the engine and the codec, the
// sizes of their events, scaled to twelve words, how many of them change the state of their call, and
// the memory of that state.
func BenchmarkEngine(b *testing.B) {
	s := newSample(b, 200)
	var last totals
	passes := 0
	for b.Loop() {
		last = s.pass(b)
		passes++
	}
	b.ReportMetric(last.utterances*float64(passes)/b.Elapsed().Seconds(), detectRate.Metric)
	for f, value := range last.figures() {
		b.ReportMetric(value, f.Metric)
	}
	b.ReportMetric(s.heldBytes(), awakeBytes.Metric)
	b.ReportMetric(0, "ns/op") // only the metrics above are of interest
}

// heldBytes returns the memory of the state of a call at its end.
func (s *sample) heldBytes() float64 {
	held := make([]*state.Call, len(s.calls))
	before := heap.Live()
	for i, events := range s.calls {
		c := anonymize.NewConversation(s.engine)
		for _, ev := range events {
			if ev.Type != schemas.End {
				c.Add(ev)
			}
		}
		held[i] = c.Call()
	}
	bytes := float64(heap.Live()-before) / float64(len(held))
	runtime.KeepAlive(held)
	runtime.KeepAlive(s) // or its calls would be collected meanwhile
	return bytes
}

// The figures about speed need a quiet machine; those about sizes are checked everywhere.
func TestMeasuredSizesHold(t *testing.T) {
	for f, got := range newSample(t, 60).pass(t).figures() {
		if math.Abs(got/f.value()-1) > 0.1 {
			t.Errorf("%s: now %.3g, the figure is %s: run make measure", f.Name, got, f)
		}
	}
}
