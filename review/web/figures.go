package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"sotto/review"
	"sotto/review/agreement"
	"sotto/review/figures"
)

// computed holds what takes long to compute.
type computed struct {
	Dashboard *figures.Dashboard
	Agreement *agreement.Report
	At        time.Time
}

// figuresCache computes in the background, so that no page waits for it for long.
type figuresCache struct {
	mu      sync.Mutex
	have    *computed
	version int64
	running chan struct{} // nil when nothing is being computed
}

// firstWait is how long a page waits for figures before it shows older ones, or none.
const firstWait = 60 * time.Millisecond

// current returns the latest figures, nil if there are none yet, and whether newer ones are being
// computed.
func (s *Server) current(ctx context.Context) (*computed, bool, error) {
	version, err := s.opts.Store.Version(ctx)
	if err != nil {
		return nil, false, err
	}
	c := &s.figures
	c.mu.Lock()
	if c.have != nil && c.version == version {
		defer c.mu.Unlock()
		return c.have, false, nil
	}
	if c.running == nil {
		c.running = make(chan struct{})
		go s.compute(context.WithoutCancel(ctx), version, c.running)
	}
	running := c.running
	c.mu.Unlock()
	select {
	case <-running:
	case <-time.After(firstWait):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.have, c.version != version || c.have == nil, nil
}

func (s *Server) compute(ctx context.Context, version int64, done chan struct{}) {
	out, err := s.computeAll(ctx)
	if err != nil {
		s.opts.Log.ErrorContext(ctx, "the figures cannot be computed", "err", err)
	}
	c := &s.figures
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = nil
	if err == nil {
		c.have, c.version = out, version
	}
	close(done)
}

func (s *Server) computeAll(ctx context.Context) (*computed, error) {
	read, err := s.opts.Store.Read(ctx, review.Missed, false)
	if err != nil {
		return nil, err
	}
	twice, err := s.opts.Store.ReadTwice(ctx)
	if err != nil {
		return nil, err
	}
	return &computed{figures.Compute(s.opts.Table, read), agreement.Compare(twice), time.Now().UTC()}, nil
}

// figuresPage is the data of the dashboard and of the page about agreement.
type figuresPage struct {
	computed
	Computing bool
}

func (s *Server) dashboard(w http.ResponseWriter, r *http.Request, p person) error {
	return s.showFigures(w, r, p, "dashboard")
}

func (s *Server) agreement(w http.ResponseWriter, r *http.Request, p person) error {
	return s.showFigures(w, r, p, "agreement")
}

func (s *Server) showFigures(w http.ResponseWriter, r *http.Request, p person, name string) error {
	have, computing, err := s.current(r.Context())
	if err != nil {
		return err
	}
	if computing {
		w.Header().Set("Refresh", "1")
	}
	page := figuresPage{Computing: computing}
	if have != nil {
		page.computed = *have
	}
	return s.render(w, r, name, p, page)
}
