package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Two calls end, and one of them is released.
func TestOnlyReleasedCallsLeave(t *testing.T) {
	got := map[string]string{}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got[r.Method+" "+r.URL.Path] = string(body)
	}))
	defer service.Close()
	const events = `{"call_id":"a","seq":1,"type":"UTTERANCE","text":"Hello.","speaker":{"id":"s1"},"policy":"p","strategy":"tag","entities":[]}
{"call_id":"b","seq":1,"type":"UTTERANCE","text":"Held.","policy":"p","strategy":"tag","entities":[]}
{"call_id":"b","seq":2,"type":"END","call":{"utterances":1,"entities":{},"release":false,"reason":"risk"},"policy":"p","strategy":"tag","entities":[]}
{"call_id":"a","seq":2,"type":"END","call":{"utterances":1,"entities":{},"release":true},"policy":"p","strategy":"tag","entities":[]}
{"call_id":"open","seq":1,"type":"UTTERANCE","text":"Not over.","policy":"p","strategy":"tag","entities":[]}
`
	if err := run(t.Context(), strings.NewReader(events), service.URL+"/calls"); err != nil {
		t.Fatal(err)
	}
	const want = `{"call_id":"a","turns":[{"speaker":"s1","text":"Hello."}]}`
	if len(got) != 1 || got["PUT /calls/a"] != want {
		t.Errorf("the service got %q", got)
	}
}
