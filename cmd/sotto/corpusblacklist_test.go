package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"

	"github.com/twmb/franz-go/pkg/kfake"
)

func TestCorpusBlacklist(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.txt"), filepath.Join(dir, "blacklist.txt")
	text := "### id=A1 context=sales\nAGENT: the blue heron\n\n### id=A2 context=sales\nAGENT: the blue kettle\n"
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sotto(t, nil, "", "corpus", "blacklist", in, "-n", "2", "-o", out)
	if o.code != cli.Done || !strings.Contains(o.out, "\n1         4            2             50.0 % ") {
		t.Fatalf("status %d\n%s%s", o.code, o.out, o.errors)
	}
	got, err := os.ReadFile(out)
	if want := "# sotto blacklist, k = 2, n = 2\nblue heron\nblue kettle\nheron\nkettle\n"; err != nil || string(got) != want {
		t.Errorf("%q %v", got, err)
	}
	for _, args := range [][]string{
		{}, {in, "--topic", "clean"}, {"--topic", "raw"}, {in, "-k", "1"}, {in, "-n", "4"}, {in, "--by", "name"}, {in, "--by", "customer"},
		{filepath.Join(dir, "missing.txt")}, {"--topic", "final"},
	} {
		o := sotto(t, runEnviron(t, []string{"localhost:1"}, "off"), "", append([]string{"corpus", "blacklist"}, args...)...)
		if o.code != cli.Usage || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%q: status %d, %q", args, o.code, o.errors)
		}
	}
}

// What the stream writes can be read from its clean topic.
func TestCorpusBlacklistReadsTheTopic(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	environ := runEnviron(t, c.ListenAddrs(), "off")
	if o := sotto(t, environ, "", "topics", "ensure", "--partitions", "2"); o.code != cli.Done {
		t.Fatal(o.errors)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan outcome, 1)
	go func() { done <- sottoContext(ctx, environ, "", "run") }()
	if o := sotto(t, environ, "", "canary", "--once", "--timeout", "30s"); o.code != cli.Done {
		t.Error(o.errors)
	}
	stop()
	<-done
	o := sotto(t, environ, "", "corpus", "blacklist", "--topic", "clean", "--json")
	if o.code != cli.Done || !strings.Contains(o.out, `"individuals": 1,`) {
		t.Errorf("status %d\n%s%s", o.code, o.out, o.errors)
	}
}
