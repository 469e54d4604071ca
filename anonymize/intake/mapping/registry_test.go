package mapping

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bufbuild/protocompile"
	"github.com/linkedin/goavro/v2"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"sotto/schemas"
	"sotto/schemas/protobuf"
)

const registryFolder = "testdata/registry"

// turnOf is a record of turn.avsc, as goavro takes it.
func turnOf(number int64, kind, party, label, text string) map[string]any {
	id, _ := new(big.Rat).SetString("18446744073709551557") // no 64 bits hold it, and no float
	turn := map[string]any{
		"conversation": map[string]any{"id": id, "queue": goavro.Union("string", "billing")},
		"number":       number, "kind": kind, "said_at": time.UnixMilli(1_790_000_000_000 + 2000*number), "party": nil, "hypotheses": []any{},
		"attributes": map[string]any{"language": goavro.Union("string", "en")}, "audio": goavro.Union("bytes", []byte{0xff, 0, byte(number)}),
	}
	if party != "" {
		turn["party"] = goavro.Union("com.example.calls.Party", map[string]any{"kind": party, "label": goavro.Union("string", label)})
		turn["hypotheses"] = []any{map[string]any{"text": text, "confidence": float32(0.93)}, map[string]any{"text": "uh", "confidence": float32(0.1)}}
	}
	return turn
}

// The samples that docs/vendors.md shows are what they say they are, and become a call.
func TestRecordsOfTheRegistry(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(registryFolder, "turn.avsc"))
	if err != nil {
		t.Fatal(err)
	}
	codec, err := goavro.NewCodec(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, turn := range []map[string]any{
		turnOf(1, "FINAL", "EMPLOYEE", "Maren", "Thanks for calling, this is Maren. How can I help?"),
		turnOf(2, "PARTIAL", "CALLER", "Tobias Fennick", "my name is"),
		turnOf(2, "FINAL", "CALLER", "Tobias Fennick", "My name is Tobias Fennick and my account is 4417 9083."),
		turnOf(3, "FINAL", "EMPLOYEE", "Maren", "Thanks Tobias, I can see the account."),
		turnOf(4, "FINAL", "CALLER", "Tobias Fennick", "You can reach me at 604 555 0172."),
		turnOf(5, "HANGUP", "", "", ""),
	} {
		// Confluent's wire format, with the ID 7.
		record, err := codec.BinaryFromNative(binary.BigEndian.AppendUint32([]byte{0}, 7), turn)
		if err != nil {
			t.Fatal(err)
		}
		lines.WriteString("18446744073709551557\t" + base64.StdEncoding.EncodeToString(record) + "\n")
	}
	samples := filepath.Join(registryFolder, "turns.txt")
	if *update {
		if err := os.WriteFile(samples, lines.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if data, _ := os.ReadFile(samples); !bytes.Equal(data, lines.Bytes()) {
		t.Fatal("turns.txt are not these records: run the test with -update")
	}
	schema, err := schemas.ParseSchema(string(text))
	if err != nil {
		t.Fatal(err)
	}
	m, records := checkRegistrySamples(t, schema, lines.Bytes())
	// Nothing of a damaged record becomes an event with another call, and none is lost.
	for _, rec := range records {
		for n := range rec.Value {
			got := m.Read(Record{Value: rec.Value[:n], Schema: schema, Key: rec.Key})
			if len(got) != 1 || got[0].Reason != schemas.ReasonInvalidAvro || got[0].MayBeOwn {
				t.Fatalf("the first %d bytes become %+v", n, got)
			}
		}
	}
}

// The same in Protobuf: the mapping is that of Avro, although what is 0 is not written.
func TestRecordsOfTheRegistryInProtobuf(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(registryFolder, "turn.proto"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := protobuf.Parse(string(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(registryFolder, "turns.proto.txt"))
	if err != nil {
		t.Fatal(err)
	}
	protoTurns(t, string(text), data)
	checkRegistrySamples(t, schema, data)
}

// protoTurns compares the samples in Protobuf with those of turnOf, as the library for Protobuf writes them.
func protoTurns(t *testing.T, text string, data []byte) {
	t.Helper()
	sources := protocompile.SourceAccessorFromMap(map[string]string{"turn.proto": text})
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: sources})}
	files, err := compiler.Compile(t.Context(), "turn.proto")
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for i, said := range []struct{ kind, party, label, text string }{
		{"FINAL", "EMPLOYEE", "Maren", "Thanks for calling, this is Maren. How can I help?"},
		{"PARTIAL", "CALLER", "Tobias Fennick", "my name is"},
		{"FINAL", "CALLER", "Tobias Fennick", "My name is Tobias Fennick and my account is 4417 9083."},
		{"FINAL", "EMPLOYEE", "Maren", "Thanks Tobias, I can see the account."},
		{"FINAL", "CALLER", "Tobias Fennick", "You can reach me at 604 555 0172."},
		{"HANGUP", "", "", ""},
	} {
		number := i + 1
		if i > 1 {
			number = i // the interim result has the number of the final one
		}
		turn := map[string]any{
			"conversation": map[string]any{"id": "18446744073709551557", "queue": "billing"}, "number": number, "kind": said.kind,
			"said_at":    time.UnixMilli(1_790_000_000_000 + 2000*int64(number)).UTC().Format(time.RFC3339Nano),
			"attributes": map[string]any{"language": "en"}, "audio": []byte{0xff, 0, byte(number)},
		}
		if said.party != "" {
			turn["party"] = map[string]any{"kind": said.party, "label": said.label}
			turn["hypotheses"] = []any{map[string]any{"text": said.text, "confidence": 0.93}, map[string]any{"text": "uh", "confidence": 0.1}}
		}
		form, _ := json.Marshal(turn)
		message := dynamicpb.NewMessage(files[0].Messages().ByName("Turn"))
		if err := protojson.Unmarshal(form, message); err != nil {
			t.Fatal(err)
		}
		body, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		// Confluent's wire format, with the ID 8 and the first message of the file.
		lines.WriteString("18446744073709551557\t" + base64.StdEncoding.EncodeToString(append([]byte{0, 0, 0, 0, 8, 0}, body...)) + "\n")
	}
	if *update {
		if err := os.WriteFile(filepath.Join(registryFolder, "turns.proto.txt"), lines.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(data, lines.Bytes()) {
		t.Error("turns.proto.txt are not these records: run the test with -update")
	}
}

func checkRegistrySamples(t *testing.T, schema *schemas.Schema, data []byte) (*Mapping, []Record) {
	t.Helper()
	m, err := Load(filepath.Join(registryFolder, "turn.mapping.yaml"), "")
	if err != nil {
		t.Fatal(err)
	}
	records := Records(data, "")
	for i := range records {
		records[i].Value, records[i].Schema = records[i].Value[5:], schema
	}
	events, others := played(m, records)
	if len(events) != 5 || others[Interim] != 1 || len(others) != 1 {
		t.Fatalf("%d events, %v", len(events), others)
	}
	if e := events[1]; e.CallID != "18446744073709551557" || e.Seq != 2 || e.TimestampMS != 1_790_000_004_000 || e.Language != "en" ||
		e.Text != "My name is Tobias Fennick and my account is 4417 9083." || e.Speaker.Role != schemas.RoleCustomer || e.Speaker.Label != "Tobias Fennick" {
		t.Errorf("the second event is %+v", e)
	}
	if events[4].Type != schemas.End {
		t.Errorf("the last event is %s", events[4].Type)
	}
	return m, records
}

// FuzzReadAvro: whatever follows the schema's ID becomes something, and the same again.
func FuzzReadAvro(f *testing.F) {
	text, err := os.ReadFile(filepath.Join(registryFolder, "turn.avsc"))
	if err != nil {
		f.Fatal(err)
	}
	schema, err := schemas.ParseSchema(string(text))
	if err != nil {
		f.Fatal(err)
	}
	m, err := Load(filepath.Join(registryFolder, "turn.mapping.yaml"), "")
	if err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(registryFolder, "turns.txt"))
	if err != nil {
		f.Fatal(err)
	}
	for _, rec := range Records(data, "") {
		f.Add(rec.Value[5:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		checkRead(t, m, Record{Value: body, Schema: schema, Key: []byte("c")})
	})
}
