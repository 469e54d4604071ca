package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/corpus/words"
	"sotto/detectors/allowlist"
	"sotto/internal/gold"
	"sotto/research/lm"
)

var texts = []string{
	"i live in dale now", "i live in york now", "i live in dale now", "we work in york today", "my name is ines", "my name is pam and i work here",
}

func model() Model {
	var list [][]string
	for _, t := range texts {
		list = append(list, strings.Fields(t))
	}
	return Model{lm.Train(slices.Values(list), lm.Options{})}
}

func conversation(id string, lines ...string) *gold.Conversation {
	c := &gold.Conversation{ID: id}
	for _, l := range lines {
		c.Utterances = append(c.Utterances, gold.Utterance{Speaker: "agent", Text: l})
	}
	return c
}

func recovered(t *testing.T, o *Options, id string, lines ...string) (out []string) {
	t.Helper()
	c, err := Conversation(t.Context(), conversation(id, lines...), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range c.Utterances {
		out = append(out, u.Text)
	}
	return out
}

func TestTop1(t *testing.T) {
	o := &Options{Filler: model(), Method: Top1, K: 10}
	got := recovered(t, o, "a", "I live in [MASK] now.", "no mask", "My [MASK] [MASK] is ines, I live in [MASK].")
	if got[0] != "I live in dale now." || got[1] != "no mask" || strings.Contains(got[2], words.Mask) || !strings.HasPrefix(got[2], "My name is ines, I live in ") {
		t.Errorf("%q", got)
	}
}

func TestTopKIsDeterministicForASeed(t *testing.T) {
	lines := []string{"I live in [MASK] now, my name is [MASK]", "[MASK] work in [MASK] today"}
	o := &Options{Filler: model(), Method: TopK, K: 5, Seed: 1}
	first := recovered(t, o, "a", lines...)
	recovered(t, o, "b", lines...)
	if again := recovered(t, o, "a", lines...); !slices.Equal(first, again) {
		t.Errorf("%q and %q", first, again)
	}
	different := false
	for seed := range uint64(10) {
		o.Seed = seed
		different = different || !slices.Equal(first, recovered(t, o, "a", lines...))
	}
	if !different {
		t.Error("all seeds give the same words")
	}
}

// What masking would have kept is not what was masked.
func TestWordsOfTheListAreAvoided(t *testing.T) {
	list, err := allowlist.Read(strings.NewReader("dale\nlive\nin\nnow\ni\n"), "f", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{Top1, TopK} {
		got := recovered(t, &Options{Filler: model(), Method: method, K: 3, Avoid: list}, "a", "I live in [MASK] now.")
		if got[0] != "I live in york now." && method == Top1 || strings.Contains(got[0], "dale") {
			t.Errorf("%s: %q", method, got)
		}
	}
}

func TestMerge(t *testing.T) {
	for text, want := range map[string]string{
		"[MASK] [MASK]  [MASK] a [MASK], [MASK]": "[MASK] a [MASK], [MASK]", "none": "none", "[MASK]": "[MASK]", "a [MASK] [MASK]": "a [MASK]",
	} {
		if got := merge(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestFineTune(t *testing.T) {
	masked := []gold.Conversation{*conversation("a", "I live in [MASK] now."), *conversation("b", "we [MASK] in york today")}
	steps := 0
	got, err := FineTune(t.Context(), masked, nil, Options{Filler: model(), Method: TopK, K: 3}, 2, func(int, int) { steps++ })
	if err != nil || steps != 6 || len(got) != 2 || strings.Contains(got[0].Utterances[0].Text, words.Mask) {
		t.Errorf("%v, %d steps, %+v", err, steps, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FineTune(ctx, masked, nil, Options{Filler: model(), Method: Top1, K: 1}, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// small serves the built-in model by both interfaces.
func small(t *testing.T, fail func(n int, w http.ResponseWriter) bool) *httptest.Server {
	m, n := model(), 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		if fail != nil && fail(n, w) {
			return
		}
		var body struct {
			Inputs, Prompt string
			Logprobs       int
			Parameters     struct {
				TopK int `json:"top_k"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var s words.Splitter
		if r.URL.Path == "/v1/completions" {
			top := map[string]float64{".": -0.1}
			for _, c := range m.Model.Fill(s.Texts(body.Prompt), []string{"<unk>"}, body.Logprobs) {
				top[" "+c.Word] = c.Score
			}
			json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"text": "", "logprobs": map[string]any{"top_logprobs": []any{top}}}}})
			return
		}
		left, right, _ := strings.Cut(body.Inputs, "<mask>")
		var answer []any
		for _, c := range m.Model.Fill(s.Texts(left), slices.Clone(s.Texts(right)), body.Parameters.TopK) {
			answer = append(answer, map[string]any{"token_str": "Ġ" + c.Word, "score": math.Exp(c.Score)})
		}
		json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestServers(t *testing.T) {
	for _, kind := range []string{OpenAI, FillMask} {
		s := small(t, nil)
		filler := &Server{URL: s.URL + map[string]string{OpenAI: "/v1", FillMask: "/fill"}[kind], Kind: kind, Mask: "<mask>", Timeout: 5 * time.Second}
		got := recovered(t, &Options{Filler: filler, Method: Top1, K: 10}, "a", "I live in [MASK] now and [MASK].")
		// The right side is known by the second interface only.
		place := map[string]string{OpenAI: "york", FillMask: "dale"}[kind]
		if !strings.HasPrefix(got[0], "I live in "+place+" now and ") || strings.Contains(got[0], "MASK") {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

func TestServersThatFail(t *testing.T) {
	place := &Place{Before: "I live in ", After: " now"}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the text went elsewhere") }))
	defer elsewhere.Close()
	status := func(code, times int) func(int, http.ResponseWriter) bool {
		return func(n int, w http.ResponseWriter) bool {
			if n <= times {
				w.WriteHeader(code)
			}
			return n <= times
		}
	}
	for _, c := range []struct {
		name    string
		fail    func(int, http.ResponseWriter) bool
		retries int
		want    string // of the error
	}{
		{"busy once", status(http.StatusTooManyRequests, 1), 1, ""},
		{"busy for long", status(http.StatusServiceUnavailable, 9), 0, "status 503"},
		{"a wrong key", status(http.StatusUnauthorized, 9), 5, "check URL, model and key"},
		{"another interface", func(_ int, w http.ResponseWriter) bool { fmt.Fprint(w, `{"secret": 1}`); return true }, 5, "interface fill-mask"},
		{"it is elsewhere", func(_ int, w http.ResponseWriter) bool {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}, 5, "status 307"},
		{"it hangs", func(_ int, w http.ResponseWriter) bool { time.Sleep(300 * time.Millisecond); return true }, 0, "in time"},
	} {
		s := &Server{URL: small(t, c.fail).URL, Kind: FillMask, Timeout: 200 * time.Millisecond, Retries: c.retries}
		_, err := s.Fill(t.Context(), place, 3)
		if (c.want == "") != (err == nil) || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	began := time.Now()
	s := &Server{URL: small(t, nil).URL, Kind: FillMask, Timeout: 5 * time.Second, Interval: 50 * time.Millisecond}
	for range 3 {
		if _, err := s.Fill(t.Context(), place, 3); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Since(began); d < 100*time.Millisecond {
		t.Errorf("three requests took %v", d)
	}
}

func FuzzDecodeAnswer(f *testing.F) {
	f.Add(FillMask, []byte(`[{"token_str": "a", "score": 0.5}]`))
	f.Add(OpenAI, []byte(`{"choices": [{"logprobs": {"top_logprobs": [{" a": -1}]}}]}`))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		out, _ := decode(kind, data)
		for _, c := range rank(out, 5) {
			if c.Word == "" || strings.Contains(c.Word, "[") {
				t.Fatalf("%q is no word", c.Word)
			}
		}
	})
}
