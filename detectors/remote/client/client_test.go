package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"sotto/detectors/remote"
)

// A proxy gets no text that it could read.
func TestNoProxyWithoutTLS(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.example:3128")
	t.Setenv("HTTPS_PROXY", "http://proxy.example:3128")
	proxy := New("").http.Transport.(*http.Transport).Proxy
	for address, want := range map[string]bool{"http://analyzer.example:3000/analyze": false, "https://analyzer.example/analyze": true} {
		via, err := proxy(httptest.NewRequest(http.MethodPost, address, nil))
		if err != nil || (via != nil) != want {
			t.Errorf("%s: proxy %v, error %v", address, via, err)
		}
	}
}

func TestNoRedirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the text went elsewhere") }))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	status, err := New(s.URL).Post(t.Context(), nil, "a text", new(any))
	if status != http.StatusTemporaryRedirect || !errors.Is(err, remote.ErrUnavailable) {
		t.Errorf("status %d, %v", status, err)
	}
}
