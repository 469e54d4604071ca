package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/net/netutil"
	"golang.org/x/sync/semaphore"

	"sotto/anonymize/intake"
	"sotto/anonymize/intake/mapping"
	"sotto/config"
	"sotto/config/kafka"
	"sotto/internal/access"
	"sotto/internal/boundedfile"
	"sotto/internal/panics"
)

// Server receives webhooks. New makes one, Run runs it once.
type Server struct {
	settings     config.Settings
	log          *slog.Logger
	registry     *prometheus.Registry
	metrics      *metrics
	keys         atomic.Pointer[mapping.Keys]
	certificates access.Certificates
	secrets      atomic.Pointer[[]string]
	verifier     *verifier
	options      []kgo.Opt
	writer       *writer // of Run
	memory       *semaphore.Weighted
	decoding     *semaphore.Weighted // decoded, a body takes several times its memory
	ready        atomic.Bool
	watch        func(context.Context, time.Duration, func(name string, err error))
}

// New reads the files that the settings name. It fails if one of them is not valid, or if anybody could send webhooks.
func New(s config.Settings, log *slog.Logger, registry *prometheus.Registry, opts ...kgo.Opt) (*Server, error) {
	server, err := load(s)
	if err != nil {
		return nil, err
	}
	server.log, server.registry, server.metrics, server.options = log, registry, newMetrics(registry), opts
	_, err = kafka.Options(&s)
	return server, err
}

// Check reads what the settings for 'sotto ingest' name, if there are any, as New would.
func Check(s *config.Settings) error {
	if s.IngestSignature == "" && s.IngestTLSCertFile == "" && s.IngestKey == "" {
		return nil
	}
	_, err := load(*s)
	return err
}

func load(s config.Settings) (*Server, error) {
	server := &Server{settings: s, memory: semaphore.NewWeighted(largeBodies), decoding: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))), certificates: access.Certificates{
		Prefix: config.EnvPrefix + "INGEST_TLS_", CertFile: s.IngestTLSCertFile, KeyFile: s.IngestTLSKeyFile, ClientCAFile: s.IngestClientCAFile,
		Protocols: []string{"http/1.1"},
	}}
	if s.IngestSignature == "" && s.IngestClientCAFile == "" {
		return nil, fmt.Errorf("%sINGEST_SIGNATURE is not set: say how the sender of webhooks shows who it is, or set %sINGEST_TLS_CLIENT_CA_FILE for client certificates",
			config.EnvPrefix, config.EnvPrefix)
	}
	server.verifier = newVerifier(&s, func() []string { return *server.secrets.Load() })
	server.watch = boundedfile.Watch(server.certificates.Watched(),
		boundedfile.Watched{Name: "secrets", Paths: []string{s.IngestSecretFile}, Load: server.loadSecrets},
		boundedfile.Watched{Name: "mapping", Paths: append([]string{s.DictionaryDir}, s.RawMappingFile()...), Load: server.loadKeys})
	return server, errors.Join(server.loadKeys(), server.loadSecrets(), server.certificates.Load())
}

// loadKeys reads the mapping, as the stream does when it changes. If it fails, what was read before stays.
func (s *Server) loadKeys() error {
	m, err := s.settings.RawMapping()
	if err != nil {
		return err
	}
	keys, err := mapping.NewKeys(m, s.settings.IngestKey)
	if err != nil {
		return config.InSetting("INGEST_KEY", err)
	}
	s.keys.Store(keys)
	return nil
}

// loadSecrets reads the secrets. If it fails, what was read before stays.
func (s *Server) loadSecrets() error {
	if s.settings.IngestSecretFile == "" {
		return nil
	}
	all, err := access.Secrets(s.settings.IngestSecretFile)
	for i, secret := range all {
		if _, bad := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")); bad != nil && s.settings.IngestSignature == "standard" {
			err = fmt.Errorf("secret %d is not whsec_ with base64 behind it", i+1)
		}
	}
	if err != nil {
		return config.InSetting("INGEST_SECRET_FILE", err)
	}
	s.secrets.Store(&all)
	return nil
}

// Handler receives webhooks, at any path.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		answer, refused := s.guarded(w, r)
		s.metrics.seconds.Observe(time.Since(began).Seconds())
		w.Header().Set("Cache-Control", "no-store")
		if !s.ready.Load() { // it stops: the next request goes elsewhere, and an idle connection stays until the end
			w.Header().Set("Connection", "close")
		}
		status := http.StatusOK
		if refused != nil {
			status = refused.status
			s.metrics.refused.WithLabelValues(refused.reason).Inc()
			// Whoever may not send, or sends what cannot be read, keeps no connection.
			if status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", "5")
			} else {
				w.Header().Set("Connection", "close")
			}
			if status == http.StatusMethodNotAllowed {
				w.Header().Set("Allow", http.MethodPost)
			}
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			answer = []byte(refused.text + "\n")
		} else if answer != nil {
			w.Header().Set("Content-Type", "application/json")
		}
		s.metrics.requests.WithLabelValues(strconv.Itoa(status)).Inc()
		w.WriteHeader(status)
		_, _ = w.Write(answer) // a sender that has gone cannot be told
	})
}

func (s *Server) guarded(w http.ResponseWriter, r *http.Request) (answer []byte, refused *refusal) {
	defer func() {
		if recover() != nil {
			// The panic's value may contain text.
			s.log.Error("a request panicked", "at", panics.Site(4))
			answer, refused = nil, errInternal
		}
	}()
	return s.receive(w, r)
}

func (s *Server) receive(w http.ResponseWriter, r *http.Request) (answer []byte, refused *refusal) {
	switch {
	case r.Method != http.MethodPost:
		return nil, errMethod
	case r.Header.Get("Content-Encoding") != "":
		return nil, errEncoding
	}
	if s.settings.IngestSignature == "ringcentral" && asked(w, r) {
		return []byte{}, nil
	}
	held := &holding{of: s.memory}
	defer held.release()
	body, refused := s.message(w, r, held)
	if refused != nil {
		return nil, refused
	}
	if s.settings.IngestSignature == "zoom" {
		if answer := s.challenge(r, body); answer != nil {
			return answer, nil
		}
	}
	// Also for a sender that hangs up meanwhile: not every one sends again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.settings.IngestTimeout)
	defer cancel()
	key, refused := s.key(ctx, r, body)
	if refused != nil {
		return nil, refused
	}
	if refused := s.writer.write(ctx, key, body); refused != nil {
		return nil, refused
	}
	s.metrics.written(key)
	return nil, nil
}

// message returns what somebody has sent who may.
func (s *Server) message(w http.ResponseWriter, r *http.Request, held *holding) (message []byte, refused *refusal) {
	var open opener
	if s.verifier.scheme != nil {
		if open, refused = s.verifier.scheme(s.verifier, r); refused != nil {
			return nil, refused
		}
	}
	body, refused := held.read(w, r, s.settings.WebhookBytes())
	if refused != nil || open == nil {
		return body, refused
	}
	message, ok := open(body)
	if !ok {
		return nil, errSignature
	}
	return message, nil
}

// asked answers RingCentral's question whether there is a receiver, which it asks before there are messages: a request without a body
// is answered with its own token. Anybody may ask; what comes after that needs the secret.
func asked(w http.ResponseWriter, r *http.Request) bool {
	token := header(r, "Validation-Token")
	if r.ContentLength != 0 || !validationToken.MatchString(token) {
		return false
	}
	w.Header().Set("Validation-Token", token)
	return true
}

var validationToken = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{1,256}$`)

// key returns the ID of the call of a body, "" if it has none, or one that the stream refuses.
func (s *Server) key(ctx context.Context, r *http.Request, body []byte) (id string, refused *refusal) {
	if s.decoding.Acquire(ctx, 1) != nil {
		return "", errBusy
	}
	defer s.decoding.Release(1)
	id = s.keys.Load().Of(mapping.Record{Value: body, Header: func(name string) string { return header(r, name) }})
	if len(id) > intake.MaxCallID {
		return "", nil
	}
	return id, nil
}

// challenge returns the answer to Zoom's question whether the receiver knows the secret, nil if a body is not that.
func (s *Server) challenge(r *http.Request, body []byte) []byte {
	if len(body) > smallBody || !bytes.Contains(body, []byte("endpoint.url_validation")) {
		return nil
	}
	var question struct {
		Event   string `json:"event"`
		Payload struct {
			PlainToken string `json:"plainToken"`
		} `json:"payload"`
	}
	if json.Unmarshal(body, &question) != nil || question.Event != "endpoint.url_validation" {
		return nil
	}
	secret, ok := s.verifier.zoomSecret(r, body) // that of the app which asks, of which there may be several
	if !ok {
		return nil
	}
	token := question.Payload.PlainToken
	answer, err := json.Marshal(map[string]string{
		"plainToken": token, "encryptedToken": hex.EncodeToString(mac(sha256.New, []byte(secret), token)),
	})
	if err != nil {
		return nil
	}
	return answer
}

// HealthHandler serves probes and metrics. The receiver is ready once it has found the topic, until it is told to stop: it
// goes on telling senders to send again while the brokers are away.
func (s *Server) HealthHandler() http.Handler { return access.HealthHandler(&s.ready, s.registry) }

// Run receives until ctx is done. Then it says that it is not ready, goes on for the time in which others notice that, and lets the
// requests in flight end. listening is told the address.
func (s *Server) Run(ctx context.Context, listening func(net.Addr)) (err error) {
	if s.writer, err = newWriter(&s.settings, s.log, s.options...); err != nil {
		return err
	}
	defer s.writer.cl.Close()
	if err := s.awaitTopic(ctx); ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.settings.IngestAddr)
	if err != nil {
		return fmt.Errorf("%w; choose another %sINGEST_ADDR", err, config.EnvPrefix)
	}
	srv := s.server()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go s.watch(background, s.settings.Reload, s.reloaded)
	served := make(chan error, 1)
	go func() {
		l := netutil.LimitListener(l, s.settings.IngestConnections)
		if srv.TLSConfig != nil {
			served <- srv.ServeTLS(l, "", "")
		} else {
			served <- srv.Serve(l)
		}
	}()
	s.ready.Store(true)
	listening(l.Addr())
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	return s.stop(srv, served)
}

// idle is how long a connection may have no request: longer than proxies keep theirs, which otherwise send one just when it closes.
const idle = 5 * time.Minute

func (s *Server) server() *http.Server {
	// Longer than the answer may take, so that the sender gets it.
	timeout := s.settings.IngestTimeout
	srv := &http.Server{
		Handler: s.Handler(), TLSConfig: s.certificates.TLS(), Protocols: new(http.Protocols),
		ReadHeaderTimeout: timeout / 2, ReadTimeout: timeout, WriteTimeout: 3 * timeout, IdleTimeout: idle,
		MaxHeaderBytes: 16 << 10,
		// The server's own messages may show an address or what a client sent.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	// One request after the other: the limit of connections is one of requests.
	srv.Protocols.SetHTTP1(true)
	return srv
}

func (s *Server) stop(srv *http.Server, served <-chan error) error {
	s.ready.Store(false)
	select {
	case err := <-served:
		return err
	case <-time.After(s.settings.IngestDrain):
	}
	finish, cancel := context.WithTimeout(context.Background(), 2*s.settings.IngestTimeout)
	defer cancel()
	err := srv.Shutdown(finish)
	if serr := <-served; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}

// awaitTopic waits until the brokers know the raw topic. It fails if they do not have it.
func (s *Server) awaitTopic(ctx context.Context) error {
	for {
		try, cancel := context.WithTimeout(ctx, s.settings.IngestTimeout)
		err := s.writer.check(try)
		cancel()
		if ctx.Err() != nil || err == nil || errors.Is(err, errNoTopic) || errors.Is(err, errNoWrite) {
			return err
		}
		s.writer.report("no webhook is received until the brokers know the raw topic", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (s *Server) reloaded(name string, err error) {
	if err != nil {
		s.metrics.reloadErrors.Inc()
		s.log.Error("changed files are not valid; the earlier ones stay in use", "files", name, "error", err)
		return
	}
	s.log.Info("changed files were read", "files", name)
}
