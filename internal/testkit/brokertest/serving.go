package brokertest

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

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
