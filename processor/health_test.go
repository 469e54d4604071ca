package processor

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"sotto/processor/telemetry"
)

// gauge reads a gauge without labels, as a scrape does.
func (in *instance) gauge(t *testing.T, name string) float64 {
	t.Helper()
	families, err := in.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// A broker that is stopped accepts connections and answers nothing. The process is
// alive, but the group has removed it.
func TestNotReadyWhenTheBrokersDoNotAnswer(t *testing.T) {
	r := newRig(t, 1)
	r.Set.SessionTimeout, r.Set.RebalanceTimeout = time.Second, time.Second
	in := r.start("a")
	eventually(t, "the start", func() bool { return in.Ready() == nil })
	if in.gauge(t, "sotto_ready") != 1 {
		t.Error("sotto_ready is not 1 although the process is ready")
	}
	in.wire.freeze()
	eventually(t, "the process not to be ready", func() bool { return in.Ready() != nil })
	if err := in.Live(); err != nil {
		t.Errorf("not live, although a restart would not help: %v", err)
	}
	if in.gauge(t, "sotto_ready") != 0 {
		t.Error("sotto_ready is 1 although the process is not ready")
	}
	if age := in.gauge(t, "sotto_poll_age_seconds"); age > 3 {
		t.Errorf("the last poll was %v s ago, although the loop runs", age)
	}
	in.wire.thaw()
	eventually(t, "the process to be ready again", func() bool { return in.Ready() == nil })
	r.Feed(speech(r, "c", 1, 2)...)
	r.Await(r.Topics.Clean, 2)
}

// A process whose brokers accept connections and answer nothing from the start says what it waits for.
func TestNotRunningSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	r := newRig(t, 1)
	r.Set.Brokers = []string{silent.Addr().String()}
	in := r.start("a")
	for what, ask := range map[string]func() error{"/readyz": in.Ready, "/startupz": in.Started} {
		eventually(t, what+" to say it", func() bool {
			err := ask()
			return err != nil && strings.Contains(err.Error(), "not running: for 1s it asks the brokers for the topics and ACLs")
		})
	}
	in.waiting[0].does("takes over the transactional ID x from its predecessor")
	if err := in.Ready(); err == nil || !strings.Contains(err.Error(), "it takes over the transactional ID x") {
		t.Errorf("the next step is not named: %v", err)
	}
	in.waiting[0].failed(errors.New("it broke"), true)
	if err := in.Ready(); err == nil || !strings.Contains(err.Error(), "not running: it broke") {
		t.Errorf("the failure is not named: %v", err)
	}
}

// A session that does not poll is not ready, long before it counts as dead.
func TestNotReadyWithoutPolls(t *testing.T) {
	var h telemetry.Health
	h.Join(nil)
	h.Heard.Store(time.Now().UnixNano())
	h.Polled.Store(time.Now().Add(-20 * time.Second).UnixNano())
	if err := h.Ready(time.Minute, 30*time.Second); err != nil {
		t.Errorf("20 s without a poll: %v", err)
	}
	if err := h.Ready(time.Minute, 10*time.Second); err == nil || !strings.Contains(err.Error(), "no poll for 20s") {
		t.Errorf("got %v", err)
	}
}

func TestNotReadyWhenTheGroupHasRemovedTheMember(t *testing.T) {
	var h telemetry.Health
	h.Join([]int32{1})
	h.Clear(1)
	if err := h.Ready(time.Minute, time.Minute); err != nil {
		t.Fatal(err)
	}
	h.Lost()
	if err := h.Ready(time.Minute, time.Minute); err == nil {
		t.Error("ready although the group has removed the member")
	}
}

func TestAgeOfTheOldestUncommittedRecord(t *testing.T) {
	r := newRig(t, 1)
	r.Set.CommitInterval = time.Second
	in := r.start("a")
	eventually(t, "the start", func() bool { return in.Ready() == nil })
	if age := in.gauge(t, "sotto_oldest_uncommitted_seconds"); age != 0 {
		t.Errorf("nothing was written, and the oldest record that is not committed is %v s old", age)
	}
	old := speech(r, "c", 1, 2)
	for _, rec := range old {
		rec.Timestamp = time.Now().Add(-time.Hour)
	}
	r.Feed(old...)
	eventually(t, "the age of an hour", func() bool { return in.gauge(t, "sotto_oldest_uncommitted_seconds") >= 3600 })
	r.Await(r.Topics.Clean, 2)
	eventually(t, "nothing uncommitted", func() bool { return in.gauge(t, "sotto_oldest_uncommitted_seconds") == 0 })
}
