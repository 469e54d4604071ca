package presidio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/detectors"
	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
)

func TestPresidioFaults(t *testing.T) {
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the text went to another server") }))
	defer elsewhere.Close()
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   error
	}{
		"quota":         {answer(429, ""), remote.ErrUnavailable},
		"failure":       {answer(500, ""), remote.ErrUnavailable},
		"no access":     {answer(403, ""), remote.ErrUnavailable},
		"bad request":   {answer(400, `{"error": "x"}`), remote.ErrRefused},
		"too large":     {answer(413, ""), remote.ErrRefused},
		"redirect":      {http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect).ServeHTTP, remote.ErrUnavailable},
		"hangs":         {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }, remote.ErrUnavailable},
		"breaks off":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, remote.ErrUnavailable},
		"not JSON":      {answer(200, "<html>"), remote.ErrRefused},
		"not a list":    {answer(200, `{"a": 1}`), remote.ErrRefused},
		"null":          {answer(200, "null"), remote.ErrRefused},
		"no positions":  {answer(200, `[{"entity_type": "PERSON", "score": 1}]`), remote.ErrMalformed},
		"behind":        {answer(200, `[{"entity_type": "PERSON", "start": 4, "end": 6, "score": 1}]`), remote.ErrMalformed},
		"negative":      {answer(200, `[{"entity_type": "PERSON", "start": -1, "end": 2, "score": 1}]`), remote.ErrMalformed},
		"the other way": {answer(200, `[{"entity_type": "PERSON", "start": 3, "end": 1, "score": 1}]`), remote.ErrMalformed},
		"a fraction":    {answer(200, `[{"entity_type": "PERSON", "start": 0.5, "end": 1, "score": 1}]`), remote.ErrRefused},
		"too long":      {answer(200, "["+strings.Repeat(" ", client.MaxAnswer)+"]"), remote.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.handle)
			defer server.Close()
			deadline := 10 * time.Second
			if name == "hangs" {
				deadline = 200 * time.Millisecond
			}
			tier := remote.NewTier(New(server.URL), remote.Options{Types: remote.PresidioTypes(), Deadline: deadline})
			r := tier.Ask(t.Context(), []remote.Utterance{{Call: "a", Text: "Ann 😀"}})
			if !errors.Is(r[0].Err, c.want) || len(r[0].Findings) != 0 || strings.Contains(fmt.Sprint(r[0].Err), "Ann") {
				t.Errorf("got %+v, want %v", r[0], c.want)
			}
		})
	}
	tier := remote.NewTier(New("http://127.0.0.1:1"), remote.Options{Types: remote.PresidioTypes()})
	if r := tier.Ask(t.Context(), []remote.Utterance{{Call: "a", Text: "Ann"}}); !errors.Is(r[0].Err, remote.ErrUnavailable) {
		t.Errorf("nobody listens: %+v", r[0])
	}
}

func TestPresidioRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q map[string]string
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/base/analyze" || q["text"] != "call 😀 Ann" || q["language"] != "en" || len(q) != 2 {
			t.Errorf("%s %v (%v)", r.URL.Path, q, err)
		}
		fmt.Fprint(w, `[{"entity_type": "PERSON", "start": 7, "end": 10, "score": 0.85, "recognition_metadata": {}}]`)
	}))
	defer server.Close()
	tier := remote.NewTier(New(server.URL+"/base/"), remote.Options{Types: remote.PresidioTypes()})
	text := "call 😀 Ann"
	r := tier.Ask(t.Context(), []remote.Utterance{{Call: "a", Text: text}})
	if r[0].Err != nil || len(r[0].Findings) != 1 {
		t.Fatalf("got %+v", r[0])
	}
	if f := r[0].Findings[0]; text[f.Start:f.End] != "Ann" || f.Type != detectors.PersonName || f.Score != 0.85 {
		t.Errorf("got %+v", f)
	}
}

// startPresidio starts the real analyzer, with the recognizers that need no model.
func startPresidio(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(root, ".cache/presidio/bin/python")
	if _, err := os.Stat(python); err != nil || os.Getenv("SOTTO_TEST_PRESIDIO") == "" {
		t.Skip("the real Presidio is tested by 'make test-presidio', which installs it")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, python, filepath.Join(root, "hack/presidio/serve.py"), fmt.Sprint(port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	for range 600 {
		if resp, err := http.Get(url + "/health"); err == nil {
			resp.Body.Close()
			return url
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the analyzer did not start within a minute")
	return ""
}

func TestRealPresidio(t *testing.T) {
	tier := remote.NewTier(New(startPresidio(t)), remote.Options{Types: remote.PresidioTypes(), Deadline: 20 * time.Second, Batch: 1})
	texts := []struct{ text, want, infoType string }{
		{"mail ann@example.com today", "ann@example.com", "EMAIL_ADDRESS"},
		{"😀👩‍👩‍👧 e\u0301 \u200bmail ann@example.com 𝒜𝒷", "ann@example.com", "EMAIL_ADDRESS"},
		{"my card is 4532015112830366", "4532015112830366", "CREDIT_CARD_NUMBER"},
		{"the server is 192.168.17.23", "192.168.17.23", "IP_ADDRESS"},
		{"thank you very much", "", ""},
	}
	var utterances []remote.Utterance
	for _, c := range texts {
		utterances = append(utterances, remote.Utterance{Call: "a", Text: c.text})
	}
	for i, r := range tier.Ask(t.Context(), utterances) {
		c := texts[i]
		found := c.want == "" && len(r.Findings) == 0
		for _, f := range r.Findings {
			found = found || c.text[f.Start:f.End] == c.want && string(f.Type) == c.infoType
		}
		if r.Err != nil || !found {
			t.Errorf("%q: got %+v", c.text, r)
		}
	}
}
