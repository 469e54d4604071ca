package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"sotto/detectors/remote"
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

var (
	// errRejected is a request that the server does not accept as it is.
	errRejected = fmt.Errorf("%w: the server rejects the request", remote.ErrRefused)
	// errFailed is status 500. It is an outage, or llama.cpp with a model that broke the form.
	errFailed = fmt.Errorf("%w: status 500", remote.ErrUnavailable)
)

// complete returns what the model says about the texts. A text whose answer cannot be formed must not
// look like an outage, for which the stream would wait forever: it is asked about once more without a form.
func (s *Service) complete(ctx context.Context, texts []string) (content string, err error) {
	known := s.fields.Load()
	for fields := max(allFields, int(known)-1); fields < fieldChoices; fields++ {
		content, err = s.post(ctx, texts, fields)
		if err == nil {
			s.fields.CompareAndSwap(0, int32(fields)+1)
		}
		if again := known == 0 && errors.Is(err, errRejected) || fields < noFormat && errors.Is(err, errFailed); !again {
			break
		}
	}
	return content, err
}

// post makes one request.
func (s *Service) post(ctx context.Context, texts []string, fields int) (string, error) {
	token, err := s.token()
	if err != nil {
		return "", fmt.Errorf("%w: the file of the token cannot be read", remote.ErrUnavailable)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(s.body(texts, fields)))
	if err != nil {
		return "", fmt.Errorf("%w: the URL is not valid", remote.ErrUnavailable)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return "", fmt.Errorf("%w: no connection", remote.ErrUnavailable)
	}
	defer resp.Body.Close()
	// The message of an error may quote the request, so only its status counts.
	switch c := resp.StatusCode; c {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return "", fmt.Errorf("%w: status %d", errRejected, c)
	case http.StatusInternalServerError:
		return "", errFailed
	default:
		return "", fmt.Errorf("%w: status %d", remote.ErrUnavailable, c)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return "", fmt.Errorf("%w: the connection broke", remote.ErrUnavailable)
	}
	var c completion
	if len(data) > maxAnswer || json.Unmarshal(data, &c) != nil || len(c.Choices) != 1 {
		return "", fmt.Errorf("%w: not a completion", remote.ErrRefused)
	}
	switch answer := &c.Choices[0]; {
	case answer.Message.Refusal != "":
		return "", fmt.Errorf("%w: the model refuses", remote.ErrRefused)
	case answer.Finish != "" && answer.Finish != "stop":
		return "", remote.ErrPartial
	default:
		return answer.Message.Content, nil
	}
}

// body returns a request as JSON, without the escapes for HTML: they would take tokens of the model.
func (s *Service) body(texts []string, fields int) []byte {
	var said, body bytes.Buffer
	encode := func(to *bytes.Buffer, v any) {
		e := json.NewEncoder(to)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // it has strings and numbers only, and a Buffer takes all
	}
	encode(&said, texts)
	q := request{Model: s.model, Messages: []message{{Role: "system", Content: s.system}, {Role: "user", Content: strings.TrimSpace(said.String())}}}
	if fields < noTemperature {
		q.Temperature = new(float32)
	}
	if fields < noFormat {
		q.Format = s.schema
	}
	encode(&body, q)
	return body.Bytes()
}
