package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"sotto/internal/testkit/loopback"
)

// TestServeSurvivesHostileRequests sends every hostile request that is known at once to a service
// with 512 MiB of memory. It must survive, answer everybody else soon, and end no live call.
func TestServeSurvivesHostileRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	lasting := hostileTime(t)
	if lasting == 0 {
		lasting = 5 * time.Second
	}
	s := startLimited(t)
	ctx, stop := context.WithTimeout(t.Context(), lasting)
	defer stop()
	if status, answer := s.post(ctx, "/v1/calls/live/utterances", "application/json", []byte(utterance)); status != http.StatusOK {
		t.Fatalf("the live call: status %d: %s", status, answer)
	}
	var attackers sync.WaitGroup
	var statuses sync.Map
	for name, attack := range hostileRequests(t) {
		attackers.Go(func() {
			for ctx.Err() == nil {
				status, _ := s.post(ctx, attack.path, attack.kind, attack.body)
				n, _ := statuses.LoadOrStore(fmt.Sprintf("%s: %d", name, status), &atomic.Int64{})
				n.(*atomic.Int64).Add(1)
			}
		})
	}
	attackers.Go(func() { s.sendSlowly(ctx) })
	attackers.Go(func() { s.hangUp(ctx) })
	attackers.Go(func() { s.readNothing(ctx) })
	var took []time.Duration
	var mu sync.Mutex
	for range 2 {
		attackers.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				status, answer := s.post(ctx, "/v1/anonymize", "application/json", []byte(`{"text":"This is Ines Quimby."}`))
				if ctx.Err() != nil {
					return
				}
				if status != http.StatusOK {
					t.Errorf("another client: status %d: %s", status, answer)
				}
				status, answer = s.post(ctx, "/v1/calls/live/utterances", "application/json", []byte(utterance))
				if ctx.Err() == nil && (status != http.StatusOK || !strings.Contains(answer, `[PERSON_NAME_1]`)) {
					t.Errorf("the live call: status %d: %s", status, answer)
				}
				mu.Lock()
				took = append(took, time.Since(began)/2)
				mu.Unlock()
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	attackers.Wait()
	statuses.Range(func(key, n any) bool { t.Log(key, n.(*atomic.Int64).Load()); return true })
	if status, answer := s.post(t.Context(), "/v1/calls/live/end", "", nil); status != http.StatusOK || !strings.Contains(answer, `"new":false`) {
		t.Fatalf("the end of the live call: status %d: %s", status, answer)
	}
	slices.Sort(took)
	if len(took) == 0 {
		t.Fatal("nobody else got an answer")
	}
	p99 := took[len(took)*99/100]
	peak := s.peak()
	t.Logf("%d answers to others: median %s, 99th percentile %s; at most %d MiB resident", len(took), took[len(took)/2], p99, peak>>10)
	if peak > 512<<10 {
		t.Errorf("%d MiB were resident", peak>>10)
	}
	if p99 > time.Second {
		t.Errorf("the 99th percentile is %s", p99)
	}
}

// hostileTime is the duration in SOTTO_TEST_HOSTILE, which make test-hostile sets: for how long the requests come. A bomb at sotto
// anonymize gets a quarter of it. Without it, it is 0.
func hostileTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SOTTO_TEST_HOSTILE")
	if text == "" {
		return 0
	}
	lasting, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return lasting
}

const utterance = `{"utterances":[{"speaker":{"id":"s1"},"text":"This is Ines Quimby."}]}`

// limitedService is sotto serve in a process with little memory.
type limitedService struct {
	t    *testing.T
	addr string
	pid  int
}

func startLimited(t *testing.T) *limitedService {
	t.Helper()
	s := &limitedService{t: t, addr: loopback.FreeAddress(t)}
	// The shell's limit only protects the machine. It counts what the collector has given back, which a
	// container's limit does not, so the test compares the largest resident size.
	cmd := exec.Command("sh", "-c", `ulimit -s 512; ulimit -d 1048576; exec "$0" serve`, os.Args[0])
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "SOTTO_") }), envMain+"=1", "GOMEMLIMIT=320MiB", "GOTRACEBACK=none", "SOTTO_SERVE_ADDR="+s.addr, "SOTTO_SERVE_HEALTH_ADDR=off")
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.pid = cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		select {
		case err := <-ended:
			t.Errorf("the service ended: %v: %.400s", err, log.String())
		default:
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", s.addr); err == nil {
			c.Close()
			return s
		}
		if time.Now().After(deadline) {
			t.Fatal("the service does not start")
		}
	}
}

// peak returns the largest resident size of the process so far, in KiB.
func (s *limitedService) peak() int {
	s.t.Helper()
	kib, ok := resident(s.pid)
	if !ok {
		s.t.Fatal("the kernel does not say how large the process was")
	}
	return kib
}

// resident returns the largest resident size of a process so far, in KiB.
func resident(pid int) (kib int, ok bool) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // there is none after its end
	for line := range strings.Lines(string(status)) {
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib, true
		}
	}
	return 0, false
}

// post returns the status, 0 if there is no answer, and the first bytes of the body.
func (s *limitedService) post(ctx context.Context, path, kind string, body []byte) (status int, answer string) {
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+s.addr+path, bytes.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return 0, ""
	}
	req.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	start, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, string(start)
}

// sendSlowly keeps connections that send one byte of their body.
func (s *limitedService) sendSlowly(ctx context.Context) {
	var all []net.Conn
	for ctx.Err() == nil {
		for range 100 {
			if c, err := net.Dial("tcp", s.addr); err == nil {
				fmt.Fprint(c, "POST /v1/anonymize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 8000000\r\n\r\n{")
				all = append(all, c)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(4 * time.Second):
		}
	}
	for _, c := range all {
		c.Close()
	}
}

// hangUp sends what takes long, and does not wait for the answer.
func (s *limitedService) hangUp(ctx context.Context) {
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		s.post(short, "/analyze", "application/json", slowSearch)
		cancel()
	}
}

// readNothing asks for large answers and does not read them.
func (s *limitedService) readNothing(ctx context.Context) {
	body := object(map[string]any{"text": strings.Repeat("x", 4<<20), "analyzer_results": []any{}})
	var all []net.Conn
	for ctx.Err() == nil {
		if c, err := net.Dial("tcp", s.addr); err == nil {
			fmt.Fprintf(c, "POST /anonymize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			all = append(all, c)
		}
		time.Sleep(200 * time.Millisecond)
	}
	for _, c := range all {
		c.Close()
	}
}

var slowSearch = object(map[string]any{"text": strings.Repeat("a", 60_000), "language": "en", "entities": []string{"X"},
	"ad_hoc_recognizers": []any{map[string]any{"supported_entity": "X", "patterns": []any{map[string]any{"regex": "(?:a{1,200}){1,5}b|a", "score": 1}}}}})

func object(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

type hostileRequest struct {
	path, kind string
	body       []byte
}

// hostileRequests are requests that take much more than they have.
func hostileRequests(t *testing.T) map[string]hostileRequest {
	t.Helper()
	all := map[string]hostileRequest{}
	asJSON := func(name, path string, body []byte) { all[name] = hostileRequest{path, "application/json", body} }
	var spans, patterns []any
	for i := range 20_000 {
		spans = append(spans, map[string]any{"start": 2 * i, "end": 2*i + 1, "score": 1, "entity_type": "X"})
	}
	for range 100 {
		patterns = append(patterns, map[string]any{"regex": strings.Repeat("(?:[a-c]|[d-f]){1000}", 190), "score": 1})
	}
	replaced := func(operator map[string]any) []byte {
		return object(map[string]any{"text": strings.Repeat("ab", 20_000), "analyzer_results": spans, "anonymizers": map[string]any{"DEFAULT": operator}})
	}
	asJSON("a long replacement", "/anonymize", replaced(map[string]any{"type": "replace", "new_value": strings.Repeat("x", 150_000)}))
	asJSON("a long salt", "/anonymize", replaced(map[string]any{"type": "hash", "salt": strings.Repeat("x", 4<<20)}))
	asJSON("patterns", "/analyze", object(map[string]any{"text": "a", "language": "en",
		"ad_hoc_recognizers": []any{map[string]any{"supported_entity": "X", "patterns": patterns}}}))
	const large = 8<<20 - 4096
	asJSON("empty utterances", "/v1/anonymize", []byte(`{"utterances":[`+strings.Repeat("{},", large/3)+`{}]}`))
	asJSON("empty utterances of a call", "/v1/calls/hostile/utterances", []byte(`{"utterances":[`+strings.Repeat("{},", large/3)+`{}]}`))
	asJSON("empty spans", "/anonymize", []byte(`{"text":"a","analyzer_results":[`+strings.Repeat("{},", large/3)+`{}]}`))
	asJSON("empty texts", "/analyze", []byte(`{"language":"en","text":[`+strings.Repeat(`"",`, large/3)+`""]}`))
	const address = "a@b.co "
	dense := `{"text":"` + strings.Repeat(address, 65_000/len(address)) + `"},`
	asJSON("dense utterances", "/v1/anonymize", []byte(`{"utterances":[`+strings.Repeat(dense, large/len(dense)-1)+`{"text":"a"}]}`))
	asJSON("dense utterances of a call", "/v1/calls/dense/utterances", []byte(`{"utterances":[`+strings.Repeat(dense, large/len(dense)-1)+`{"text":"a"}]}`))
	file := func(name, path string, content []byte) {
		kind, body := inForm(t, path, content)
		all[name] = hostileRequest{"/v1/files", kind, body}
	}
	file("a Parquet file", "a.parquet", parquetBomb(t))
	file("short lines", "a.txt", bytes.Repeat([]byte("a\n"), large/2))
	file("empty cells", "a.csv", append([]byte("text,a\n"), bytes.Repeat([]byte(",\n"), large/2-8)...))
	file("many columns", "b.csv", append([]byte("text"), bytes.Repeat([]byte(","), large-8)...))
	file("an array", "a.json", []byte("["+strings.Repeat("1,", large/2-8)+"1]"))
	file("nested arrays", "b.json", []byte(strings.Repeat("[", large)))
	file("many captions", "a.vtt", append([]byte("WEBVTT\n\n"), bytes.Repeat([]byte("00:00.000 --> 00:01.000\na\n\n"), large/28)...))
	file("many elements", "a.ttml", []byte(`<tt><body><div>`+strings.Repeat("<p/>", large/4-64)+`</div></body></tt>`))
	file("many strings", "c.json", []byte(`[`+strings.Repeat(`"a",`, 499_000)+`"a"]`))
	file("many turns", "b.txt", bytes.Repeat([]byte("agent: my name is Ines Quimby\n"), 49_000))
	var events bytes.Buffer
	for i := range 99_000 {
		fmt.Fprintf(&events, `{"call_id":"c%d","seq":1,"type":"UTTERANCE","text":"a"}`+"\n", i)
	}
	file("events of many calls", "d.jsonl", events.Bytes())
	parts := strings.Repeat("--b\r\nContent-Disposition: form-data; name=f; filename=a\r\n\r\n\r\n", large/64)
	all["many files"] = hostileRequest{"/v1/files", "multipart/form-data; boundary=b", []byte(parts + "--b--\r\n")}
	return all
}

// parquetBomb is a small file of 10 GB: a dictionary has one long value, which every row repeats.
func parquetBomb(t *testing.T) []byte {
	t.Helper()
	type row struct {
		Text string `parquet:"text,dict,zstd"`
	}
	rows := make([]row, 100_000)
	long := strings.Repeat("a", 100_000)
	for i := range rows {
		rows[i].Text = long
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
