// Package presidio asks the analyzer of Microsoft Presidio, or another service with its interface.
package presidio

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
)

// Service asks an analyzer. It is safe for concurrent use.
type Service struct{ *client.Client }

// New returns the service at a URL, without the path of the endpoint.
func New(address string) *Service {
	return &Service{client.New(strings.TrimRight(address, "/")+"/analyze",
		http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity)}
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

func (p *Service) analyze(ctx context.Context, text string) (remote.Answer, error) {
	var spans []analyzeSpan
	if _, err := p.Post(ctx, nil, analyzeRequest{text, "en"}, &spans); err != nil {
		return remote.Answer{}, err
	}
	if spans == nil {
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
