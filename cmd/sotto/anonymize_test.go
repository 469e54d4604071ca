package main

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sotto/schemas"
)

var update = flag.Bool("update", false, "write the golden files anew")

// decided reads clean events and leaves out what changes with every detector
// that is added: the policy's hash, and which detector found a span how surely.
func decided(t *testing.T, lines string) []schemas.CleanEvent {
	t.Helper()
	var events []schemas.CleanEvent
	for line := range strings.Lines(lines) {
		var e schemas.CleanEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Policy == "" || e.Strategy == "" {
			t.Errorf("%s %d has no policy or no strategy", e.CallID, e.Seq)
		}
		e.Policy = ""
		for i := range e.Entities {
			e.Entities[i].Detector, e.Entities[i].Score = "", 0
		}
		events = append(events, e)
	}
	return events
}

func TestAnonymizeGolden(t *testing.T) {
	o := sotto(t, nil, "", "anonymize", "testdata/calls.jsonl")
	if o.code != exitDone || o.errors != "sotto: 1 interim hypotheses dropped\n" {
		t.Fatalf("status %d, errors %q", o.code, o.errors)
	}
	const golden = "testdata/calls.golden.jsonl"
	if *update {
		if err := os.WriteFile(golden, []byte(o.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decided(t, string(want)), decided(t, o.out)); diff != "" {
		t.Errorf("the output is not the golden one; if it is better, run 'go test ./cmd/sotto -update' (-golden +now):\n%s", diff)
	}
}

// Table 1 of the paper, and the example of the README, come out as printed.
func TestAnonymizeTextAsPrinted(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```text\n")
	if len(blocks) < 3 {
		t.Fatal("the README has no example")
	}
	in, _, _ := strings.Cut(blocks[1], "```")
	out, _, _ := strings.Cut(blocks[2], "```")
	for _, c := range []struct{ in, want string }{
		{"Pam: This is Pam calling from Dunder Mifflin, may I speak to Jim?\n",
			"[PERSON_NAME_1]: This is [PERSON_NAME_1] calling from [ORGANIZATION_NAME_1], may I speak to [PERSON_NAME_2]?\n"},
		{in, out},
	} {
		if o := sotto(t, nil, c.in, "anonymize", "--text"); o.code != exitDone || o.out != c.want {
			t.Errorf("status %d\ngot  %swant %s", o.code, o.out, c.want)
		}
	}
}
