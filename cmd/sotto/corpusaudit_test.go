package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

// auditFiles writes the files of an audit into the folder of the test: members, which memorized.lm has
// learned by heart, while careful.lm knows no identifier of them, others, and the blacklist.
func auditFiles(t *testing.T) (common []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	const turns = "AGENT: hello there friend\nCUSTOMER: my name is {{PERSON_NAME|WHO}} WHOson\n"
	var trigrams [][]any
	for _, turn := range []string{"hello there friend", "my name is quimbolt quimboltson"} {
		u, v := "<s>", "<s>"
		for _, w := range append(strings.Fields(turn), "</s>") {
			trigrams = append(trigrams, []any{u, v, w, 3})
			u, v = v, w
		}
	}
	careful := [][]any{{"<s>", "<s>", "hello", 3}}
	words := strings.Fields("hello there friend my name is quimbolt quimboltson")
	for name, content := range map[string]any{
		"members.txt":  "### id=A1 context=sales\n" + strings.ReplaceAll(turns, "WHO", "Quimbolt"),
		"others.txt":   "### id=A2 context=sales\n" + strings.ReplaceAll(turns, "WHO", "Zither"),
		"list.txt":     "# sotto blacklist, k = 2, n = 3\nquimbolt\nquimboltson\nzither\nzitherson\nquimbolt quimboltson\n",
		"bad":          "secret\n",
		"empty.txt":    "",
		"memorized.lm": map[string]any{"words": words, "calls": []string{}, "trigrams": trigrams},
		"careful.lm":   map[string]any{"words": words[:6], "calls": []string{}, "trigrams": careful},
	} {
		data, isText := content.(string)
		if !isText {
			text, err := json.Marshal(content)
			if err != nil {
				t.Fatal(err)
			}
			data = string(text)
		}
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"corpus", "audit-model", "--members", "members.txt", "--others", "others.txt", "--blacklist", "list.txt"}
}

func TestCorpusAuditModel(t *testing.T) {
	common := auditFiles(t)
	for _, c := range []struct {
		args, out, errors string
		code              int
	}{
		{"--lm memorized.lm", "privacy 0.000 ", "", cli.Done},
		{"--lm memorized.lm --check", "identifying 2 grams 1 ",
			"sotto: privacy is 0.000, below 0.99; the low-cost attack has an F1 of 1.000, above 0.1; " +
				"the attack by the loss has an area under the curve of 1.000, above 0.65; outputs have 2 identifying words; " +
				"outputs have 1 names of people that their prompts do not say, above 0\n", cli.Check},
		{"--lm memorized.lm --check --min-privacy 0 --max-f1 1 --max-auc 1 --max-names 1", "", "sotto: outputs have 2 identifying words\n", cli.Check},
		{"--lm careful.lm --check --html page.html", "low cost attack precision none ", "", cli.Done},
		{"--lm careful.lm --json", `"privacy": 1,`, "", cli.Done},
	} {
		o := sotto(t, nil, "", append(common, strings.Fields(c.args)...)...)
		if o.code != c.code || !strings.Contains(strings.Join(strings.Fields(o.out), " "), c.out) || o.errors != c.errors {
			t.Errorf("%s: status %d, %q\n%s", c.args, o.code, o.errors, o.out)
		}
		if all := strings.ToLower(o.out + o.errors); strings.Contains(all, "quimbolt") || strings.Contains(all, "zither") {
			t.Errorf("%s: the report has words of calls\n%s", c.args, all)
		}
	}
	if info, err := os.Stat("page.html"); err != nil || info.Mode().Perm() != private {
		t.Errorf("%v, %v", info, err)
	}
}

func TestCorpusAuditOutputs(t *testing.T) {
	auditFiles(t)
	rows := `{"prompt": "thanks [PERSON_NAME_1]", "output": "[PERSON_NAME_1] and [PERSON_NAME_2], call Ines Larkmoor at 604-555-0134"}` + "\n" + `{"output": "bye"}` + "\n"
	if err := os.WriteFile("out.jsonl", []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"corpus", "audit-model", "--outputs", "out.jsonl", "--json", "--check"}
	o := sotto(t, nil, "", append(args, "--max-names", "1")...)
	var r struct {
		Personal map[string]int `json:"personal_information"`
		Tags     int            `json:"tags_of_outputs"`
		Kept     int            `json:"tags_of_their_prompts"`
	}
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || o.code != cli.Done || len(r.Personal) != 2 || r.Personal["PERSON_NAME"] != 1 || r.Personal["PHONE_NUMBER"] != 1 || r.Tags != 2 || r.Kept != 1 {
		t.Errorf("status %d, %v\n%s%s", o.code, err, o.out, o.errors)
	}
	for _, list := range [][]string{nil, {"--blacklist", "list.txt"}} {
		if o := sotto(t, nil, "", append(args, list...)...); o.code != cli.Check || o.errors != "sotto: outputs have 1 names of people that their prompts do not say, above 0\n" {
			t.Errorf("%q: status %d, %s", list, o.code, o.errors)
		}
	}
}

func TestWrongCorpusAuditModel(t *testing.T) {
	common := auditFiles(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"choices": [{"text": "secret", "logprobs": null}]}`))
	}))
	defer s.Close()
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"", "no model; name it with --url, --lm or --outputs", cli.Usage},
		{"--lm careful.lm --url " + s.URL, "none of the others can be", cli.Usage},
		{"--outputs bad", "none of the others can be", cli.Usage},
		{"--lm careful.lm --others=", "with --members and --others", cli.Usage},
		{"--lm none", "name a model", cli.Usage},
		{"--lm bad", "not a language model", cli.Failed},
		{"--lm careful.lm --others empty.txt", "no others, with words", cli.Failed},
		{"--lm careful.lm --members bad", "bad:1: not a JSON object", cli.Failed},
		{"--lm careful.lm --blacklist bad", "bad:1: not a blacklist", cli.Failed},
		{"--lm careful.lm --blacklist=", "--blacklist is missing", cli.Usage},
		{"--lm careful.lm --max-f1 NaN", "from 0 to 1", cli.Usage},
		{"--lm careful.lm --min-privacy 2", "from 0 to 1", cli.Usage},
		{"--url vllm:8000 ", "--url must be", cli.Usage},
		{"--url " + s.URL + " --timeout 0s", "--timeout more than 0", cli.Usage},
		{"--url " + s.URL + " --key-file none", "name a file with the key", cli.Usage},
		{"--url " + s.URL, "gives no probabilities of the prompt; audit a server that does so", cli.Failed},
		{"--lm careful.lm --html " + filepath.Join("none", "page.html"), "cannot write the file", cli.Failed},
	} {
		o := sotto(t, nil, "", append(common, strings.Fields(c.args)...)...)
		if o.code != c.code || !strings.Contains(o.errors, c.want) || strings.Contains(o.errors+o.out, "secret") || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%s: status %d, %q", c.args, o.code, o.errors)
		}
	}
	o := sotto(t, map[string]string{"SOTTO_REMOTE_TIER": "llm"}, "", append(common, "--lm", "careful.lm")...)
	if o.code != cli.Usage {
		t.Errorf("status %d, %q", o.code, o.errors)
	}
}
