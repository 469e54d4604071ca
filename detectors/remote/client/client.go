// Package client posts JSON to the services of remote tiers. The text of calls goes to the URL of the
// settings and nowhere else, and errors have nothing of a request or an answer.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"sotto/detectors/remote"
)

const (
	// idleConnections are as many as a tier has requests on their way.
	idleConnections = 16
	// MaxAnswer bounds the bytes of an answer.
	MaxAnswer = 8 << 20
)

// Client posts to one URL. It is safe for concurrent use.
type Client struct {
	// URL is what it posts to.
	URL     string
	refused []int
	http    *http.Client
}

// New returns a client that follows no redirects. It uses the proxy of the environment where that only
// carries TLS. A status of refused says that the service does not accept the texts; any other but 200,
// that it may answer later. Requests have no time limit but that of their context.
func New(url string, refused ...int) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConnections
	transport.Proxy = proxy
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{url, refused, &http.Client{Transport: transport, CheckRedirect: stay}}
}

// proxy is the proxy of the environment where it only carries TLS: it must not see the text.
func proxy(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// Close ends the connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Encode returns a value as JSON, without the escapes for HTML: requests are limited and may cost.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // requests have strings, numbers and lists of them only, and a Buffer takes all
	return bytes.TrimSpace(b.Bytes())
}

// Post makes one request and reads the answer. The status is 0 if there was none. The error is one of
// those that remote.Service may return.
func (c *Client) Post(ctx context.Context, header http.Header, request, answer any) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(Encode(request)))
	if err != nil {
		return 0, fmt.Errorf("%w: the URL is not valid", remote.ErrUnavailable)
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil { // which has the URL
		return 0, fmt.Errorf("%w: no connection", remote.ErrUnavailable)
	}
	defer resp.Body.Close()
	// The message of an error may quote the request, so only its status counts.
	switch status = resp.StatusCode; {
	case status == http.StatusOK:
	case slices.Contains(c.refused, status):
		return status, fmt.Errorf("%w: status %d", remote.ErrRefused, status)
	default:
		return status, fmt.Errorf("%w: status %d", remote.ErrUnavailable, status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer+1))
	if err != nil {
		return status, fmt.Errorf("%w: the connection broke", remote.ErrUnavailable)
	}
	if len(data) > MaxAnswer || json.Unmarshal(data, answer) != nil {
		return status, fmt.Errorf("%w: not JSON of the right form", remote.ErrRefused)
	}
	return status, nil
}
