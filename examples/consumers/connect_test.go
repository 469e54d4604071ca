package consumers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/cleantopic"
	"sotto/schemas"
)

// Kafka Connect writes the utterances and the ENDs of a topic to two files, by the headers alone, and a join of the two has the
// rows of the released call. Nothing of an aborted transaction is in them, which takes a setting that is not the default.
func TestKafkaConnect(t *testing.T) {
	if os.Getenv(brokertest.EnvBroker) != "kafka" {
		t.Skip("make test-kafka runs it")
	}
	t.Parallel()
	cluster := brokertest.Open(t)
	w := cleantopic.ForRouters(t, cluster, schemas.Options{Format: schemas.FormatJSON})
	for level, utterances := range map[string]int{"read_committed": 6, "read_uncommitted": 9} {
		t.Run(level, func(t *testing.T) {
			said, ends := connect(t, strings.Join(cluster.Brokers(), ","), w.Topic, level, utterances)
			aborted := strings.Contains(said, "aborted")
			if level == "read_uncommitted" {
				if !aborted {
					t.Error("nothing of an aborted transaction was read: the test cannot fail")
				}
				return
			}
			if aborted {
				t.Error("there are utterances of an aborted transaction")
			}
			cleantopic.CheckRows(t, join(t, said, ends))
		})
	}
}

// connect runs a worker with both connectors until there are so many utterances, and returns what they have written.
func connect(t *testing.T, broker, topic, level string, utterances int) (said, ends string) {
	t.Helper()
	dir := t.TempDir()
	saidFile, endsFile := filepath.Join(dir, "utterances.jsonl"), filepath.Join(dir, "calls.jsonl")
	worker := changed(t, dir, "worker.properties", map[string]string{"localhost:9092": broker, "localhost:8083": "127.0.0.1:0",
		"/tmp/sotto-connect.offsets": filepath.Join(dir, "offsets"), "=read_committed": "=" + level, "/opt/connect-plugins": dir})
	runWorker(t, func() string {
		written, ended := strings.Count(content(saidFile), "\n"), strings.Count(content(endsFile), "\n")
		if written >= utterances && ended >= 4 {
			return ""
		}
		return fmt.Sprintf("%d utterances and %d ENDs are written", written, ended)
	}, nil, worker,
		// Each worker has its own group, which the name of a connector decides.
		changed(t, dir, "utterances.properties", map[string]string{"calls.final": topic, "/tmp/utterances.jsonl": saidFile, "sotto-utterances": "u-" + level}),
		changed(t, dir, "calls.properties", map[string]string{"calls.final": topic, "/tmp/calls.jsonl": endsFile, "sotto-calls": "c-" + level}))
	return content(saidFile), content(endsFile)
}

// runWorker runs a standalone worker of Kafka Connect with its files, and variables of the environment, and ends it when all is
// written. lacks says what is not, "" if nothing.
func runWorker(t *testing.T, lacks func() string, env []string, files ...string) {
	t.Helper()
	args := []string{"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
		"-cp", filepath.Join(cached(t, "connect"), "*"), "org.apache.kafka.connect.cli.ConnectStandalone"}
	cmd := exec.CommandContext(t.Context(), "java", append(args, files...)...)
	cmd.Env = append(os.Environ(), env...)
	var problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &problems, &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	for deadline := time.Now().Add(2 * time.Minute); lacks() != ""; time.Sleep(100 * time.Millisecond) {
		if len(exited) > 0 || time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatalf("the worker has not written all: %s (%v): %s", lacks(), <-exited, problems.String())
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-exited // with 143, as a program that a signal ends
}

// changed copies a file of connect into a folder, with other values than those that it shows, and returns its path.
func changed(t *testing.T, dir, name string, values map[string]string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("connect", name))
	if err != nil {
		t.Fatal(err)
	}
	script := string(text)
	for documented, here := range values {
		if strings.Count(script, documented) != 1 {
			t.Fatalf("%s has %s not once", name, documented)
		}
		script = strings.Replace(script, documented, here, 1)
	}
	path := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// content is that of a file, "" if there is none.
func content(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

// join returns the rows of released calls, as a query of a database would. Of two lines with one key, the later one counts.
func join(t *testing.T, said, ends string) string {
	t.Helper()
	released := map[string]*schemas.CallSummary{}
	for _, e := range events(t, ends) {
		released[e.CallID] = e.Call
	}
	calls := map[string]map[int64]*schemas.CleanEvent{}
	for _, e := range events(t, said) {
		if e.Type != schemas.Utterance {
			t.Errorf("the file of utterances has a %s", e.Type)
		}
		if calls[e.CallID] == nil {
			calls[e.CallID] = map[int64]*schemas.CleanEvent{}
		}
		calls[e.CallID][e.Seq] = e
	}
	var rows strings.Builder
	for id, call := range released {
		if !call.Release || int64(len(calls[id])) < call.Utterances {
			continue
		}
		for _, seq := range slices.Sorted(maps.Keys(calls[id])) {
			row, err := json.Marshal(map[string]any{"call_id": id, "text": calls[id][seq].Text, "estimated_risk": *call.EstimatedRisk})
			if err != nil {
				t.Fatal(err)
			}
			rows.Write(append(row, '\n'))
		}
	}
	return rows.String()
}

func events(t *testing.T, lines string) (all []*schemas.CleanEvent) {
	t.Helper()
	for line := range strings.Lines(lines) {
		e := new(schemas.CleanEvent)
		if err := json.Unmarshal([]byte(line), e); err != nil {
			t.Fatalf("line %d is no JSON: %v", len(all)+1, err)
		}
		all = append(all, e)
	}
	return all
}
