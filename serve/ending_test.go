package serve

import (
	"net/http"
	"testing"

	"sotto/config"
	"sotto/internal/testkit/endtest"
	"sotto/schemas"
)

func TestEndOfACall(t *testing.T) {
	endtest.Run(t, func(t *testing.T, set func(*config.Settings), utterances []string) *schemas.CallSummary {
		s := settings(t)
		set(&s)
		r := startWith(t, s)
		r.post("/v1/calls/c/start", body(map[string]any{"context": endtest.Context}), http.StatusOK, &callResponse{})
		for _, text := range utterances {
			r.post("/v1/calls/c/utterances", say(text), http.StatusOK, &callResponse{})
		}
		var end callResponse
		r.post("/v1/calls/c/end", "", http.StatusOK, &end)
		return end.Call
	})
}
