package audit

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sotto/internal/gold"
)

// serve serves a model as vLLM does, and returns the client. Offsets also count a sign for the beginning.
func serve(t *testing.T, m Model) *Server {
	t.Helper()
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model, Prompt string
			MaxTokens     int `json:"max_tokens"`
			Temperature   *float64
			Echo          bool
			Logprobs      int
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/v1/completions" || q.Temperature == nil || q.Model != "own" || !word.MatchString(q.Prompt) && q.Prompt != "\n" ||
			r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("%s %+v: %v", r.URL.Path, q, err)
		}
		text, _ := m.Write(r.Context(), q.Prompt)
		c := choice{Text: text}
		if q.Echo {
			const sign = "<begin>"
			tokens, _ := m.Read(r.Context(), q.Prompt)
			l, chars, first := &c.Logprobs, []rune(q.Prompt), len(sign)
			l.Tokens, l.Offsets, l.Own, l.Top = []string{sign}, []int{0}, []*float64{nil}, []map[string]float64{nil}
			for i, x := range tokens {
				own := string(chars[x.Start:x.End])
				top := map[string]float64{own: x.LogProb}
				if !x.Same {
					top[x.Best] = x.LogProb + 1e-9
				}
				if i == 0 {
					x.Start = 0
				}
				l.Tokens, l.Offsets, l.Own, l.Top = append(l.Tokens, own), append(l.Offsets, first+x.Start), append(l.Own, &x.LogProb), append(l.Top, top)
			}
			next := -0.5
			l.Tokens, l.Offsets, l.Own, l.Top = append(l.Tokens, text), append(l.Offsets, first+len(chars)), append(l.Own, &next), append(l.Top, map[string]float64{text: next})
		}
		type logprobs struct {
			Tokens  []string             `json:"tokens"`
			Offsets []int                `json:"text_offset"`
			Own     []*float64           `json:"token_logprobs"`
			Top     []map[string]float64 `json:"top_logprobs"`
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"text": c.Text, "logprobs": logprobs(c.Logprobs)}}})
	})
}

func answering(t *testing.T, h http.HandlerFunc) *Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s := NewServer(server.URL+"/v1/", "own", "key", time.Minute)
	s.pause = time.Millisecond
	t.Cleanup(func() { _ = s.client.Close() })
	return s
}

func TestAnswersThatSayNothing(t *testing.T) {
	calls := []gold.Conversation{call("my secret word is secret")}
	const fine = `{"choices": [{"text": "x", "logprobs": {"tokens": ["my", " secret", " word", " is", " secret"], "text_offset": [0, 2, 9, 14, 17], ` +
		`"token_logprobs": [null, -1, -2, -1, -1], "top_logprobs": [null, {"a": -1}, {"a": -1}, {"a": -1}, {"a": -1}]}}]}`
	for _, c := range []struct {
		name, answer, want string
		status             int
	}{
		{"fine", fine, "", 200},
		{"no probabilities", `{"choices": [{"text": "secret", "logprobs": null}]}`, "gives no probabilities", 200},
		{"of what it has written only", strings.NewReplacer("[0, 2, 9, 14, 17]", "[24, 25, 26, 27, 28]").Replace(fine), "gives no probabilities", 200},
		{"of a part of the prompt", strings.NewReplacer(" is", " i", "[0, 2, 9, 14, 17]", "[0, 2, 9, 14, 99]").Replace(fine), "gives no probabilities", 200},
		{"too few", strings.NewReplacer("[null, -1,", "[").Replace(fine), "gives no probabilities", 200},
		{"before the text", strings.NewReplacer("[0, 2,", "[0, -2,").Replace(fine), "gives no probabilities", 200},
		{"more than 1", strings.NewReplacer("-2", "7").Replace(fine), "gives no probabilities", 200},
		{"chat", `{"choices": []}`, "not JSON of the completions interface", 200},
		{"page", "<html>secret", "not JSON of the completions interface", 200},
		{"types", `{"choices": [{"text": 5}]}`, "not JSON of the completions interface", 200},
		{"endless", `{"choices": [{"text": "` + strings.Repeat("secret", 2<<20), "longer than 8 MiB", 200},
		{"key", "secret", "status 401; check --url, --model and --key-file", 401},
		{"redirect", "secret", "status 302; check --url", 302},
		{"overload", "secret", "status 429, also after 5 repetitions", 429},
		{"failure", "secret", "status 500, also after 5 repetitions", 500},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.answer))
			})
			_, _, err := Run(t.Context(), s, calls, calls, blacklist(t, "secret"))
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("%.200v", err)
			}
			if want := map[bool]int{true: 6, false: 1}[c.status == 429 || c.status == 500]; err != nil && asked != want {
				t.Errorf("it was asked %d times", asked)
			}
		})
	}
}

func TestServerThatRecovers(t *testing.T) {
	asked := 0
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"choices": [{"text": "done"}]}`))
	})
	if text, err := s.Write(t.Context(), "a"); text != "done" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Write(ctx, "a"); err == nil {
		t.Error("it goes on after an interrupt")
	}
	slow := answering(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = http.MaxBytesReader(nil, r.Body, 1<<20).Read(make([]byte, 1<<10))
		<-r.Context().Done()
	})
	slow.timeout = time.Millisecond
	if _, err := slow.Write(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "--timeout") {
		t.Errorf("%v", err)
	}
}

func FuzzTokens(f *testing.F) {
	f.Add([]byte(`{"choices": [{"text": "x", "logprobs": {"tokens": ["<s>", "a", " b"], "text_offset": [0, 3, 4], "token_logprobs": [null, -1, -2], `+
		`"top_logprobs": [null, {"a": -1}, {"c": -1, " b": -2}]}}]}`), "a b")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		var answer struct{ Choices []choice }
		if json.Unmarshal(data, &answer) != nil || len(answer.Choices) == 0 {
			return
		}
		if tokens, err := answer.Choices[0].tokens(text); err == nil {
			checkTokens(t, text, tokens)
		}
	})
}
