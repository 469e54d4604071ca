package remote

import (
	"context"
	"sync"
	"time"
)

// rateLimit spaces requests out: at most so many in any minute, with a burst of one second's worth.
// It is safe for concurrent use.
type rateLimit struct {
	every time.Duration
	burst int
	now   func() time.Time

	mu sync.Mutex
	// free is when the bucket will be full again.
	free time.Time
}

func newRateLimit(perMinute int, now func() time.Time) *rateLimit {
	burst := max(1, perMinute/60)
	// The minute that begins with a burst has one request fewer for each of the burst but the first.
	steady := time.Duration(perMinute - burst + 1)
	return &rateLimit{every: (time.Minute + steady - 1) / steady, burst: burst, now: now}
}

// wait returns when a request may be made. If that is after the deadline of ctx, it takes nothing
// and fails at once.
func (l *rateLimit) wait(ctx context.Context) error {
	l.mu.Lock()
	now := l.now()
	if l.free.Before(now) {
		l.free = now
	}
	pause := l.free.Add(l.every).Sub(now) - time.Duration(l.burst)*l.every
	if deadline, ok := ctx.Deadline(); ok && now.Add(pause).After(deadline) {
		l.mu.Unlock()
		return ErrUnavailable
	}
	l.free = l.free.Add(l.every)
	l.mu.Unlock()
	return sleep(ctx, pause)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ErrUnavailable
	case <-t.C:
		return nil
	}
}

// breaker stops requests to a service that does not answer. After some failures in a row it opens.
// After a pause it lets one request through, whose outcome decides. It is safe for concurrent use.
type breaker struct {
	failures int
	pause    time.Duration
	now      func() time.Time

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
	if b.failed < b.failures {
		return true
	}
	if b.trial || b.now().Before(b.until) {
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
		b.until = b.now().Add(b.pause)
	case cutOff:
	}
}

// open reports whether requests are stopped.
func (b *breaker) open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed >= b.failures
}
