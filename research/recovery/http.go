package recovery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"sotto/corpus/words"
	"sotto/internal/texthttp"
)

// The interfaces of servers.
const (
	// OpenAI is POST URL/completions of the OpenAI interface, as vLLM, llama.cpp and Ollama serve it.
	OpenAI = "openai"
	// FillMask is POST URL with {"inputs": "text with [MASK]", "parameters": {"top_k": 10}}, answered
	// by [{"token_str": "word", "score": 0.5}, ...], as the inference servers of Hugging Face do.
	FillMask = "fill-mask"
)

// Server fills with a language model behind HTTP.
type Server struct {
	URL   string
	Kind  string // OpenAI or FillMask
	Model string // of OpenAI
	Key   string // sent as a bearer token; "" for none
	// Mask is the mask of the model, "" for words.Mask.
	Mask string
	// Timeout bounds one request. Retries is how often a request is repeated that failed for a reason
	// that may pass. Interval is the least time between two requests.
	Timeout  time.Duration
	Retries  int
	Interval time.Duration

	client *http.Client
	last   time.Time
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 20

// Fill implements Filler. It is not safe for concurrent use.
func (s *Server) Fill(ctx context.Context, p *Place, k int) ([]Candidate, error) {
	url, request := s.request(p, k)
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		candidates, err := s.post(ctx, url, body)
		var again *temporaryError
		if err == nil || !errors.As(err, &again) || try >= s.Retries {
			return rank(candidates, k), err
		}
		if err := sleep(ctx, max(again.after, time.Second<<min(try, 5))); err != nil {
			return nil, err
		}
	}
}

func (s *Server) request(p *Place, k int) (url string, body any) {
	if s.Kind == FillMask {
		text := p.Before + cmp.Or(s.Mask, words.Mask) + strings.ReplaceAll(p.After, words.Mask, "…")
		return s.URL, map[string]any{"inputs": text, "parameters": map[string]any{"top_k": k}}
	}
	// A causal model sees the left side only, and begins its word with the space.
	return strings.TrimRight(s.URL, "/") + "/completions", map[string]any{
		"model": s.Model, "prompt": strings.TrimRight(p.Before, " "), "max_tokens": 1, "temperature": 0, "logprobs": k,
	}
}

// temporaryError is a failure that may pass.
type temporaryError struct {
	problem string
	after   time.Duration // that the server asks to wait
}

func (e *temporaryError) Error() string { return e.problem }

func (s *Server) post(ctx context.Context, url string, body []byte) ([]Candidate, error) {
	if err := sleep(ctx, s.Interval-time.Since(s.last)); err != nil {
		return nil, err
	}
	s.last = time.Now()
	reqCtx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(reqCtx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL of the server is not valid")
	}
	req.Header.Set("Content-Type", "application/json")
	if s.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
	if s.client == nil {
		s.client = texthttp.NewClient(1)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &temporaryError{problem: "the server cannot be reached, or did not answer in time"}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, &temporaryError{problem: "the server's answer broke off"}
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		seconds, _ := time.ParseDuration(resp.Header.Get("Retry-After") + "s")
		return nil, &temporaryError{fmt.Sprintf("the server answers with status %d", resp.StatusCode), min(seconds, time.Minute)}
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers with status %d; check URL, model and key", resp.StatusCode)
	}
	candidates, ok := decode(s.Kind, data)
	if !ok {
		return nil, fmt.Errorf("the server's answer is not one of the interface %s with probabilities", s.Kind)
	}
	return candidates, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// decode reads an answer.
func decode(kind string, data []byte) ([]Candidate, bool) {
	var out []Candidate
	if kind == FillMask {
		var answer []struct {
			Token *string `json:"token_str"`
			Score float64 `json:"score"`
		}
		if json.Unmarshal(data, &answer) != nil {
			return nil, false
		}
		for _, a := range answer {
			if a.Token == nil {
				return nil, false
			}
			out = append(out, Candidate{Word: *a.Token, Score: math.Log(max(a.Score, 1e-30))})
		}
		return out, true
	}
	var answer struct {
		Choices []struct {
			Logprobs *struct {
				Top []map[string]float64 `json:"top_logprobs"`
			} `json:"logprobs"`
		} `json:"choices"`
	}
	if json.Unmarshal(data, &answer) != nil || len(answer.Choices) == 0 || answer.Choices[0].Logprobs == nil {
		return nil, false
	}
	if top := answer.Choices[0].Logprobs.Top; len(top) > 0 {
		for token, score := range top[0] {
			out = append(out, Candidate{Word: token, Score: score})
		}
	}
	return out, true
}

// rank keeps what is a word, in an order that does not depend on that of a map. Byte-level and
// sentence-piece models mark the space before a word.
func rank(candidates []Candidate, k int) []Candidate {
	var out []Candidate
	for _, c := range candidates {
		c.Word = strings.Trim(c.Word, " \n\tĠ▁")
		if c.Word != "" && strings.IndexFunc(c.Word, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) < 0 {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y Candidate) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Word, y.Word))
	})
	out = slices.CompactFunc(out, func(x, y Candidate) bool { return x.Word == y.Word })
	return out[:min(k, len(out))]
}
