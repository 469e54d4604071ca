package main

import (
	"context"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"

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
	check(cli.Usage, "--partitions", "topics", "ensure", "--partitions", "0")
	check(cli.Check, "would be created", "topics", "ensure", "--dry-run")
	check(cli.Check, "create it with 'sotto topics ensure'", "preflight", "--json")
	check(cli.Done, "calls.state created with 2 partitions", "topics", "ensure", "--partitions", "2")
	check(cli.Done, `"ok": true`, "preflight", "--json")
	check(cli.Done, "", "topics", "ensure", "--partitions", "2", "--dry-run")
	check(cli.Check, "did not come out", "canary", "--once", "--timeout", "1s")

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan outcome, 1)
	go func() { done <- sottoContext(ctx, environ, "", "run") }()
	check(cli.Done, "came out redacted", "canary", "--once", "--timeout", "30s")
	stop()
	if o := <-done; o.code != cli.Done {
		t.Errorf("run ends with %d: %s", o.code, o.errors)
	}
}
