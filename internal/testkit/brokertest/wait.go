package brokertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// pollInterval is how often WaitFor polls.
const pollInterval = 20 * time.Millisecond

// WaitFor polls until cond holds. It treats an error of cond as "not yet". If the context ends
// first, its error wraps the last error of cond.
func WaitFor(ctx context.Context, what string, cond func(context.Context) (bool, error)) error {
	start := time.Now()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		ok, err := cond(ctx)
		if err == nil && ok {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			waited := time.Since(start).Round(time.Millisecond)
			if err != nil {
				return fmt.Errorf("waited %v for %s: %w; last: %w", waited, what, ctx.Err(), err)
			}
			return fmt.Errorf("waited %v for %s: %w", waited, what, ctx.Err())
		}
	}
}

// Eventually fails the test immediately if cond does not hold within the time.
func Eventually(t testing.TB, timeout time.Duration, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	if err := WaitFor(ctx, what, func(context.Context) (bool, error) { return cond(), nil }); err != nil {
		t.Fatal(err)
	}
}

// NoLeaks fails the test if goroutines that it started are still running at its end. Call it first,
// because cleanups run last to first, and not in parallel tests. goleak retries for a second, so
// that goroutines may end. The broker that the tests of a package share outlives them.
func NoLeaks(t testing.TB) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	broker := goleak.IgnoreAnyFunction("sotto/internal/testkit/brokertest/proc.(*Process).run")
	t.Cleanup(func() { goleak.VerifyNone(t, before, broker) })
}
