package adversary

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/internal/testkit/loopback"
)

// A real server with a model of random weights: what it says is nonsense. The protocol holds, answers that cannot be
// read are none, and nothing that it quotes counts unless a call has it.
func TestRealLlamaCPP(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(root, ".cache/llm/bin/python")
	if _, err := os.Stat(python); err != nil || os.Getenv("SOTTO_TEST_LLM") == "" {
		t.Skip("the real llama.cpp is tested by 'make test-llm', which installs it")
	}
	address := loopback.FreeAddress(t)
	_, port, _ := strings.Cut(address, ":")
	c := exec.CommandContext(t.Context(), python, filepath.Join(root, "hack/llm/serve.py"), t.TempDir(), port) //nolint:gosec // our own script
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() })
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if r, err := http.Get("http://" + address + "/health"); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(end) {
			t.Fatal("llama.cpp did not start within a minute")
		}
	}
	o := options("http://" + address + "/v1")
	o.Concurrency = 1
	if err := Probe(t.Context(), o); err != nil {
		t.Error(err)
	}
	calls := planted[:2]
	answers, refused, err := Run(t.Context(), o, calls, journal(t, filepath.Join(t.TempDir(), "j")))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d answers could not be read", refused, 4)
	for i, a := range answers {
		for _, h := range a.Evidence {
			if text := []rune(calls[i].Utterances[h.Turn].Text); h.Start < 0 || h.End <= h.Start || h.End > len(text) {
				t.Errorf("a hint at %d to %d of %d", h.Start, h.End, len(text))
			}
		}
	}
}
