package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"time"
	"unicode/utf8"
)

// readBody returns the JSON body of a request. A page of another site cannot make a browser send
// one without asking first, because of its type.
func readBody(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, errContentType
	}
	body, err := readAll(r)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(body) {
		return nil, errUTF8
	}
	if values(body) > maxValues {
		return nil, errValues
	}
	return body, nil
}

// readAll returns the body of a request. Once it is not small, it has the memory that its length
// says, so that it is not copied while it grows.
func readAll(r *http.Request) ([]byte, error) {
	x := r.Body.(*exchange)
	body := make([]byte, 0, 512)
	for {
		if len(body) == cap(body) {
			size := 2 * cap(body)
			if size > smallBody && r.ContentLength > int64(len(body)) {
				size = int(min(r.ContentLength, int64(x.most))) + 1 // a byte more, to see the end
			}
			if err := x.held.grow(size); err != nil {
				return nil, err
			}
			body = slices.Grow(body, size-len(body))
		}
		n, err := x.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, bodyError(err)
		}
	}
}

// A body must begin within bodyPatience, and then arrive with at least minBodyRate bytes a second.
const (
	bodyPatience = 5 * time.Second
	minBodyRate  = 32 << 10
)

// exchange is a request with its response. As the body of the request it bounds how slow and how
// large that is. The response is sent when the work on it is over: a client that reads slowly keeps nobody else
// waiting.
type exchange struct {
	conn         http.ResponseWriter
	status       int
	answer       []byte
	body         io.ReadCloser
	held         *holding
	most         int // bytes that the body may have
	began, until time.Time
	read         int
}

func (x *exchange) Read(b []byte) (int, error) {
	control := http.NewResponseController(x.conn)
	// Not every connection of a test has deadlines.
	soon := x.began.Add(bodyPatience + time.Duration(x.read)*time.Second/minBodyRate)
	if soon.After(x.until) {
		soon = x.until
	}
	_ = control.SetReadDeadline(soon)
	n, err := x.body.Read(b)
	x.read += n
	if errors.Is(err, io.EOF) {
		// From now on, the server only waits for the client to hang up.
		_ = control.SetReadDeadline(time.Time{})
	}
	return n, err
}

func (x *exchange) Close() error { return x.body.Close() }

// maxValues is how many values a body may have. Each takes more memory than its bytes.
const maxValues = 200_000

// values returns how many values there are in JSON, or about so many.
func values(body []byte) (n int) {
	inString := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == '{' || c == '['):
			n++
		}
	}
	return n
}

func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errSlow
	}
	return fail(http.StatusBadRequest, "the body could not be read")
}

// parse decodes a body. That takes more memory than the body, so it takes a slot.
func (s *Server) parse(r *http.Request, body []byte, into any, decode func([]byte, any) error) error {
	leave, err := s.slot(r, len(body))
	if err != nil {
		return err
	}
	defer leave()
	return decode(body, into)
}

func withBody[T any](s *Server, decode func([]byte, any) error, serve func(http.ResponseWriter, *http.Request, []byte, *T) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		body, err := readBody(r)
		if err != nil {
			return err
		}
		req := new(T)
		if err := s.parse(r, body, req, decode); err != nil {
			return err
		}
		return serve(w, r, body, req)
	}
}

// decode reads a body that may have no field that into does not have: a misspelt one could
// otherwise go unnoticed.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil || d.More() {
		return bodyProblem(err, d.InputOffset())
	}
	return nil
}

// decodeLenient reads a body of an endpoint of Presidio, which ignores fields that it does not know.
func decodeLenient(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return bodyProblem(err, 0)
	}
	return nil
}

func write(w http.ResponseWriter, status int, value any) error {
	body, err := encode(value)
	if err == nil {
		writeJSON(w, status, body)
	}
	return err
}

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, errInternal
	}
	return b.Bytes(), nil
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone cannot be told
}
