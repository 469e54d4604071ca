package kubetest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// client is a client of the API server with administrator rights. It is safe for concurrent use.
type client struct {
	base  string
	token string
	http  *http.Client
}

// statusError is a response other than 2xx.
type statusError struct {
	code    int
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.code, e.message) }

// isNotFound reports whether the API server has no such object.
func isNotFound(err error) bool {
	var s *statusError
	return errors.As(err, &s) && s.code == http.StatusNotFound
}

func newClient(base, token string, ca []byte) *client {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return &client{base: base, token: token, http: &http.Client{
		Timeout:   20 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, MaxIdleConnsPerHost: 8},
	}}
}

// Get reads an object by its path, such as "/api/v1/namespaces/default/pods/x".
func (c *client) Get(ctx context.Context, path string, out any) error {
	return c.do(ctx, http.MethodGet, path, "", nil, out)
}

// Create posts an object, a value or its JSON, to the path of its kind.
func (c *client) Create(ctx context.Context, path string, object any) error {
	return c.do(ctx, http.MethodPost, path, "application/json", object, nil)
}

// Patch merges fields into an object.
func (c *client) Patch(ctx context.Context, path string, fields any) error {
	return c.do(ctx, http.MethodPatch, path, "application/merge-patch+json", fields, nil)
}

// Delete deletes an object as kubectl does.
func (c *client) Delete(ctx context.Context, path string) error { return c.remove(ctx, path, nil) }

func (c *client) remove(ctx context.Context, path string, options any) error {
	return c.do(ctx, http.MethodDelete, path, "application/json", options, nil)
}

func (c *client) do(ctx context.Context, method, path, contentType string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		var status struct{ Message string }
		if json.Unmarshal(data, &status) != nil || status.Message == "" {
			status.Message = string(data)
		}
		return fmt.Errorf("%s %s: %w", method, path, &statusError{resp.StatusCode, status.Message})
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}
