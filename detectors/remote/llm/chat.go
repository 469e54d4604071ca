package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
)

// Chat asks a model with one prompt, and one form of the answers. It is safe for concurrent use.
type Chat struct {
	*client.Client
	model, system string
	token         func() (string, error)
	form          any
	maxTokens     int
	// fields is which optional fields the server takes, plus one; 0 until it took a request.
	fields atomic.Int32
}

// NewChat returns the chat with the model of that name at the base URL of the interface, such as
// http://vllm:8000/v1. token returns the API key, "" for none; it is called for each request. form is that of the
// answers, for servers that take one. Answers have at most maxTokens, 0 for as many as the server gives.
func NewChat(address, model string, token func() (string, error), system string, form any, maxTokens int) *Chat {
	return &Chat{
		Client: client.New(strings.TrimRight(address, "/")+"/chat/completions",
			http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity),
		model: model, system: system, token: token, form: form, maxTokens: maxTokens,
	}
}

// Reply is what a model says.
type Reply struct {
	Content string
	// Tokens is what the server counts for the request and its answer, 0 if it does not say.
	Tokens int
	// Status is that of the answer, 0 if there was none.
	Status int
}

// Ask asks with the content as the user's message. The error is one of those that remote.Service may return.
func (s *Chat) Ask(ctx context.Context, content string) (Reply, error) {
	return s.complete(ctx, content)
}

type request struct {
	Model     string    `json:"model"`
	Messages  []message `json:"messages"`
	MaxTokens int       `json:"max_tokens,omitempty"`
	// Temperature and Format are optional; see optionalFields.
	Temperature *float32 `json:"temperature,omitempty"`
	Format      any      `json:"response_format,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Refusal string `json:"refusal,omitempty"`
}

type completion struct {
	Choices []struct {
		Message message `json:"message"`
		Finish  string  `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
}

// object is JSON that has no type of its own.
type object = map[string]any

// answerForm is the form of the answer, with the types that a quote may have.
func answerForm(types []string) any {
	span := Closed(object{"quote": object{"type": "string"}, "type": object{"type": "string", "enum": types}}, "quote", "type")
	return Form("spans", Closed(object{"spans": object{"type": "array", "items": span}}, "spans"))
}

// Form is the response_format of answers that have a JSON schema.
func Form(name string, schema any) any {
	return object{"type": "json_schema", "json_schema": object{"name": name, "strict": true, "schema": schema}}
}

// Closed is the JSON schema of an object with these properties and no others.
func Closed(properties map[string]any, required ...string) map[string]any {
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// Servers differ in which optional fields they take: some know no response_format, and some models no
// temperature. A request has the most that the server takes, which the first one finds out.
const (
	allFields = iota
	noFormat
	noTemperature
	fieldChoices
)

// complete returns what the model says about the texts. llama.cpp answers with status 500 if its model
// broke the form. That must not look like an outage, for which the stream would wait forever, so such a
// text is asked about once more without a form.
func (s *Chat) complete(ctx context.Context, content string) (r Reply, err error) {
	known := s.fields.Load()
	for fields := max(allFields, int(known)-1); fields < fieldChoices; fields++ {
		r, err = s.post(ctx, content, fields)
		if err == nil {
			s.fields.CompareAndSwap(0, int32(fields)+1)
		}
		rejected := known == 0 && r.Status != http.StatusOK && errors.Is(err, remote.ErrRefused)
		if !rejected && (r.Status != http.StatusInternalServerError || fields >= noFormat) {
			break
		}
	}
	return r, err
}

// post makes one request.
func (s *Chat) post(ctx context.Context, content string, fields int) (r Reply, err error) {
	header := http.Header{}
	token, err := s.token()
	if err != nil {
		return r, fmt.Errorf("%w: the file of the token cannot be read", remote.ErrUnavailable)
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	var c completion
	if r.Status, err = s.Post(ctx, header, s.request(content, fields), &c); err != nil {
		return r, err
	}
	r.Tokens = c.Usage.Total
	if len(c.Choices) != 1 {
		return r, fmt.Errorf("%w: not a completion", remote.ErrRefused)
	}
	switch answer := &c.Choices[0]; {
	case answer.Message.Refusal != "":
		return r, fmt.Errorf("%w: the model refuses", remote.ErrRefused)
	case answer.Finish != "" && answer.Finish != "stop":
		return r, remote.ErrPartial
	default:
		r.Content = answer.Message.Content
		return r, nil
	}
}

func (s *Chat) request(content string, fields int) *request {
	q := &request{Model: s.model, Messages: []message{{Role: "system", Content: s.system}, {Role: "user", Content: content}}, MaxTokens: s.maxTokens}
	if fields < noTemperature {
		q.Temperature = new(float32)
	}
	if fields < noFormat {
		q.Format = s.form
	}
	return q
}

// Unwrap returns the JSON of an answer. Models without a schema put it into a fence, and some think aloud before.
func Unwrap(content string) string {
	if _, after, thought := strings.Cut(content, "</think>"); thought {
		content = after
	}
	content = strings.TrimSpace(content)
	if fenced, ok := strings.CutPrefix(content, "```"); ok {
		content = strings.TrimSuffix(strings.TrimPrefix(fenced, "json"), "```")
	}
	return content
}
