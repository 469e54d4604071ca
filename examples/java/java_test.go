// Package java has no code of its own in Go: it tests the program of this folder.
package java

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/cleantopic"
	"sotto/schemas"
)

func TestMain(m *testing.M) { brokertest.Main(m) }

// The topic has an event twice, a call that is not released, one that is not over, one that lacks an utterance, and events of a
// transaction that was aborted. The program prints the rest, in the order of the call.
func TestReadCalls(t *testing.T) {
	if os.Getenv(brokertest.EnvBroker) != "kafka" {
		t.Skip("it needs the jars of Apache Kafka: SOTTO_TEST_BROKER=kafka after 'make kafka-fetch'")
	}
	jars, err := filepath.Glob("../../.cache/kafka/*/*.jar")
	if err != nil || len(jars) == 0 {
		t.Fatal("there are no jars: run 'make kafka-fetch'")
	}
	cluster := brokertest.Open(t)
	w, said := cleantopic.New(t, cluster, "calls.final", 2, schemas.FormatJSON), cleantopic.Said
	ended := func(call string, utterances int64, release bool) *schemas.CleanEvent {
		return &schemas.CleanEvent{CallID: call, Seq: 99, Type: schemas.End,
			Call: &schemas.CallSummary{Utterances: utterances, Release: release, EstimatedRisk: new(1.5), ClosedBy: schemas.ClosedByEnd}}
	}
	w.Transact(kgo.TryCommit, said("a", 2, "second"), said("a", 1, "first, before a failover"), said("held", 1, "not released"), said("short", 1, "not all"))
	w.Transact(kgo.TryAbort, said("a", 1, "aborted"), said("a", 3, "aborted"), ended("held", 1, true), ended("open", 0, true))
	w.Transact(kgo.TryCommit, said("a", 1, "first"), ended("a", 2, true), ended("held", 1, false), ended("short", 2, true), said("open", 1, "not over"))

	cmd := exec.CommandContext(t.Context(), "java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", strings.Join(jars, string(filepath.ListSeparator)),
		"ReadCalls.java", strings.Join(cluster.Brokers(), ","), w.Topic)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		var row struct {
			Text string  `json:"text"`
			Risk float64 `json:"estimated_risk"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Risk != 1.5 {
			t.Fatalf("row %d cannot be read, or has another risk: %v", len(got), err)
		}
		got = append(got, row.Text)
	}
	if !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("it prints %q", got)
	}
}
