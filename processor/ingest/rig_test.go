package ingest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child()
		return
	}
	brokertest.Main(m)
}

// buffer is a log that several goroutines write.
type buffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// network is what lies between the receiver and the brokers, and may be cut.
type network struct {
	mu    sync.Mutex
	down  bool
	conns []net.Conn
}

func (n *network) dial(ctx context.Context, kind, addr string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		// As from the operating system: the client gives up at once what fails in a way that it does not know.
		refused := &net.OpError{Op: "dial", Net: kind, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		return nil, fmt.Errorf("wombatley: %w", refused)
	}
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, kind, addr)
	if err == nil {
		n.conns = append(n.conns, c)
	}
	return c, err
}

func (n *network) cut(down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
	for _, c := range n.conns {
		_ = c.Close()
	}
	n.conns = nil
}

// rig is a receiver before a broker.
type rig struct {
	t         *testing.T
	set       config.Settings
	cluster   brokertest.Cluster
	topics    brokertest.Topics
	network   *network
	log       buffer
	server    *Server
	url       string
	signature string
	end       func() error
}

// environment are the settings of a receiver whose senders sign in a way.
func environment(t *testing.T, c brokertest.Cluster, topics brokertest.Topics, signature string) map[string]string {
	t.Helper()
	secrets := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(secrets, []byte(secretFor(signature, testSecret)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"SOTTO_KAFKA_BROKERS": strings.Join(c.Brokers(), ","), "SOTTO_TOPIC_RAW": topics.Raw, "SOTTO_INGEST_ADDR": "127.0.0.1:0",
		"SOTTO_INGEST_SIGNATURE": signature, "SOTTO_INGEST_SECRET_FILE": secrets,
	}
	switch signature {
	case "twilio":
		env["SOTTO_INGEST_URL"] = testBase
	case "hmac":
		env["SOTTO_INGEST_HEADER"] = "X-Signature"
	}
	return env
}

// newRig returns a rig that is not running yet, with further settings as NAME=value.
func newRig(t *testing.T, signature string, environ ...string) *rig {
	t.Helper()
	r := &rig{t: t, cluster: brokertest.Open(t), network: &network{}, signature: signature}
	var err error
	if r.topics, err = brokertest.CreateTopics(t.Context(), r.cluster, 4); err != nil {
		t.Fatal(err)
	}
	env := environment(t, r.cluster, r.topics, signature)
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	if r.set, err = config.Load(env); err != nil {
		t.Fatal(err)
	}
	r.set.IngestDrain, r.set.Reload = 0, 10*time.Millisecond
	return r
}

// start runs the receiver until the end of the test.
func (r *rig) start() *rig {
	r.t.Helper()
	server, err := New(r.set, slog.New(slog.NewJSONHandler(&r.log, nil)), prometheus.NewRegistry(), kgo.Dialer(r.network.dial))
	if err != nil {
		r.t.Fatal(err)
	}
	r.server = server
	ctx, stop := context.WithCancel(context.Background())
	listening, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- server.Run(ctx, func(a net.Addr) { listening <- a.String() }) }()
	r.end = sync.OnceValue(func() error { stop(); return <-done })
	r.t.Cleanup(func() {
		if err := r.end(); err != nil {
			r.t.Error(err)
		}
	})
	scheme := "http://"
	if r.set.IngestTLSCertFile != "" {
		scheme = "https://"
	}
	select {
	case addr := <-listening:
		r.url = scheme + addr
	case err := <-done:
		done <- err
		r.t.Fatal(err)
	case <-time.After(20 * time.Second):
		r.t.Fatal("it does not listen")
	}
	return r
}

// request is a signed webhook, whose mark is in places that the receiver does not read.
func (r *rig) request(kind, message string, headers ...string) *http.Request {
	body := posted(r.signature, testSecret, message)
	req, err := http.NewRequest(http.MethodPost, r.url+"/hooks/in?from=wombatley", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "wombatley")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	sign(req, r.signature, secretFor(r.signature, testSecret), time.Now(), body)
	return req
}

// send returns the status of the answer and its body.
func (r *rig) send(req *http.Request) (int, string, http.Header) {
	r.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Error(err)
		return 0, "", nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Error(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

func (r *rig) post(kind, body string, want int, headers ...string) string {
	r.t.Helper()
	status, text, _ := r.send(r.request(kind, body, headers...))
	if status != want {
		r.t.Errorf("the status is %d (%s), want %d", status, text, want)
	}
	return text
}

// records are those of the raw topic.
func (r *rig) records() []*kgo.Record {
	r.t.Helper()
	all, err := brokertest.ReadAll(r.t.Context(), r.cluster, r.topics.Raw, brokertest.Committed)
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

func (r *rig) metrics() string {
	w := httptest.NewRecorder()
	r.server.HealthHandler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// quiet checks that nothing of a request is in what the receiver says.
func (r *rig) quiet(answers ...string) {
	r.t.Helper()
	for _, said := range append(answers, r.log.String(), r.metrics()) {
		if at := strings.Index(strings.ToLower(said), "wombatley"); at >= 0 {
			r.t.Errorf("the receiver says: %s", said[max(0, at-200):min(len(said), at+100)])
		}
	}
}
