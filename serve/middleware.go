package serve

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sotto/internal/panics"
)

// errorBody is the body of every error, as Presidio has it.
type errorBody struct {
	Error string `json:"error"`
}

// wrap makes a handler of an endpoint: it lets in who may use it and what there is room for, bounds
// time and size, isolates panics and counts.
func (s *Server) wrap(route string, open bool, serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		began := time.Now()
		w := &statusWriter{ResponseWriter: rw}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if err := s.guarded(w, r, open, serve); err != nil {
			s.refuse(w, asRequestError(err))
		}
		took := time.Since(began)
		s.metrics.requests.WithLabelValues(route, strconv.Itoa(w.status)).Inc()
		s.metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
		// The path is not logged: it may hold a call ID.
		s.log.Debug("request", "route", route, "status", w.status, "took", took)
	})
}

// refuse sends an error, unless a response has begun.
func (s *Server) refuse(w *statusWriter, e *requestError) {
	if w.status != 0 {
		return
	}
	switch e.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="sotto"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	_ = write(w, e.status, errorBody{e.text})
}

func (s *Server) guarded(w http.ResponseWriter, r *http.Request, open bool, serve func(http.ResponseWriter, *http.Request) error) (err error) {
	defer func() {
		if recover() != nil { // its value may contain text
			s.metrics.panics.Inc()
			s.log.Error("a request panicked", "at", panics.Site(6))
			err = errInternal
		}
	}()
	if !s.auth.required() && s.settings.LoopbackOnly() && !isLocal(r.Host) {
		return errHost
	}
	if !open && !s.auth.allows(r) {
		return errUnknown
	}
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return errBusy
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.settings.ServeTimeout)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = http.MaxBytesReader(w, r.Body, int64(s.settings.ServeMaxBody))
	return serve(w, r)
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

// slot waits until the request may be worked on.
func (s *Server) slot(ctx context.Context) (release func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, errTimeout
	}
}

// statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}
