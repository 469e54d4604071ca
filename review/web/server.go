// Package web serves the pages of sotto review.
package web

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"sotto/anonymize"
	"sotto/review/store"
)

//go:embed templates static
var files embed.FS

// Options configure a Server.
type Options struct {
	Store *store.Store
	// Engine suggests and drafts marks; it must return raw offsets.
	Engine anonymize.Anonymizer
	Access Access
	Log    *slog.Logger
	// Guidelines are the user's own, as plain text, "" for none.
	Guidelines string
}

type Server struct {
	opts  Options
	pages map[string]*template.Template
	// figures are the latest that were computed, by computing.
	figures   atomic.Pointer[computed]
	computing singleflight.Group
	// logins has a place for each login that is checked, failTime is how long a failed one keeps it.
	logins   chan struct{}
	failTime time.Duration
}

func New(o Options) *Server {
	s := &Server{opts: o, pages: map[string]*template.Template{}, logins: make(chan struct{}, maxLogins), failTime: failedTime}
	names, _ := fs.Glob(files, "templates/*.html") // the pattern is well formed
	for _, name := range names {
		page := strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")
		s.pages[page] = template.Must(template.New("layout.html").Funcs(functions).ParseFS(files, "templates/layout.html", name))
	}
	return s
}

// page answers the request of a person who may make it.
type page func(http.ResponseWriter, *http.Request, person) error

// Handler serves the pages.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /static/", http.FileServerFS(files))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /login", s.login)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /login/callback", s.loginCallback)
	mux.HandleFunc("POST /logout", s.logout)
	for pattern, route := range map[string]struct {
		least Role
		serve page
	}{
		"GET /{$}":              {Annotator, selecting(s.queue)},
		"GET /next":             {Annotator, selecting(s.next)},
		"GET /call":             {Annotator, selecting(s.call)},
		"GET /api/calls":        {Annotator, selecting(s.listCalls)},
		"GET /api/reading":      {Annotator, selecting(s.reading)},
		"PUT /api/reading":      {Annotator, selecting(s.save)},
		"POST /api/assign":      {Adjudicator, selecting(s.assign)},
		"GET /guide":            {Annotator, s.guide},
		"GET /privacy":          {Annotator, s.privacy},
		"GET /agreement":        {Adjudicator, s.showFigures("agreement")},
		"GET /dashboard":        {Adjudicator, s.showFigures("dashboard")},
		"GET /admin":            {Admin, s.admin},
		"POST /erase":           {Admin, s.erase},
		"GET /export/{file...}": {Admin, s.export},
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			p, err := s.who(r)
			switch {
			case errors.Is(err, errSignIn) && r.Method == http.MethodGet:
				http.Redirect(w, r, "/login", http.StatusSeeOther)
				return
			case errors.Is(err, errForbidden), errors.Is(err, errToken):
				s.attempt(w, r, func() (person, error) { return p, err })
				return
			case err != nil:
			case !p.Role.atLeast(route.least):
				err = forbidden(fmt.Sprintf("this needs the role %s, and you have the role %s", route.least, p.Role))
			default:
				err = route.serve(w, r, p)
			}
			if err != nil {
				s.fail(w, r, err)
			}
		})
	}
	// Requests of other sites that change something are refused by the headers that browsers add to them.
	return headers(http.NewCrossOriginProtection().Handler(mux))
}

const readyTime = 2 * time.Second

// ready answers whether this process can reach its store.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if err := s.opts.Store.Ping(ctx); err != nil {
		http.Error(w, "the store cannot be reached", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// policy lets pages load only what this server serves. Nothing of a call can run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		r.Body = http.MaxBytesReader(w, r.Body, maxReading)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !strings.HasPrefix(r.URL.Path, "/static/") {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// view is what every template gets.
type view struct {
	Name   string
	Person person
	Data   any
}

// Section names the page in the navigation. Queue and call belong to what their readings are for.
func (p view) Section() string {
	switch d := p.Data.(type) {
	case queuePage:
		return string(d.Kind)
	case callPage:
		return string(d.Kind)
	}
	return p.Name
}

// Adjudicator reports whether the person may see the readings of others.
func (p view) Adjudicator() bool { return p.Person.Role.atLeast(Adjudicator) }

// Admin reports whether the person may export and erase.
func (p view) Admin() bool { return p.Person.Role.atLeast(Admin) }

func (s *Server) render(w http.ResponseWriter, r *http.Request, name string, p person, data any) error {
	s.renderStatus(w, r, http.StatusOK, name, p, data)
	return nil
}

func (s *Server) renderStatus(w http.ResponseWriter, r *http.Request, status int, name string, p person, data any) {
	var b bytes.Buffer
	if err := s.pages[name].Execute(&b, view{name, p, data}); err != nil {
		// The error may quote the page.
		s.opts.Log.ErrorContext(r.Context(), "a page cannot be rendered", "page", name)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// fail answers with an error. Errors of the server itself are only logged.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	status, message := statusOf(err), err.Error()
	if status == http.StatusInternalServerError {
		s.opts.Log.ErrorContext(r.Context(), "a request failed", "route", r.Pattern, "err", err)
		message = "internal error"
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		http.Error(w, message, status)
		return
	}
	s.renderStatus(w, r, status, "error", person{}, message)
}

// requestError is an error of who asks.
type requestError struct {
	status int
	text   string
}

func (e *requestError) Error() string { return e.text }

func badRequest(text string) error { return &requestError{http.StatusBadRequest, text} }
func forbidden(text string) error  { return &requestError{http.StatusForbidden, text} }

func statusOf(err error) int {
	var bad *store.BadReading
	var request *requestError
	switch {
	case errors.As(err, &request):
		return request.status
	case errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, store.ErrConflict):
		return http.StatusConflict
	case errors.Is(err, store.ErrSawRaw), errors.Is(err, store.ErrOwnReading):
		return http.StatusForbidden
	case errors.As(err, &bad):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// record adds to the access log. A page is not shown if that fails.
func (s *Server) record(r *http.Request, p person, action, callID string) error {
	if err := s.opts.Store.Record(r.Context(), p.Name, action, callID); err != nil {
		return fmt.Errorf("the access log cannot be written: %w", err)
	}
	return nil
}

// shutdownTime bounds how long open requests may go on when the server stops.
const shutdownTime = 5 * time.Second

// Serve answers requests until the context is cancelled.
func Serve(ctx context.Context, server *http.Server, serve func() error) error {
	done := make(chan error, 1)
	go func() { done <- serve() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	return server.Shutdown(stopping)
}
