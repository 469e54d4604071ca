package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

// analyzerKnows is a name that only the analyzer finds.
const analyzerKnows = "green umbrella"

// remoteTiers are those whose services a test can be.
var remoteTiers = []string{"presidio", "llm"}

// newService is a service of a tier. It finds one name, unless answer takes over.
func newService(t *testing.T, tier string, answer http.HandlerFunc) map[string]string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A server notices that a client has gone when it has read the request.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if answer != nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
			answer(w, r)
			return
		}
		_, _ = io.WriteString(w, serviceAnswer(t, tier, body))
	}))
	t.Cleanup(server.Close)
	deadline := "4s"
	if answer != nil {
		deadline = "100ms"
	}
	return map[string]string{
		"SOTTO_REMOTE_TIER": tier, "SOTTO_REMOTE_CONSENT": "raw-text-leaves-the-process", "SOTTO_REMOTE_URL": server.URL,
		"SOTTO_REMOTE_MODEL": "tiny", "SOTTO_REMOTE_DEADLINE": deadline, "SOTTO_REMOTE_REQUESTS_PER_MINUTE": "100000",
	}
}

// serviceAnswer is what the service of a tier answers to a request.
func serviceAnswer(t *testing.T, tier string, body []byte) string {
	var asked struct {
		Text     string
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		t.Error(err)
	}
	if tier == "llm" {
		if len(asked.Messages) == 2 && strings.Contains(asked.Messages[1].Content, analyzerKnows) {
			return completion(`{"spans": [{"quote": "` + analyzerKnows + `", "type": "PERSON_NAME"}]}`)
		}
		return completion(`{"spans": []}`)
	}
	if at := strings.Index(asked.Text, analyzerKnows); at >= 0 {
		return fmt.Sprintf(`[{"entity_type": "PERSON", "start": %d, "end": %d, "score": 0.9}]`, at, at+len(analyzerKnows))
	}
	return "[]"
}

func completion(content string) string {
	return fmt.Sprintf(`{"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": %q}}]}`, content)
}

const (
	remoteText  = "Ann: take the " + analyzerKnows + " with you\nBob: hello there\n"
	remoteEvent = `{"call_id":"c","seq":1,"type":"UTTERANCE","text":"take the ` + analyzerKnows + ` with you"}` + "\n"
	remoteGold  = `{"id":"g","utterances":[{"speaker":"customer","text":"take the ` + analyzerKnows + ` with you","entities":[{"start":9,"end":23,"type":"PERSON_NAME"}]}]}` + "\n"
)

func TestFilesAreAnonymizedWithARemoteTier(t *testing.T) {
	for _, tier := range remoteTiers {
		t.Run(tier, func(t *testing.T) { anonymizeWith(t, tier) })
	}
}

func anonymizeWith(t *testing.T, tier string) {
	environ := newService(t, tier, nil)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "call.txt"), filepath.Join(dir, "clean.txt")
	if err := os.WriteFile(in, []byte(remoteText), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		stdin string
		args  []string
	}{
		"text":      {remoteText, []string{"anonymize", "--text"}},
		"explained": {remoteText, []string{"anonymize", "--text", "--explain"}},
		"events":    {remoteEvent, []string{"anonymize"}},
		"a file":    {"", []string{"anonymize", in, "-o", out}},
	} {
		local := sotto(t, nil, c.stdin, c.args...)
		r := sotto(t, environ, c.stdin, c.args...)
		if name == "a file" {
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			r.out, local.out = string(text), analyzerKnows
		}
		if !strings.Contains(local.out, analyzerKnows) {
			t.Fatalf("%s: the local tier finds it: %s", name, local.out)
		}
		if r.code != cli.Done || strings.Contains(r.out, analyzerKnows) || !strings.Contains(r.out, "[PERSON_NAME_") {
			t.Errorf("%s: status %d\n%s%s", name, r.code, r.out, r.errors)
		}
		if !strings.Contains(r.errors, "raw text is sent to the remote detection tier "+tier) || !strings.Contains(r.errors, "requests (0 failed)") {
			t.Errorf("%s: %s", name, r.errors)
		}
		if name == "events" && !strings.Contains(r.out, `"tiers":["local","`+tier+`"]`) {
			t.Errorf("the event does not say who looked at it: %s", r.out)
		}
	}
}

func TestEvalMeasuresARemoteTier(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gold.jsonl")
	if err := os.WriteFile(file, []byte(remoteGold), 0o600); err != nil {
		t.Fatal(err)
	}
	recall := func(environ map[string]string) float64 {
		o := sotto(t, environ, "", "eval", "--gold", file, "--json")
		var result struct {
			RecallChars float64 `json:"recall_chars"`
		}
		if o.code != cli.Done || json.Unmarshal([]byte(o.out), &result) != nil {
			t.Fatalf("status %d: %s%s", o.code, o.out, o.errors)
		}
		return result.RecallChars
	}
	for _, tier := range remoteTiers {
		if local, remote := recall(nil), recall(newService(t, tier, nil)); local != 0 || remote != 1 {
			t.Errorf("recall %v without the tier %s and %v with it", local, tier, remote)
		}
	}
	doubtful := newService(t, "presidio", nil)
	doubtful["SOTTO_REMOTE_MIN_DOUBT"] = "1"
	if r := recall(doubtful); r != 0 {
		t.Errorf("recall %v although nothing is doubtful enough to be sent", r)
	}
}

// A tier that does not answer, or not usefully: nothing is written, or the local tier decides alone.
func TestFilesWithoutAnAnswerOfTheRemoteTier(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		how    string
	}{
		"hangs":   {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "unavailable"},
		"429":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, "unavailable"},
		"garbage": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "refused"},
	} {
		for _, tier := range remoteTiers {
			t.Run(tier+" "+name, func(t *testing.T) {
				t.Parallel()
				withoutAnAnswer(t, tier, c.answer, c.how)
			})
		}
	}
}

func withoutAnAnswer(t *testing.T, tier string, answer http.HandlerFunc, how string) {
	hello := func() map[string]string {
		return newService(t, tier, func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); !bytes.Contains(body, []byte(analyzerKnows)) { // the question at the start
				_, _ = io.WriteString(w, map[string]string{"presidio": "[]", "llm": completion(`{"spans": []}`)}[tier])
				return
			}
			answer(w, r)
		})
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "call.txt"), filepath.Join(dir, "clean.txt")
	if err := os.WriteFile(in, []byte(remoteText), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := hello()
	if r := sotto(t, environ, "", "anonymize", in, "-o", out); r.code != cli.Failed || !strings.Contains(r.errors, "SOTTO_REMOTE_OUTAGE") || strings.Contains(r.errors, analyzerKnows) {
		t.Errorf("a file: status %d: %s", r.code, r.errors)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file is written without an answer")
	}
	if r := sotto(t, hello(), remoteEvent, "anonymize"); r.code != cli.Failed || r.out != "" {
		t.Errorf("events: status %d: %s%s", r.code, r.out, r.errors)
	}
	environ = hello()
	environ["SOTTO_REMOTE_OUTAGE"] = "continue"
	if r := sotto(t, environ, remoteEvent, "anonymize"); r.code != cli.Done || !strings.Contains(r.out, `"tiers":["local","`+tier+":"+how+`"]`) {
		t.Errorf("with continue: status %d: %s%s", r.code, r.out, r.errors)
	}
}

// A command that does not ask the tier does not run as if it did.
func TestCommandsThatDoNotAskRemoteTiersRefuse(t *testing.T) {
	environ := map[string]string{"SOTTO_REMOTE_TIER": "presidio", "SOTTO_REMOTE_CONSENT": "raw-text-leaves-the-process", "SOTTO_REMOTE_URL": "http://127.0.0.1:1"}
	for _, args := range [][]string{{"serve"}, {"demo", "--calls", "1"}} {
		if r := sotto(t, environ, "Ann: hello\n", args...); r.code != cli.Usage || r.out != "" || !strings.Contains(r.errors, "unset SOTTO_REMOTE_TIER") {
			t.Errorf("%v: status %d, %q", args, r.code, r.errors)
		}
	}
}
