package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/cmd/internal/cli"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/loopback"
)

// broker starts an embedded broker with the topics, except for those left out.
func broker(t *testing.T, leftOut ...string) []string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	compact := "compact"
	for topic, configs := range map[string]map[string]*string{
		"calls.raw": nil, "calls.clean": nil, "calls.risk-audit": nil, "calls.dead-letter": nil,
		"calls.state": {"cleanup.policy": &compact},
	} {
		if strings.Contains(strings.Join(leftOut, " "), topic) {
			continue
		}
		if _, err := kadm.NewClient(cl).CreateTopic(t.Context(), 2, 1, configs, topic); err != nil {
			t.Fatal(err)
		}
	}
	return c.ListenAddrs()
}

func runEnviron(t *testing.T, brokers []string, httpAddr string) map[string]string {
	return map[string]string{
		"SOTTO_KAFKA_BROKERS":  strings.Join(brokers, ","),
		"SOTTO_STATE_KEY_FILE": keyFile(t),
		"SOTTO_HTTP_ADDR":      httpAddr,
	}
}

func TestRunServesUntilItIsStopped(t *testing.T) {
	addr := loopback.FreeAddress(t)
	environ := runEnviron(t, broker(t), addr)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan outcome, 1)
	go func() { done <- sottoContext(ctx, environ, "", "run") }()

	deadline := time.Now().Add(20 * time.Second)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path string) (int, string) {
		resp, err := client.Get("http://" + addr + path)
		if err != nil {
			return 0, ""
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	for {
		if code, _ := get("/readyz"); code == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("not ready in time")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if code, body := get("/metrics"); code != http.StatusOK || !strings.Contains(body, "sotto_transactions_committed_total") {
		t.Errorf("/metrics: status %d", code)
	}
	stop()
	select {
	case o := <-done:
		if o.code != cli.Done || o.out != "" {
			t.Errorf("status %d, output %q, errors %s", o.code, o.out, o.errors)
		}
		if strings.Count(o.errors, `"msg":"started"`) != 1 {
			t.Error("the log has no single start-up line")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the stream does not stop")
	}
}

func TestRunRefusesToStart(t *testing.T) {
	t.Parallel()
	t.Run("without a state key", func(t *testing.T) {
		environ := runEnviron(t, []string{"127.0.0.1:1"}, "")
		delete(environ, "SOTTO_STATE_KEY_FILE")
		if o := sotto(t, environ, "", "run"); o.code != cli.Usage || !strings.Contains(o.errors, "SOTTO_STATE_KEY_FILE") {
			t.Errorf("status %d: %s", o.code, o.errors)
		}
	})
	t.Run("with a topic missing", func(t *testing.T) {
		o := sotto(t, runEnviron(t, broker(t, "calls.state"), loopback.FreeAddress(t)), "", "run")
		if o.code != cli.Failed || !strings.Contains(o.errors, "topic calls.state does not exist") {
			t.Errorf("status %d: %s", o.code, o.errors)
		}
		for line := range strings.Lines(o.errors) {
			if !json.Valid([]byte(line)) {
				t.Errorf("a line of the log is not JSON: %s", line)
			}
		}
	})
	t.Run("with its address taken", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		o := sotto(t, runEnviron(t, broker(t), l.Addr().String()), "", "run")
		if o.code != cli.Failed || !strings.Contains(o.errors, "SOTTO_HTTP_ADDR") {
			t.Errorf("status %d: %s", o.code, o.errors)
		}
	})
}

// A pod may be deleted while it still starts.
func TestSignalRightAfterTheStart(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // a broker that does not answer
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, delay := range []time.Duration{0, 50 * time.Millisecond, 200 * time.Millisecond, time.Second} {
		cmd := exec.Command(os.Args[0], "run")
		cmd.Args[0] = "sotto"
		cmd.Env = append(os.Environ(), envMain+"=1", "SOTTO_STATE_KEY_FILE="+keyFile(t), "SOTTO_HTTP_ADDR=off", "SOTTO_KAFKA_BROKERS="+silent.Addr().String())
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdout.Read(make([]byte, 1)); err != nil { // signals are handled now
			t.Fatal(err)
		}
		time.Sleep(delay)
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("SIGTERM after %v: %v", delay, err)
		}
	}
}

// The pipe of the log is full, and nothing reads it, from the first line on: the stream becomes ready, and
// SIGTERM ends it.
func TestALogPipeThatIsFull(t *testing.T) {
	t.Parallel()
	unread, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	defer full.Close()
	if err := full.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = full.Write(make([]byte, 4096))
	}
	addr := loopback.FreeAddress(t)
	cmd := exec.Command(os.Args[0], "run")
	cmd.Args[0] = "sotto"
	cmd.Env = append(os.Environ(), envMain+"=1")
	for name, value := range runEnviron(t, broker(t), addr) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stderr = full // where the log goes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer cmd.Process.Kill()
	brokertest.Eventually(t, time.Minute, "the stream to be ready", func() bool {
		resp, err := http.Get("http://" + addr + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("SIGTERM: %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("SIGTERM does not end it")
	}
}

// Signals are handled before the tables of the engine are made, which takes long on a busy machine.
func TestSignalsAreHandledFirst(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "version")
	cmd.Args[0] = "sotto"
	cmd.Env = append(os.Environ(), envMain+"=1", "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	before, _, handled := strings.Cut(string(out), "init sotto/cmd/internal/cli/early ")
	if !handled || strings.Contains(before, "init sotto/detectors") || strings.Contains(before, "init sotto/anonymize") {
		t.Errorf("initialized before signals are handled:\n%s", before)
	}
}
