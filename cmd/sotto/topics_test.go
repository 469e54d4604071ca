package main

import (
	"context"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

func TestTopicsAndCanary(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	environ := runEnviron(t, c.ListenAddrs(), "off")
	check := func(code int, want string, args ...string) {
		t.Helper()
		o := sotto(t, environ, "", args...)
		if o.code != code || !strings.Contains(o.out+o.errors, want) {
			t.Errorf("%s: status %d, want %d and %q\n%s%s", strings.Join(args, " "), o.code, code, want, o.out, o.errors)
		}
	}
	check(exitUsage, "--partitions", "topics", "ensure", "--partitions", "0")
	check(exitCheck, "would be created", "topics", "ensure", "--dry-run")
	check(exitDone, "calls.state created with 2 partitions", "topics", "ensure", "--partitions", "2")
	check(exitDone, "", "topics", "ensure", "--partitions", "2", "--dry-run")
	check(exitCheck, "did not come out", "canary", "--once", "--timeout", "1s")

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan outcome, 1)
	go func() { done <- sottoContext(ctx, environ, "", "run") }()
	check(exitDone, "came out redacted", "canary", "--once", "--timeout", "30s")
	stop()
	if o := <-done; o.code != exitDone {
		t.Errorf("run ends with %d: %s", o.code, o.errors)
	}
}
