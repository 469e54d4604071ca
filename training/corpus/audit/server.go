package audit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
)

// retries is how often a request is repeated that failed for a reason that may pass.
const retries = 5

// Server is a model behind the completions interface of OpenAI that gives the probabilities of a prompt
// (echo), as vLLM does. Calls are sent to its URL and nowhere else.
type Server struct {
	client     *client.Client
	model, key string
	timeout    time.Duration
	pause      time.Duration // before a request is repeated first; it doubles
}

// NewServer returns the server at the base URL of the interface, such as http://vllm:8000/v1. The model
// and the key may be empty. A request may take as long as timeout says.
func NewServer(url, model, key string, timeout time.Duration) *Server {
	return &Server{client.New(strings.TrimRight(url, "/") + "/completions"), model, key, timeout, time.Second}
}

type choice struct {
	Text     string
	Logprobs struct {
		Tokens  []string
		Offsets []int                `json:"text_offset"` // in code points
		Own     []*float64           `json:"token_logprobs"`
		Top     []map[string]float64 `json:"top_logprobs"`
	}
}

var errNoProbabilities = errors.New("the server gives no probabilities of the prompt; audit a server that does so in POST " +
	"URL/completions, with echo and logprobs, as vLLM does, or outputs of the model")

// Read implements Model.
func (s *Server) Read(ctx context.Context, text string) ([]Token, error) {
	c, err := s.post(ctx, map[string]any{"model": s.model, "prompt": text, "max_tokens": 1, "temperature": 0, "echo": true, "logprobs": 1})
	if err != nil {
		return nil, err
	}
	return c.tokens(text)
}

// Write implements Model.
func (s *Server) Write(ctx context.Context, prompt string) (string, error) {
	c, err := s.post(ctx, map[string]any{"model": s.model, "prompt": prompt, "max_tokens": maxOutput, "temperature": 0})
	if err != nil {
		return "", err
	}
	return c.Text, nil
}

// tokens returns those of a text, which must be in the answer to its end. The first one has no
// probability.
func (c *choice) tokens(text string) (tokens []Token, _ error) {
	l, length, shift := &c.Logprobs, utf8.RuneCountInString(text), 0
	if len(l.Own) != len(l.Tokens) || len(l.Offsets) != len(l.Tokens) || len(l.Top) != len(l.Tokens) {
		return nil, errNoProbabilities
	}
	if len(l.Tokens) > 1 && !strings.HasPrefix(text, l.Tokens[0]) && l.Offsets[1] == utf8.RuneCountInString(l.Tokens[0]) {
		shift = l.Offsets[1] // the sign of the beginning, which the text does not have, was counted
	}
	reached := 0
	for i, token := range l.Tokens {
		start, p := l.Offsets[i]-shift, l.Own[i]
		if p == nil || start >= length {
			continue
		}
		if start < 0 || *p > 1 || *p < -1e6 || len(l.Top[i]) == 0 {
			return nil, errNoProbabilities
		}
		best := mostLikely(l.Top[i], token)
		reached = min(start+utf8.RuneCountInString(token), length)
		tokens = append(tokens, Token{start, reached, *p, best, best == token})
	}
	if w := word.FindAllStringIndex(text, -1); len(w) > 1 && reached <= utf8.RuneCountInString(text[:w[len(w)-1][0]]) {
		return nil, errNoProbabilities
	}
	return tokens, nil
}

// mostLikely returns the most likely of tokens; of equals the own one, or the first.
func mostLikely(tokens map[string]float64, own string) string {
	best := own
	for t, p := range tokens {
		if most, ok := tokens[best]; !ok || p > most || p == most && best != own && t < best {
			best = t
		}
	}
	return best
}

// post asks the server, again if it may answer later. Errors have nothing of a request or an answer.
func (s *Server) post(ctx context.Context, request any) (*choice, error) {
	for try := 0; ; try++ {
		var answer struct{ Choices []choice }
		header := http.Header{}
		if s.key != "" {
			header.Set("Authorization", "Bearer "+s.key)
		}
		limited, cancel := context.WithTimeout(ctx, s.timeout)
		status, err := s.client.Post(limited, header, request, &answer)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, remote.ErrRefused) || err == nil && len(answer.Choices) == 0:
			return nil, fmt.Errorf("the server's answer is not JSON of the completions interface, or longer than %d MiB", client.MaxAnswer>>20)
		case err == nil:
			return &answer.Choices[0], nil
		case status > http.StatusOK && status < http.StatusInternalServerError && status != http.StatusTooManyRequests:
			return nil, fmt.Errorf("the server answers with status %d; check --url, --model and --key-file, and whether a call is too long for the model", status)
		case try == retries && status > http.StatusOK:
			return nil, fmt.Errorf("the server answers with status %d, also after %d repetitions; look at its log", status, retries)
		case try == retries:
			return nil, errors.New("the server cannot be reached, or does not answer in time; check --url, or give it more with --timeout")
		}
		select {
		case <-ctx.Done():
		case <-time.After(s.pause << try):
		}
	}
}
