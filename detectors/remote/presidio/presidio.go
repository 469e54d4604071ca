// Package presidio asks the analyzer of Microsoft Presidio, or another service with its interface.
package presidio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"sotto/detectors/remote"
	"sotto/internal/texthttp"
)

// Service asks an analyzer. It is safe for concurrent use.
type Service struct {
	url    string
	client *http.Client
}

// idleConnections are as many as a tier has requests on their way.
const idleConnections = 16

// New returns the service at a URL, without the path of the endpoint.
func New(address string) *Service {
	client := texthttp.NewClient(idleConnections)
	client.Timeout = time.Minute
	return &Service{strings.TrimRight(address, "/") + "/analyze", client}
}

// Close ends its connections.
func (p *Service) Close() error {
	p.client.CloseIdleConnections()
	return nil
}

// Name implements remote.Service.
func (*Service) Name() string { return "presidio" }

type analyzeRequest struct {
	Text     string `json:"text"`
	Language string `json:"language"`
}

type analyzeSpan struct {
	Type  string  `json:"entity_type"`
	Start *int    `json:"start"`
	End   *int    `json:"end"`
	Score float32 `json:"score"`
}

// Inspect implements remote.Service. The interface takes one text at a time, so a batch is as many
// requests on one connection.
func (p *Service) Inspect(ctx context.Context, texts []string) ([]remote.Answer, error) {
	answers := make([]remote.Answer, len(texts))
	for i, text := range texts {
		var err error
		if answers[i], err = p.analyze(ctx, text); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// maxAnswer bounds the bytes of an answer.
const maxAnswer = 4 << 20

func (p *Service) analyze(ctx context.Context, text string) (remote.Answer, error) {
	body, err := json.Marshal(analyzeRequest{text, "en"})
	if err != nil {
		return remote.Answer{}, remote.ErrRefused
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return remote.Answer{}, fmt.Errorf("%w: the URL is not valid", remote.ErrUnavailable)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		// The error of the client has the URL, which may have a password.
		return remote.Answer{}, fmt.Errorf("%w: no connection", remote.ErrUnavailable)
	}
	defer resp.Body.Close()
	switch c := resp.StatusCode; c {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return remote.Answer{}, fmt.Errorf("%w: status %d", remote.ErrRefused, c)
	default:
		return remote.Answer{}, fmt.Errorf("%w: status %d", remote.ErrUnavailable, c)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return remote.Answer{}, fmt.Errorf("%w: the connection broke", remote.ErrUnavailable)
	}
	var spans []analyzeSpan
	if len(data) > maxAnswer || json.Unmarshal(data, &spans) != nil || spans == nil {
		return remote.Answer{Err: fmt.Errorf("%w: not a list of findings", remote.ErrRefused)}, nil
	}
	var a remote.Answer
	for _, s := range spans {
		if s.Start == nil || s.End == nil || s.Type == "" {
			return remote.Answer{Err: remote.ErrMalformed}, nil
		}
		a.Spans = append(a.Spans, remote.Span{Start: *s.Start, End: *s.End, Type: s.Type, Score: s.Score})
	}
	return a, nil
}
