package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sotto/cmd/internal/cli"
	"sotto/schemas"
)

var update = flag.Bool("update", false, "write the golden files again")

// decided decodes clean events and clears the fields that change with every new detector: the
// policy hash, the detector and score of each span, and the estimated risk.
func decided(t *testing.T, lines string) []schemas.CleanEvent {
	t.Helper()
	events := decodedEvents(t, lines)
	for i := range events {
		e := &events[i]
		if e.Policy == "" || e.Strategy == "" {
			t.Errorf("%s %d has no policy or no strategy", e.CallID, e.Seq)
		}
		e.Policy = ""
		if c := e.Call; c != nil {
			if c.EstimatedRisk == nil || *c.EstimatedRisk <= 0 {
				t.Errorf("%s ends without an estimate", e.CallID)
			}
			c.EstimatedRisk = nil
		}
		for i := range e.Entities {
			e.Entities[i].Detector, e.Entities[i].Score = "", 0
		}
	}
	return events
}

func decodedEvents(t *testing.T, lines string) (events []schemas.CleanEvent) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var e schemas.CleanEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func TestAnonymizeGolden(t *testing.T) {
	o := sotto(t, map[string]string{"SOTTO_TENANTS": "north"}, "", "anonymize", "testdata/calls.jsonl")
	if o.code != cli.Done || o.errors != "sotto: 1 interim hypotheses dropped\n" {
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

// The examples in Table 1 of the paper and in the README give the printed output.
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
		if o := sotto(t, nil, c.in, "anonymize", "--text"); o.code != cli.Done || o.out != c.want {
			t.Errorf("status %d\ngot  %swant %s", o.code, o.out, c.want)
		}
	}
}

// The same settings as in the stream decide by the estimated risk whether a call may be used as
// training data.
func TestAnonymizeHasTheGate(t *testing.T) {
	const calls = `{"call_id":"a","seq":1,"type":"UTTERANCE","context":"sales","text":"Okay."}
{"call_id":"a","seq":2,"type":"END"}
{"call_id":"b","seq":1,"type":"UTTERANCE","context":"support","text":"My name is Zyqwol Brumphette, my number is 555-0134."}
{"call_id":"b","seq":2,"type":"END"}
`
	for _, c := range []struct {
		gate, limit string
		release     bool
		reason      bool
	}{
		{"off", "0.001", true, false},
		{"warn", "0.001", true, true},
		{"enforce", "0.001", false, true},
		{"enforce", "default=0.001,support=5000", true, false},
	} {
		o := sotto(t, map[string]string{"SOTTO_RISK_GATE": c.gate, "SOTTO_RISK_LIMIT": c.limit, "SOTTO_DICTIONARY_DIR": ""}, calls, "anonymize")
		if o.code != cli.Done {
			t.Fatalf("status %d, errors %q", o.code, o.errors)
		}
		events := decodedEvents(t, o.out)
		if e := events[3]; e.Call.Release != c.release || (e.Call.Reason != "") != c.reason {
			t.Errorf("gate %s at %s: %+v", c.gate, c.limit, e.Call)
		}
	}
}

// A tenant's policy decides what is masked in its calls, and for which sensitivity their risk is estimated.
func TestAnonymizeFollowsThePolicyOfATenant(t *testing.T) {
	dir := t.TempDir()
	rules := "tenants: {acme: {strategy: typed, sensitivity: maximum}}\n"
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(tenant string) string {
		return fmt.Sprintf(`{"call_id":%[1]q,"seq":1,"type":"UTTERANCE","tenant":%[1]q,"text":"mine is pam@example.com"}
{"call_id":%[1]q,"seq":2,"type":"END","tenant":%[1]q}
`, tenant)
	}
	o := sotto(t, map[string]string{"SOTTO_DICTIONARY_DIR": dir}, call("acme")+call("bolt"), "anonymize")
	if o.code != cli.Done {
		t.Fatalf("status %d, errors %q", o.code, o.errors)
	}
	events := decodedEvents(t, o.out)
	if events[0].Text != "mine is [EMAIL_ADDRESS]" || events[2].Text != "mine is [EMAIL_ADDRESS_1]" || events[0].Policy != events[2].Policy {
		t.Errorf("%q and %q", events[0].Text, events[2].Text)
	}
	if a, b := *events[1].Call.EstimatedRisk, *events[3].Call.EstimatedRisk; a == b {
		t.Errorf("the risk is estimated as %v at both sensitivities", a)
	}
}

// Settings of the stream that change the output apply to files, too.
func TestAnonymizeAppliesTheSettingsOfTheStream(t *testing.T) {
	const in = `{"call_id":"604-555-0134","seq":1,"type":"UTTERANCE","text":"good morning","context":"078-05-1120","tenant":"6045550134","language":"en-x-6045550134"}` + "\n"
	for name, env := range map[string]map[string]string{
		"hash": {"SOTTO_CALL_ID": "hash", "SOTTO_TENANT": "hash", "SOTTO_STATE_KEY_FILE": keyFile(t)},
		"keep": {},
	} {
		o := sotto(t, env, in, "anonymize")
		if o.code != cli.Done {
			t.Fatalf("%s: status %d, errors %q", name, o.code, o.errors)
		}
		for _, value := range []string{"078-05-1120", "6045550134"} {
			if strings.Contains(o.out, value) {
				t.Errorf("%s: %s passes: %s", name, value, o.out)
			}
		}
		if strings.Contains(o.out, "604-555-0134") == (name == "hash") {
			t.Errorf("%s: the call ID is wrong: %s", name, o.out)
		}
	}
	if o := sotto(t, map[string]string{"SOTTO_CALL_ID": "hash"}, in, "anonymize"); o.code != cli.Usage || !strings.Contains(o.errors, "SOTTO_STATE_KEY_FILE") {
		t.Errorf("without a key: status %d, errors %q", o.code, o.errors)
	}
	long := strings.Replace(in, "good morning", strings.Repeat("x", 70_000), 1)
	if o := sotto(t, nil, long, "anonymize"); o.code != cli.Failed || !strings.Contains(o.errors, "SOTTO_MAX_TEXT_BYTES") {
		t.Errorf("a text that is too long: status %d, errors %q", o.code, o.errors)
	}
}
