package processor

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A record that failed may be in the log nevertheless, and the broker would drop the next one with its
// sequence number as a duplicate. So the session continues with a new producer epoch.
func TestAProduceErrorAbortsAndTheRecordsAreReadAgain(t *testing.T) {
	t.Parallel()
	for _, topic := range []func(*rig) string{
		func(r *rig) string { return r.Topics.Clean },
		func(r *rig) string { return r.Topics.State },
	} {
		r, fake := fakeRig(t, 1)
		in := r.start("a")
		r.Feed(speech(r, "claims the partition", 1, 1)...)
		r.Await(r.Topics.Clean, 1)
		f := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic(r), Err: kerr.PolicyViolation, Count: 2})
		r.Feed(speech(r, "c", 1, 30)...)
		sameAsSerial(t, r)
		if f.Hits() == 0 {
			t.Fatal("the fault was never injected")
		}
		if m := scrape(t, in); !strings.Contains(m, `sotto_transactions_aborted_total{reason="produce"}`) {
			t.Error("the abort is not counted by its reason")
		}
		if !strings.Contains(r.log.String(), "a record failed, so the session needs a new producer epoch") {
			t.Error("the session continues with the same producer")
		}
	}
}

// TestACommitThatLooksLikeAnAbortIsNotDoubled lets the broker commit, and then answer with an error
// that the client takes for an abort.
func TestACommitThatLooksLikeAnAbortIsNotDoubled(t *testing.T) {
	r, fake := fakeRig(t, 1)
	r.start("a")
	r.Feed(speech(r, "c", 1, 3)...)
	r.Await(r.Topics.Clean, 3)
	var hit atomic.Bool
	fake.ControlKey(int16(kmsg.EndTxn), func(req kmsg.Request) (kmsg.Response, error, bool) {
		end := req.(*kmsg.EndTxnRequest)
		if !end.Commit || hit.Swap(true) {
			fake.KeepControl()
			return nil, nil, false
		}
		// Commit with a request of our own, and answer the processor's with an error.
		done := make(chan struct{})
		go func() {
			defer close(done)
			cl, err := kgo.NewClient(kgo.SeedBrokers(fake.Brokers()...))
			if err != nil {
				return
			}
			defer cl.Close()
			again := *end
			again.RequestWith(context.Background(), cl)
		}()
		fake.KeepControl()
		fake.SleepControl(func() { <-done })
		resp := end.ResponseKind().(*kmsg.EndTxnResponse)
		resp.ErrorCode = kerr.UnknownServerError.Code
		return resp, nil, true
	})
	r.Feed(speech(r, "c", 4, 3)...)
	eventually(t, "the commit", func() bool { return hit.Load() })
	r.Feed(speech(r, "c", 7, 3)...)
	sameAsSerial(t, r)
	if !strings.Contains(r.log.String(), errCommittedAfterAll.Error()) {
		t.Error("the processor did not find out that the transaction had been committed")
	}
}
