package cleantopic

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

// ForReaders returns a topic with all that a reader of clean events must know (docs/consumers.md): an event twice, a call that is
// not released, one that is not over, one that lacks an utterance, transactions that were aborted, the last one at the end, and
// records without headers.
func ForReaders(t testing.TB, cluster brokertest.Cluster, o schemas.Options) *Writer {
	t.Helper()
	return forReaders(t, cluster, o, true)
}

// ForRouters is ForReaders with headers on all records, for readers that select by them alone.
func ForRouters(t testing.TB, cluster brokertest.Cluster, o schemas.Options) *Writer {
	t.Helper()
	return forReaders(t, cluster, o, false)
}

func forReaders(t testing.TB, cluster brokertest.Cluster, o schemas.Options, bare bool) *Writer {
	t.Helper()
	ended := func(call string, utterances int64, release bool) *schemas.CleanEvent {
		return &schemas.CleanEvent{CallID: call, Seq: 99, Type: schemas.End,
			Call: &schemas.CallSummary{Utterances: utterances, Release: release, EstimatedRisk: new(1.5), ClosedBy: schemas.ClosedByEnd}}
	}
	w := New(t, cluster, "calls.final", 2, o)
	w.Bare = bare
	w.Transact(kgo.TryCommit, ended("held", 1, true), Said("a", 2, "second"), Said("a", 1, "first, before a failover"), Said("held", 1, "not released"), Said("short", 1, "not all"))
	w.Bare = false
	w.Transact(kgo.TryAbort, Said("a", 1, "aborted"), Said("a", 3, "aborted"), ended("held", 1, true), ended("open", 0, true))
	w.Transact(kgo.TryCommit, &schemas.CleanEvent{CallID: "a", Type: schemas.Start}, Said("a", 1, "first"), ended("a", 2, true), ended("held", 1, false), ended("short", 2, true), Said("open", 1, "not over"))
	w.Transact(kgo.TryAbort, Said("a", 1, "aborted"), ended("held", 1, true), ended("short", 1, true))
	return w
}

// CheckRows compares JSON lines with what a reader should make of ForReaders.
func CheckRows(t testing.TB, lines string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(lines) {
		var row struct {
			CallID string  `json:"call_id"`
			Text   string  `json:"text"`
			Risk   float64 `json:"estimated_risk"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.CallID != "a" || row.Risk != 1.5 {
			t.Fatalf("row %d cannot be read, or is of another call, or has another risk: %s (%v)", len(got), line, err)
		}
		got = append(got, row.Text)
	}
	if !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("the rows are %q", got)
	}
}
