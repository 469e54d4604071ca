package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
)

// requestError is an error whose text goes to the client. Its text is fixed: nothing of a request gets
// into it but positions.
type requestError struct {
	status int
	text   string
}

func (e *requestError) Error() string { return e.text }

func fail(status int, format string, args ...any) *requestError {
	return &requestError{status, fmt.Sprintf(format, args...)}
}

var (
	errUTF8        = fail(http.StatusBadRequest, "the body is not valid UTF-8")
	errContentType = fail(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
	errTooLarge    = fail(http.StatusRequestEntityTooLarge, "the body is larger than 8 MiB")
	errSensitivity = fail(http.StatusUnprocessableEntity, "sensitivity is none of balanced, high and maximum")
	errText        = fail(http.StatusRequestEntityTooLarge, "the text is longer than SOTTO_MAX_TEXT_BYTES; send it in parts")
	errValues      = fail(http.StatusRequestEntityTooLarge, "the body has too many values; send it in parts")
	errAnswer      = fail(http.StatusRequestEntityTooLarge, "the response would be too large; send the request in parts")
	errUnknown     = fail(http.StatusUnauthorized, "a valid token is needed: Authorization: Bearer TOKEN")
	errHost        = fail(http.StatusMisdirectedRequest, "without authentication, the Host must be localhost or a loopback address")
	errOrigin      = fail(http.StatusForbidden, "a page of another origin may not use the service")
	errSlow        = fail(http.StatusRequestTimeout, "the body arrives too slowly")
	errBusy        = fail(http.StatusServiceUnavailable, "too many requests are waiting; try again later")
	errTimeout     = fail(http.StatusServiceUnavailable, "the request took longer than 30 seconds")
	errEngine      = fail(http.StatusInternalServerError, "the engine failed; please report it with the output of 'sotto version'")
	errInternal    = fail(http.StatusInternalServerError, "internal error; please report it with the output of 'sotto version'")
)

// bodyProblem says what is wrong with a JSON body, by the names of openapi.yaml and positions: the decoder's own
// errors may show the body. at is how far the decoder came.
func bodyProblem(err error, at int64) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fail(http.StatusBadRequest, "the body is not JSON from byte %d on", syntax.Offset)
	case errors.As(err, &kind):
		found, _, _ := strings.Cut(kind.Value, " ") // the rest may be the value
		return fail(http.StatusBadRequest, "%s must be %s, and the body has %s at byte %d", cmp.Or(kind.Field, "the body"), cmp.Or(jsonKinds[kind.Type.Kind()], "a whole number"), found, kind.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fail(http.StatusBadRequest, "the body ends before its JSON object does")
	case err == nil:
		return fail(http.StatusBadRequest, "the body goes on after its JSON object, at byte %d", at)
	}
	return fail(http.StatusBadRequest, "the body has a field that openapi.yaml does not describe, before byte %d", at)
}

// jsonKinds are what JSON has for the types of fields that are no whole numbers.
var jsonKinds = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "a list",
	reflect.Struct: "an object", reflect.Map: "an object", reflect.Float64: "a number",
}
