package schemas

import (
	"context"
	"encoding/json"
	"testing"
)

func ptr[T any](v T) *T { return &v }

func sampleRaw() *RawEvent {
	return &RawEvent{
		CallID: "c-42", Seq: 3, Type: Utterance, Context: "customer_support", Tenant: "acme",
		Speaker: &Speaker{ID: "s1", Label: "Pam", Role: RoleAgent},
		Text:    "This is Pam calling from Dunder Mifflin, may I speak to Jim?",
		Final:   ptr(true), Language: "en-US", StartMS: ptr(int64(1200)), EndMS: ptr(int64(4100)), TimestampMS: 1763683200000,
	}
}

func sampleClean() *CleanEvent {
	return &CleanEvent{
		CallID: "c-42", Seq: 3, Type: Utterance, Context: "customer_support", Tenant: "acme",
		Speaker: &Speaker{ID: "s1", Label: "[PERSON_NAME_1]", Role: RoleAgent},
		Text:    "This is [PERSON_NAME_1] calling from [ORGANIZATION_NAME_1], may I speak to [PERSON_NAME_2]?",
		Entities: []Entity{
			{Start: 8, End: 23, Type: "PERSON_NAME", ID: 1, Detector: "speaker", Score: 1},
			{Start: 37, End: 58, Type: "ORGANIZATION_NAME", ID: 1, Detector: "cue", Score: 0.8},
			{Start: 75, End: 90, Type: "PERSON_NAME", ID: 2, Detector: "cue", Score: 0.8},
		},
		Policy: "a3f9c1", Strategy: "typed-numbered", Language: "en-US",
		StartMS: ptr(int64(1200)), EndMS: ptr(int64(4100)), TimestampMS: 1763683200000,
	}
}

func newTestCodec(t testing.TB, format string) *Codec {
	t.Helper()
	c, err := NewCodec(context.Background(), Options{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func BenchmarkDecodeRaw(b *testing.B) {
	for _, format := range []string{FormatJSON, FormatAvro} {
		b.Run(format, func(b *testing.B) {
			c := newTestCodec(b, format)
			data, err := c.AppendRaw(nil, sampleRaw())
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.DecodeRaw(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("avro of another schema", func(b *testing.B) {
		c := newTestCodec(b, FormatAvro)
		data := rawBody(sampleRaw())
		current := c.families[rawEvent].current.root
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := recode(current, current, data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("avro by goavro", func(b *testing.B) {
		data := rawBody(sampleRaw())
		codec := goavroOf(b, families()[rawEvent].current)
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := codec.NativeFromBinary(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json by reflection", func(b *testing.B) {
		data := written(writeJSON, sampleRaw(), (*RawEvent).fields)
		b.ReportAllocs()
		for b.Loop() {
			if err := json.Unmarshal(data, &RawEvent{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppendClean(b *testing.B) {
	e := sampleClean()
	for _, format := range []string{FormatJSON, FormatAvro} {
		b.Run(format, func(b *testing.B) {
			c := newTestCodec(b, format)
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if buf, err = c.AppendClean(buf[:0], e); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(buf)))
		})
	}
	b.Run("avro by goavro", func(b *testing.B) {
		codec := goavroOf(b, families()[cleanEvent].current)
		v, _, err := codec.NativeFromBinary(written(writeAvro, e, (*CleanEvent).fields))
		if err != nil {
			b.Fatal(err)
		}
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			// The map is ready here; building it would come on top.
			if buf, err = codec.BinaryFromNative(buf[:0], v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json by reflection", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(e); err != nil {
				b.Fatal(err)
			}
		}
	})
}
