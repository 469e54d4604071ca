package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const schemasDir = "../.."

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	files, err := generate(schemasDir)
	if err != nil {
		t.Fatal(err)
	}
	for name, fresh := range files {
		old, err := os.ReadFile(filepath.Join(schemasDir, name))
		if err != nil || !bytes.Equal(old, fresh) {
			t.Errorf("%s is not up to date: run `go generate ./schemas`", name)
		}
	}
	found, err := filepath.Glob(filepath.Join(schemasDir, "*_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if files[filepath.Base(file)] == nil {
			t.Errorf("%s is not generated any more", file)
		}
	}
}

// A new field needs one line in an .avsc file. The test adds some to a copy of the package,
// generates, and runs the package's own tests there. They follow the Go types, so they write and
// read the new fields in every encoding, and compare with goavro and encoding/json.
func TestANewFieldIsOneLine(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a copy of the package")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "schemas")
	copyTree(t, schemasDir, dir)
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join(schemasDir, "..", name), filepath.Join(root, name))
	}
	addFields(t, filepath.Join(dir, "RawEvent.avsc"), `"name": "participants"`,
		`{"name": "queue", "type": ["null", "string"], "default": null, "doc": "Where the call waited."}`,
		`{"name": "confidence", "type": ["null", "double"], "default": null}`,
		`{"name": "channel", "type": "int", "default": 0}`,
		`{"name": "overlaps", "type": "boolean", "default": false}`,
		`{"name": "delay_ms", "type": ["null", "long"], "default": null}`,
		`{"name": "hints", "type": {"type": "array", "items": "string"}, "default": []}`,
		`{"name": "words", "type": {"type": "array", "items": {"type": "record", "name": "Word", "fields": [`+
			`{"name": "text", "type": "string", "default": ""}, {"name": "score", "type": ["null", "double"], "default": null}]}}, "default": []}`,
		`{"name": "device", "type": ["null", {"type": "record", "name": "Device", "fields": [`+
			`{"name": "kind", "type": ["null", "string"], "default": null}, {"name": "gain", "type": ["null", "int"], "default": null}]}], "default": null}`,
	)
	addFields(t, filepath.Join(dir, "CleanEvent.avsc"), `"name": "policy"`,
		`{"name": "reviewed", "type": "boolean", "default": false}`,
		`{"name": "quality", "type": ["null", "double"], "default": null}`,
	)
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for event, version := range map[string]string{"RawEvent": "v2", "CleanEvent": "v4", "AuditEvent": "v5"} {
		copyFile(t, filepath.Join(dir, event+".avsc"), filepath.Join(dir, "history", event+"."+version+".avsc"))
	}
	text, err := os.ReadFile(filepath.Join(dir, "events_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"// Where the call waited.", "`json:\"delay_ms,omitempty\"`", "`json:\"reviewed\"`"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("events_gen.go lacks %s", want)
		}
	}
	audit, err := os.ReadFile(filepath.Join(dir, "AuditEvent.avsc"))
	if err != nil || !strings.Contains(string(audit), `"reviewed"`) {
		t.Errorf("AuditEvent.avsc lacks a field of CleanEvent.avsc (%v)", err)
	}
	tests := []string{
		"TestRoundTrip", "TestAvroIsWhatGoavroWrites", "TestFastPathReadsWhatGoavroReads", "TestJSONIsWhatTheStandardLibraryWrites",
		"TestSchemasHaveTheFieldsOfTheGoTypes", "TestDefaultsAreZeroValues", "TestSchemasAreCompatibleWithTheirHistory",
	}
	cmd := exec.Command("go", "test", "-trimpath", "-vet=off", "-v", "-run", "^("+strings.Join(tests, "|")+")$", "./schemas")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range tests {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not run", name)
		}
	}
}

// addFields inserts lines before that of the field that contains the text.
func addFields(t *testing.T, file, before string, lines ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(string(text), "\n")
	at := slices.IndexFunc(all, func(line string) bool { return strings.Contains(line, before) })
	if at < 0 {
		t.Fatalf("%s has no %s", file, before)
	}
	for i := range lines {
		lines[i] = "    " + lines[i] + ",\n"
	}
	all = slices.Insert(all, at, lines...)
	if err := os.WriteFile(file, []byte(strings.Join(all, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(to, "internal")); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnsupportedSchemasAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ event, line, want string }{
		"union of three":     {"DeadLetter", `{"name": "x", "type": ["null", "string", "long"], "default": null}`, "field x: a union must be of null and one other type"},
		"null comes last":    {"DeadLetter", `{"name": "x", "type": ["string", "null"], "default": ""}`, "field x: a union must be of null and one other type"},
		"bytes":              {"DeadLetter", `{"name": "x", "type": "bytes", "default": ""}`, "field x: type bytes is not supported"},
		"array of numbers":   {"DeadLetter", `{"name": "x", "type": {"type": "array", "items": "long"}, "default": []}`, "field x"},
		"map":                {"DeadLetter", `{"name": "x", "type": {"type": "map", "values": "string"}, "default": {}}`, "field x: such a type is not supported"},
		"map in a raw event": {"RawEvent", `{"name": "x", "type": {"type": "map", "values": "long"}, "default": {}}`, "RawEvent.avsc: a map is not supported"},
		"enum":               {"DeadLetter", `{"name": "x", "type": {"type": "enum", "name": "E", "symbols": ["A"]}}`, "field x: such a type is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, event := range eventNames {
				copyFile(t, filepath.Join(schemasDir, event+".avsc"), filepath.Join(dir, event+".avsc"))
			}
			addFields(t, filepath.Join(dir, c.event+".avsc"), `"name": "call_id"`, c.line)
			if err := run(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			files, err := os.ReadDir(dir)
			if err != nil || len(files) != len(eventNames) {
				t.Errorf("%d files, %v", len(files), err)
			}
		})
	}
}

func TestChoicesNeedTheirFields(t *testing.T) {
	choices["RawEvent.gone"] = choice{omitZero: true}
	defer delete(choices, "RawEvent.gone")
	if _, err := generate(schemasDir); err == nil || !strings.Contains(err.Error(), "RawEvent.gone") {
		t.Errorf("got %v", err)
	}
}
