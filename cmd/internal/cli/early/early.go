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

// Context is the context of the process. If its command stops gracefully, the first SIGINT or
// SIGTERM ends the context, and the second one kills the process.
var Context = func() context.Context {
	ctx := context.Background()
	if len(os.Args) > 1 && slices.Contains(graceful, os.Args[1]) {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
	}
	return ctx
}()
