package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/prometheus/client_golang/prometheus"

	"sotto/config"
)

// description is openapi.yaml, which every request and response of the tests is checked against.
var description = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromData(OpenAPI)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil // any address
	if err := doc.Validate(openapi3.NewLoader().Context); err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// rig is a server with the log that it wrote.
type rig struct {
	t      *testing.T
	server *Server
	url    string
	log    *lockedBuffer
	token  string
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func settings(t *testing.T, environ ...string) config.Settings {
	t.Helper()
	m := map[string]string{}
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		m[config.EnvPrefix+k] = v
	}
	s, err := config.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// start starts a server with settings, as NAME=value.
func start(t *testing.T, environ ...string) *rig {
	t.Helper()
	return startWith(t, settings(t, environ...))
}

func startWith(t *testing.T, s config.Settings) *rig {
	t.Helper()
	log := &lockedBuffer{}
	server, err := New(s, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(server.Handler())
	t.Cleanup(h.Close)
	return &rig{t: t, server: server, url: h.URL, log: log}
}

// post sends a body and decodes the response into out. It fails unless the status is the wanted
// one, and unless openapi.yaml describes the response and, if the status is 200, the request.
func (r *rig) post(path, body string, want int, out any) {
	r.t.Helper()
	r.do("POST", path, "application/json", body, want, out)
}

func (r *rig) do(method, path, kind, body string, want int, out any) {
	r.t.Helper()
	req := r.request(method, path, kind, body)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if resp.StatusCode != want {
		r.t.Fatalf("%s %s: status %d, want %d: %s", method, path, resp.StatusCode, want, data)
	}
	r.describe(r.request(method, path, kind, body), resp, data)
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			r.t.Fatalf("%s %s: %v in %s", method, path, err, data)
		}
	}
}

func (r *rig) request(method, path, kind, body string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	return req
}

// describe checks a request and its response against openapi.yaml.
func (r *rig) describe(req *http.Request, resp *http.Response, body []byte) {
	r.t.Helper()
	router, err := description()
	if err != nil {
		r.t.Fatal(err)
	}
	route, params, err := router.FindRoute(req)
	if err != nil {
		r.t.Fatalf("%s %s is not described: %v", req.Method, req.URL.Path, err)
	}
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route, Options: &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
	}}
	if resp.StatusCode == http.StatusOK && !strings.HasPrefix(req.Header.Get("Content-Type"), "multipart/") {
		if err := openapi3filter.ValidateRequest(r.t.Context(), in); err != nil {
			r.t.Errorf("%s %s: the request is not as described: %v", req.Method, req.URL.Path, err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header}
	out.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(r.t.Context(), out); err != nil {
		r.t.Errorf("%s %s: the response is not as described: %v", req.Method, req.URL.Path, err)
	}
}

// quiet fails if the log or a response shows a secret.
func (r *rig) quiet(secret string, responses ...string) {
	r.t.Helper()
	for _, s := range append(responses, r.log.String()) {
		if strings.Contains(s, secret) {
			r.t.Errorf("%q is shown: %s", secret, s)
		}
	}
}
