package processor

import (
	"fmt"
	"testing"

	"sotto/internal/brokertest"
	"sotto/schemas"
)

func TestCallsGoThrough(t *testing.T) {
	brokertest.NoLeaks(t)
	r := newRig(t, 4)
	r.set.AuditRate = "default=0,customer_support=1"
	in := r.start("a")
	var want int
	for c := range 20 {
		call := fmt.Sprintf("call-%d", c)
		r.feed(
			r.raw(int32(c%4), utterance(call, 1, "x", "this is Pam calling from Dunder Mifflin")),
			r.raw(int32(c%4), utterance(call, 2, "y", "hello Pam")),
			r.raw(int32(c%4), ended(call, 3)))
		want += 3
	}
	events := r.clean(r.await(r.topics.Clean, want))
	ends := 0
	for _, e := range events {
		if e.Type != schemas.End {
			continue
		}
		ends++
		if e.Call == nil || e.Call.Utterances != 2 || e.Call.ClosedBy != schemas.ClosedByEnd || !e.Call.Release {
			t.Errorf("the END of %s tells %+v, want 2 utterances, closed by its END", e.CallID, e.Call)
		}
	}
	if ends != 20 || len(events) != want {
		t.Errorf("%d events with %d ENDs, want %d and 20", len(events), ends, want)
	}
	if got := len(r.await(r.topics.Audit, want)); got != want {
		t.Errorf("%d audit events at rate 1, want %d", got, want)
	}
	if err := in.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
}
