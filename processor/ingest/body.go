package ingest

import (
	"errors"
	"io"
	"net/http"
	"os"

	"golang.org/x/sync/semaphore"
)

const (
	// smallBody is what every connection may hold.
	smallBody = 16 << 10
	// largeBodies is what all bodies together may hold beyond that.
	largeBodies = 128 << 20
)

// holding is what the body of a request holds of the memory for bodies.
type holding struct {
	of    *semaphore.Weighted
	bytes int64
}

// grow takes memory for a body of so many bytes.
func (h *holding) grow(bytes int) bool {
	more := max(0, int64(bytes)-smallBody) - h.bytes
	if more <= 0 {
		return true
	}
	if !h.of.TryAcquire(more) {
		return false
	}
	h.bytes += more
	return true
}

func (h *holding) release() { h.of.Release(h.bytes) }

// read returns the body of a request. It takes memory for what has arrived only, whatever length is announced, so that nobody
// holds any for bytes that he does not send.
func (h *holding) read(w http.ResponseWriter, r *http.Request, most int) ([]byte, *refusal) {
	if r.ContentLength > int64(most) {
		return nil, errTooLarge
	}
	in := http.MaxBytesReader(w, r.Body, int64(most))
	body := make([]byte, 0, 2<<10)
	for {
		if len(body) == cap(body) {
			size := min(2*cap(body), most+1)
			if !h.grow(size) {
				return nil, errBusy
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		var tooLarge *http.MaxBytesError
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && len(body) == 0:
			return nil, errEmpty
		case errors.Is(err, io.EOF):
			return body, nil
		case errors.As(err, &tooLarge):
			return nil, errTooLarge
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, errSlow
		default:
			return nil, errBroken
		}
	}
}
