package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
	"sotto/schemas"
)

// formerProgram builds the version before this one. The test is skipped if the clone does not have it.
func formerProgram(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "../../hack/former").Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if why := strings.TrimSpace(string(exit.Stderr)); exit.ExitCode() == 3 {
			t.Skip(why)
		} else {
			t.Fatal(why)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// A call of the load that any version masks in the same way: its texts, and what becomes of them. The
// numbers show whether a version goes on with what another one knew.
const (
	upgradeTurns = 60
	upgradeCalls = 30 // at the same time
)

func upgradeText(call string, turn int) (raw, clean string) {
	of := func(n int) string { return fmt.Sprintf("%s.%c@example.com", call, 'a'+n) }
	// Every fourth turn has a new address, the others repeat one.
	last := turn / 4
	said := last - turn%4%(last+1)
	return fmt.Sprintf("My e-mail is %s now.", of(said)), fmt.Sprintf("My e-mail is [EMAIL_ADDRESS_%d] now.", said+1)
}

// runUpgrade feeds such calls until stop is closed, and then the rest of those that are open.
func (f *feeder) runUpgrade(ctx context.Context, stop <-chan struct{}) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n, stopped := 0, false; !stopped || n%upgradeTurns > 0; n++ {
		select {
		case <-tick.C:
		case <-stop:
			stopped = true
		case <-ctx.Done():
			return ctx.Err()
		}
		for i := range upgradeCalls {
			e := schemas.RawEvent{CallID: fmt.Sprintf("call-%d-%d", n/upgradeTurns, i), Seq: int64(n % upgradeTurns), Type: schemas.Utterance,
				Speaker: &schemas.Speaker{ID: "s1", Role: schemas.RoleCustomer}, TimestampMS: 1_700_000_000_000 + int64(n)*100}
			e.Text, _ = upgradeText(e.CallID, int(e.Seq))
			f.send(ctx, f.r.Raw(f.partition(e.CallID), &e))
			if e.Seq == upgradeTurns-1 {
				f.send(ctx, f.r.Raw(f.partition(e.CallID), streamtest.Ended(e.CallID, upgradeTurns)))
			}
		}
	}
	if err := f.cl.Flush(ctx); err != nil {
		return err
	}
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// TestChaosUpgradeAndDowngrade rolls two processes from the former version to this one, back, and
// forward again, under load: each call has every event once and in order, and goes on with its
// numbers, whichever version reads the states and transcripts of the other.
func TestChaosUpgradeAndDowngrade(t *testing.T) {
	if os.Getenv(envChaos) == "" {
		t.Skipf("takes a minute: run `make test-chaos` or set %s=1", envChaos)
	}
	const partitions = 4
	k := brokertest.OpenKafka(t, brokertest.KafkaOptions{})
	former := formerProgram(t)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	r := newRigOn(t, k, partitions)
	settings := map[string]string{"SOTTO_KAFKA_SESSION_TIMEOUT": chaosSession.String(), "SOTTO_KAFKA_TRANSACTION_TIMEOUT": "4s"}
	maps.Copy(settings, r.graphSettings(partitions, config.MarkIndirect))
	fleet := r.fleet(2, settings, instanceID)
	present := fleet.Use(former)
	if err := fleet.StartAll(); err != nil {
		t.Fatal(err)
	}
	f := r.newFeeder(partitions, 0, 0)
	fed, stop := make(chan error, 1), make(chan struct{})
	go func() { fed <- f.runUpgrade(ctx, stop) }()
	progress := gain{r: r}
	replace := func(program string, member int, kill bool) {
		t.Helper()
		err := errors.Join(fleet.AwaitOutput(ctx, startedLine), progress.await(ctx))
		if kill {
			err = errors.Join(err, fleet.Kill(member))
		} else {
			err = errors.Join(err, fleet.Terminate(ctx, member))
		}
		fleet.Use(program)
		if err := errors.Join(err, fleet.Start(member)); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{present, former, present} {
		replace(program, 0, program == former)
		replace(program, 1, program == present)
	}
	if err := errors.Join(fleet.AwaitOutput(ctx, startedLine), progress.await(ctx)); err != nil {
		t.Fatal(err)
	}
	close(stop)
	if err := <-fed; err != nil {
		t.Fatalf("feeding the raw topic: %v", err)
	}
	drained, cancelDrained := context.WithTimeout(ctx, 2*time.Minute)
	defer cancelDrained()
	if err := awaitDrained(drained, k, r.Group, r.Topics.Raw); err != nil {
		t.Fatal(err)
	}
	for i := range fleet.Size() {
		if err := fleet.Terminate(drained, i); err != nil {
			t.Error(err)
		}
	}
	f.checkRaw(t)
	policies := checkUpgrade(t, r, r.Topics.Clean)
	checkUpgrade(t, r, r.Set.TopicFinal)
	if len(policies) != 2 {
		t.Errorf("events have the policies %v, want those of both versions", policies)
	}
	if dead := r.Read(r.Topics.DeadLetter); len(dead) > 0 {
		t.Errorf("%d dead letters", len(dead))
	}
}

// checkUpgrade compares the events of a topic with the load, and returns their policies.
func checkUpgrade(t *testing.T, r *rig, topic string) []string {
	t.Helper()
	got, policies := map[string][]string{}, map[string]bool{}
	for _, e := range r.Clean(r.Read(topic)) {
		got[e.CallID] = append(got[e.CallID], fmt.Sprint(e.Seq, " ", e.Type, " ", e.Text))
		policies[e.Policy] = true
	}
	want := map[string][]string{}
	for _, rec := range r.Read(r.Topics.Raw) {
		e, err := r.Codec.DecodeRaw(rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		clean := ""
		if e.Type == schemas.Utterance {
			_, clean = upgradeText(e.CallID, int(e.Seq))
		}
		want[e.CallID] = append(want[e.CallID], fmt.Sprint(e.Seq, " ", e.Type, " ", clean))
	}
	streamtest.Compare(t, topic, got, want)
	t.Logf("%s: %d calls, policies %v", topic, len(got), slices.Sorted(maps.Keys(policies)))
	return slices.Sorted(maps.Keys(policies))
}
