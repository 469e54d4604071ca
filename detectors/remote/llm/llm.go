// Package llm asks a language model behind the chat interface of OpenAI, which vLLM, llama.cpp, Ollama
// and many gateways have as well.
//
// The model quotes what is personal, and the package looks the quotes up in the texts. So an answer can
// only add masks to a text, and a text that gives the model orders can at most keep masks from being added.
package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sotto/anonymize/policy"
	"sotto/detectors"
	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
)

const (
	// maxSpans bounds the quotes of an answer.
	maxSpans = 500
	// score is that of every span: the interface has none. It makes them LIKELY.
	score = 0.7
)

// Service asks a model what is personal. It is safe for concurrent use.
type Service struct{ *Chat }

// New returns the service at the base URL of the interface, such as http://vllm:8000/v1. token returns
// the API key, "" for none; it is called for each request. The model is asked for the types that the
// rules mask, for which {types} stands in the prompt.
func New(address, model string, token func() (string, error), types *remote.Types, rules *policy.Policy) *Service {
	var names, list []string
	for _, n := range types.Names() {
		t := types.Is(n)
		if rules.Masks(t) {
			names, list = append(names, n), append(list, "- "+n+": "+t.Row().About)
		}
	}
	system := strings.ReplaceAll(cmp.Or(rules.Prompt(), remote.Prompt()), "{types}", strings.Join(list, "\n"))
	return &Service{NewChat(address, model, token, system, answerForm(names), 0)}
}

// Name implements remote.Service.
func (*Service) Name() string { return "llm" }

// Inspect implements remote.Service. The texts are one message, so each of them is the context of the
// others. A quote counts in every text that has it. If none has it, the model means another text, and
// no answer is complete.
func (s *Service) Inspect(ctx context.Context, texts []string) ([]remote.Answer, error) {
	reply, err := s.Ask(ctx, string(client.Encode(texts)))
	if err != nil {
		return nil, err
	}
	quotes, err := parse(reply.Content)
	if err != nil {
		return nil, err
	}
	answers := make([]remote.Answer, len(texts))
	docs := make([]detectors.Document, len(texts))
	for i, text := range texts {
		docs[i].Reset(text)
	}
	complete := true
	for _, q := range quotes {
		found := false
		for i := range docs {
			spans := Occurrences(&docs[i], q.Quote)
			for _, at := range spans {
				answers[i].Spans = append(answers[i].Spans, remote.Span{Start: at[0], End: at[1], Type: q.Type, Score: score})
			}
			found = found || len(spans) > 0
		}
		complete = complete && found
	}
	if !complete {
		for i := range answers {
			answers[i].Err = fmt.Errorf("%w: it quotes words that the text does not have", remote.ErrPartial)
		}
	}
	return answers, nil
}

// Occurrences returns where the words of a quote stand in a text, in code points. Case, accents and
// what stands between words do not count.
func Occurrences(d *detectors.Document, quote string) (spans [][2]int) {
	var q detectors.Document
	q.Reset(quote)
	text, said := d.Said(), q.Said()
	for i := 0; len(said) > 0 && i+len(said) <= len(text); i++ {
		k := 0
		for k < len(said) && bytes.Equal(d.Word(text[i+k]), q.Word(said[k])) {
			k++
		}
		if k == len(said) {
			spans = append(spans, [2]int{d.RuneOffset(int(d.Tokens[text[i]].Start)), d.RuneOffset(int(d.Tokens[text[i+k-1]].End))})
		}
	}
	return spans
}

// quote is what the model found.
type quote struct {
	Quote string `json:"quote"`
	Type  string `json:"type"`
}

// parse reads what the model says.
func parse(content string) ([]quote, error) {
	content = Unwrap(content)
	var a struct {
		Spans []quote `json:"spans"`
	}
	if json.Unmarshal([]byte(content), &a) != nil || a.Spans == nil || len(a.Spans) > maxSpans {
		return nil, fmt.Errorf("%w: not a list of quotes", remote.ErrRefused)
	}
	if slices.ContainsFunc(a.Spans, func(q quote) bool { return q.Type == "" }) {
		return nil, fmt.Errorf("%w: a quote has no type", remote.ErrRefused)
	}
	return a.Spans, nil
}
