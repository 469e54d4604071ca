package remote

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// newRateLimit spaces requests out: at most so many in any minute, with a burst of one second's worth.
func newRateLimit(perMinute int) *rate.Limiter {
	burst := max(1, perMinute/60)
	// The minute that begins with a burst has one request fewer for each of the burst but the first.
	steady := time.Duration(perMinute - burst + 1)
	return rate.NewLimiter(rate.Every((time.Minute+steady-1)/steady), burst)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ErrUnavailable
	case <-t.C:
		return nil
	}
}

// After breakerFailures failed requests in a row, none are made for breakerPause.
const (
	breakerFailures = 5
	breakerPause    = 5 * time.Second
)

// breaker stops requests to a service that does not answer. After some failures in a row it opens.
// After a pause it lets one request through, whose outcome decides. It is safe for concurrent use.
type breaker struct {
	mu     sync.Mutex
	failed int       // in a row
	until  time.Time // open until then
	trial  bool      // a request is on its way that decides
}

// outcome says whether a request showed that the service is up or down.
type outcome int

const (
	answered outcome = iota // perhaps with an error
	failed
	cutOff // by the deadline, too early to say
)

// allow reports whether a request may be made. If so, done must be called with its outcome.
func (b *breaker) allow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < breakerFailures {
		return true
	}
	if b.trial || time.Now().Before(b.until) {
		return false
	}
	b.trial = true
	return true
}

func (b *breaker) done(o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = false
	switch o {
	case answered:
		b.failed = 0
	case failed:
		b.failed++
		b.until = time.Now().Add(breakerPause)
	case cutOff:
	}
}

// open reports whether requests are stopped.
func (b *breaker) open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed >= breakerFailures
}
