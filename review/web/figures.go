package web

import (
	"context"
	"net/http"
	"time"

	"sotto/review"
	"sotto/review/agreement"
	"sotto/review/figures"
)

// computed holds what takes long to compute, of a version of the store.
type computed struct {
	Dashboard *figures.Dashboard
	Agreement *agreement.Report
	version   int64
}

// firstWait is how long a page waits for figures before it shows older ones, or none.
const firstWait = 60 * time.Millisecond

// current returns the latest figures, nil if there are none yet, and whether newer ones are being
// computed in the background, so that no page waits for it for long.
func (s *Server) current(ctx context.Context) (*computed, bool, error) {
	version, err := s.opts.Store.Version(ctx)
	if err != nil {
		return nil, false, err
	}
	if have := s.figures.Load(); have != nil && have.version == version {
		return have, false, nil
	}
	running := s.computing.DoChan("", func() (any, error) {
		out, err := s.compute(context.WithoutCancel(ctx), version)
		if err == nil {
			s.figures.Store(out)
		} else {
			s.opts.Log.ErrorContext(ctx, "the figures cannot be computed", "err", err)
		}
		return nil, err
	})
	select {
	case <-running:
	case <-time.After(firstWait):
	}
	have := s.figures.Load()
	return have, have == nil || have.version != version, nil
}

func (s *Server) compute(ctx context.Context, version int64) (*computed, error) {
	read, err := s.opts.Store.Read(ctx, review.Missed, false)
	if err != nil {
		return nil, err
	}
	twice, err := s.opts.Store.ReadTwice(ctx)
	if err != nil {
		return nil, err
	}
	return &computed{figures.Compute(read), agreement.Compare(twice), version}, nil
}

type figuresPage struct {
	computed
	Computing bool
}

// privacy shows what a privacy officer needs to know, with the figures for those who may see them: an annotator's marks must not
// depend on what others found.
func (s *Server) privacy(w http.ResponseWriter, r *http.Request, p person) error {
	if p.Role.atLeast(Adjudicator) {
		return s.showFigures("privacy")(w, r, p)
	}
	return s.render(w, r, "privacy", p, figuresPage{})
}

func (s *Server) showFigures(name string) page {
	return func(w http.ResponseWriter, r *http.Request, p person) error {
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
}
