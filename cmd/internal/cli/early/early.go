// Package early handles signals from the first moment of a process. It imports no other package of
// this module, so that it is initialized before the tables of the engine: on a busy machine, these
// take a while.
package early

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// graceful are the commands that stop gracefully on a signal.
var graceful = []string{"run", "serve", "canary", "topics", "demo"}

// Context is the context of the process. If its command stops gracefully, it is one of UntilSignal.
var Context = func() context.Context {
	ctx := context.Background()
	if len(os.Args) > 1 && slices.Contains(graceful, os.Args[1]) {
		ctx, _ = UntilSignal(ctx)
	}
	return ctx
}()

// UntilSignal returns a context that the first SIGINT or SIGTERM ends. The second one kills the process.
func UntilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
