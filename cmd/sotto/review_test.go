package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/cmd/internal/cli"
	"sotto/review"
	"sotto/review/store"
)

// syncBuffer is an output that another goroutine reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// reviewing serves a store until the test ends and returns a client and the address.
func reviewing(t *testing.T, args ...string) (*http.Client, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs syncBuffer
	done := make(chan int)
	go func() {
		done <- cli.Execute(ctx, append([]string{"review", "--listen", "127.0.0.1:0"}, args...), cli.System{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}, commands)
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != cli.Done {
			t.Errorf("exit status %d: %s", code, errs.String())
		}
	})
	for end := time.Now().Add(20 * time.Second); !strings.Contains(out.String(), "\n"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not start: %s", errs.String())
		}
	}
	address, err := url.Parse(strings.TrimSpace(strings.TrimPrefix(out.String(), "Open ")))
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + address.Host
	jar, _ := cookiejar.New(nil)
	c := &http.Client{Jar: jar}
	r, err := c.PostForm(base+"/login", address.Query())
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r, err)
	}
	r.Body.Close()
	return c, base
}

func fetch(t *testing.T, c *http.Client, address string) string {
	t.Helper()
	r, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r.Status, err)
	}
	return string(body)
}

func TestReviewLabelsRawTextWithADraft(t *testing.T) {
	dir := t.TempDir()
	call := write(t, "first.txt", "Agent: Thanks for calling, my name is Ines Quimby.\nCustomer: hi, I live in Scranton\n")
	path := filepath.Join(dir, "review.db")
	c, base := reviewing(t, "--store", path, "--label", call)
	page := fetch(t, c, base+"/next")
	if !strings.Contains(page, `"spans":[{"seq":1,"start":31,"end":42,"type":"PERSON_NAME"}`) {
		t.Error("the engine's findings are not the draft")
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, base+"/api/reading?id=first",
		strings.NewReader(`{"revision":0,"done":true,"spans":[{"seq":1,"start":31,"end":42,"type":"PERSON_NAME"},{"seq":2,"start":14,"end":22,"type":"LOCATION"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	gold := filepath.Join(dir, "gold.jsonl")
	if err := os.WriteFile(gold, []byte(fetch(t, c, base+"/export/gold.jsonl")), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := sotto(t, nil, "", "eval", "--gold", gold, "--json"); o.code != cli.Done || !strings.Contains(o.out, `"gold": 2`) {
		t.Errorf("sotto eval: %d %s %s", o.code, o.errors, o.out)
	}
}

func TestReviewShowsRawBesideClean(t *testing.T) {
	raw := write(t, "raw.jsonl", `{"call_id":"c1","seq":1,"type":"UTTERANCE","text":"my name is Ines Quimby"}`+"\n")
	clean := write(t, "clean.jsonl", sotto(t, nil, "", "anonymize", raw).out)
	path := filepath.Join(t.TempDir(), "review.db")
	c, base := reviewing(t, "--store", path, "--raw", raw, "--red-team", "1", clean)
	if page := fetch(t, c, base+"/call?id=c1&kind=red-team"); strings.Contains(page, "Quimby") {
		t.Error("the red team sees raw text")
	}
	if page := fetch(t, c, base+"/call?id=c1"); !strings.Contains(page, `Raw: </span>my name is <mark title="masked as PERSON_NAME">Ines Quimby</mark></p>`) || !strings.Contains(page, "[PERSON_NAME_1]</span>") {
		t.Error("raw and clean text are not side by side")
	}
	// Who has seen raw text is no attacker any more.
	r, err := c.Get(base + "/call?id=c1&kind=red-team")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusForbidden {
		t.Errorf("who saw raw text is the red team: %s", r.Status)
	}
	if o := sotto(t, nil, "", "review", "--raw", write(t, "other.jsonl", `{"call_id":"other","seq":1,"type":"UTTERANCE","text":"hi"}`), raw); o.code != cli.Usage {
		t.Error("raw text of other calls is accepted")
	}
}

// annotatedStore holds finished readings: missed names, and labelled calls.
func annotatedStore(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "review.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 30 {
		id := fmt.Sprint("a/", i)
		text, start := "[PERSON_NAME_1] Quimby says (hello) there", 16
		mode, masks := review.Missed, []review.Mask{{Start: 0, End: 15, Type: "PERSON_NAME"}}
		if i%2 == 1 {
			id, text, start, mode, masks = fmt.Sprint("l", i), "this is Quimby, how can I help", 8, review.Label, nil
		}
		c := review.Call{ID: id, Mode: mode, Context: "sales", Utterances: []review.Utterance{{Seq: 4, Speaker: "Agent", Text: text, Masks: masks}}}
		if err := s.Add(t.Context(), []review.Call{c}); err != nil {
			t.Fatal(err)
		}
		span := review.Span{Place: review.Place{Seq: 4, Start: start, End: start + 6}, Type: "PERSON_NAME", Partial: mode == review.Missed}
		r := review.Reading{CallID: id, Kind: review.Annotation, Annotator: "ann", Done: true, Spans: []review.Span{span}}
		if _, err := s.Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestReviewExportIsReadByTheOtherCommands(t *testing.T) {
	path := annotatedStore(t)
	t.Chdir(t.TempDir())
	if o := sotto(t, nil, "", "review", "export", "--store", path); o.code != cli.Done {
		t.Fatalf("%d %s", o.code, o.errors)
	}
	// A partial name has 3 points in each of 15 calls.
	if o := sotto(t, nil, "", "risk", "--json", "annotated.jsonl"); o.code != cli.Done || !strings.Contains(o.out, `"count": 15`) || !strings.Contains(o.out, `"mean": 3,`) {
		t.Errorf("%d %s %.300s", o.code, o.errors, o.out)
	}
	if o := sotto(t, nil, "", "eval", "--gold", "gold.jsonl", "--json"); o.code != cli.Done || !strings.Contains(o.out, `"gold": 15`) {
		t.Errorf("%d %s", o.code, o.errors)
	}
	if got := trailOf(t, path); !slices.Equal(got, []string{"exported gold.jsonl", "exported annotated.jsonl"}) {
		t.Errorf("the access log has %q", got)
	}
	if info, err := os.Stat("gold.jsonl"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	// A path may lead elsewhere, and what is wrong with one is said.
	if err := os.Mkdir("elsewhere", 0o700); err != nil {
		t.Fatal(err)
	}
	if o := sotto(t, nil, "", "review", "export", "--store", path, "elsewhere/gold.jsonl"); o.code != cli.Done || !strings.Contains(o.out, "elsewhere/gold.jsonl: 15 calls") {
		t.Errorf("a path: %d %s", o.code, o.errors)
	}
	for name, want := range map[string]string{"elsewhere/calls.jsonl": "the name of the file decides", "elsewhere": "the name of the file decides", "nowhere/gold.jsonl": "there is no folder nowhere"} {
		if o := sotto(t, nil, "", "review", "export", "--store", path, name); o.code != cli.Usage || !strings.Contains(o.errors, want) {
			t.Errorf("%s: %d %s", name, o.code, o.errors)
		}
	}
	if o := sotto(t, nil, "", "review", "export", "--store", "none.db"); o.code != cli.Usage {
		t.Errorf("no store: %d %s", o.code, o.errors)
	}
}

func TestReviewRetrainComparesAndSwitchesNothing(t *testing.T) {
	path := annotatedStore(t)
	gold := write(t, "own.jsonl", namedCalls(48))
	model := filepath.Join(t.TempDir(), "new.model")
	o := sotto(t, nil, "", "review", "retrain", "--store", path, "--held-out", "0.5", "--passes", "1", gold, "-o", model)
	if o.code != cli.Done {
		t.Fatalf("%d %s", o.code, o.errors)
	}
	for _, want := range []string{"Model in use, on the annotations held out", "Model new, on", "labelled", "missed", "Nothing has been switched", model} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the report lacks %q:\n%s", want, o.out)
		}
	}
	if _, err := os.Stat(model); err != nil {
		t.Error(err)
	}
	if got := trailOf(t, path); !slices.Equal(got, []string{"trained a model"}) {
		t.Errorf("the access log has %q", got)
	}
}

// trailOf returns what the access log of a store says was done on the command line.
func trailOf(t *testing.T, path string) (actions []string) {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	trail, err := s.Trail(t.Context(), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range trail {
		if !strings.HasSuffix(e.Who, " (command line)") || e.Who == " (command line)" {
			t.Errorf("the access log does not name who: %q", e.Who)
		}
		actions = append(actions, e.Action)
	}
	return actions
}

func TestReviewRefusesToBeOpenToAll(t *testing.T) {
	users := write(t, "users", "ann annotator\n")
	for args, want := range map[string]string{
		"--listen 0.0.0.0:8380":                             "add --user-header or --oidc-issuer",
		"--listen :8380 --user-header X":                    "needs --trusted-proxy and --users",
		"--listen nowhere":                                  "HOST:PORT",
		"--user-header X --trusted-proxy 10.0.0.0/8":        "needs --trusted-proxy and --users",
		"--user-header X --trusted-proxy ten --users USERS": "addresses with a length",
		"--oidc-issuer https://login.example.org":           "needs --oidc-client-id",
		"--second-pass 2":                                   "from 0 to 1",
		"--users NONE":                                      "no file NONE",
		"--listen 0.0.0.0:0 --user-header X --trusted-proxy 10.0.0.0/8 --users USERS": "confirm with --plain-http",
	} {
		o := sotto(t, nil, "", append([]string{"review"}, strings.Fields(strings.ReplaceAll(args, "USERS", users))...)...)
		if o.code != cli.Usage || !strings.Contains(o.errors, want) {
			t.Errorf("%s: %d %s", args, o.code, o.errors)
		}
	}
}

func TestReviewDatabaseOrFile(t *testing.T) {
	const remote = "postgres://u:hush@db.invalid/sotto"
	for name, c := range map[string]struct {
		database string
		args     []string
		want     string
	}{
		"both":              {"postgres://u:hush@localhost/sotto", []string{"review", "export", "--store", "other.db"}, "exclude each other"},
		"no TLS":            {remote, []string{"review"}, "sslmode=verify-full"},
		"no TLS to retrain": {remote, []string{"review", "retrain", "-o", "m"}, "sslmode=verify-full"},
	} {
		o := sotto(t, map[string]string{"SOTTO_REVIEW_DATABASE": c.database}, "", c.args...)
		if o.code != cli.Usage || !strings.Contains(o.errors, c.want) || strings.Contains(o.errors, "hush") {
			t.Errorf("%s: %d %s", name, o.code, o.errors)
		}
	}
}
