package serve

import (
	"context"
	"net/http"

	"golang.org/x/sync/semaphore"
)

// lane lets requests be worked on: as many at once as it has slots, and a bounded number that wait.
type lane struct{ slots, waiting chan struct{} }

// How many requests may wait for each one that is worked on: small ones are soon done, each large
// one takes memory.
const (
	waitingPerSlot = 32
	largePerSlot   = 4
)

func newLane(slots, waitingPerSlot int) lane {
	return lane{make(chan struct{}, slots), make(chan struct{}, slots*(1+waitingPerSlot))}
}

func (l *lane) enter(ctx context.Context) (leave func(), err error) {
	select {
	case l.waiting <- struct{}{}:
	default:
		return nil, errBusy
	}
	select {
	case l.slots <- struct{}{}:
		return func() { <-l.slots; <-l.waiting }, nil
	case <-ctx.Done():
		<-l.waiting
		return nil, errTimeout
	}
}

// smallBody is the size up to which a body is small.
const smallBody = 64 << 10

// slot waits until a request with a body of so many bytes may be worked on. Large ones, and those
// that bring along regular expressions, have slots of their own, so that the others need not wait
// for them. Nothing that waits for the client may happen before leave is called.
func (s *Server) slot(r *http.Request, bytes int) (leave func(), err error) {
	if bytes > smallBody {
		return s.large.enter(r.Context())
	}
	return s.small.enter(r.Context())
}

// memoryPerBody is how many of the largest bodies there is memory for.
const memoryPerBody = 8

// holding is what one request has of the memory that bodies and responses that are not small may take together.
type holding struct {
	of    *semaphore.Weighted
	bytes int64
}

// grow takes memory for bytes of a body or a response in all. The first of them count as small.
func (h *holding) grow(bytes int) error {
	more := max(0, int64(bytes)-smallBody) - h.bytes
	if more <= 0 {
		return nil
	}
	if !h.of.TryAcquire(more) {
		return errBusy
	}
	h.bytes += more
	return nil
}

func (h *holding) release() { h.of.Release(h.bytes) }
