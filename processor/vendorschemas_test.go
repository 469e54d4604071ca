package processor

import (
	"encoding/binary"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufbuild/protocompile"
	"github.com/linkedin/goavro/v2"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"sotto/anonymize/intake/mapping"
	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
	"sotto/schemas/protobuf"
)

var registrySamples = filepath.Join("..", "anonymize", "intake", "mapping", "testdata", "registry")

func sampleFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(registrySamples, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// IDs of the registry of registryRig. The Avro schema refers to one of another subject.
const (
	jsonID     = 901
	protobufID = 902
	unknownID  = 903
)

// registryRig is a rig whose raw topic has records of somebody else's schemas, those records, and a switch that
// lets the Schema Registry fail.
func registryRig(t *testing.T) (r *rig, recs []*kgo.Record, down *atomic.Bool) {
	t.Helper()
	fake := srfake.New()
	t.Cleanup(fake.Close)
	// The sample's schema, whose enum of parties is in another subject.
	const inner = `{"type": "enum", "name": "PartyKind", "symbols": ["EMPLOYEE", "CALLER"]}`
	text := sampleFile(t, "turn.avsc")
	if !strings.Contains(text, inner) {
		t.Fatal("the sample's schema has no such enum")
	}
	if _, _, err := fake.RegisterSchema("party-kind", sr.Schema{Schema: strings.Replace(inner, `"PartyKind"`, `"com.example.calls.PartyKind"`, 1)}); err != nil {
		t.Fatal(err)
	}
	id, _, err := fake.RegisterSchema("turns", sr.Schema{
		Schema: strings.Replace(text, inner, `"PartyKind"`, 1), References: []sr.SchemaReference{{Name: "com.example.calls.PartyKind", Subject: "party-kind", Version: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	fake.SeedSchema("turns-json", 1, jsonID, sr.Schema{Schema: `{"type":"object"}`, Type: sr.TypeJSON})
	fake.SeedSchema("turns-proto", 1, protobufID, sr.Schema{Schema: `syntax = "proto3"; message M {}`, Type: sr.TypeProtobuf})
	behind, err := url.Parse(fake.URL())
	if err != nil {
		t.Fatal(err)
	}
	down = new(atomic.Bool)
	proxy := httputil.NewSingleHostReverseProxy(behind)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(front.Close)
	r = newRig(t, 1)
	r.Set.SchemaRegistryURL, r.Set.RawFormat = front.URL, filepath.Join(registrySamples, "turn.mapping.yaml")
	for _, rec := range mapping.Records([]byte(sampleFile(t, "turns.txt")), "") {
		recs = append(recs, r.framed(rec.Key, id, rec.Value[5:]))
	}
	return r, recs, down
}

// framed is a raw record in Confluent's wire format.
func (r *rig) framed(key []byte, id int, body []byte) *kgo.Record {
	return &kgo.Record{Topic: r.Topics.Raw, Key: key, Value: append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), body...)}
}

// expectedOfAvro are the events that the mapping makes of the records in Avro.
func expectedOfAvro(t *testing.T, r *rig, recs []*kgo.Record) (events []*schemas.RawEvent) {
	t.Helper()
	schema, err := schemas.ParseSchema(sampleFile(t, "turn.avsc"))
	if err != nil {
		t.Fatal(err)
	}
	return expectedBySchema(t, r, recs, schema)
}

func expectedBySchema(t *testing.T, r *rig, recs []*kgo.Record, schema *schemas.Schema) (events []*schemas.RawEvent) {
	t.Helper()
	m, err := r.Set.RawMapping()
	if err != nil {
		t.Fatal(err)
	}
	trial := mapping.NewTrial(m)
	for _, rec := range recs {
		for _, o := range trial.Read(mapping.Record{Value: rec.Value[5:], Key: rec.Key, Schema: schema}) {
			if o.Event != nil {
				events = append(events, o.Event)
			}
		}
	}
	return events
}

// Records in somebody else's Avro become a call, if each comes twice and the process dies between them. Those that
// cannot be read are dead letters with a reason and nothing of their content.
func TestRecordsOfSomebodyElsesSchema(t *testing.T) {
	t.Parallel()
	r, recs, _ := registryRig(t)
	want := expectedOfAvro(t, r, recs)
	if len(want) != 5 {
		t.Fatalf("%d events", len(want))
	}
	key := recs[0].Key
	in := r.start("a")
	r.Feed(recs[:3]...)
	r.Await(r.Topics.Clean, 2)
	in.kill()
	in = r.start("a")
	eventually(t, "the second start", func() bool { return in.Ready() == nil })
	personal := []byte("\x02My name is Tobias Fennick")
	r.Feed(copied(recs[:3])...)
	r.Feed(
		r.framed(key, unknownID, personal), r.framed(key, protobufID, personal), r.framed(key, int(binary.BigEndian.Uint32(recs[0].Value[1:])), personal),
		r.framed(key, jsonID, personal), &kgo.Record{Topic: r.Topics.Raw, Key: key, Value: []byte{0, 0, 0}},
	)
	r.Feed(slices.Concat(recs[3:], copied(recs[3:]))...)
	checkCall(t, r, want, scrape(t, in))
	if err := in.stop(); err != nil {
		t.Error(err)
	}
	if n := len(r.Read(r.Topics.Clean)); n != len(want) {
		t.Errorf("%d clean events, want %d", n, len(want))
	}
	var reasons []string
	for _, d := range r.DeadLetters() {
		reasons = append(reasons, d.Reason)
	}
	slices.Sort(reasons)
	if want := []string{"invalid_avro", "invalid_avro", "invalid_protobuf", "unknown_format", "unknown_schema"}; !slices.Equal(reasons, want) {
		t.Errorf("dead letters for %v, want %v", reasons, want)
	}
}

// The same in Protobuf, whose schema refers to another one.
func TestRecordsOfSomebodyElsesProtobuf(t *testing.T) {
	t.Parallel()
	fake := srfake.New()
	t.Cleanup(fake.Close)
	const inner = `enum PartyKind { PARTY_UNKNOWN = 0; EMPLOYEE = 1; CALLER = 2; }`
	text := sampleFile(t, "turn.proto")
	fake.SeedSchema("party-kind", 1, 11, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; package com.example.calls; ` + inner})
	fake.SeedSchema("turns", 1, 12, sr.Schema{
		Type: sr.TypeProtobuf, Schema: strings.Replace(text, inner, `import "kinds.proto";`, 1),
		References: []sr.SchemaReference{{Name: "kinds.proto", Subject: "party-kind", Version: 1}},
	})
	r := newRig(t, 1)
	r.Set.SchemaRegistryURL, r.Set.RawFormat = fake.URL(), filepath.Join(registrySamples, "turn.mapping.yaml")
	schema, err := protobuf.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var recs []*kgo.Record
	for _, rec := range mapping.Records([]byte(sampleFile(t, "turns.proto.txt")), "") {
		recs = append(recs, r.framed(rec.Key, 12, rec.Value[5:]))
	}
	want := expectedBySchema(t, r, recs, schema)
	if len(want) != 5 {
		t.Fatalf("%d events", len(want))
	}
	in := r.start("a")
	r.Feed(recs[:3]...)
	r.Await(r.Topics.Clean, 2)
	in.kill()
	in = r.start("a")
	r.Feed(copied(recs[:3])...)
	r.Feed(r.framed(recs[0].Key, 12, []byte("\x02My name is Tobias Fennick")))
	r.Feed(slices.Concat(recs[3:], copied(recs[3:]))...)
	checkCall(t, r, want, scrape(t, in))
	if dead := r.DeadLetters(); len(dead) != 1 || dead[0].Reason != schemas.ReasonInvalidProto {
		t.Errorf("dead letters %v", dead)
	}
}

// With a JSON Schema, the payload is JSON. Events of ours are read beside it, framed as it is.
func TestJSONSchemaAndOwnEventsThroughTheRegistry(t *testing.T) {
	t.Parallel()
	r, _, _ := registryRig(t)
	key := []byte("9007199254740993")
	own := `{"call_id":"9007199254740993","seq":90,"type":"END"}`
	r.start("a")
	r.Feed(
		r.framed(key, jsonID, []byte(`{"conversation":{"id":9007199254740993},"number":1,"kind":"FINAL","hypotheses":[{"text":"My name is Tobias Fennick."}]}`)),
		r.framed(key, jsonID, []byte(`{"conversation":{"id":9007199254740993},"number":2,"kind":"PARTIAL"}`)),
		r.framed(key, jsonID, []byte(own)),
	)
	checkCall(t, r, []*schemas.RawEvent{{CallID: string(key), Seq: 1, Type: schemas.Utterance}, {CallID: string(key), Seq: 90, Type: schemas.End}})
}

// While the Schema Registry is away, records wait, and none becomes a dead letter; then all of them are there, in order.
func TestTheRegistryIsAwayForRecordsOfOthers(t *testing.T) {
	t.Parallel()
	r, recs, down := registryRig(t)
	in := r.start("a")
	eventually(t, "the start", func() bool { return in.Ready() == nil })
	down.Store(true)
	r.Feed(recs...)
	brokertest.Eventually(t, time.Minute, "the session to be recreated", func() bool { return strings.Contains(r.log.String(), "the session is recreated") })
	if n, dead := len(r.Read(r.Topics.Clean)), len(r.Read(r.Topics.DeadLetter)); n != 0 || dead != 0 {
		t.Errorf("%d clean events and %d dead letters while the registry is away, want none", n, dead)
	}
	eventually(t, "/readyz to name the registry", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "Schema Registry")
	})
	down.Store(false)
	checkCall(t, r, expectedOfAvro(t, r, recs))
	if n := len(r.DeadLetters()); n != 0 {
		t.Errorf("%d dead letters", n)
	}
}

// Whatever field of a record in Avro holds something personal, none of it gets out.
func TestNoFieldOfARecordInAvroGetsOut(t *testing.T) {
	t.Parallel()
	for text, inText := range map[string]bool{strings.Trim(plantedSentence, `"`): true, plantedName: false} {
		r, recs, _ := registryRig(t)
		codec, err := goavro.NewCodec(sampleFile(t, "turn.avsc"))
		if err != nil {
			t.Fatal(err)
		}
		var v variants
		for i, plant := range plantings(text) {
			for _, kind := range []string{"FINAL", "PARTIAL", "HANGUP"} {
				id := int64(7_000_000 + 3*i + len(kind))
				turn := plainTurn(id, kind)
				plant(turn)
				record, err := codec.BinaryFromNative(slices.Clone(recs[0].Value[:5]), turn)
				if err != nil {
					t.Fatal(err)
				}
				key := []byte(big.NewInt(id).String())
				v.records = append(v.records, &kgo.Record{Topic: r.Topics.Raw, Key: key, Value: record},
					&kgo.Record{Topic: r.Topics.Raw, Key: key, Value: record[:len(record)-3]}, // damaged
					r.framed(key, protobufID, record[5:]), r.framed(key, jsonID, record[5:]), r.framed(key, unknownID, []byte(text)))
			}
		}
		checkVariants(t, r, &v, inText)
	}
}

// The same for Protobuf, whose fields are given as JSON here.
func TestNoFieldOfARecordInProtobufGetsOut(t *testing.T) {
	t.Parallel()
	sources := protocompile.SourceAccessorFromMap(map[string]string{"turn.proto": sampleFile(t, "turn.proto")})
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: sources})}
	files, err := compiler.Compile(t.Context(), "turn.proto")
	if err != nil {
		t.Fatal(err)
	}
	for text, inText := range map[string]bool{strings.Trim(plantedSentence, `"`): true, plantedName: false} {
		r, _, _ := registryRig(t)
		fake := srfake.New()
		t.Cleanup(fake.Close)
		fake.SeedSchema("turns", 1, 12, sr.Schema{Type: sr.TypeProtobuf, Schema: sampleFile(t, "turn.proto")})
		r.Set.SchemaRegistryURL = fake.URL()
		var v variants
		for field := range 7 {
			for _, kind := range []string{"FINAL", "PARTIAL", "HANGUP"} {
				id := strconv.Itoa(7_000_000 + 3*field + len(kind))
				turn := strings.NewReplacer("ID", id, "KIND", kind, "@"+strconv.Itoa(field), text).Replace(`{"conversation":{"id":"ID","queue":"@0"},"number":1,
					"kind":"KIND","party":{"kind":"CALLER","label":"@1"},"hypotheses":[{"text":"@2"},{"text":"@3"}],"attributes":{"language":"@4","other":"@5","@6":"en"}}`)
				m := dynamicpb.NewMessage(files[0].Messages().ByName("Turn"))
				if err := protojson.Unmarshal([]byte(turn), m); err != nil {
					t.Fatal(err)
				}
				body, err := proto.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				record := r.framed([]byte(id), 12, append([]byte{0}, body...))
				v.records = append(v.records, record, &kgo.Record{Topic: r.Topics.Raw, Key: []byte(id), Value: record.Value[:len(record.Value)-3]},
					r.framed([]byte(id), 12, append([]byte{2, 1}, text...)))
			}
		}
		checkVariants(t, r, &v, inText)
	}
}

func plainTurn(id int64, kind string) map[string]any {
	return map[string]any{
		"conversation": map[string]any{"id": big.NewRat(id, 1), "queue": nil}, "number": int64(1), "kind": kind, "said_at": time.UnixMilli(1_790_000_000_000),
		"party": nil, "hypotheses": []any{map[string]any{"text": "Good morning.", "confidence": float32(0.5)}}, "attributes": map[string]any{}, "audio": nil,
	}
}

// plantings put a text into each field that can hold one.
func plantings(text string) []func(turn map[string]any) {
	attribute := func(name, value string) func(map[string]any) {
		return func(turn map[string]any) { turn["attributes"] = map[string]any{name: goavro.Union("string", value)} }
	}
	return []func(turn map[string]any){
		func(map[string]any) {},
		func(turn map[string]any) {
			turn["hypotheses"] = []any{map[string]any{"text": text, "confidence": float32(0.5)}}
		},
		func(turn map[string]any) {
			turn["hypotheses"] = append(turn["hypotheses"].([]any), map[string]any{"text": text, "confidence": float32(0.5)})
		},
		func(turn map[string]any) {
			conversation := maps.Clone(turn["conversation"].(map[string]any))
			conversation["queue"] = goavro.Union("string", text)
			turn["conversation"] = conversation
		},
		func(turn map[string]any) {
			turn["party"] = goavro.Union("com.example.calls.Party", map[string]any{"kind": "CALLER", "label": goavro.Union("string", text)})
		},
		func(turn map[string]any) { turn["audio"] = goavro.Union("bytes", []byte(text)) },
		func(turn map[string]any) { turn["audio"] = goavro.Union("bytes", []byte(text+"\xff")) },
		attribute("language", text), attribute("other", text), attribute(text, "en"),
	}
}

// A preflight reads the schema of the raw topic's subject, and the canary goes through beside records of others. Neither
// they nor the stream register anything there.
func TestTheRawSubjectOfOthersIsLeftAlone(t *testing.T) {
	t.Parallel()
	fake := srfake.New()
	t.Cleanup(fake.Close)
	r := newRig(t, 1)
	r.Set.Codec, r.Set.SchemaRegistryURL, r.Set.RawFormat = "avro", fake.URL(), "deepgram"
	r.start("a")
	canary, _ := r.canary()
	if err := canary.Once(t.Context(), 30*time.Second); err != nil {
		t.Error(err)
	}
	subject := r.Topics.Raw + "-value"
	if fake.SubjectExists(subject) || !fake.SubjectExists(r.Topics.Clean+"-value") {
		t.Error("the raw topic's subject is registered, or the others are not")
	}
	for i, c := range []struct {
		kind sr.SchemaType
		text string
		want Status
	}{
		{sr.TypeAvro, sampleFile(t, "turn.avsc"), StatusOK}, {sr.TypeAvro, `{"type": "record", "name": "r"}`, StatusFailed},
		{sr.TypeProtobuf, `syntax = "proto3"; message M {}`, StatusOK}, {sr.TypeProtobuf, `syntax = "proto3"; message M { N n = 1; }`, StatusFailed},
		{sr.TypeJSON, `{"type": "object"}`, StatusOK},
	} {
		fake.SeedSchema(subject, i+1, 900+i, sr.Schema{Schema: c.text, Type: c.kind})
		p := &preflight{s: &r.Set}
		p.checkMapping(t.Context())
		if len(p.found) != 1 || p.found[0].Status != c.want || !strings.Contains(p.found[0].Detail, c.kind.String()) {
			t.Errorf("%s: %+v", c.kind, p.found)
		}
	}
}
