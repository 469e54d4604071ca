package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"sotto/anonymize/ending"
	"sotto/config"
	"sotto/internal/lifecycle"
	"sotto/schemas"
)

// calls are the live calls. Their states are in memory only, and their clock is that of the wall.
type calls struct {
	maxBytes int // of their states, above which no new call begins
	now      func() time.Time

	mu    sync.Mutex
	table *lifecycle.Table[*liveCall]
	bytes int
}

// liveCall is a call whose utterances come one by one. The request that holds its turn owns it;
// calls.mu protects what the table reads.
type liveCall struct {
	turn chan struct{}
	ending.Tally
	about
	// seq is that of the last utterance; started means that the call has one or a START.
	seq     int64
	started bool
	// last is the response to the last request with utterances, and of which body. A client that
	// did not get it sends the request again.
	last   []byte
	lastOf [sha256.Size]byte
	// encoded is the size of the state when it was last encoded.
	encoded int

	// Protected by calls.mu. The time of a call with users stands still.
	lifecycle.Entry
	life  lifecycle.Life
	users int // requests that have the call or wait for it
	bytes int
}

// Lived implements lifecycle.Living.
func (c *liveCall) Lived() *lifecycle.Life { return &c.life }

// maxTurns is how many requests may wait for their turn in one call.
const maxTurns = 64

// callOverhead is about what a call takes besides its state.
const callOverhead = 1024

var (
	errGone  = fail(http.StatusGone, "the call is over and its state was dropped (SOTTO_CALL_IDLE_TIMEOUT, SOTTO_CALL_GRACE); its numbers cannot continue")
	errFull  = fail(http.StatusServiceUnavailable, "no further call can begin: SOTTO_MAX_OPEN_CALLS or 256 MiB of call state are reached")
	errNoOne = fail(http.StatusNotFound, "the call is not known to this server; its numbers would begin at 1")
)

func newCalls(s *config.Settings) *calls {
	limits := lifecycle.Limits{Idle: s.CallIdleTimeout.Milliseconds(), Grace: s.CallGrace.Milliseconds(), Open: s.MaxOpenCalls}
	closed := lifecycle.NewForgotten(s.MaxClosedCalls, lifecycle.LatestOnly, nil)
	return &calls{maxBytes: s.ServeCallBytes, now: time.Now, table: lifecycle.New[*liveCall](limits, closed, nil)}
}

// take waits for the turn of a request in a call, which begins unless mustExist. The caller must
// call give.
func (c *calls) take(ctx context.Context, id string, mustExist bool) (*liveCall, error) {
	one, err := c.find(id, mustExist)
	if err != nil {
		return nil, err
	}
	select {
	case one.turn <- struct{}{}:
		return one, nil
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		c.leave(one)
		return nil, errTimeout
	}
}

func (c *calls) find(id string, mustExist bool) (*liveCall, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	one := c.table.Get(id)
	if one == nil {
		switch admission := c.table.Admit(id); {
		case admission == lifecycle.Late:
			return nil, errGone
		case mustExist:
			return nil, errNoOne
		case admission == lifecycle.Full || c.bytes >= c.maxBytes:
			return nil, errFull
		}
		one = &liveCall{Entry: lifecycle.Entry{ID: id}, turn: make(chan struct{}, 1), Tally: newConversation()}
		c.table.Open(one)
		c.grow(one, callOverhead+len(id))
	}
	if one.users == maxTurns {
		return nil, errBusy
	}
	one.users++
	c.table.Suspend(one)
	return one, nil
}

// give ends a turn. over says that the call is over.
func (c *calls) give(one *liveCall, over bool) {
	size := one.size()
	<-one.turn
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.grow(one, callOverhead+len(one.ID)+size)
	if over {
		c.table.End(one)
		c.table.Suspend(one)
	}
	c.leave(one)
}

// leave notes that a request does not need a call any longer. A call that no request has added
// anything to is dropped.
func (c *calls) leave(one *liveCall) {
	one.users--
	switch {
	case one.users > 0:
	case one.started:
		c.table.Resume(one)
	default:
		c.table.Remove(one)
		c.grow(one, 0)
	}
}

func (c *calls) grow(one *liveCall, bytes int) {
	c.bytes += bytes - one.bytes
	one.bytes = bytes
}

// sweep closes the calls that are idle, and drops those whose grace is over.
func (c *calls) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
}

func (c *calls) advance() {
	for _, f := range c.table.Advance(c.now().UnixMilli(), nil) {
		if f.Expired {
			c.grow(f.Call, 0)
		}
	}
	c.table.Commit()
}

func (c *calls) usage() (n, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.table.Len(), c.bytes
}

// maxReplay bounds the response that is kept for a repeated request.
const maxReplay = 64 << 10

func (c *liveCall) size() int { return c.encoded + 4*c.Candidates.Len() + len(c.last) }

func (c *liveCall) keep(body, response []byte) {
	c.last = nil
	if len(response) <= maxReplay {
		c.last, c.lastOf = response, sha256.Sum256(body)
	}
}

// learn takes what a request says about the call; what it does not say stays. The sensitivity is that of the first
// request, or else the usual one: the risk is estimated for one.
func (c *liveCall) learn(a about, usual string) error {
	sensitivity := cmp.Or(a.Sensitivity, c.about.Sensitivity, usual)
	if c.started && sensitivity != c.about.Sensitivity {
		return fail(http.StatusConflict, "the sensitivity of a call cannot change")
	}
	c.about = about{
		Context: cmp.Or(a.Context, c.about.Context), Tenant: cmp.Or(a.Tenant, c.about.Tenant),
		Language: cmp.Or(a.Language, c.about.Language), Sensitivity: sensitivity,
	}
	return nil
}

// number gives the utterances of a request their sequence numbers. They must grow.
func (c *liveCall) number(id string, all []utterance) ([]*schemas.RawEvent, error) {
	seq := c.seq
	var events []*schemas.RawEvent
	for i := range all {
		u := &all[i]
		if u.Final != nil && !*u.Final {
			continue // an interim hypothesis
		}
		next := seq + 1
		if u.Seq != nil {
			if next = *u.Seq; next <= seq {
				return nil, fail(http.StatusConflict, "seq must grow within a call; the last one was %d", seq)
			}
		}
		seq = next
		events = append(events, u.event(id, seq, &c.about))
	}
	return events, nil
}
