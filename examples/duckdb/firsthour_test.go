// Package duckdb has no code of its own: it tests the programs of this folder by the page that shows them.
package duckdb

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

func TestMain(m *testing.M) { brokertest.Main(m) }

// blocks are the commands of the page that this test runs.
func blocks(t *testing.T, root string) (scripts []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "consumers.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)<!-- not run: make test-first-hour runs it -->\n```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		scripts = append(scripts, m[1])
	}
	if len(scripts) != 4 {
		t.Fatalf("the page has %d blocks, want 4: run the stream, send, load, export", len(scripts))
	}
	return scripts
}

// shell is a folder where the commands of the page run.
type shell struct {
	t         *testing.T
	dir, root string
	broker    string
}

func (s *shell) command(ctx context.Context, script string) *exec.Cmd {
	script = strings.NewReplacer("localhost:9092", s.broker, " examples/", " "+s.root+"/examples/", " anonymize/", " "+s.root+"/anonymize/", " docs/", " "+s.root+"/docs/").Replace(script)
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(s.root, "bin")+":"+os.Getenv("PATH"), "SOTTO_HTTP_ADDR=off", "PYTHONDONTWRITEBYTECODE=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return cmd
}

func (s *shell) run(script string) string {
	s.t.Helper()
	out, err := s.command(s.t.Context(), script).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// What the page says leads from the messages of a recognizer to rows. What was aborted, comes twice, or is of
// a call that is not released, is in the topic and in no row.
func TestFirstHour(t *testing.T) {
	if os.Getenv("SOTTO_TEST_FIRST_HOUR") == "" {
		t.Skip("make test-first-hour sets SOTTO_TEST_FIRST_HOUR")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cluster := brokertest.Open(t)
	s := &shell{t, t.TempDir(), root, strings.Join(cluster.Brokers(), ",")}
	scripts := blocks(t, root)
	ctx, stop := context.WithCancel(t.Context())
	stream := s.command(ctx, scripts[0])
	var log strings.Builder
	stream.Stdout, stream.Stderr = &log, &log
	if err := stream.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		_ = stream.Wait() // it was told to end
		if t.Failed() {
			t.Log(log.String())
		}
	}()
	brokertest.Eventually(t, time.Minute, "the topics", func() bool {
		_, err := brokertest.ReadAll(t.Context(), cluster, "calls.final", brokertest.Stable)
		return err == nil
	})
	s.run(scripts[1])
	s.run("cd " + filepath.Join(root, "examples", "duckdb") + " && " + s.dir + "/venv/bin/python -m unittest -q test_load")
	var final []*kgo.Record
	brokertest.Eventually(t, 2*time.Minute, "the final version of the call", func() bool {
		final, err = brokertest.ReadAll(t.Context(), cluster, "calls.final", brokertest.Stable)
		return err == nil && len(final) == 5
	})
	disturb(t, cluster, final)
	for range 2 { // the second time, there is nothing new
		out := s.run(scripts[2])
		if !strings.Contains(out, "2 calls are over, 1 of them released, with 4 utterances in all") {
			t.Errorf("the summary is another one:\n%s", out)
		}
		if !strings.Contains(out, "PERSON_NAME") || strings.Contains(out, "Fennick") || strings.Contains(out, "aborted") {
			t.Errorf("the rows are others:\n%s", out)
		}
	}
	if out := s.run(scripts[3]); !strings.Contains(out, "PERSON_NAME") || !strings.Contains(out, " 0 have not ended") {
		t.Errorf("the shards are others:\n%s", out)
	}
}

// disturb writes the call once more, as after a failover, the same with other words in a transaction that is
// aborted, and a call that is not released.
func disturb(t *testing.T, cluster brokertest.Cluster, final []*kgo.Record) {
	t.Helper()
	codec, err := schemas.NewCodec(t.Context(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.Brokers()...), kgo.TransactionalID(cluster.Name("disturbs")), kgo.DefaultProduceTopic("calls.final"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	write := func(end kgo.TransactionEndTry, change func(*schemas.CleanEvent)) {
		t.Helper()
		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		for _, rec := range final {
			e, err := codec.DecodeClean(rec.Value)
			if err != nil {
				t.Fatal(err)
			}
			change(e)
			value, err := codec.AppendClean(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			if err := client.ProduceSync(t.Context(), &kgo.Record{Key: []byte(e.CallID), Value: value}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		if err := client.EndTransaction(t.Context(), end); err != nil {
			t.Fatal(err)
		}
	}
	write(kgo.TryCommit, func(*schemas.CleanEvent) {})
	write(kgo.TryAbort, func(e *schemas.CleanEvent) { e.Text = "aborted" })
	write(kgo.TryCommit, func(e *schemas.CleanEvent) {
		if e.CallID = "held"; e.Call != nil {
			e.Call.Release = false
		}
	})
}
