// Package texthttp makes clients for services that get the text of calls. The text goes to the URL of
// the settings and nowhere else.
package texthttp

import (
	"net/http"
	"net/url"
)

// NewClient returns a client that follows no redirects and keeps up to so many idle connections to
// each host. It uses the proxy of the environment where that only carries TLS. Requests have no time
// limit but that of their context.
func NewClient(idleConnections int) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConnections
	transport.Proxy = proxy
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// proxy is the proxy of the environment where it only carries TLS: it must not see the text.
func proxy(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}
