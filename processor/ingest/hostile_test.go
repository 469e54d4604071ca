package ingest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
)

// zeros is a body without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// hostile are requests of whoever does not know the secret, and of whoever does and sends what is too much.
func (r *rig) hostile(n int) {
	addr := strings.TrimPrefix(r.url, "http://")
	dial := func(text string) net.Conn {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			r.t.Error(err)
			return nil
		}
		_, _ = io.WriteString(c, text)
		return c
	}
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	do := func(req *http.Request, want ...int) {
		resp, err := client.Do(req)
		if err != nil {
			return // the receiver has hung up while the body was sent
		}
		resp.Body.Close()
		for _, w := range want {
			if resp.StatusCode == w {
				return
			}
		}
		r.t.Errorf("the status of a hostile request is %d, want %v", resp.StatusCode, want)
	}
	signed := r.request("application/json", "{}")
	switch n % 8 {
	case 0: // the header arrives byte by byte
		if c := dial("POST / HTTP/1.1\r\nHost: x\r\n"); c != nil {
			for i := range 200 {
				if _, err := fmt.Fprintf(c, "X-%d: wombatley\r\n", i); err != nil {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			c.Close()
		}
	case 1: // so does the body, of which much is announced
		if c := dial("POST / HTTP/1.1\r\nHost: x\r\nX-Signature: sha256=" + strings.Repeat("00", 32) + "\r\nContent-Length: 600000\r\n\r\n"); c != nil {
			for range 200 {
				if _, err := io.WriteString(c, "w"); err != nil {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			c.Close()
		}
	case 2: // 100 MB, announced
		req, _ := http.NewRequest(http.MethodPost, r.url, io.LimitReader(zeros{}, 100<<20))
		req.ContentLength, req.Header = 100<<20, signed.Header
		do(req, http.StatusRequestEntityTooLarge)
	case 3: // 100 MB in chunks
		req, _ := http.NewRequest(http.MethodPost, r.url, io.LimitReader(zeros{}, 100<<20))
		req.Header = signed.Header
		do(req, http.StatusRequestEntityTooLarge)
	case 4: // a wrong signature
		req := r.request("application/json", `{"call_id":"wombatley"}`)
		req.Header.Set("X-Signature", "sha256="+strings.Repeat("00", 32))
		do(req, http.StatusUnauthorized)
	case 5: // a large header
		req := r.request("application/json", "{}")
		req.Header.Set("X-Large", strings.Repeat("w", 64<<10))
		do(req, http.StatusRequestHeaderFieldsTooLarge)
	case 6: // a bomb
		req := r.request("application/json", "{}")
		req.Header.Set("Content-Encoding", "gzip")
		do(req, http.StatusUnsupportedMediaType)
	case 7: // nesting, by whoever knows the secret
		do(r.request("application/json", strings.Repeat(`{"call_id":`, 10_000)+"1"+strings.Repeat("}", 10_000)), http.StatusOK, http.StatusServiceUnavailable)
	}
}

// While many send what is hostile, the others get their answers, and memory stays bounded.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, "hmac")
	r.set.IngestTimeout = 2 * time.Second
	r.start()
	done := make(chan struct{})
	var all sync.WaitGroup
	for n := range 32 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					r.hostile(n)
				}
			}
		})
	}
	const slow = 10 * time.Second
	var most uint64
	all.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
	})
	began, slowest := time.Now(), time.Duration(0)
	for n := range 20 {
		sent := time.Now()
		status := http.StatusServiceUnavailable // on a busy machine a record may not be written in time; then it is sent again
		for status == http.StatusServiceUnavailable && time.Since(sent) < slow {
			status, _, _ = r.send(r.request("application/json", fmt.Sprintf(`{"call_id":"good","seq":%d}`, n)))
		}
		if status != http.StatusOK {
			t.Errorf("the status is %d after %s", status, time.Since(sent))
		}
		slowest = max(slowest, time.Since(sent))
		time.Sleep(20 * time.Millisecond)
	}
	took := time.Since(began)
	close(done)
	all.Wait()
	t.Logf("20 webhooks in %s, the slowest in %s; at most %d MiB of heap", took.Round(time.Millisecond), slowest.Round(time.Millisecond), most>>20)
	if slowest > slow || most > 512<<20 {
		t.Errorf("the slowest answer took %s, and there were %d MiB of heap", slowest, most>>20)
	}
	good := map[string]bool{}
	for _, rec := range r.records() {
		if string(rec.Key) == "good" {
			good[string(rec.Value)] = true
		}
	}
	if len(good) != 20 {
		t.Errorf("%d messages of the others, want 20", len(good))
	}
	r.quiet()
}

// Bodies that arrive slowly, or announce much, take no memory for what does not come, and end with their time.
func TestSlowBodiesHoldNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, "hmac")
	r.set.IngestTimeout = time.Second
	r.start()
	addr := strings.TrimPrefix(r.url, "http://")
	head := "POST / HTTP/1.1\r\nHost: x\r\nX-Signature: sha256=" + strings.Repeat("00", 32) + "\r\nContent-Length: 600000\r\n\r\n"
	var conns []net.Conn
	for range 450 { // 270 MB if all were believed
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, head); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	r.post("application/json", `{"call_id":"c"}`, http.StatusOK)
	answer, err := io.ReadAll(conns[0])
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408") {
		t.Errorf("a slow body is answered with %.40q, %v", answer, err)
	}
}

// More is refused than the memory for bodies holds, and let in again when there is room.
func TestMemoryForBodies(t *testing.T) {
	t.Parallel()
	r := newRig(t, "hmac").start()
	if !r.server.memory.TryAcquire(largeBodies) {
		t.Fatal("there is no memory")
	}
	large := `{"call_id":"c","text":"` + strings.Repeat("w", 100<<10) + `"}`
	r.post("application/json", large, http.StatusServiceUnavailable)
	r.post("application/json", `{"call_id":"c"}`, http.StatusOK)
	r.server.memory.Release(largeBodies)
	r.post("application/json", large, http.StatusOK)
	if !r.server.memory.TryAcquire(largeBodies) {
		t.Error("memory is kept after a request")
	}
	r.server.memory.Release(largeBodies)
	all := int64(runtime.GOMAXPROCS(0)) // as many bodies are decoded at once
	if err := r.server.decoding.Acquire(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	r.server.settings.IngestTimeout = 100 * time.Millisecond
	r.post("application/json", large, http.StatusServiceUnavailable)
	r.server.settings.IngestTimeout = r.set.IngestTimeout
	r.server.decoding.Release(all)
	r.post("application/json", strings.Repeat("w", r.set.WebhookBytes()), http.StatusOK)
	r.post("application/json", strings.Repeat("w", r.set.WebhookBytes()+1), http.StatusRequestEntityTooLarge)
	r.post("application/json", "", http.StatusBadRequest)
	req := r.request("application/json", "{}")
	req.Method = http.MethodGet
	if status, _, header := r.send(req); status != http.StatusMethodNotAllowed || header.Get("Allow") != http.MethodPost {
		t.Errorf("GET is answered with %d", status)
	}
}

// A topic with a lower limit than the receiver refuses a body; the receiver says so and goes on.
func TestABodyThatTheTopicRefuses(t *testing.T) {
	r := newRig(t, "hmac")
	r.topics.Raw = r.cluster.Name("small")
	r.set.TopicRaw = r.topics.Raw
	if err := brokertest.CreateTopic(t.Context(), r.cluster, r.topics.Raw, 1, map[string]string{"max.message.bytes": "2000"}); err != nil {
		t.Fatal(err)
	}
	r.set.Compression = "none"
	r.start()
	body := make([]byte, 0, 20_000)
	for i := range 4000 {
		body = fmt.Appendf(body, "%x,", i*i*7919)
	}
	r.post("application/json", `{"call_id":"c"}`, http.StatusOK)
	r.post("application/json", string(body), http.StatusRequestEntityTooLarge)
	r.post("application/json", `{"call_id":"c"}`, http.StatusOK)
}

// With TLS and client certificates, who has none gets no further. One connection has one request at a time.
func TestTLS(t *testing.T) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert := write("tls.crt", "CERTIFICATE", der)
	r := newRig(t, "secret", "SOTTO_INGEST_SIGNATURE=", "SOTTO_INGEST_SECRET_FILE=", "SOTTO_INGEST_TLS_CERT_FILE="+cert,
		"SOTTO_INGEST_TLS_KEY_FILE="+write("tls.key", "PRIVATE KEY", key), "SOTTO_INGEST_TLS_CLIENT_CA_FILE="+cert).start()
	pool := x509.NewCertPool()
	own, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(own)
	post := func(certs ...tls.Certificate) (status, protocol int, err error) {
		c := http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certs}}}
		defer c.CloseIdleConnections()
		resp, err := c.Post(r.url, "application/json", strings.NewReader(`{"call_id":"c"}`))
		if err != nil {
			return 0, 0, err
		}
		resp.Body.Close()
		return resp.StatusCode, resp.ProtoMajor, nil
	}
	if _, _, err := post(); err == nil {
		t.Error("a client without a certificate gets an answer")
	}
	status, protocol, err := post(tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private})
	if err != nil {
		t.Fatal(err)
	}
	if status != http.StatusOK || protocol != 1 {
		t.Errorf("status %d, HTTP/%d", status, protocol)
	}
}
