package remote

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// What the rate does not permit within the deadline is asked later.
func TestAskPatientlyOutwaitsTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: good}
		tier := newTestTier(s, func(o *Options) { o.PerMinute, o.Batch, o.Deadline = 600, 1, time.Second })
		var many []Utterance
		for i := range 300 {
			many = append(many, Utterance{"a", fmt.Sprint("Ann ", i)})
		}
		start := time.Now()
		for i, r := range tier.AskPatiently(t.Context(), many, 5*time.Second) {
			if r.Err != nil || len(r.Findings) != 1 {
				t.Fatalf("utterance %d: %+v", i, r)
			}
		}
		if took := time.Since(start); len(s.requests) != 300 || took < 28*time.Second || took > time.Minute {
			t.Errorf("%d requests in %v", len(s.requests), took)
		}
	})
}

func TestAskPatientlyGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tier := newTestTier(&script{answer: down}, nil)
		start := time.Now()
		if r := tier.AskPatiently(t.Context(), []Utterance{{"a", "Ann"}}, 5*time.Second); !errors.Is(r[0].Err, ErrUnavailable) {
			t.Errorf("got %+v", r)
		}
		if took := time.Since(start); took < 5*time.Second || took > 8*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
