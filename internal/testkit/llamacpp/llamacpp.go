// Package llamacpp starts the server of llama.cpp for tests of its clients.
package llamacpp

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

// Start starts the server with a tiny model of random weights, and returns its URL. root is the path to the root of the repository.
// The test is skipped unless 'make test-llm' runs it, which installs the server.
func Start(t *testing.T, root string) string {
	t.Helper()
	root, err := filepath.Abs(root)
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
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if r, err := http.Get("http://" + address + "/health"); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return "http://" + address
			}
		}
	}
	t.Fatal("llama.cpp did not start within a minute")
	return ""
}
