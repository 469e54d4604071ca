package main

import (
	"encoding/base64"
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

// A line that begins with a tab has a record without a key, also if it is the only one; the stream compares that, too. Lines
// without a tab do not tell the key. A record has the size that the stream reads, in binary if the line is base64 of it.
func TestMappingTryKnowsKeysAndSizesAsTheStream(t *testing.T) {
	const end = `{"call_id":"c-1","seq":99999999,"type":"END"}`
	zoom := `{"msg_type":17,"content":{"user_id":1,"data":"one"}}`
	large := `{"type":"Turn","transcript":"` + strings.Repeat("a", 655_360) + `"}`
	framed := base64.StdEncoding.EncodeToString(make([]byte, 655_361))
	for content, want := range map[string][]string{
		"\t" + end + "\n": {"   1  dead letter key_mismatch: "},
		"\t" + end + "\r\n\t" + zoom + "\r\n \r\nc-1\t" + end + "\r\n": {
			"   1  dead letter key_mismatch: ", "   2  dead letter missing_call_id: ", "   3  END, call c-1", "3 records: ",
		},
		end + "\n" + end + " \n":          {"   1  END, call c-1", "   2  END, call c-1"},
		"c-1\t\n c-1\t" + end + "\n":      {"   1  dead letter empty_record: ", "   2  dead letter key_mismatch: "},
		"c-1\t" + large + "\n" + large:    {"   1  dead letter record_too_large: ", "   2  dead letter record_too_large: "},
		"c-1\t" + framed + "\n":           {"   1  dead letter record_too_large: "},
		"c-1\t" + framed[:655_360] + "\n": {"   1  dead letter no_registry: "},
	} {
		file := filepath.Join(t.TempDir(), "live.txt")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		o := sotto(t, nil, "", "mapping", "try", "--mapping", "zoom", file)
		for _, want := range want {
			if !strings.Contains(o.out, want) {
				t.Errorf("%.100q: the output lacks %q:\n%s%s", content, want, o.out, o.errors)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "live.txt")
	if err := os.WriteFile(file, []byte(end+"\n"+end+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := sotto(t, nil, "", "mapping", "try", "--mapping", "zoom", "--key", "c-2", file); strings.Count(o.out, "dead letter key_mismatch") != 2 {
		t.Errorf("with --key: %s%s", o.out, o.errors)
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
