package serve

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"sotto/anonymize"
	"sotto/anonymize/ending"
	"sotto/config"
	"sotto/internal/access"
	"sotto/internal/boundedfile"
	"sotto/schemas"
	"sotto/serve/presidio"
)

// OpenAPI describes the endpoints. GET /openapi.yaml serves it.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Server serves the engine over HTTP. New makes one, Run runs it once.
type Server struct {
	settings config.Settings
	log      *slog.Logger
	registry *prometheus.Registry
	metrics  *metrics
	intake   *config.FileIntake
	gate     *ending.Gate
	auth     *authenticator
	calls    *calls

	loaded atomic.Pointer[map[string]*anonymize.Engine]
	// engine returns the current engine of an operating point, and whether there is one; tests replace it to
	// inject faults.
	engine func(sensitivity string) (anonymize.Anonymizer, bool)
	// small and large are where requests are worked on.
	small, large lane
	memory       *semaphore.Weighted
	origins      *http.CrossOriginProtection
	ready        atomic.Bool
	// watch reads changed files again until its context is done.
	watch func(context.Context, time.Duration, func(name string, err error))
}

// New reads the files that the settings name. It fails if one of them is not valid.
func New(s config.Settings, log *slog.Logger, registry *prometheus.Registry) (*Server, error) {
	slots := s.ServeConcurrency
	server := &Server{
		settings: s, log: log, registry: registry, gate: s.Gate(),
		small: newLane(slots, waitingPerSlot), large: newLane(max(1, slots/2), largePerSlot),
		memory: semaphore.NewWeighted(memoryPerBody * int64(s.ServeMaxBody)), origins: http.NewCrossOriginProtection(),
		calls: newCalls(&s),
	}
	var err error
	if server.intake, err = s.FileIntake(); err != nil {
		return nil, err
	}
	if server.auth, err = newAuthenticator(&s); err != nil {
		return nil, err
	}
	server.watch = boundedfile.Watch(server.watched()...)
	if err := server.loadEngines(); err != nil {
		return nil, err
	}
	server.engine = func(sensitivity string) (anonymize.Anonymizer, bool) {
		e, ok := (*server.loaded.Load())[sensitivity]
		return e, ok
	}
	server.metrics = newMetrics(registry, server.calls)
	return server, nil
}

// loadEngines builds the engines. They always give the raw positions, which the responses leave out.
func (s *Server) loadEngines() error {
	settings := s.settings
	settings.RawOffsets = true
	engines, err := settings.NewEngines()
	if err == nil {
		s.loaded.Store(&engines)
	}
	return err
}

// engineAt returns the engine of the operating point that a request asks for, "" for that of the settings. A
// request uses one engine, although another may be loaded meanwhile.
func (s *Server) engineAt(sensitivity string) (anonymize.Anonymizer, error) {
	e, ok := s.engine(cmp.Or(sensitivity, s.settings.Sensitivity))
	if !ok {
		return nil, errSensitivity
	}
	return e, nil
}

// handler answers a request, or returns the error that the client gets.
type handler func(http.ResponseWriter, *http.Request) error

type route struct {
	pattern string
	open    bool // needs no authentication
	serve   handler
}

func (s *Server) routes() []route {
	return []route{
		{"POST /v1/anonymize", false, withBody(s, decode, s.anonymize)},
		{"POST /v1/calls/{id}/start", false, withBody(s, decode, s.startCall)},
		{"POST /v1/calls/{id}/utterances", false, withBody(s, decode, s.addUtterances)},
		{"POST /v1/calls/{id}/end", false, s.endCall},
		{"POST /v1/files", false, s.files},
		{"GET /v1/policy", false, s.policy},
		{"POST /analyze", false, withBody(s, decodeLenient, s.presidioAnalyze)},
		{"POST /anonymize", false, withBody(s, decodeLenient, s.presidioAnonymize)},
		{"GET /supportedentities", false, lists(presidio.Types)},
		{"GET /recognizers", false, lists(presidio.Recognizers)},
		{"GET /anonymizers", false, lists(slices.Sorted(maps.Keys(presidio.Operators)))},
		{"GET /health", true, fixed("text/plain; charset=utf-8", []byte("Sotto is up"))},
		{"GET /openapi.yaml", true, fixed("application/yaml", OpenAPI)},
	}
}

// Handler serves the endpoints of openapi.yaml.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.pattern, s.wrap(r.pattern, r.open, r.serve))
		method, path, _ := strings.Cut(r.pattern, " ")
		mux.Handle(path, s.wrap("other", true, func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Allow", method)
			return fail(http.StatusMethodNotAllowed, "the endpoint takes %s requests; see /openapi.yaml", method)
		}))
	}
	// The router's own answers: JSON, like all others.
	mux.Handle("/", s.wrap("other", true, func(http.ResponseWriter, *http.Request) error {
		return fail(http.StatusNotFound, "there is no such endpoint; see /openapi.yaml")
	}))
	return mux
}

// HealthHandler serves probes and metrics.
func (s *Server) HealthHandler() http.Handler { return access.HealthHandler(&s.ready, s.registry) }

// Run serves until ctx is done, and then lets the requests in flight end. listening is told the address.
func (s *Server) Run(ctx context.Context, listening func(net.Addr)) error {
	l, err := net.Listen("tcp", s.settings.ServeAddr)
	if err != nil {
		return fmt.Errorf("%w; choose another %sSERVE_ADDR", err, config.EnvPrefix)
	}
	if err := s.warmUp(ctx); err != nil {
		return errors.Join(err, l.Close())
	}
	s.ready.Store(true)
	listening(l.Addr())
	if s.settings.ServeOpen && !s.settings.LoopbackOnly() && !s.auth.required() {
		s.log.Warn("everybody who reaches this address may use the service", "setting", config.EnvPrefix+"SERVE_UNAUTHENTICATED")
	}
	timeout := s.settings.ServeTimeout
	srv := &http.Server{
		Handler: s.Handler(), TLSConfig: s.auth.certificates.TLS(),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: timeout, WriteTimeout: 2 * timeout, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		// The server's own messages may show an address or what a client sent.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	background, stop := context.WithCancel(ctx)
	defer stop()
	go s.watch(background, s.settings.Reload, s.reloaded)
	go s.sweep(background)
	served := make(chan error, 1)
	go func() {
		if srv.TLSConfig != nil {
			served <- srv.ServeTLS(l, "", "")
		} else {
			served <- srv.Serve(l)
		}
	}()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.ready.Store(false)
	finish, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err = srv.Shutdown(finish)
	if serr := <-served; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}

// warmUp anonymizes a text with every engine: what they load when it is first needed would keep the first
// requests waiting.
func (s *Server) warmUp(ctx context.Context) error {
	for sensitivity := range *s.loaded.Load() {
		e, _ := s.engine(sensitivity)
		c := newConversation()
		event := (&about{}).event("warm up", 1, schemas.Utterance)
		event.Text = "This is Ines Quimby in Boston, my number is 604 555 0134."
		outputs, err := s.add(ctx, e, &c, []*schemas.RawEvent{event})
		if err == nil {
			err = s.closingPass(ctx, e, &c, outputs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) sweep(ctx context.Context) {
	every := time.NewTicker(min(10*time.Second, max(s.settings.CallIdleTimeout/4, 100*time.Millisecond)))
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			s.calls.sweep()
		}
	}
}

// watched are the files that are read again when they change. What cannot be read leaves everything as it was.
func (s *Server) watched() []boundedfile.Watched {
	return []boundedfile.Watched{
		{Name: "dictionaries", Paths: []string{s.settings.DictionaryDir}, Load: s.loadEngines},
		s.auth.certificates.Watched(),
		{Name: "tokens", Paths: []string{s.auth.tokenFile}, Load: s.auth.loadTokens},
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
