package serve

import (
	"net/http"
	"reflect"
	"testing"

	"sotto/config"
	"sotto/internal/testkit/endtest"
	"sotto/schemas"
	"sotto/state/linking"
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

// The END of a live call says which numbers turned out to be one person's.
func TestTheEndOfACallSaysWhoIsOne(t *testing.T) {
	r := startWith(t, settings(t))
	r.post("/v1/calls/c/start", `{}`, http.StatusOK, &callResponse{})
	for _, u := range []struct{ speaker, text, couples string }{
		{"a", "my name is Katarzyna Wrobel", linking.NobodyIsOne},
		{"b", "ask Thaddeus Quill", linking.NobodyIsOne},
		{"a", "thank you, Thaddeus Quill", linking.AllAreOne}, // it is new that somebody is addressed by the name
	} {
		linking.TryModels("", u.couples, func() {
			r.post("/v1/calls/c/utterances", body(map[string]any{"utterances": []any{
				map[string]any{"text": u.text, "speaker": map[string]any{"id": u.speaker}},
			}}), http.StatusOK, &callResponse{})
		})
	}
	var end callResponse
	r.post("/v1/calls/c/end", "", http.StatusOK, &end)
	if want := map[string]map[string]int64{"PERSON_NAME": {"2": 1}}; !reflect.DeepEqual(end.Call.Renumbered, want) {
		t.Errorf("renumbered is %v, want %v", end.Call.Renumbered, want)
	}
}
