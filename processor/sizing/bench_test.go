package sizing

import (
	"bytes"
	"context"
	"maps"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/anonymize"
	"sotto/internal/testkit/heap"
	"sotto/schemas"
	"sotto/state"
	"sotto/training/corpus/callgen"
)

// perBatch is how many records a batch has: as many as a partition gets in 200 ms at 500 records per second.
const perBatch = 100

// sample is generated calls and what takes them through the engine.
type sample struct {
	codec  *schemas.Codec
	engine *anonymize.Engine
	calls  [][]*schemas.RawEvent
}

func newSample(tb testing.TB, calls int, fast bool) *sample {
	tb.Helper()
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatAvro})
	if err != nil {
		tb.Fatal(err)
	}
	engine, err := anonymize.New(anonymize.Options{Fast: fast})
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
			t.clean += float64(len(encode(tb, s.codec.AppendClean, &out.Clean)))
			t.utterances++
			t.words += float64(len(strings.Fields(ev.Text)))
			t.raw += float64(len(encode(tb, s.codec.AppendRaw, ev)))
			if out.Changed {
				t.changes++
			}
		}
	}
	return t
}

func encode[T any](tb testing.TB, encode func([]byte, *T) ([]byte, error), event *T) []byte {
	value, err := encode(nil, event)
	if err != nil {
		tb.Fatal(err)
	}
	return value
}

// figures are the values that BenchmarkEngine reports, apart from the speed.
func (t totals) figures() map[Figure]float64 {
	return map[Figure]float64{rawBytes: t.raw / t.words * 12, cleanBytes: t.clean / t.words * 12, stateShare: t.changes / t.utterances}
}

// batch is the records of a batch before compression.
type batch []byte

func (b *batch) add(callID string, value []byte, headers ...kmsg.Header) {
	r := kmsg.Record{Key: []byte(callID), Value: value, Headers: headers}
	r.Length = int32(len(r.AppendTo(nil)) - 1) // the length of an empty record takes one byte
	*b = r.AppendTo(*b)
}

// headers are those of an utterance in the clean topic, for a call without a tenant (docs/consumers.md).
func headers(e *schemas.CleanEvent) []kmsg.Header {
	role := schemas.RoleUnknown
	if e.Speaker != nil {
		role = e.Speaker.Role
	}
	return []kmsg.Header{{Key: "sotto-type", Value: []byte(e.Type)}, {Key: "sotto-policy", Value: []byte(e.Policy)}, {Key: "sotto-role", Value: []byte(role)}}
}

// packedShares returns the size of batches, raw and clean, to that of the events in them, by
// compression. Those of clean events have the headers of their records. Each event of a batch is of another call, as in a partition of a busy stream.
func (s *sample) packedShares(tb testing.TB) map[Figure]float64 {
	tb.Helper()
	var batches []*batch
	events := 0.0
	for at := 0; at+perBatch <= len(s.calls); at += perBatch {
		turns := map[int][2]*batch{}
		for _, call := range s.calls[at : at+perBatch] {
			c := anonymize.NewConversation(s.engine)
			for n, ev := range call {
				out := c.Add(ev)
				if ev.Type != schemas.Utterance {
					continue
				}
				if _, ok := turns[n]; !ok {
					turns[n] = [2]*batch{new(batch), new(batch)}
					batches = append(batches, turns[n][0], turns[n][1])
				}
				out.Clean.CallID = ev.CallID
				raw, clean := encode(tb, s.codec.AppendRaw, ev), encode(tb, s.codec.AppendClean, &out.Clean)
				turns[n][0].add(ev.CallID, raw)
				turns[n][1].add(ev.CallID, clean, headers(&out.Clean)...)
				events += float64(len(raw) + len(clean))
			}
		}
	}
	shares := map[Figure]float64{}
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		compressor, err := kgo.DefaultCompressor(codec)
		if err != nil {
			tb.Fatal(err)
		}
		size := 0
		for _, b := range batches {
			data := []byte(*b)
			if compressor != nil { // none
				data, _ = compressor.Compress(&bytes.Buffer{}, data)
			}
			size += len(data)
		}
		shares[packed[name]] = float64(size) / events
	}
	return shares
}

// BenchmarkEngine reports how many utterances a core takes through the engine and the codec, the
// sizes of their events, scaled to twelve words and in batches, how many of them change the state of
// their call, and the memory of that state.
func BenchmarkEngine(b *testing.B) {
	s := newSample(b, 200, false)
	last := s.measure(b, detectRate)
	for f, value := range last.figures() {
		b.ReportMetric(value, f.Metric)
	}
	b.ReportMetric(s.heldBytes(), awakeBytes.Metric)
	for f, value := range s.packedShares(b) {
		b.ReportMetric(value, f.Metric)
	}
	b.ReportMetric(0, "ns/op") // only the metrics above are of interest
}

// BenchmarkFast reports how many utterances a core takes through the engine and the codec without the encoder.
func BenchmarkFast(b *testing.B) {
	newSample(b, 200, true).measure(b, fastRate)
	b.ReportMetric(0, "ns/op")
}

// measure takes the calls through the engine again and again, and reports how many utterances a second that makes.
func (s *sample) measure(b *testing.B, rate Figure) (last totals) {
	passes := 0
	for b.Loop() {
		last = s.pass(b)
		passes++
	}
	b.ReportMetric(last.utterances*float64(passes)/b.Elapsed().Seconds(), rate.Metric)
	return last
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
	if testing.Short() {
		t.Skip("it reads many calls with the encoder")
	}
	s := newSample(t, 2*perBatch, false)
	figures := s.pass(t).figures()
	maps.Copy(figures, s.packedShares(t))
	for f, got := range figures {
		if math.Abs(got/f.value()-1) > 0.1 {
			t.Errorf("%s: now %.3g, the figure is %s: run make measure", f.Name, got, f)
		}
	}
}
