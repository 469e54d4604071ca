package serve

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"sotto/internal/panics"
)

// errorBody is the body of every error, as Presidio has it.
type errorBody struct {
	Error string `json:"error"`
}

// wrap makes a handler of an endpoint: it lets in who may use it and what there is room for, bounds
// time and size, isolates panics and counts.
func (s *Server) wrap(route string, open bool, serve handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		began := time.Now()
		held := &holding{of: s.memory}
		defer held.release()
		w := &exchange{conn: rw, held: held}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		err := s.guarded(w, r, open, serve)
		if err == nil {
			err = held.grow(cap(w.answer))
		}
		if err != nil {
			refused, _ := errors.AsType[*requestError](err)
			s.refuse(w, cmp.Or(refused, errInternal))
		}
		rw.WriteHeader(cmp.Or(w.status, http.StatusOK))
		_, _ = rw.Write(w.answer) // a client that has gone cannot be told
		took := time.Since(began)
		s.metrics.requests.WithLabelValues(route, strconv.Itoa(w.status)).Inc()
		s.metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
		// The path is not logged: it may hold a call ID.
		s.log.Debug("request", "route", route, "status", w.status, "took", took)
	})
}

func (s *Server) refuse(w *exchange, e *requestError) {
	w.status, w.answer = 0, nil
	switch e.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="sotto"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	_ = write(w, e.status, errorBody{e.text})
}

func (s *Server) guarded(x *exchange, r *http.Request, open bool, serve handler) (err error) {
	defer s.recovered("a request panicked", errInternal, &err)
	if !s.auth.required() && s.settings.LoopbackOnly() && !isLocal(r.Host) {
		return errHost
	}
	if s.origins.Check(r) != nil {
		return errOrigin
	}
	if !open && !s.auth.allows(r) {
		return errUnknown
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.settings.ServeTimeout)
	defer cancel()
	x.began, x.until, x.body = time.Now(), time.Now().Add(s.settings.ServeTimeout), http.MaxBytesReader(x.conn, r.Body, int64(s.settings.ServeMaxBody))
	x.most = s.settings.ServeMaxBody
	r = r.WithContext(ctx)
	r.Body = x
	return serve(x, r)
}

// recovered is deferred. It logs a panic without its value, which may contain text, and turns it into an error.
func (s *Server) recovered(message string, instead error, err *error) {
	if recover() != nil {
		s.log.Error(message, "at", panics.Site(6))
		*err = instead
	}
}

// isLocal reports whether a Host names this machine. A name of another site that resolves to
// loopback does not.
func isLocal(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func (x *exchange) Header() http.Header { return x.conn.Header() }

func (x *exchange) WriteHeader(status int) { x.status = cmp.Or(x.status, status) }

// Write keeps the first bytes as they are: handlers write once.
func (x *exchange) Write(b []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	if x.answer == nil {
		x.answer = b
	} else {
		x.answer = append(x.answer, b...)
	}
	return len(b), nil
}

// metrics are those of the service. Labels are routes and status codes, and never come from a
// request. docs/serve.md lists them.
type metrics struct {
	requests     *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	reloadErrors prometheus.Counter
}

func newMetrics(r *prometheus.Registry, c *calls) *metrics {
	f := promauto.With(r)
	opts := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "sotto", Subsystem: "serve", Name: name, Help: help}
	}
	f.NewGaugeFunc(prometheus.GaugeOpts(opts("calls", "Live calls in memory.")), func() float64 {
		n, _ := c.usage()
		return float64(n)
	})
	f.NewGaugeFunc(prometheus.GaugeOpts(opts("call_bytes", "Bytes of the states of live calls.")), func() float64 {
		_, bytes := c.usage()
		return float64(bytes)
	})
	return &metrics{
		requests: f.NewCounterVec(prometheus.CounterOpts(opts("requests_total", "Requests, by route and status.")), []string{"route", "code"}),
		seconds: f.NewHistogramVec(prometheus.HistogramOpts{Namespace: "sotto", Subsystem: "serve", Name: "request_seconds",
			Help: "Time of requests, by route.", Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16), NativeHistogramBucketFactor: 1.1}, []string{"route"}),
		reloadErrors: f.NewCounter(prometheus.CounterOpts(opts("reload_errors_total", "Changed files that could not be read."))),
	}
}
