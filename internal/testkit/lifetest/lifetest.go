// Package lifetest is what the calls of the stream, of the HTTP service and of the files have in
// common, as tests that each of them runs.
package lifetest

import (
	"fmt"
	"testing"
)

// Calls are the calls of one of the three. Their time passes by Pass only, in a unit of their own.
type Calls interface {
	// Event is an event of a call, and End one that ends it. They return what became of the event.
	Event(id string) Outcome
	End(id string) Outcome
	// Pass lets time pass in which these calls have no events.
	Pass(time int64)
	// Len counts the calls that have a state.
	Len() int
}

// Outcome is what became of an event.
type Outcome string

// The outcomes.
const (
	Opens     Outcome = "it opens the call"
	Continues Outcome = "it continues the call"
	Late      Outcome = "it is late"
	Full      Outcome = "it would open one call too many"
)

// Limits are those that the tests need. A time of 0 is one that these calls do not have.
type Limits struct {
	Idle, Grace int64
	Open        int
	// UseExtends says that whoever uses a call within its grace period makes that begin anew.
	UseExtends bool
}

// Run runs the tests. open returns Calls with the limits, of which there are none yet. Grace is at
// least 10, and Idle more than Grace or 0.
func Run(t *testing.T, l Limits, open func(t *testing.T) Calls) {
	step := func(t *testing.T, what string, got, want Outcome) {
		t.Helper()
		if got != want {
			t.Fatalf("%s: %s, but should be: %s", what, got, want)
		}
	}
	t.Run("the END", func(t *testing.T) {
		c := open(t)
		step(t, "the first event", c.Event("a"), Opens)
		step(t, "the next event", c.Event("a"), Continues)
		step(t, "the END", c.End("a"), Continues)
		c.Pass(l.Grace - 1)
		step(t, "an event within the grace period", c.Event("a"), Continues)
		if l.UseExtends {
			c.Pass(l.Grace - 1)
			step(t, "an event within the grace period of the last one", c.Event("a"), Continues)
			c.Pass(l.Grace - 1)
		}
		c.Pass(1)
		if n := c.Len(); n != 0 {
			t.Errorf("%d calls have a state after the grace period", n)
		}
		for range 2 {
			step(t, "an event after the grace period", c.Event("a"), Late)
			step(t, "an END after the grace period", c.End("a"), Late)
			c.Pass(3 * l.Grace)
		}
	})
	t.Run("a second END", func(t *testing.T) {
		if l.UseExtends {
			t.Skip("the second END is a use of the call")
		}
		c := open(t)
		step(t, "the only event", c.End("a"), Opens)
		c.Pass(l.Grace / 2)
		step(t, "the second END", c.End("a"), Continues)
		c.Pass(l.Grace - l.Grace/2)
		step(t, "an event after the grace period of the first END", c.Event("a"), Late)
	})
	t.Run("idle calls", func(t *testing.T) {
		if l.Idle == 0 {
			t.Skip("calls are never idle")
		}
		c := open(t)
		step(t, "the first event", c.Event("a"), Opens)
		c.Pass(l.Idle - 1)
		step(t, "an event in time", c.Event("a"), Continues)
		c.Pass(l.Idle - 1)
		step(t, "another event in time", c.Event("a"), Continues)
		c.Pass(l.Idle) // ends it
		step(t, "an event within the grace period", c.Event("a"), Continues)
		c.Pass(l.Grace)
		step(t, "an event after the grace period", c.Event("a"), Late)
	})
	t.Run("a call without an end", func(t *testing.T) {
		if l.Idle != 0 {
			t.Skip("calls end when they are idle")
		}
		c := open(t)
		step(t, "the first event", c.Event("a"), Opens)
		c.Pass(1000 * l.Grace)
		step(t, "an event much later", c.Event("a"), Continues)
	})
	t.Run("many calls", func(t *testing.T) {
		if l.Open == 0 {
			t.Skip("the number of calls is not bounded")
		}
		c := open(t)
		for i := range l.Open {
			step(t, "a call", c.Event(fmt.Sprint(i)), Opens)
		}
		step(t, "one too many", c.Event("more"), Full)
		step(t, "the END of one", c.End("0"), Continues)
		step(t, "one too many within the grace period", c.Event("more"), Full)
		step(t, "a call that is known", c.Event("1"), Continues)
		c.Pass(l.Grace)
		step(t, "a call that there is room for", c.Event("more"), Opens)
		step(t, "an event of the call that is over", c.Event("0"), Late)
	})
}
