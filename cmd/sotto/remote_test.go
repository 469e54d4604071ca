package main

import (
	"encoding/json"
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

// newAnalyzer is a service like Presidio. It finds one name, unless answer takes over.
func newAnalyzer(t *testing.T, answer http.HandlerFunc) map[string]string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A server notices that a client has gone when it has read the request.
		var asked struct{ Text string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		if answer != nil {
			answer(w, r)
			return
		}
		found := []any{}
		if at := strings.Index(asked.Text, analyzerKnows); at >= 0 {
			found = append(found, map[string]any{"entity_type": "PERSON", "start": at, "end": at + len(analyzerKnows), "score": 0.9})
		}
		_ = json.NewEncoder(w).Encode(found)
	}))
	t.Cleanup(server.Close)
	return map[string]string{
		"SOTTO_REMOTE_TIER": "presidio", "SOTTO_REMOTE_CONSENT": "raw-text-leaves-the-process", "SOTTO_REMOTE_URL": server.URL,
		"SOTTO_REMOTE_DEADLINE": "100ms", "SOTTO_REMOTE_REQUESTS_PER_MINUTE": "100000",
	}
}

const (
	remoteText  = "Ann: take the " + analyzerKnows + " with you\nBob: hello there\n"
	remoteEvent = `{"call_id":"c","seq":1,"type":"UTTERANCE","text":"take the ` + analyzerKnows + ` with you"}` + "\n"
	remoteGold  = `{"id":"g","utterances":[{"speaker":"customer","text":"take the ` + analyzerKnows + ` with you","entities":[{"start":9,"end":23,"type":"PERSON_NAME"}]}]}` + "\n"
)

func TestFilesAreAnonymizedWithARemoteTier(t *testing.T) {
	environ := newAnalyzer(t, nil)
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
			t.Fatalf("%s: the local tiers find it: %s", name, local.out)
		}
		if r.code != cli.Done || strings.Contains(r.out, analyzerKnows) || !strings.Contains(r.out, "[PERSON_NAME_") {
			t.Errorf("%s: status %d\n%s%s", name, r.code, r.out, r.errors)
		}
		if !strings.Contains(r.errors, "raw text is sent to the remote detection tier presidio") || !strings.Contains(r.errors, "requests (0 failed)") {
			t.Errorf("%s: %s", name, r.errors)
		}
		if name == "events" && !strings.Contains(r.out, `"tiers":["local","presidio"]`) {
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
	if local, remote := recall(nil), recall(newAnalyzer(t, nil)); local != 0 || remote != 1 {
		t.Errorf("recall %v without the tier and %v with it", local, remote)
	}
	doubtful := newAnalyzer(t, nil)
	doubtful["SOTTO_REMOTE_MIN_DOUBT"] = "1"
	if r := recall(doubtful); r != 0 {
		t.Errorf("recall %v although nothing is doubtful enough to be sent", r)
	}
}

// A tier that does not answer, or not usefully: nothing is written, or the local tiers decide alone.
func TestFilesWithoutAnAnswerOfTheRemoteTier(t *testing.T) {
	hello := func(answer http.HandlerFunc) http.HandlerFunc {
		first := true // the question at the start
		return func(w http.ResponseWriter, r *http.Request) {
			if first {
				first = false
				_, _ = w.Write([]byte("[]"))
				return
			}
			answer(w, r)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		tier   string
	}{
		"hangs":   {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "presidio:unavailable"},
		"429":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, "presidio:unavailable"},
		"garbage": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "presidio:refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in, out := filepath.Join(dir, "call.txt"), filepath.Join(dir, "clean.txt")
			if err := os.WriteFile(in, []byte(remoteText), 0o600); err != nil {
				t.Fatal(err)
			}
			environ := newAnalyzer(t, hello(c.answer))
			if r := sotto(t, environ, "", "anonymize", in, "-o", out); r.code != cli.Failed || !strings.Contains(r.errors, "SOTTO_REMOTE_OUTAGE") || strings.Contains(r.errors, analyzerKnows) {
				t.Errorf("a file: status %d: %s", r.code, r.errors)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("a file is written without an answer")
			}
			if r := sotto(t, newAnalyzer(t, hello(c.answer)), remoteEvent, "anonymize"); r.code != cli.Failed || r.out != "" {
				t.Errorf("events: status %d: %s%s", r.code, r.out, r.errors)
			}
			environ = newAnalyzer(t, hello(c.answer))
			environ["SOTTO_REMOTE_OUTAGE"] = "continue"
			if r := sotto(t, environ, remoteEvent, "anonymize"); r.code != cli.Done || !strings.Contains(r.out, `"tiers":["local","`+c.tier+`"]`) {
				t.Errorf("with continue: status %d: %s%s", r.code, r.out, r.errors)
			}
		})
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
