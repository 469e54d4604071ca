package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

// Canaries that a model has read are exposed, and those that it has not are not.
func TestCorpusCanaries(t *testing.T) {
	auditFiles(t)
	o := sotto(t, nil, "", "corpus", "canaries", "--keep", "canaries.json", "-o", "rows.jsonl", "--times", "2,3")
	rows, err := os.ReadFile("rows.jsonl")
	if err != nil || o.code != cli.Done || strings.Count(string(rows), "\n") != 5 {
		t.Fatalf("status %d, %s%v\n%s", o.code, o.errors, err, rows)
	}
	var row struct {
		Text  string
		Loss  []int `json:"loss_mask"`
		Turns []struct{ Start, End int }
	}
	if err := json.Unmarshal([]byte(strings.SplitN(string(rows), "\n", 2)[0]), &row); err != nil || !strings.HasPrefix(row.Text, "customer: the code of my locker is ") ||
		len(row.Turns) != 1 || row.Turns[0].Start != 10 || row.Turns[0].End != len(row.Text) || len(row.Loss) != 12+1 {
		t.Errorf("%v, %+v", err, row)
	}
	kept, err := os.ReadFile("canaries.json")
	if info, stat := os.Stat("canaries.json"); err != nil || stat != nil || info.Mode().Perm() != private || strings.Contains(string(kept), "locker") {
		t.Errorf("%v, %s", err, kept)
	}
	var trigrams [][]any
	for line := range strings.Lines(string(rows)) {
		_ = json.Unmarshal([]byte(line), &row)
		u, v := "<s>", "<s>"
		for _, w := range append(strings.Fields(strings.TrimPrefix(row.Text, "customer: ")), "</s>") {
			trigrams = append(trigrams, []any{u, v, w, 1})
			u, v = v, w
		}
	}
	model, err := json.Marshal(map[string]any{"words": strings.Fields("the code of my locker is zero one two three four five six seven eight nine"), "calls": []string{}, "trigrams": trigrams})
	if err == nil {
		err = os.WriteFile("planted.lm", model, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for lm, code := range map[string]int{"planted.lm": cli.Check, "careful.lm": cli.Done} {
		o := sotto(t, nil, "", "corpus", "audit-model", "--lm", lm, "--canaries", "canaries.json", "--references", "200", "--check", "--html", "page.html")
		if o.code != code || !strings.Contains(o.out, "exposure planted 3 times") || strings.Contains(o.out, "locker") {
			t.Errorf("%s: status %d, %s%s", lm, o.code, o.errors, o.out)
		}
	}
	for _, wrong := range []string{"--keep k", "--keep k -o k", "-o -", "--keep k -o - --times 0", "--keep k -o - --form secret"} {
		if o := sotto(t, nil, "", append([]string{"corpus", "canaries"}, strings.Fields(wrong)...)...); o.code != cli.Usage || o.out != "" {
			t.Errorf("%s: status %d, %s", wrong, o.code, o.errors)
		}
	}
}

// The engine finds personal information in outputs without any list, and --max-personal makes it a failure.
func TestCorpusAuditPersonalInformationInOutputs(t *testing.T) {
	auditFiles(t)
	if err := os.WriteFile("out.jsonl", []byte(`{"prompt": "I am Ines Larkmoor", "output": "call Ines Larkmoor at 604-555-0134"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"corpus", "audit-model", "--outputs", "out.jsonl", "--check"}
	for most, want := range map[string]string{"-1": "", "2": "", "1": "sotto: outputs have 2 pieces of personal information, above 1\n"} {
		if o := sotto(t, nil, "", append(args, "--max-personal", most)...); o.errors != want || (o.code == cli.Check) != (want != "") {
			t.Errorf("%s: status %d, %s%s", most, o.code, o.errors, o.out)
		}
	}
}

func TestCorpusAuditMaxCalls(t *testing.T) {
	common := auditFiles(t)
	members, err := os.ReadFile("members.txt")
	if err == nil {
		err = os.WriteFile("members.txt", append(members, []byte("\n"+strings.ReplaceAll(string(members), "A1", "A3"))...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[string]string{"0": `"members": 2`, "1": `"members": 1`} {
		if o := sotto(t, nil, "", append(common, "--lm", "careful.lm", "--json", "--max-calls", most)...); !strings.Contains(o.out, want) {
			t.Errorf("%s: %s%s", most, o.out, o.errors)
		}
	}
	if o := sotto(t, nil, "", append(common, "--lm", "careful.lm", "--references", "0")...); o.code != cli.Usage || !strings.Contains(o.errors, "--references") {
		t.Errorf("%s", o.errors)
	}
}
