package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
)

type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
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
}

// object is JSON that has no type of its own.
type object = map[string]any

// answerSchema is the form of the answer, with the types that a quote may have.
func answerSchema(types []string) any {
	closed := func(properties object, required ...string) object {
		return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	span := closed(object{"quote": object{"type": "string"}, "type": object{"type": "string", "enum": types}}, "quote", "type")
	answer := closed(object{"spans": object{"type": "array", "items": span}}, "spans")
	return object{"type": "json_schema", "json_schema": object{"name": "spans", "strict": true, "schema": answer}}
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
func (s *Service) complete(ctx context.Context, texts []string) (content string, err error) {
	known := s.fields.Load()
	for fields := max(allFields, int(known)-1); fields < fieldChoices; fields++ {
		var status int
		content, status, err = s.post(ctx, texts, fields)
		if err == nil {
			s.fields.CompareAndSwap(0, int32(fields)+1)
		}
		rejected := known == 0 && status != http.StatusOK && errors.Is(err, remote.ErrRefused)
		if !rejected && (status != http.StatusInternalServerError || fields >= noFormat) {
			break
		}
	}
	return content, err
}

// post makes one request.
func (s *Service) post(ctx context.Context, texts []string, fields int) (content string, status int, err error) {
	header := http.Header{}
	token, err := s.token()
	if err != nil {
		return "", 0, fmt.Errorf("%w: the file of the token cannot be read", remote.ErrUnavailable)
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	var c completion
	if status, err = s.Post(ctx, header, s.request(texts, fields), &c); err != nil {
		return "", status, err
	}
	if len(c.Choices) != 1 {
		return "", status, fmt.Errorf("%w: not a completion", remote.ErrRefused)
	}
	switch answer := &c.Choices[0]; {
	case answer.Message.Refusal != "":
		return "", status, fmt.Errorf("%w: the model refuses", remote.ErrRefused)
	case answer.Finish != "" && answer.Finish != "stop":
		return "", status, remote.ErrPartial
	default:
		return answer.Message.Content, status, nil
	}
}

func (s *Service) request(texts []string, fields int) *request {
	q := &request{Model: s.model, Messages: []message{{Role: "system", Content: s.system}, {Role: "user", Content: string(client.Encode(texts))}}}
	if fields < noTemperature {
		q.Temperature = new(float32)
	}
	if fields < noFormat {
		q.Format = s.schema
	}
	return q
}
