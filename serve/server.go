package serve

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sotto/anonymize"
	"sotto/config"
	"sotto/internal/boundedfile"
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
	gate     config.Gate
	strategy string
	auth     *authenticator
	calls    *calls

	loaded atomic.Pointer[anonymize.Engine]
	// engine returns the current engine; tests replace it to inject faults.
	engine func() anonymize.Anonymizer
	// slots has an entry for each request that is being worked on, waiting one for each that was
	// let in.
	slots, waiting chan struct{}
	stopping       atomic.Bool
}

// waitingPerSlot is how many requests may be in the server for each that is worked on.
const waitingPerSlot = 32

// New reads the files that the settings name. It fails if one of them is not valid.
func New(s config.Settings, log *slog.Logger, registry *prometheus.Registry) (*Server, error) {
	slots := s.ServeConcurrency
	if slots == 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	server := &Server{
		settings: s, log: log, registry: registry, gate: s.Gate(), strategy: s.Strategy,
		slots: make(chan struct{}, slots), waiting: make(chan struct{}, slots*(1+waitingPerSlot)),
		calls: newCalls(callLimits{
			open: s.MaxOpenCalls, bytes: s.ServeCallBytes, closed: s.MaxClosedCalls, idle: s.CallIdleTimeout, grace: s.CallGrace,
		}),
	}
	var err error
	if server.intake, err = s.FileIntake(); err != nil {
		return nil, err
	}
	if server.auth, err = newAuthenticator(&s); err != nil {
		return nil, err
	}
	if err := server.loadEngine(); err != nil {
		return nil, err
	}
	server.engine = func() anonymize.Anonymizer { return server.loaded.Load() }
	server.metrics = newMetrics(registry, server.calls)
	return server, nil
}

// loadEngine builds the engine. It always gives the raw positions, which the responses leave out.
func (s *Server) loadEngine() error {
	settings := s.settings
	settings.RawOffsets = true
	e, err := settings.NewEngine()
	if err == nil {
		s.loaded.Store(e)
	}
	return err
}

// route is an endpoint.
type route struct {
	pattern string
	open    bool // needs no authentication
	serve   func(http.ResponseWriter, *http.Request) error
}

func (s *Server) routes() []route {
	return []route{
		{"POST /v1/anonymize", false, s.anonymize},
		{"POST /v1/calls/{id}/start", false, s.startCall},
		{"POST /v1/calls/{id}/utterances", false, s.addUtterances},
		{"POST /v1/calls/{id}/end", false, s.endCall},
		{"POST /v1/files", false, s.files},
		{"GET /v1/policy", false, s.policy},
		{"POST /analyze", false, s.presidioAnalyze},
		{"POST /anonymize", false, s.presidioAnonymize},
		{"GET /supportedentities", false, s.presidioEntities},
		{"GET /recognizers", false, s.presidioRecognizers},
		{"GET /anonymizers", false, s.presidioAnonymizers},
		{"GET /health", true, s.presidioHealth},
		{"GET /openapi.yaml", true, s.openAPI},
	}
}

// Handler serves the endpoints of openapi.yaml.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.pattern, s.wrap(r.pattern, r.open, r.serve))
	}
	// The router's own answers: JSON, like all others.
	mux.Handle("/", s.wrap("other", true, func(http.ResponseWriter, *http.Request) error {
		return fail(http.StatusNotFound, "there is no such endpoint; see /openapi.yaml")
	}))
	return mux
}

// HealthHandler serves probes and metrics.
func (s *Server) HealthHandler() http.Handler {
	mux := http.NewServeMux()
	alive := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }
	mux.HandleFunc("GET /livez", alive)
	mux.HandleFunc("GET /startupz", alive)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		alive(w, r)
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}))
	return mux
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(OpenAPI)
	return nil
}

// Run serves until ctx is done, and then lets the requests in flight end. listening, unless nil, is
// told the address.
func (s *Server) Run(ctx context.Context, listening func(net.Addr)) error {
	l, err := net.Listen("tcp", s.settings.ServeAddr)
	if err != nil {
		return fmt.Errorf("%w; choose another %sSERVE_ADDR", err, config.EnvPrefix)
	}
	if listening != nil {
		listening(l.Addr())
	}
	if s.settings.ServeOpen && !s.settings.LoopbackOnly() && !s.auth.required() {
		s.log.Warn("everybody who reaches this address may use the service", "setting", config.EnvPrefix+"SERVE_UNAUTHENTICATED")
	}
	timeout := s.settings.ServeTimeout
	srv := &http.Server{
		Handler: s.Handler(), TLSConfig: s.auth.tls(),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: timeout, WriteTimeout: 2 * timeout, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		// The server's own messages may show an address or what a client sent.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	background, stop := context.WithCancel(ctx)
	defer stop()
	go s.watch(background)
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
	s.stopping.Store(true)
	finish, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err = srv.Shutdown(finish)
	if serr := <-served; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}

// sweep closes idle calls.
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

// watch reads dictionaries, tokens and certificates again when they change. What cannot be read
// leaves everything as it was.
func (s *Server) watch(ctx context.Context) {
	type watched struct {
		name  string
		paths []string
		load  func() error
	}
	all := []watched{
		{"dictionaries", []string{s.settings.DictionaryDir}, s.loadEngine},
		{"authentication", s.auth.paths(), s.auth.load},
	}
	fingerprint := func(paths []string) (sum string) {
		for _, p := range paths {
			one := boundedfile.Fingerprint(p)
			sum += string(one[:])
		}
		return sum
	}
	seen := make([]string, len(all))
	for i := range all {
		seen[i] = fingerprint(all[i].paths)
	}
	every := time.NewTicker(s.settings.DictionaryReload)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		for i := range all {
			now := fingerprint(all[i].paths)
			if now == seen[i] {
				continue
			}
			seen[i] = now
			if err := all[i].load(); err != nil {
				s.metrics.reloadErrors.Inc()
				s.log.Error("changed files are not valid; the earlier ones stay in use", "files", all[i].name, "error", err)
				continue
			}
			s.log.Info("changed files were read", "files", all[i].name)
		}
	}
}
