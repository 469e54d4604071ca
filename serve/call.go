package serve

import (
	"cmp"
	"crypto/sha256"
	"net/http"

	"sotto/schemas"
)

// liveCall is what is remembered of a live call between two requests.
type liveCall struct {
	conversation
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
}

// maxReplay bounds the response that is kept for a repeated request.
const maxReplay = 64 << 10

// size is about what the call takes in memory.
func (c *liveCall) size() int { return c.encoded + 4*c.candidates.Len() + len(c.last) }

// replay returns the response to the last request if this is the same one.
func (c *liveCall) replay(body []byte) []byte {
	if c.last != nil && sha256.Sum256(body) == c.lastOf {
		return c.last
	}
	return nil
}

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
