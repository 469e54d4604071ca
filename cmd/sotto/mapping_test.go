package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

func TestMappingTry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "live.jsonl")
	lines := `c-1	{"type":"Turn","turn_order":0,"end_of_turn":false,"transcript":"hi"}
c-1	{"type":"Turn","turn_order":0,"end_of_turn":true,"transcript":"hi there"}
c-1	{"type":"Turn","turn_order":0,"end_of_turn":true,"transcript":"Hi there."}
c-1	{"type":"Heartbeat"}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sotto(t, nil, "", "mapping", "try", "--mapping", "assemblyai", file)
	for _, want := range []string{
		"   1  nothing: it is an interim result", "   2  UTTERANCE, call c-1, seq 0: hi there\n", "   3  nothing: it was sent before with another text",
		"   4  dead letter unknown_message: ", "4 records: 1 events, 2 messages of no use, 1 dead letters",
	} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the output lacks %q:\n%s", want, o.out)
		}
	}
	if o.code != 3 || !strings.Contains(o.errors, "1 messages become dead letters") {
		t.Errorf("exit status %d, %s", o.code, o.errors)
	}
	for _, c := range []struct{ name, want string }{{"", "deepgram\n"}, {"twilio", "TranscriptionEvent=transcription-content"}} {
		if o := sotto(t, nil, "", slices.DeleteFunc([]string{"mapping", "show", c.name}, func(s string) bool { return s == "" })...); o.code != 0 || !strings.Contains(o.out, c.want) {
			t.Errorf("exit status %d, %s", o.code, o.out)
		}
	}
	for _, args := range [][]string{{"mapping", "show", "nobody"}, {"mapping", "try"}, {"mapping", "try", file}, {"mapping", "try", "--mapping", "nobody", file}} {
		if o := sotto(t, nil, "", args...); o.code != 2 || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%v: exit status %d, %s", args, o.code, o.errors)
		}
	}
}

// What becomes a dead letter in the stream is one here, too: because of the limits for events, and of keys, where a line has one.
// Events of our own are read beside the messages.
func TestMappingTryIsAsStrictAsTheStream(t *testing.T) {
	file := filepath.Join(t.TempDir(), "live.txt")
	lines := `c-1	{"type":"Turn","turn_order":0,"end_of_turn":true,"transcript":"hi there"}
c-1	{"type":"Turn","turn_order":1234567890,"end_of_turn":true,"transcript":"hi"}
c-1	{"call_id":"c-1","seq":99999999,"type":"END"}
c-2	{"call_id":"c-1","seq":99999999,"type":"END"}
{"call_id":"c-1","seq":99999999,"type":"END"}
c-1	{"call_id":"c-1","seq":99999999,"type":"FIN"}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sotto(t, nil, "", "mapping", "try", "--mapping", "assemblyai", file)
	for _, want := range []string{
		"   1  UTTERANCE, call c-1, seq 0: hi there\n", "   2  dead letter seq_out_of_range: ", "   3  END, call c-1, seq 99999999\n",
		"   4  dead letter key_mismatch: ", "   5  END, call c-1, seq 99999999\n", "   6  dead letter unknown_message: ",
		"6 records: 3 events, 0 messages of no use, 3 dead letters",
	} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the output lacks %q:\n%s", want, o.out)
		}
	}
	if o := sotto(t, map[string]string{"SOTTO_KEY_MISMATCH": "accept"}, "", "mapping", "try", "--mapping", "assemblyai", file); strings.Contains(o.out, "key_mismatch") {
		t.Errorf("the setting does not count:\n%s", o.out)
	}
}

// Records in Protobuf are read with files, one of which imports the other.
func TestMappingTryWithProtobuf(t *testing.T) {
	const folder = "../../anonymize/intake/mapping/testdata/registry/"
	text, err := os.ReadFile(folder + "turn.proto")
	if err != nil {
		t.Fatal(err)
	}
	const head, inner = `syntax = "proto3"; package com.example.calls;`, "enum PartyKind { PARTY_UNKNOWN = 0; EMPLOYEE = 1; CALLER = 2; }"
	files := t.TempDir()
	if err := os.Mkdir(filepath.Join(files, "parts"), 0o700); err != nil {
		t.Fatal(err)
	}
	party, turn := filepath.Join(files, "parts", "party.proto"), filepath.Join(files, "turn.proto")
	for name, content := range map[string]string{party: head + inner, turn: strings.Replace(string(text), inner, `import "parts/party.proto";`, 1)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"--schema", folder + "turn.proto"}, {"--schema", party, "--schema", turn}} {
		o := sotto(t, nil, "", append([]string{"mapping", "try", "--mapping", folder + "turn.mapping.yaml", folder + "turns.proto.txt"}, args...)...)
		if o.code != 0 || !strings.Contains(o.out, "6 records: 5 events, 1 messages of no use, 0 dead letters") {
			t.Errorf("%v: exit status %d, %s%s", args, o.code, o.out, o.errors)
		}
	}
	if o := sotto(t, nil, "", "mapping", "try", "--mapping", folder+"turn.mapping.yaml", folder+"turns.proto.txt", "--schema", turn); o.code != 2 || !strings.Contains(o.errors, "turn.proto") {
		t.Errorf("without what it imports: exit status %d, %s", o.code, o.errors)
	}
}

// Records in Avro are read with the schema of a file, or with that of a Schema Registry, in which nothing is registered.
func TestMappingTryWithASchema(t *testing.T) {
	const folder = "../../anonymize/intake/mapping/testdata/registry/"
	schema, err := os.ReadFile(folder + "turn.avsc")
	if err != nil {
		t.Fatal(err)
	}
	fake := srfake.New()
	t.Cleanup(fake.Close)
	fake.SeedSchema("anybody", 1, 7, sr.Schema{Schema: string(schema)})
	environ := map[string]string{"SOTTO_SCHEMA_REGISTRY_URL": fake.URL(), "SOTTO_RAW_FORMAT": folder + "turn.mapping.yaml"}
	for what, run := range map[string]func(args ...string) outcome{
		"file": func(args ...string) outcome {
			return sotto(t, map[string]string{"SOTTO_RAW_FORMAT": folder + "turn.mapping.yaml"}, "", append(args, "--schema", folder+"turn.avsc")...)
		},
		"registry": func(args ...string) outcome { return sotto(t, environ, "", args...) },
	} {
		o := run("mapping", "try", folder+"turns.txt")
		if o.code != 0 || !strings.Contains(o.out, "UTTERANCE, call 18446744073709551557, seq 2, CUSTOMER Tobias Fennick: My name is") ||
			!strings.Contains(o.out, "6 records: 5 events, 1 messages of no use, 0 dead letters") {
			t.Errorf("%s: exit status %d, %s%s", what, o.code, o.out, o.errors)
		}
	}
	if fake.SubjectExists("calls.raw-value") || fake.SubjectExists("calls.clean-value") {
		t.Error("a schema was registered")
	}
	unknown := filepath.Join(t.TempDir(), "one")
	if err := os.WriteFile(unknown, []byte("\x00\x00\x00\x00\x09Fennick"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := sotto(t, environ, "", "mapping", "try", unknown); o.code != 3 || !strings.Contains(o.out, "dead letter unknown_schema") || strings.Contains(o.out, "Fennick") {
		t.Errorf("exit status %d, %s%s", o.code, o.out, o.errors)
	}
	fake.Close()
	if o := sotto(t, environ, "", "mapping", "try", unknown); o.code != 1 || !strings.Contains(o.errors, "the Schema Registry is not available") {
		t.Errorf("without the registry: exit status %d, %s%s", o.code, o.out, o.errors)
	}
}
