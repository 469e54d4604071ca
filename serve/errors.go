package serve

import (
	"errors"
	"fmt"
	"net/http"
)

// requestError is an error whose text goes to the client. Its text is fixed: nothing of a request gets
// into it but positions.
type requestError struct {
	status int
	text   string
}

func (e *requestError) Error() string { return e.text }

func fail(status int, format string, args ...any) error {
	return &requestError{status, fmt.Sprintf(format, args...)}
}

var (
	errBody        = fail(http.StatusBadRequest, "the body is not the JSON object that openapi.yaml describes")
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

// asRequestError returns the error that the client gets.
func asRequestError(err error) *requestError {
	var e *requestError
	if !errors.As(err, &e) {
		errors.As(errInternal, &e)
	}
	return e
}
