package demo

import (
	"testing"
	"time"

	"sotto/internal/gold"
	"sotto/schemas"
)

func TestMissedSentence(t *testing.T) {
	for want, c := range map[string]struct {
		gold  []gold.Span
		masks [][2]int
	}{
		"nothing of the 1 piece of information that these calls are labelled with.": {
			gold: []gold.Span{{Start: 0, End: 3, Type: "SSN"}}, masks: [][2]int{{0, 3}}},
		"nothing, but nothing personal was said either.": {},
		"of the 3 pieces of information that these calls are labelled with, 1 stayed readable: AGE (1), and 1 stayed readable in part: SSN (1).": {
			gold:  []gold.Span{{Start: 0, End: 3, Type: "SSN"}, {Start: 4, End: 6, Type: "AGE"}, {Start: 7, End: 9, Type: "IP_ADDRESS"}},
			masks: [][2]int{{0, 2}, {7, 9}}},
	} {
		l := newLedger()
		m := raw("a", 1, "012345678 9")
		m.stamp, m.gold = true, c.gold
		l.expect(m)
		out := clean("a", 1)
		for _, at := range c.masks {
			out.Entities = append(out.Entities, schemas.Entity{Type: "SSN", RawStart: &at[0], RawEnd: &at[1]})
		}
		l.cleaned(out)
		if got := l.missedSentence(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A call of which only the beginning was played would look safer than it is.
func TestOnlyCallsThatAreOverAreJudged(t *testing.T) {
	l := newLedger()
	s := &stage{ledger: l}
	play := func(call string, seq int64, kind schemas.EventType) {
		m := raw(call, seq, "hello")
		m.stamp, m.event.Type = true, kind
		l.expect(m)
		c := clean(call, seq)
		c.Type = kind
		l.cleaned(c)
	}
	play("a", 1, schemas.Utterance)
	if got, want := s.meaningSentence(), "no call came to its end, so there is no risk to judge."; got != want {
		t.Errorf("got %q", got)
	}
	play("b", 1, schemas.Utterance)
	play("b", 2, schemas.End)
	if got, want := s.meaningSentence(), "the residual risk of the 1 call that ended is 0.0 (mean + standard deviation), "+
		"which is under the limit of 5 for training data."; got != want {
		t.Errorf("got %q", got)
	}
}

func TestWatchableSpeed(t *testing.T) {
	for _, c := range []struct {
		messages int
		last     time.Duration
		want     time.Duration // that the play takes
	}{
		{70, 2 * time.Minute, 3500 * time.Millisecond},
		{10_000, time.Hour, 20 * time.Second},
		{70, time.Second, time.Second}, // not slower than real time
	} {
		messages := make([]*message, c.messages)
		messages[c.messages-1] = &message{at: c.last}
		took := time.Duration(c.last.Seconds() / watchableSpeed(messages) * float64(time.Second))
		if took.Round(time.Millisecond) != c.want {
			t.Errorf("%d messages in %s take %s, want %s", c.messages, c.last, took, c.want)
		}
	}
}
