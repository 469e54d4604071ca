package ingest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caarlos0/env/v10"
	"github.com/prometheus/client_golang/prometheus"

	"sotto/config"
)

// senders send webhooks of calls, one after the other for each call, each until it is acknowledged. They return how often that had to
// be done again.
func (r *rig) senders(calls, messages int, url func() string) (again int) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for call := range calls {
		all.Go(func() {
			client := &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for n := range messages {
				body := fmt.Sprintf(`{"call_id":"c%d","seq":%d,"text":"wombatley"}`, call, n)
				for until := time.Now().Add(60 * time.Second); ; {
					req, err := http.NewRequest(http.MethodPost, url(), strings.NewReader(body))
					if err == nil {
						sign(req, r.signature, testSecret, time.Now(), body)
						var resp *http.Response
						if resp, err = client.Do(req); err == nil {
							resp.Body.Close()
							if resp.StatusCode == http.StatusOK {
								time.Sleep(time.Duration(rand.IntN(8)) * time.Millisecond)
								break
							}
							if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
								r.t.Errorf("the status is %d", resp.StatusCode)
								return
							}
						}
					}
					mu.Lock()
					again++
					mu.Unlock()
					if time.Now().After(until) {
						r.t.Error("a webhook is never acknowledged")
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	all.Wait()
	return again
}

// complete checks that every message is in the topic, each for the first time in the order of its call, on one partition.
func (r *rig) complete(calls, messages int) (records int) {
	r.t.Helper()
	next, partition := map[string]int{}, map[string]int32{}
	all := r.records()
	for _, rec := range all {
		var m struct {
			CallID string `json:"call_id"`
			Seq    int    `json:"seq"`
		}
		if err := json.Unmarshal(rec.Value, &m); err != nil || m.CallID != string(rec.Key) {
			r.t.Fatalf("a record is not as it was sent")
		}
		if p, ok := partition[m.CallID]; ok && p != rec.Partition {
			r.t.Errorf("call %s is on two partitions", m.CallID)
		}
		partition[m.CallID] = rec.Partition
		if m.Seq > next[m.CallID] {
			r.t.Errorf("call %s has message %d next, want at most %d", m.CallID, m.Seq, next[m.CallID])
		}
		next[m.CallID] = max(next[m.CallID], m.Seq+1)
	}
	for call := range calls {
		if n := next[fmt.Sprintf("c%d", call)]; n != messages {
			r.t.Errorf("call %d has %d messages, want %d", call, n, messages)
		}
	}
	return len(all)
}

// Brokers that go away and come back while webhooks arrive: what was acknowledged is there, in the order of each call.
func TestNothingAcknowledgedIsLostWithTheBrokers(t *testing.T) {
	t.Parallel()
	r := newRig(t, "hmac")
	r.set.IngestTimeout = 500 * time.Millisecond
	r.start()
	ctx, stop := context.WithCancel(t.Context())
	var faults sync.WaitGroup
	r.network.cut(true) // for longer than a webhook waits: however fast the machine is, the first ones are sent again
	faults.Go(func() {
		for away := 700 * time.Millisecond; ctx.Err() == nil; away = time.Duration(rand.IntN(600)) * time.Millisecond {
			r.network.cut(true)
			time.Sleep(away)
			r.network.cut(false)
			time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		}
	})
	const calls, messages = 8, 25
	again := r.senders(calls, messages, func() string { return r.url })
	stop()
	faults.Wait()
	n := r.complete(calls, messages)
	if again == 0 {
		t.Error("no webhook had to be sent again: the test has tested nothing")
	}
	t.Logf("%d webhooks were sent again; the topic has %d records of %d messages", again, n, calls*messages)
	r.quiet()
}

// childEnv makes the test binary a receiver.
const childEnv = "SOTTO_TEST_INGEST_CHILD"

func child() {
	s, err := config.Load(env.ToMap(os.Environ()))
	if err != nil {
		panic(err)
	}
	server, err := New(s, slog.New(slog.NewJSONHandler(os.Stderr, nil)), prometheus.NewRegistry())
	if err != nil {
		panic(err)
	}
	if err := server.Run(context.Background(), func(a net.Addr) { fmt.Println(a) }); err != nil {
		panic(err)
	}
}

// A receiver that is killed again and again while requests are in flight loses nothing that it has acknowledged.
func TestNothingAcknowledgedIsLostWithTheProcess(t *testing.T) {
	t.Parallel()
	r := newRig(t, "hmac")
	var mu sync.Mutex
	url := ""
	launch := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=1")
		for name, value := range environment(t, r.cluster, r.topics, "hmac") {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = &r.log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		addr, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatalf("it does not start: %v %s", err, r.log.String())
		}
		mu.Lock()
		url = "http://" + strings.TrimSpace(addr)
		mu.Unlock()
		return cmd
	}
	running := launch()
	ctx, stop := context.WithCancel(t.Context())
	killed := 0
	var faults sync.WaitGroup
	faults.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Duration(30+rand.IntN(100)) * time.Millisecond):
			}
			_ = running.Process.Kill()
			_ = running.Wait()
			killed++
			running = launch()
		}
	})
	const calls, messages = 8, 80
	again := r.senders(calls, messages, func() string { mu.Lock(); defer mu.Unlock(); return url })
	stop()
	faults.Wait()
	_ = running.Process.Kill()
	_ = running.Wait()
	n := r.complete(calls, messages)
	if killed == 0 || again == 0 {
		t.Errorf("it was killed %d times, and %d webhooks were sent again: the test has tested nothing", killed, again)
	}
	t.Logf("killed %d times; %d webhooks were sent again; the topic has %d records of %d messages", killed, again, n, calls*messages)
	if strings.Contains(r.log.String(), "wombatley") {
		t.Error("the log has text")
	}
}
