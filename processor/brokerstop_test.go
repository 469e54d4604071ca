package processor

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/promtest"
)

// withoutDelays writes the chart's alerts into a file, to fire as soon as their expressions
// hold.
func withoutDelays(t *testing.T) (file string) {
	t.Helper()
	rules, err := os.ReadFile("../helm/sotto/files/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "alerts.yaml")
	if err := os.WriteFile(file, regexp.MustCompile(`(?m)^ +for: .*\n`).ReplaceAll(rules, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// An Apache Kafka that gets SIGSTOP keeps its connections and answers nothing, for longer
// than the group waits for a member. /readyz and the alerts say so, the process is not
// restarted, and after SIGCONT the stream goes on by itself.
func TestABrokerThatIsStopped(t *testing.T) {
	const session = 6 * time.Second
	promtest.Tools(t) // or skip, before anything is started
	k := brokertest.OpenKafka(t, brokertest.KafkaOptions{SeparateController: true})
	r := newRigOn(t, k, 1)
	r.Set.SessionTimeout, r.Set.RebalanceTimeout, r.Set.CommitInterval = session, session, 3*time.Second
	in := r.start("a")
	server := httptest.NewServer(in.Handler())
	t.Cleanup(server.Close)
	prometheus := promtest.Start(t, withoutDelays(t), promtest.Job{Name: "sotto", Targets: []string{strings.TrimPrefix(server.URL, "http://")}})

	eventually(t, "the start", func() bool { return in.Ready() == nil })
	r.Feed(speech(r, "c", 1, 2)...)
	r.Await(r.Topics.Clean, 2)
	eventually(t, "no alert", func() bool {
		return len(prometheus.Query("sotto_ready == 1")) == 1 && len(prometheus.Firing()) == 0
	})

	// Records wait when the broker stops. They become too old meanwhile.
	waiting := speech(r, "c", 3, 2)
	for _, rec := range waiting {
		rec.Timestamp = time.Now().Add(-5*time.Minute + session)
	}
	r.Feed(waiting...)
	eventually(t, "a record that is not committed", func() bool { return in.gauge(t, "sotto_oldest_uncommitted_seconds") > 0 })
	if err := k.Pause(); err != nil {
		t.Fatal(err)
	}
	stopped := time.Now()
	eventually(t, "/readyz to fail", func() bool {
		code, _ := get(in, "/readyz")
		return code == 503
	})
	if took := time.Since(stopped); took > session+5*time.Second {
		t.Errorf("it took %s to notice that the broker does not answer", took)
	}
	eventually(t, "the alerts", func() bool {
		firing := prometheus.Firing()
		return firing["SottoNotReady"] && firing["SottoRecordsOld"]
	})
	time.Sleep(time.Until(stopped.Add(2*session + session/2)))
	if code, why := get(in, "/livez"); code != 200 {
		t.Errorf("/livez fails, although a restart would not help: %s", why)
	}
	if code, _ := get(in, "/readyz"); code != 503 {
		t.Errorf("/readyz: %d while the broker is stopped", code)
	}

	if err := k.Resume(); err != nil {
		t.Fatal(err)
	}
	resumed := time.Now()
	r.Feed(speech(r, "c", 5, 2)...)
	sameAsSerial(t, r)
	eventually(t, "/readyz to be ready", func() bool { return in.Ready() == nil })
	t.Logf("ready, and all records once in the clean topic, %s after SIGCONT", time.Since(resumed).Round(100*time.Millisecond))
	eventually(t, "the alerts to resolve", func() bool {
		firing := prometheus.Firing()
		return !firing["SottoNotReady"] && !firing["SottoRecordsOld"]
	})
}
