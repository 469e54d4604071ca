package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509/pkix"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/anonymize"
	"sotto/config"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTokens(t *testing.T) {
	path := writeFile(t, "tokens", "# for the intake\nfirst-token-0123456789\n\nsecond-token-0123456789\n")
	r := start(t, "SERVE_TOKEN_FILE="+path)
	const req = `{"text":"hello"}`
	for token, want := range map[string]int{"": 401, "first-token-012345678": 401, "first-token-0123456789x": 401, "# for the intake": 401,
		"first-token-0123456789": 200, "second-token-0123456789": 200} {
		r.token = token
		r.post("/v1/anonymize", req, want, nil)
	}
	r.token = ""
	r.do("GET", "/health", "", "", http.StatusOK, nil)
	r.do("GET", "/v1/policy", "", "", http.StatusUnauthorized, nil)

	if err := os.WriteFile(path, []byte("third-token-0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.server.auth.loadTokens(); err != nil {
		t.Fatal(err)
	}
	r.token = "first-token-0123456789"
	r.post("/v1/anonymize", req, http.StatusUnauthorized, nil)
	r.token = "third-token-0123456789"
	r.post("/v1/anonymize", req, http.StatusOK, nil)

	// A file that is not valid leaves the tokens as they were.
	for _, bad := range []string{"", "short\n"} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := r.server.auth.loadTokens(); err == nil || strings.Contains(err.Error(), "short\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	r.post("/v1/anonymize", req, http.StatusOK, nil)
}

func TestAddressesNeedAuthentication(t *testing.T) {
	for _, c := range []struct {
		environ map[string]string
		ok      bool
	}{
		{map[string]string{}, true},
		{map[string]string{"SOTTO_SERVE_ADDR": "[::1]:0"}, true},
		{map[string]string{"SOTTO_SERVE_ADDR": ":8080"}, false},
		{map[string]string{"SOTTO_SERVE_ADDR": "0.0.0.0:8080"}, false},
		{map[string]string{"SOTTO_SERVE_ADDR": "10.0.0.1:8080"}, false},
		{map[string]string{"SOTTO_SERVE_ADDR": ":8080", "SOTTO_SERVE_TOKEN_FILE": "/x"}, true},
		{map[string]string{"SOTTO_SERVE_ADDR": ":8080", "SOTTO_SERVE_UNAUTHENTICATED": "true"}, true},
		{map[string]string{"SOTTO_SERVE_ADDR": ":8080", "SOTTO_SERVE_TLS_CERT_FILE": "/x", "SOTTO_SERVE_TLS_KEY_FILE": "/y"}, false},
		{map[string]string{"SOTTO_SERVE_TLS_CLIENT_CA_FILE": "/x"}, false},
	} {
		if _, err := config.Load(c.environ); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.environ, err)
		}
	}
}

// A page of another site whose name resolves to loopback must not reach a service without
// authentication.
func TestForeignHosts(t *testing.T) {
	r := start(t)
	for host, want := range map[string]int{"evil.example": 421, "localhost.evil.example:80": 421, "localhost:8080": 200, "[::1]": 200, "127.0.0.1": 200} {
		req := r.request("POST", "/v1/anonymize", "application/json", `{"text":"hello"}`)
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: status %d", host, resp.StatusCode)
		}
	}
}

func TestTooManyRequestsAreRefused(t *testing.T) {
	set := settings(t)
	set.ServeConcurrency, set.ServeTimeout = 1, time.Second
	r := startWith(t, set)
	r.server.small.slots <- struct{}{} // somebody works
	r.post("/v1/anonymize", `{"text":"hello"}`, http.StatusServiceUnavailable, nil)
	<-r.server.small.slots
	for range cap(r.server.small.waiting) {
		r.server.small.waiting <- struct{}{}
	}
	var e errorBody
	r.post("/v1/anonymize", `{"text":"hello"}`, http.StatusServiceUnavailable, &e)
	if e.Error != errBusy.Error() {
		t.Errorf("there was no room to wait, but: %s", e.Error)
	}
}

// certificate makes a key and a certificate, signed by parent unless that is nil.
func certificate(t *testing.T, name string, parent *tls.Certificate) (certFile, keyFile string, pair tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: parent == nil, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	issuer, signer := template, any(key)
	if parent != nil {
		issuer, signer = parent.Leaf, parent.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	if pair, err = tls.X509KeyPair(certPEM, keyPEM); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, name+".pem", string(certPEM)), writeFile(t, name+"-key.pem", string(keyPEM)), pair
}

// TestRun runs the service as the command does: with TLS and client certificates, until it is told
// to stop.
func TestRun(t *testing.T) {
	caFile, _, ca := certificate(t, "ca", nil)
	certFile, keyFile, _ := certificate(t, "server", &ca)
	_, _, client := certificate(t, "client", &ca)
	_, _, stranger := certificate(t, "stranger", nil)
	s := settings(t, "SERVE_ADDR=127.0.0.1:0", "SERVE_TLS_CERT_FILE="+certFile, "SERVE_TLS_KEY_FILE="+keyFile, "SERVE_TLS_CLIENT_CA_FILE="+caFile)
	server, err := New(s, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	listening, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- server.Run(ctx, func(a net.Addr) { listening <- a.String() }) }()
	url := "https://" + <-listening + "/v1/anonymize"
	pool := x509.NewCertPool()
	pool.AddCert(ca.Leaf)
	post := func(certs ...tls.Certificate) (int, error) {
		c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certs}}}
		defer c.CloseIdleConnections()
		resp, err := c.Post(url, "application/json", strings.NewReader(`{"text":"hello"}`))
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, err
	}
	if status, err := post(client); err != nil || status != http.StatusOK {
		t.Errorf("with a certificate: %d, %v", status, err)
	}
	for _, certs := range [][]tls.Certificate{nil, {stranger}} {
		if status, err := post(certs...); err == nil {
			t.Errorf("without a certificate of the authority: status %d", status)
		}
	}

	// A request in flight ends before the service does.
	server.small.slots <- struct{}{}
	for range cap(server.small.slots) - 1 {
		server.small.slots <- struct{}{}
	}
	result := make(chan int, 1)
	go func() {
		status, _ := post(client)
		result <- status
	}()
	for len(server.small.waiting) == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	for server.ready.Load() {
		time.Sleep(time.Millisecond)
	}
	<-server.small.slots
	if status := <-result; status != http.StatusOK {
		t.Errorf("the request in flight: status %d", status)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestProbesAndMetrics(t *testing.T) {
	r := start(t)
	r.post("/v1/calls/c/utterances", say("hello"), http.StatusOK, nil)
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		req, _ := http.NewRequest("GET", path, nil)
		r.server.HealthHandler().ServeHTTP(w, req)
		return w.Code, w.Body.String()
	}
	if status, _ := get("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("ready before it listens: %d", status)
	}
	r.server.ready.Store(true)
	for _, path := range []string{"/livez", "/readyz", "/startupz"} {
		if status, _ := get(path); status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
	}
	_, text := get("/metrics")
	for _, want := range []string{`sotto_serve_requests_total{code="200",route="POST /v1/calls/{id}/utterances"} 1`, "sotto_serve_calls 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
}

// Every engine has loaded what it needs before the service is ready.
func TestEnginesAreLoadedBeforeItIsReady(t *testing.T) {
	s := settings(t, "SERVE_ADDR=127.0.0.1:0")
	server := startWith(t, s).server
	engine := server.engine
	used := map[string]bool{}
	server.engine = func(sensitivity string) (anonymize.Anonymizer, bool) {
		used[sensitivity] = true
		if server.ready.Load() {
			t.Error("it is ready although an engine is being loaded")
		}
		return engine(sensitivity)
	}
	ctx, stop := context.WithCancel(t.Context())
	err := server.Run(ctx, func(net.Addr) {
		if !used["balanced"] || !used["high"] || !used["maximum"] || !server.ready.Load() {
			t.Errorf("it listens after %v were loaded", used)
		}
		stop()
	})
	if err != nil || server.ready.Load() {
		t.Errorf("after its end: %v, ready %t", err, server.ready.Load())
	}
}

// docs/serve.md lists every metric.
func TestMetricsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	r := start(t)
	r.post("/v1/anonymize", `{"text":"hello"}`, http.StatusOK, nil)
	families, err := r.server.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.Contains(string(doc), "`"+f.GetName()+"`") {
			t.Errorf("docs/serve.md does not list %s", f.GetName())
		}
	}
}
