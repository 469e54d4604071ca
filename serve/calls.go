package serve

import (
	"context"
	"hash/maphash"
	"net/http"
	"sync"
	"time"

	"sotto/schemas"
)

// callLimits bound the live calls.
type callLimits struct {
	open   int           // calls in memory
	bytes  int           // of their states, above which no new call begins
	closed int           // closed calls that are remembered
	idle   time.Duration // a call is over after so long without a request
	grace  time.Duration // its state is kept for so long after that
}

// calls are the live calls. Their states are in memory only.
type calls struct {
	limits callLimits
	now    func() time.Time

	mu    sync.Mutex
	known map[string]*call
	bytes int
	// closed has the hashes of the calls whose state was dropped, so that the numbers of a call
	// never restart; ring has them in the order in which they were added.
	seed   maphash.Seed
	closed map[uint64]struct{}
	ring   []uint64
	next   int
}

// call is a live call. The request that holds its turn owns it; calls.mu protects what the table
// reads.
type call struct {
	turn chan struct{}
	liveCall

	// Protected by calls.mu.
	users int // requests that have the call or wait for it
	bytes int
	seen  time.Time
	over  schemas.ClosedBy // "" while it is open
}

// callOverhead is about what a call takes besides its state.
const callOverhead = 1024

var (
	errGone  = fail(http.StatusGone, "the call is over and its state was dropped (SOTTO_CALL_IDLE_TIMEOUT, SOTTO_CALL_GRACE); its numbers cannot continue")
	errFull  = fail(http.StatusServiceUnavailable, "no further call can begin: SOTTO_MAX_OPEN_CALLS or SOTTO_SERVE_CALL_BYTES is reached")
	errNoOne = fail(http.StatusNotFound, "the call is not known to this server; its numbers would begin at 1")
)

func newCalls(l callLimits) *calls {
	return &calls{limits: l, now: time.Now, known: map[string]*call{}, seed: maphash.MakeSeed(), closed: map[uint64]struct{}{}}
}

// take waits for the turn of a request in a call, which begins unless mustExist. The caller must
// call give.
func (c *calls) take(ctx context.Context, id string, mustExist bool) (*call, error) {
	one, err := c.find(id, mustExist)
	if err != nil {
		return nil, err
	}
	select {
	case one.turn <- struct{}{}:
		return one, nil
	case <-ctx.Done():
		c.leave(id, one)
		return nil, errTimeout
	}
}

func (c *calls) find(id string, mustExist bool) (*call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.known[id]
	if one == nil {
		_, gone := c.closed[maphash.String(c.seed, id)]
		switch {
		case gone:
			return nil, errGone
		case mustExist:
			return nil, errNoOne
		case len(c.known) >= c.limits.open || c.bytes >= c.limits.bytes:
			return nil, errFull
		}
		one = &call{turn: make(chan struct{}, 1), liveCall: liveCall{conversation: newConversation()}, seen: c.now()}
		c.known[id] = one
		c.grow(one, callOverhead+len(id))
	}
	one.users++
	return one, nil
}

// give ends a turn. over says what closed the call, "" if nothing did.
func (c *calls) give(id string, one *call, over schemas.ClosedBy) {
	size := one.size()
	<-one.turn
	c.mu.Lock()
	c.grow(one, callOverhead+len(id)+size)
	one.seen = c.now()
	if over != "" {
		one.over = over
	}
	c.mu.Unlock()
	c.leave(id, one)
}

// leave notes that a request does not need a call any longer. A call that no request has added
// anything to is dropped.
func (c *calls) leave(id string, one *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.users--; one.users == 0 && !one.begun() {
		c.drop(id, one)
	}
}

func (c *calls) grow(one *call, bytes int) {
	c.bytes += bytes - one.bytes
	one.bytes = bytes
}

func (c *calls) drop(id string, one *call) {
	c.grow(one, 0)
	delete(c.known, id)
}

// sweep closes the calls that are idle, and drops those whose grace is over.
func (c *calls) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	for id, one := range c.known {
		if one.users > 0 {
			continue
		}
		quiet := now.Sub(one.seen)
		if one.over == "" && quiet >= c.limits.idle {
			one.over = schemas.ClosedByIdle
			one.seen = one.seen.Add(c.limits.idle)
			quiet = now.Sub(one.seen)
		}
		if one.over != "" && quiet >= c.limits.grace {
			c.drop(id, one)
			c.remember(maphash.String(c.seed, id))
		}
	}
}

// remember remembers the hash of a call that was dropped, in the place of the oldest one if there
// are too many.
func (c *calls) remember(hash uint64) {
	if _, known := c.closed[hash]; known {
		return
	}
	c.closed[hash] = struct{}{}
	if len(c.ring) < c.limits.closed {
		c.ring = append(c.ring, hash)
		return
	}
	delete(c.closed, c.ring[c.next])
	c.ring[c.next] = hash
	c.next = (c.next + 1) % len(c.ring)
}

// usage returns the number of calls and the bytes of their states.
func (c *calls) usage() (n, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known), c.bytes
}
