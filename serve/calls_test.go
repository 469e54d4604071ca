package serve

import (
	"errors"
	"testing"
	"time"

	"sotto/config"
	"sotto/internal/testkit/lifetest"
)

// liveCalls are the calls of a server whose clock is moved by hand.
type liveCalls struct {
	*calls
	t  *testing.T
	at *time.Time
}

func (l liveCalls) Event(id string) lifetest.Outcome { return l.request(id, false) }
func (l liveCalls) End(id string) lifetest.Outcome   { return l.request(id, true) }

func (l liveCalls) request(id string, over bool) lifetest.Outcome {
	one, err := l.take(l.t.Context(), id, false)
	switch {
	case errors.Is(err, errGone):
		return lifetest.Late
	case errors.Is(err, errFull):
		return lifetest.Full
	case err != nil:
		l.t.Fatal(err)
	}
	defer l.give(one, over)
	if one.started {
		return lifetest.Continues
	}
	one.started = true
	return lifetest.Opens
}

func (l liveCalls) Pass(ms int64) {
	*l.at = l.at.Add(time.Duration(ms) * time.Millisecond)
	l.sweep()
}

func (l liveCalls) Len() int {
	n, bytes := l.usage()
	if n == 0 && bytes != 0 {
		l.t.Errorf("%d bytes are left of no call", bytes)
	}
	return n
}

// callLimits are the settings of live calls that are idle after a second.
func callLimits(open int, grace time.Duration) *config.Settings {
	s := &config.Settings{MaxOpenCalls: open, CallIdleTimeout: time.Second, CallGrace: grace}
	s.ServeCallBytes, s.MaxClosedCalls = 1<<30, 100
	return s
}

func TestTheLifeOfACall(t *testing.T) {
	limits := lifetest.Limits{Idle: 1000, Grace: 300, Open: 5, UseExtends: true}
	lifetest.Run(t, limits, func(t *testing.T) lifetest.Calls {
		at := time.UnixMilli(1_763_683_200_000)
		c := newCalls(callLimits(limits.Open, 300*time.Millisecond))
		c.now = func() time.Time { return at }
		return liveCalls{c, t, &at}
	})
}

// A call does not end while a request has it, however long that takes.
func TestACallInUseDoesNotEnd(t *testing.T) {
	at := time.UnixMilli(1_763_683_200_000)
	c := newCalls(callLimits(5, time.Second))
	c.now = func() time.Time { return at }
	l := liveCalls{c, t, &at}
	one, err := c.take(t.Context(), "a", false)
	if err != nil {
		t.Fatal(err)
	}
	one.started = true
	l.Pass(10_000)
	if l.Len() != 1 || one.life.Ended {
		t.Error("a call ended while a request had it")
	}
	c.give(one, false)
	l.Pass(999)
	if one.life.Ended {
		t.Error("a call ended although it was in use until just now")
	}
}
