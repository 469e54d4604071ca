package brokertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"
)

const pollInterval = 20 * time.Millisecond

// WaitFor polls until cond holds. It treats an error of cond as "not yet". If the context ends
// first, its error wraps the last error of cond.
func WaitFor(ctx context.Context, what string, cond func(context.Context) (bool, error)) error {
	start := time.Now()
	for {
		ok, err := cond(ctx)
		if err == nil && ok {
			return nil
		}
		select {
		case <-time.After(pollInterval):
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

// awaitServing waits until the broker is registered and leads the coordinators of groups and
// transactions, which makes it create its internal topics. It returns at once when ended is closed.
func awaitServing(ctx context.Context, addr string, ended <-chan struct{}) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-ended:
			cancel(errors.New("the process has ended"))
		case <-ctx.Done():
		}
	}()
	err := WaitFor(ctx, "the broker to listen", func(ctx context.Context) (bool, error) {
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return false, err
		}
		return true, c.Close()
	})
	if err == nil {
		err = awaitCoordinators(ctx, addr)
	}
	if err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return nil
}

func awaitCoordinators(ctx context.Context, addr string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.RequestRetries(0))
	if err != nil {
		return err
	}
	defer cl.Close()
	for _, kind := range []struct {
		name string
		code int8
	}{{"groups", 0}, {"transactions", 1}} {
		err := WaitFor(ctx, "the coordinator of "+kind.name, func(ctx context.Context) (bool, error) {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			req := kmsg.NewPtrFindCoordinatorRequest()
			req.CoordinatorType = kind.code
			req.CoordinatorKey = "sotto-test-probe"
			req.CoordinatorKeys = []string{req.CoordinatorKey}
			// The client's own routing would answer from its cache.
			resp, err := req.RequestWith(ctx, cl.SeedBrokers()[0])
			if err != nil {
				return false, err
			}
			code := resp.ErrorCode
			for _, c := range resp.Coordinators {
				code = c.ErrorCode
			}
			return code == 0, kerr.ErrorForCode(code)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
