package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"sotto/cmd/internal/cli"
)

// chatServer answers that every customer is called Quimbolt, and counts.
func chatServer(t *testing.T, asked *atomic.Int32) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Messages []struct{ Content string } }
		_ = json.NewDecoder(r.Body).Decode(&q)
		if asked.Add(1); r.Header.Get("Authorization") != "Bearer hush" || len(q.Messages) != 2 || strings.Contains(q.Messages[1].Content, "Henrietta") {
			t.Errorf("the request is %q", q)
		}
		answer := `{"speakers": [{"speaker": "customer", "name": "Quimbolt", "evidence": [{"about": "name", "quote": "thank you"}]}], "tags": [], "same_person": ""}`
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": answer}, "finish_reason": "stop"}}})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

const adversaryCalls = "### id=A1 context=sales\nAGENT: hello\nCUSTOMER: my name is {{PERSON_NAME|Henrietta Oakes}}, thank you\n" +
	"\n### id=A2 context=sales\nAGENT: hello\nCUSTOMER: thank you\n"

func TestRiskAdversary(t *testing.T) {
	t.Chdir(t.TempDir())
	var asked atomic.Int32
	url := chatServer(t, &asked)
	calls := write(t, "calls.txt", adversaryCalls)
	truth := write(t, "truth.jsonl", `{"id": "A1", "speakers": {"customer": {"name": ["Quimbolt"]}}}`)
	environ := map[string]string{"SOTTO_REMOTE_TOKEN_FILE": write(t, "key", "hush\n")}
	args := []string{"risk", "--adversary", url, "--model", "m", "--anonymize", "--truth", truth, "--results", "answers", calls}
	o := sotto(t, environ, "", append(args, "--check")...)
	if o.code != cli.Done || !strings.Contains(o.out, "2 calls, 4 requests to make, about ") || !strings.Contains(o.out, "the server answers") || asked.Load() != 1 {
		t.Fatalf("asked %d, status %d, %s%s", asked.Load(), o.code, o.out, o.errors)
	}
	if o = sotto(t, environ, "", append(args, "--max-requests", "1", "--concurrency", "1")...); o.code != cli.Failed || !strings.Contains(o.errors, "to go on") || asked.Load() != 2 {
		t.Errorf("asked %d, status %d, %s", asked.Load(), o.code, o.errors)
	}
	o = sotto(t, environ, "", append(args, "--json", "--html", "page.html")...)
	var r struct {
		Complete bool
		Model    []struct {
			About               string
			Known, Right, Shown int
			Beyond              int
		}
	}
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || o.code != cli.Done || !r.Complete || asked.Load() != 5 {
		t.Fatalf("asked %d, %v: %s%s", asked.Load(), err, o.out, o.errors)
	}
	for _, row := range r.Model {
		if row.About == "name" && (row.Known != 1 || row.Right != 1 || row.Shown != 1 || row.Beyond != 1) {
			t.Errorf("%+v", row)
		}
	}
	page, err := os.ReadFile("page.html")
	if info, stat := os.Stat("page.html"); err != nil || stat != nil || info.Mode().Perm() != private || !strings.Contains(string(page), "<mark>thank you") {
		t.Errorf("%v\n%s", err, page)
	}
	// Everything is known, so the server is not asked again.
	if o = sotto(t, environ, "", args...); o.code != cli.Done || asked.Load() != 5 || strings.Contains(o.out, "Quimbolt") {
		t.Errorf("asked %d, %s%s", asked.Load(), o.out, o.errors)
	}
	if o = sotto(t, nil, "", "risk", "--adversary", "none", "--anonymize", calls); o.code != cli.Done || asked.Load() != 5 || !strings.Contains(o.out, "guessed tags") {
		t.Errorf("%s%s", o.out, o.errors)
	}
}

func TestRiskAdversaryWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	raw := write(t, "calls.txt", adversaryCalls)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--adversary http://models.example/v1 --model m --results r", cli.Usage, "with https or on this machine"},
		{"--adversary ftp://localhost --model m --results r", cli.Usage, "with https or on this machine"},
		{"--adversary https://a:b@models.example --model m --results r", cli.Usage, "with https or on this machine"},
		{"--adversary http://localhost.models.example --model m --results r", cli.Usage, "with https or on this machine"},
		{"--adversary http://127.0.0.1:1 --results r", cli.Usage, "needs --model"},
		{"--adversary http://127.0.0.1:1 --model m --results r --max-requests 0", cli.Usage, "more than 0"},
		{"--adversary http://127.0.0.1:1 --model m --results r", cli.Failed, "is not the work of an engine"},
		{"--adversary http://127.0.0.1:1 --model m --results r --raw-text --key-file none", cli.Usage, "name a file with the key"},
		{"--adversary http://127.0.0.1:1 --model m --results r --raw-text --truth none", cli.Usage, "known facts"},
		{"--adversary http://127.0.0.1:1 --model m --results " + raw + " --raw-text", cli.Failed, "another file with --results"},
	} {
		o := sotto(t, nil, "", append(append([]string{"risk"}, strings.Fields(c.args)...), raw)...)
		if o.code != c.code || !strings.Contains(o.errors, c.want) || strings.Contains(o.errors, "Henrietta") {
			t.Errorf("%s: status %d, %q", c.args, o.code, o.errors)
		}
	}
	if data, _ := os.ReadFile(raw); string(data) != adversaryCalls {
		t.Error("a file of calls was changed")
	}
}

// Clean events are what the command is for.
func TestRiskAdversaryReadsCleanEvents(t *testing.T) {
	t.Chdir(t.TempDir())
	var asked atomic.Int32
	url := chatServer(t, &asked)
	clean := sotto(t, nil, "", "anonymize", write(t, "calls.jsonl", `{"call_id":"c","seq":1,"type":"UTTERANCE","speaker":{"id":"x","role":"CUSTOMER"},"text":"my name is Henrietta Oakes, thank you"}`+"\n")).out
	key := write(t, "key", "hush\n")
	o := sotto(t, nil, "", "risk", "--adversary", url, "--model", "m", "--key-file", key, "--results", "answers", write(t, "clean.jsonl", clean))
	if o.code != cli.Done || asked.Load() != 1 {
		t.Errorf("asked %d, status %d, %s%s", asked.Load(), o.code, o.out, o.errors)
	}
}
