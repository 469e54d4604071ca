// Package remote adds detection services that run elsewhere to the local detectors. It is the one
// place where raw text leaves the process.
//
// A Service speaks the protocol of one kind of service: package presidio, package dlp for Google
// Sensitive Data Protection, and package llm for language models. This package has no network client of its own. A Tier drives a Service:
// it batches the utterances of a call, keeps to a rate and to deadlines, retries, remembers answers,
// stops asking a service that does not answer, and counts what it costs.
//
// A tier only adds findings. What the local detectors found stays masked.
package remote

import (
	"context"
	"errors"
	"fmt"

	"sotto/detectors"
)

// Service is a detection service. It is safe for concurrent use.
type Service interface {
	// Name is a short name, which findings carry as their detector.
	Name() string
	// Inspect returns what the service finds in each of the texts, all of one call. It makes one
	// attempt. An error of the whole request wraps ErrUnavailable if the service may answer later;
	// any other error says that it will not accept these texts.
	Inspect(ctx context.Context, texts []string) ([]Answer, error)
}

// Answer is what a service says about one text.
type Answer struct {
	Spans []Span
	// Err is set if the answer cannot be used: it is incomplete or malformed.
	Err error
}

// Span is a finding as the service reports it.
type Span struct {
	// Start and End count Unicode code points of the text; End is exclusive.
	Start, End int
	// Type is the service's own name of an infoType.
	Type string
	// Score is from 0 to 1.
	Score float32
}

// The errors of a request. They never contain text of a call.
var (
	// ErrUnavailable: the service does not answer, or not in time, or its quota is used up.
	ErrUnavailable = errors.New("the remote detection service is unavailable")
	// ErrRefused: the service answers, but not usefully about this text.
	ErrRefused = errors.New("the remote detection service gave no usable answer")
	// ErrPartial: the answer does not contain all findings.
	ErrPartial = fmt.Errorf("%w: the answer is incomplete", ErrRefused)
	// ErrMalformed: a position is not within the text.
	ErrMalformed = fmt.Errorf("%w: a position lies outside of the text", ErrRefused)
)

// findings converts the spans of an answer to findings with byte offsets. A span that is not
// within the text makes the whole answer useless: the service and Sotto do not mean the same text,
// so its other positions cannot be trusted either.
func findings(text, detector string, spans []Span, types *Types) ([]detectors.Finding, error) {
	if len(spans) == 0 {
		return nil, nil
	}
	at := make([]int, 0, len(text)+1) // byte offsets of the code points, and the length of the text behind them
	for i := range text {
		at = append(at, i)
	}
	at = append(at, len(text))
	var out []detectors.Finding
	for _, s := range spans {
		if s.Start < 0 || s.Start >= s.End || s.End >= len(at) {
			return nil, ErrMalformed
		}
		t, ok := types.of(s)
		if !ok {
			continue
		}
		score := min(max(s.Score, 0), 1)
		out = append(out, detectors.Finding{
			Start: at[s.Start], End: at[s.End], Type: t, Score: score, Likelihood: detectors.LikelihoodOf(score),
			Detector: detector, Evidence: detectors.ByModel,
		})
	}
	return out, nil
}
