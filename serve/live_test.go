package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/anonymize"
	"sotto/schemas"
	"sotto/state"
)

func say(texts ...string) string {
	var all []utterance
	for _, t := range texts {
		all = append(all, utterance{Text: t})
	}
	return body(map[string]any{"utterances": plain(all)})
}

func sayAt(seq int64, text string) string {
	return body(map[string]any{"utterances": []any{map[string]any{"seq": seq, "text": text}}})
}

func plain(all []utterance) []any {
	out := []any{}
	for _, u := range all {
		out = append(out, map[string]any{"text": u.Text})
	}
	return out
}

func body(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestLiveCallRemembers(t *testing.T) {
	r := start(t)
	var got callResponse
	r.post("/v1/calls/c%2F42/start", `{"participants":[{"names":["Wrenfield"]}],"context":"sales"}`, http.StatusOK, &got)
	if !got.New || len(got.Utterances) != 0 {
		t.Errorf("start: %+v", got)
	}
	r.post("/v1/calls/c%2F42/utterances", say("did wrenfield call", "Yes, and my name is Rosa Latch."), http.StatusOK, &got)
	if got.New || got.Utterances[0].Text != "did [PERSON_NAME_1] call" || got.Utterances[1].Text != "Yes, and my name is [PERSON_NAME_2]." || got.Utterances[1].Seq != 2 {
		t.Errorf("%+v", got)
	}
	// Another call knows nothing of it.
	var other callResponse
	r.post("/v1/calls/other/utterances", say("the latch is fine"), http.StatusOK, &other)
	if !other.New || other.Utterances[0].Text != "the latch is fine" {
		t.Errorf("another call: %+v", other)
	}
	r.post("/v1/calls/c%2F42/utterances", say("the latch is fine"), http.StatusOK, &got)
	if got.Utterances[0].Text != "the [PERSON_NAME_2] is fine" {
		t.Errorf("%+v", got)
	}
	var end callResponse
	r.post("/v1/calls/c%2F42/end", "", http.StatusOK, &end)
	if end.Call == nil || end.Call.Utterances != 3 || end.Call.Entities["PERSON_NAME"] != 2 || end.Call.ClosedBy != schemas.ClosedByEnd {
		t.Errorf("end: %+v", end.Call)
	}
	r.post("/v1/calls/unknown/end", "", http.StatusNotFound, nil)
	r.post("/v1/calls/unknown/utterances", `{"continue":true,"utterances":[{"text":"x"}]}`, http.StatusNotFound, nil)
}

func TestSequenceNumbersGrow(t *testing.T) {
	r := start(t)
	var got, again callResponse
	r.post("/v1/calls/c/utterances", sayAt(7, "my name is Rosa Latch"), http.StatusOK, &got)
	// A client that did not get the response sends the same request again.
	r.post("/v1/calls/c/utterances", sayAt(7, "my name is Rosa Latch"), http.StatusOK, &again)
	if body(got) != body(again) || !again.New {
		t.Errorf("got %+v and %+v", got, again)
	}
	r.post("/v1/calls/c/utterances", sayAt(7, "something else"), http.StatusConflict, nil)
	r.post("/v1/calls/c/utterances", `{"utterances":[{"seq":9,"text":"a"},{"seq":8,"text":"b"}]}`, http.StatusConflict, nil)
	r.post("/v1/calls/c/utterances", `{"utterances":[{"seq":20,"text":"hypothe","final":false},{"text":"b"}]}`, http.StatusOK, &got)
	if len(got.Utterances) != 1 || got.Utterances[0].Seq != 8 {
		t.Errorf("%+v", got.Utterances)
	}
	r.post("/v1/calls/c/end", "", http.StatusOK, &got)
	if got.Call.Utterances != 2 {
		t.Errorf("the refused requests were counted: %+v", got.Call)
	}
}

// A call that is over continues its numbers within the grace period, and never starts again.
func TestCallsEnd(t *testing.T) {
	r := start(t, "CALL_IDLE_TIMEOUT=10m", "CALL_GRACE=1m")
	now := time.UnixMilli(1_763_683_200_000)
	r.server.calls.now = func() time.Time { return now }
	var got callResponse
	for _, id := range []string{"ended", "idle"} {
		r.post("/v1/calls/"+id+"/utterances", say("my name is Rosa Latch"), http.StatusOK, &got)
	}
	r.post("/v1/calls/ended/end", "", http.StatusOK, nil)
	now = now.Add(50 * time.Second)
	r.server.calls.sweep()
	r.post("/v1/calls/ended/utterances", say("this is rosa latch"), http.StatusOK, &got)
	if got.New || got.Utterances[0].Text != "this is [PERSON_NAME_1]" {
		t.Errorf("within the grace period: %+v", got)
	}
	now = now.Add(61 * time.Second)
	r.server.calls.sweep()
	r.post("/v1/calls/ended/utterances", say("latch again"), http.StatusGone, nil)
	r.post("/v1/calls/ended/start", "{}", http.StatusGone, nil)
	r.post("/v1/calls/idle/utterances", say("latch again"), http.StatusOK, nil)

	now = now.Add(10*time.Minute + 30*time.Second)
	r.server.calls.sweep()
	r.post("/v1/calls/idle/end", "", http.StatusOK, &got)
	now = now.Add(62 * time.Second)
	r.server.calls.sweep()
	r.post("/v1/calls/idle/utterances", say("x"), http.StatusGone, nil)
	if n, bytes := r.server.calls.usage(); n != 0 || bytes != 0 {
		t.Errorf("%d calls and %d bytes are left", n, bytes)
	}
}

func TestLiveCallsAreBounded(t *testing.T) {
	set := settings(t, "MAX_OPEN_CALLS=2")
	set.MaxClosedCalls = 2
	r := startWith(t, set)
	for _, id := range []string{"a", "b"} {
		r.post("/v1/calls/"+id+"/utterances", say("hello"), http.StatusOK, nil)
	}
	r.post("/v1/calls/c/utterances", say("hello"), http.StatusServiceUnavailable, nil)
	r.post("/v1/calls/a/utterances", say("hello"), http.StatusOK, nil)

	c := r.server.calls
	before := c.bytes
	r.post("/v1/calls/a/utterances", say("my name is Rosa Latch, my number is 604 555 0134, I live at 12 Elm Street in Plovington"), http.StatusOK, nil)
	if c.bytes <= before {
		t.Errorf("the bytes did not grow: %d, then %d", before, c.bytes)
	}
	c.table.Limits.Open, c.maxBytes = 100, c.bytes
	r.post("/v1/calls/c/utterances", say("hello"), http.StatusServiceUnavailable, nil)
	r.post("/v1/calls/a/utterances", say("hello"), http.StatusOK, nil)
}

// Requests of one call are processed one at a time, those of others meanwhile.
func TestConcurrentRequests(t *testing.T) {
	r := start(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for i := range 30 { // as many may wait on a machine with one processor
		wg.Go(func() {
			id := fmt.Sprint(i % 6)
			resp, err := http.Post(r.url+"/v1/calls/"+id+"/utterances", "application/json", strings.NewReader(say(fmt.Sprintf("my number is 604 555 0%03d", i))))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			var got callResponse
			if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || len(got.Utterances) != 1 {
				t.Errorf("status %d, %v", resp.StatusCode, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			seen[fmt.Sprintf("%s %d", id, got.Utterances[0].Seq)]++
			seen[id+" "+got.Utterances[0].Text]++
		})
	}
	wg.Wait()
	if len(seen) != 60 {
		t.Errorf("%d different sequence numbers and texts, want 60", len(seen))
	}
}

// faulty panics on a word.
type faulty struct{ anonymize.Anonymizer }

func (f faulty) Apply(c *state.Call, p *anonymize.Prepared) (schemas.CleanEvent, bool) {
	clean, changed := f.Anonymizer.Apply(c, p)
	if strings.Contains(p.Event.Text, "boom") {
		panic("a panic with " + p.Event.Text)
	}
	return clean, changed
}

// A panic refuses its request, shows nothing of it, and leaves the call as it was.
func TestPanicsAreIsolated(t *testing.T) {
	const secret = "Quillfeather"
	r := start(t)
	engine := r.server.engine
	r.server.engine = func(sensitivity string) (anonymize.Anonymizer, bool) {
		e, ok := engine(sensitivity)
		return faulty{e}, ok
	}
	r.post("/v1/calls/c/utterances", say("my name is Rosa Latch"), http.StatusOK, nil)
	var e errorBody
	r.post("/v1/calls/c/utterances", say("my name is Ada "+secret, "boom "+secret), http.StatusInternalServerError, &e)
	r.quiet(secret, e.Error)
	r.post("/v1/anonymize", body(map[string]any{"text": "boom " + secret}), http.StatusInternalServerError, &e)
	r.quiet(secret, e.Error)
	var got callResponse
	r.post("/v1/calls/c/utterances", say("my name is Maud Thornley"), http.StatusOK, &got)
	if got.Utterances[0].Text != "my name is [PERSON_NAME_2]" || got.Utterances[0].Seq != 2 {
		t.Errorf("the refused request left something: %+v", got.Utterances)
	}
	if !strings.Contains(r.log.String(), "panicked") {
		t.Error("the panic was not logged")
	}
}
