package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"
)

// readBody returns the JSON body of a request. A page of another site cannot make a browser send
// one without asking first, because of its type.
func readBody(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, errContentType
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	if !utf8.Valid(body) {
		return nil, errBody
	}
	return body, nil
}

// bodyError says why a body could not be read.
func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return errTooLarge
	}
	return fail(http.StatusBadRequest, "the body could not be read")
}

// decode reads a body that may have no field that into does not have: a misspelt one could
// otherwise go unnoticed. The decoder's own errors may show the body.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil || d.More() {
		return errBody
	}
	return nil
}

// write sends a value as JSON.
func write(w http.ResponseWriter, status int, value any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return errInternal
	}
	writeJSON(w, status, b.Bytes())
	return nil
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone cannot be told
}
