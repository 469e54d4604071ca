package sizing

import (
	"math"
	"strings"
	"testing"
	"time"

	"sotto/config"
)

func load(calls int) Load {
	return Load{Calls: calls, WordsPerMinute: 150, WordsPerUtterance: 12, CallMinutes: 6, Grace: 5 * time.Minute, Dormant: 2 * time.Minute,
		OpenCalls: 20_000, CommitRecords: 20_000, Replication: 3, AuditShare: 0.02}
}

func TestMoreCallsNeverNeedLess(t *testing.T) {
	before := Compute(load(1))
	for calls := 2; calls < 3_000_000; calls += calls/3 + 1 {
		p := Compute(load(calls))
		if p.Pods < before.Pods || p.Partitions < before.Partitions || p.Cores < before.Cores || p.In <= before.In {
			t.Fatalf("%d calls: %+v, fewer: %+v", calls, p, before)
		}
		if p.Partitions < p.Pods || p.PodMemory > podMemory || float64(p.HeldCalls) > float64(p.Partitions*20_000) {
			t.Fatalf("%d calls do not fit: %+v", calls, p)
		}
		before = p
	}
}

func TestComputedByHand(t *testing.T) {
	p := Compute(load(50_000))
	if math.Abs(p.Utterances-10_416.67) > 1 { // 50,000 calls of 150 words a minute, 12 to an utterance
		t.Errorf("%v utterances per second", p.Utterances)
	}
	if p.HeldCalls != 91_667 { // those of the last five minutes are still in their grace period
		t.Errorf("%d calls in memory", p.HeldCalls)
	}
	if p.AwakeCalls != 66_667 { // those of the last two minutes are not dormant yet
		t.Errorf("%d calls whose state is ready in memory", p.AwakeCalls)
	}
	if want := p.Utterances * 1.5 / (streamRate.value() / 2); math.Abs(p.Cores-max(1, want)) > 0.01 {
		t.Errorf("%v cores", p.Cores)
	}
}

func TestTables(t *testing.T) {
	var text, markdown strings.Builder
	loads := []Load{load(1000), load(1_000_000)}
	if err := WriteTable(&text, loads); err != nil {
		t.Fatal(err)
	}
	if err := WriteMarkdown(&markdown, loads); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{text.String(), markdown.String()} {
		if !strings.Contains(s, "1,000,000") || !strings.Contains(s, "partitions") {
			t.Error(s)
		}
	}
	if strings.Count(markdown.String(), "\n") != 4 {
		t.Error(markdown.String())
	}
}

func TestRound(t *testing.T) {
	for value, want := range map[float64]float64{66_412: 66_000, 4_951: 5_000, 0.7449: 0.74, 12.6: 13, 99.6: 100} {
		if got := Round(value); got != want {
			t.Errorf("%v becomes %v, want %v", value, got, want)
		}
	}
}

// The chart and docs/operating.md assume 5 KiB for an open call when a partition has as many as it
// may have.
func TestMemoryOfAnOpenCallIsBelowTheRule(t *testing.T) {
	set, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	open, awake := float64(set.MaxOpenCalls), float64(min(set.MaxAwakeCalls, set.MaxOpenCalls))
	if bytes := callBytes.value() + awake/open*awakeBytes.value(); bytes > 5120 {
		t.Errorf("%.0f bytes: raise the rule in docs/operating.md and sotto.memoryAtBound of the chart", bytes)
	}
}

func TestAMeasurementMustBeComplete(t *testing.T) {
	for _, file := range []string{"{}", `{"figures": {"stream_rate": 1}}`, "[]"} {
		t.Run(file, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it is accepted")
				}
			}()
			mustRead([]byte(file))
		})
	}
}
