package sizing

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"sotto/config"
)

// load has the default settings.
func load(t *testing.T, calls int) Load {
	t.Helper()
	set, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return Load{Calls: calls, WordsPerMinute: 150, WordsPerUtterance: 12, CallMinutes: 6, Replication: 3, Zones: 3, Retention: 24 * time.Hour, Settings: &set}
}

func TestMoreCallsNeverNeedLess(t *testing.T) {
	before := Compute(load(t, 1))
	for calls := 2; calls < 3_000_000; calls += calls/3 + 1 {
		p := Compute(load(t, calls))
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
	p := Compute(load(t, 50_000))
	if math.Abs(p.Utterances-10_416.67) > 1 { // 50,000 calls of 150 words a minute, 12 to an utterance
		t.Errorf("%v utterances per second", p.Utterances)
	}
	if p.HeldCalls != 91_667 { // those of the last five minutes are still in their grace period
		t.Errorf("%d calls in memory", p.HeldCalls)
	}
	if p.AwakeCalls != 66_667 { // those of the last two minutes are not dormant yet
		t.Errorf("%d calls whose state is ready in memory", p.AwakeCalls)
	}
	if want := p.Utterances * 1.5 / detectRate.value(); math.Abs(p.Cores-max(1, want)) > 0.01 {
		t.Errorf("%v cores", p.Cores)
	}
	l := load(t, 50_000)
	l.Settings.Reading = "fast"
	if want := p.Utterances * 1.5 / min(streamRate.value()/2, fastRate.value()); math.Abs(Compute(l).Cores-max(1, want)) > 0.01 {
		t.Errorf("%v cores without the encoder", Compute(l).Cores)
	}
}

// A hundred calls of one utterance a second, whose events have the sizes that were measured, in packets of
// their own size.
func TestTrafficAndCostComputedByHand(t *testing.T) {
	l := load(t, 100)
	l.WordsPerMinute, l.Retention = 12*60, time.Hour
	events := 100 * packed["snappy"].value()
	raw, clean, states := events*rawBytes.value(), events*cleanBytes.value(), 100*stateShare.value()*stateBytes.value()
	in := raw + clean*1.02 + states // 2 % are in the audit topic
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	p := Compute(l)
	near("between zones", p.CrossZone, (in+raw+clean)*2/3+in*2)
	l.Settings.Rack = "zone-1"
	near("between zones, with a rack", Compute(l).CrossZone, (in+clean)*2/3+in*2)
	l.Zones = 1
	if far := Compute(l).CrossZone; far != 0 {
		t.Errorf("%v bytes between zones of which there is one", far)
	}
	tombstones := 100.0 / 6 / 60 * 70
	near("disk", p.Disk, 3*((raw+clean*1.02+tombstones)*3600+float64(p.HeldCalls)*stateBytes.value()+states*3600))
	l.Settings.Compression = "none"
	if Compute(l).Disk < 2*p.Disk-3*states*3600 {
		t.Error("without compression the disk is not twice as full")
	}
}

func TestCosts(t *testing.T) {
	prices, err := ParsePrices("disk=0.5,core=1")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := WriteCosts(&text, []Load{load(t, 1000)}, prices); err != nil {
		t.Fatal(err)
	}
	// The cores for an hour in which a thousand calls have 60,000 minutes.
	want := fmt.Sprintf("%.2f", Compute(load(t, 1000)).Cores*1e6/60_000)
	if got := strings.Fields(strings.Split(text.String(), "\n")[1]); len(got) < 8 || got[5] != want {
		t.Error(text.String())
	}
	for _, bad := range []string{"", "disk", "disk=-1", "disk=NaN", "disks=1", "disk=1,"} {
		if _, err := ParsePrices(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestTables(t *testing.T) {
	var text, markdown strings.Builder
	loads := []Load{load(t, 1000), load(t, 1_000_000)}
	if err := Table(loads).Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := Table(loads).WriteMarkdown(&markdown); err != nil {
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
