package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// allocated returns how many bytes a function allocates in all.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// manySpans is a request that replaces every other letter of a text by the same long value.
func manySpans(spans int, operator map[string]any) string {
	var results []any
	for i := range spans {
		results = append(results, map[string]any{"start": 2 * i, "end": 2*i + 1, "score": 1, "entity_type": "X"})
	}
	return body(map[string]any{"text": strings.Repeat("ab", spans), "analyzer_results": results, "anonymizers": map[string]any{"DEFAULT": operator}})
}

// A long value that replaces many spans is refused before the response is built: the request has
// 1.3 MB, and the response would have 6 GB.
func TestAReplacementThatIsRepeated(t *testing.T) {
	r := start(t)
	request := manySpans(20_000, map[string]any{"type": "replace", "new_value": strings.Repeat("x", 150_000)})
	took := allocated(func() { r.post("/anonymize", request, http.StatusRequestEntityTooLarge, nil) })
	if took > 256<<20 {
		t.Errorf("the request allocated %d MiB", took>>20)
	}
}

// recognizers is a request with ad hoc patterns.
func recognizers(text string, patterns ...string) string {
	var all []any
	for _, p := range patterns {
		all = append(all, map[string]any{"name": "n", "regex": p, "score": 1})
	}
	return body(map[string]any{"text": text, "language": "en", "entities": []string{"X"},
		"ad_hoc_recognizers": []any{map[string]any{"supported_entity": "X", "patterns": all}}})
}

// What patterns take is bounded before they are compiled: these hundred have 1 MB, and would take
// gigabytes.
func TestPatternsAreBounded(t *testing.T) {
	r := start(t)
	many := make([]string, 100)
	for name, pattern := range map[string]string{
		"repetitions": strings.Repeat("(?:[a-c]|[d-f]){1000}", 190),
		"groups":      strings.Repeat("()", 2000),
		"classes":     strings.Repeat(`\pL`, 1000),
	} {
		for i := range many {
			many[i] = pattern
		}
		took := allocated(func() { r.post("/analyze", recognizers("hello", many...), http.StatusUnprocessableEntity, nil) })
		if took > 128<<20 {
			t.Errorf("%s: the request allocated %d MiB", name, took>>20)
		}
	}
	r.post("/analyze", recognizers("hello", `[\w.+-]+@[\w-]+(\.[\w-]+)+`, `(?:\d{4}[ -]?){3}\d{4}`, `\p{Lu}\p{Ll}{1,100}`), http.StatusOK, nil)
}

// A pattern that matches everywhere makes many results of a small request.
func TestResultsAreBounded(t *testing.T) {
	r := start(t)
	patterns := make([]string, 100)
	for i := range patterns {
		patterns[i] = "a"
	}
	took := allocated(func() {
		r.post("/analyze", recognizers(strings.Repeat("a ", 30_000), patterns...), http.StatusRequestEntityTooLarge, nil)
	})
	if took > 512<<20 {
		t.Errorf("the request allocated %d MiB", took>>20)
	}
}

// slowSearch takes minutes: each of the matches is looked for up to the end of the text.
func slowSearch() string { return recognizers(strings.Repeat("a", 60_000), "(?:a{1,200}){1,5}b|a") }

// A long salt is hashed once, not once for each span.
func TestALongSalt(t *testing.T) {
	set := settings(t)
	set.ServeTimeout = 5 * time.Second
	r := startWith(t, set)
	r.post("/anonymize", manySpans(20_000, map[string]any{"type": "hash", "salt": strings.Repeat("x", 4<<20)}), http.StatusOK, nil)
}

// The work ends with the time of the request.
func TestTheTimeoutEndsTheWork(t *testing.T) {
	set := settings(t)
	set.ServeTimeout = time.Second
	r := startWith(t, set)
	began := time.Now()
	r.post("/analyze", slowSearch(), http.StatusServiceUnavailable, nil)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the answer took %s", took)
	}
	r.idle(5 * time.Second)
}

// The work also ends when the client hangs up.
func TestHangingUpEndsTheWork(t *testing.T) {
	r := start(t)
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if resp, err := http.DefaultClient.Do(r.request("POST", "/analyze", "application/json", slowSearch()).WithContext(ctx)); err == nil {
			resp.Body.Close()
			t.Errorf("status %d", resp.StatusCode)
		}
	}()
	for len(r.server.large.slots) == 0 {
		time.Sleep(time.Millisecond)
	}
	hangUp()
	<-done
	r.idle(5 * time.Second)
}

// idle fails if the service still works after a time.
func (r *rig) idle(within time.Duration) {
	r.t.Helper()
	all := memoryPerBody * int64(r.server.settings.ServeMaxBody)
	for deadline := time.Now().Add(within); len(r.server.large.slots) > 0 || !r.server.memory.TryAcquire(all); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatal("the service works for nobody")
		}
	}
	r.server.memory.Release(all)
}

// Clients that do not send the rest of their bodies neither keep others waiting nor stay.
func TestSlowBodies(t *testing.T) {
	r := start(t)
	var conns []net.Conn
	for range 500 {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, "POST /v1/anonymize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		conns = append(conns, c)
	}
	began := time.Now()
	r.post("/v1/anonymize", `{"text":"hello"}`, http.StatusOK, nil)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the answer took %s", took)
	}
	_ = conns[0].SetReadDeadline(time.Now().Add(3 * bodyPatience))
	answer, err := io.ReadAll(conns[0])
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
		t.Errorf("a slow client gets %q, %v", answer, err)
	}
}

// A page of another site may not use the service, in whatever way a browser lets it.
func TestForeignOrigins(t *testing.T) {
	r := start(t)
	r.post("/v1/calls/c/utterances", say("hello"), http.StatusOK, nil)
	const form = "--b\r\nContent-Disposition: form-data; name=f; filename=a.txt\r\n\r\nhello\r\n--b--\r\n"
	for _, header := range []string{"Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"} {
		name, value, _ := strings.Cut(header, ": ")
		for path, kind := range map[string]string{"/v1/files": "multipart/form-data; boundary=b", "/v1/calls/c/end": "text/plain", "/v1/anonymize": "application/json",
			"/anonymize": "application/json", "/analyze": "application/json", "/nowhere": "text/plain"} {
			req := r.request("POST", path, kind, form)
			req.Header.Set(name, value)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s, %s: status %d", path, header, resp.StatusCode)
			}
		}
	}
	r.post("/v1/calls/c/utterances", `{"utterances":[{"text":"hello"}],"continue":true}`, http.StatusOK, nil)
	own := r.request("POST", "/v1/files", "multipart/form-data; boundary=b", form)
	own.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := http.DefaultClient.Do(own)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("a page of its own origin: status %d", resp.StatusCode)
	}
}

// A token file that is not valid does not keep a changed authority from taking effect.
func TestReloadsAreIndependent(t *testing.T) {
	caFile, _, ca := certificate(t, "ca", nil)
	otherFile, _, _ := certificate(t, "other", nil)
	certFile, keyFile, _ := certificate(t, "server", &ca)
	tokens := writeFile(t, "tokens", "first-token-0123456789\n")
	set := settings(t, "SERVE_TOKEN_FILE="+tokens, "SERVE_TLS_CERT_FILE="+certFile, "SERVE_TLS_KEY_FILE="+keyFile, "SERVE_TLS_CLIENT_CA_FILE="+caFile)
	set.Reload = time.Millisecond
	server, err := New(set, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() { defer close(watched); server.watch(ctx, server.settings.Reload, server.reloaded) }()
	defer func() { stop(); <-watched }()
	time.Sleep(50 * time.Millisecond) // until it knows the files as they were
	current := func() *tls.Config {
		c, err := server.auth.certificates.TLS().GetConfigForClient(nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	before := current()
	other, err := os.ReadFile(otherFile)
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{tokens: nil, caFile: other} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(5 * time.Second); current().ClientCAs.Equal(before.ClientCAs); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the changed authority has no effect")
		}
	}
	req, _ := http.NewRequest("GET", "/", nil)
	req.Header.Set("Authorization", "Bearer first-token-0123456789")
	if !server.auth.allows(req) {
		t.Error("the earlier tokens are gone")
	}
}
