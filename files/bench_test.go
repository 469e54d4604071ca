package files

import (
	"bytes"
	"context"
	"io"
	"testing"

	"sotto/anonymize"
	"sotto/schemas"
	"sotto/training/corpus/callgen"
)

// BenchmarkEvents measures 'sotto anonymize' without reading and writing files.
func BenchmarkEvents(b *testing.B) {
	engine, err := anonymize.New(anonymize.Options{RawOffsets: true, Fast: true})
	if err != nil {
		b.Fatal(err)
	}
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		b.Fatal(err)
	}
	var input []byte
	events := 0
	for e := range callgen.New(callgen.Config{Seed: 1}).Events(0, 500, 50) {
		if input, err = codec.AppendRaw(input, &e.RawEvent); err != nil {
			b.Fatal(err)
		}
		input = append(input, '\n')
		events++
	}
	job := Job{Engine: engine}
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		if n, err := job.Events(context.Background(), bytes.NewReader(input), io.Discard); err != nil || n.Events != events {
			b.Fatalf("%+v, %v", n, err)
		}
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
