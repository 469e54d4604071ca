package ingest

import (
	"mime"
	"net/http"
)

// refusal is why a request is not written: a closed set, for a metric label. The answer has nothing of the request.
type refusal struct {
	status       int
	reason, text string
}

func (e *refusal) Error() string { return e.text }

var (
	errSignature = &refusal{http.StatusUnauthorized, "signature", "no signature of a known secret"}
	errExpired   = &refusal{http.StatusUnauthorized, "expired", "the signature is of another time"}
	errMethod    = &refusal{http.StatusMethodNotAllowed, "method", "webhooks are sent with POST"}
	errEncoding  = &refusal{http.StatusUnsupportedMediaType, "encoding", "the body must not be compressed"}
	errEmpty     = &refusal{http.StatusBadRequest, "empty", "there is no body"}
	errBroken    = &refusal{http.StatusBadRequest, "broken", "the body could not be read"}
	errSlow      = &refusal{http.StatusRequestTimeout, "slow", "the body arrives too slowly"}
	errTooLarge  = &refusal{http.StatusRequestEntityTooLarge, "too_large", "the body is too large"}
	errTopic     = &refusal{http.StatusRequestEntityTooLarge, "too_large_for_topic", "the body is too large for the topic"}
	errBusy      = &refusal{http.StatusServiceUnavailable, "busy", "too much is being received; send it again"}
	errBroker    = &refusal{http.StatusServiceUnavailable, "broker", "the body could not be written; send it again"}
	errInternal  = &refusal{http.StatusInternalServerError, "internal", "internal error; send it again"}
)

// refusals are all of them.
var refusals = []*refusal{
	errSignature, errExpired, errMethod, errEncoding, errEmpty, errBroken, errSlow, errTooLarge, errTopic, errBusy, errBroker, errInternal,
}

// mediaType returns what kind of body a request has, "" if it does not say so.
func mediaType(r *http.Request) string {
	kind, _, err := mime.ParseMediaType(header(r, "Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}
