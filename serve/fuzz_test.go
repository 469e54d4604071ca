package serve

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/config"
)

// FuzzRequests sends any body to any endpoint that takes one. The response is JSON, and never says
// that the service failed.
func FuzzRequests(f *testing.F) {
	s, err := config.Load(nil)
	if err != nil {
		f.Fatal(err)
	}
	server, err := New(s, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		f.Fatal(err)
	}
	handler := server.Handler()
	paths := []string{"/v1/anonymize", "/v1/calls/c/start", "/v1/calls/c/utterances", "/analyze", "/anonymize", "/v1/files"}
	for i, body := range []string{
		`{"utterances":[{"seq":1,"text":"my name is Ines","speaker":{"id":"a"},"final":true}],"participants":[{"names":["x"]}]}`,
		`{"participants":[{"phones":["604 555 0134"]}],"language":"en"}`,
		`{"utterances":[{"text":"604 555"}],"continue":true,"raw_offsets":true}`,
		`{"text":["a","b"],"language":"en","allow_list":["a"],"allow_list_match":"regex","regex_flags":-1,"ad_hoc_recognizers":[{"supported_entity":"Z","deny_list":["b",""],"patterns":[{"regex":"(a)|b","score":2}]}]}`,
		`{"text":"é Jane","analyzer_results":[{"start":2,"end":6,"entity_type":"P","score":1}],"anonymizers":{"DEFAULT":{"type":"mask","masking_char":"é","chars_to_mask":9}}}`,
		"--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.vtt\"\r\n\r\nWEBVTT\n\n00:01.000 --> 00:02.000\nhi\r\n--x--\r\n",
	} {
		f.Add(i, body)
	}
	f.Fuzz(func(t *testing.T, endpoint int, body string) {
		path := paths[(endpoint%len(paths)+len(paths))%len(paths)]
		req := httptest.NewRequest("POST", "http://localhost"+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		if path == "/v1/files" {
			req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		if w.Code == http.StatusInternalServerError || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
	})
}
