// Package sizing computes what a number of concurrent calls needs, from figures that
// were measured. It is the only place that has these figures: docs/scaling.md and
// 'sotto size' take them from here.
package sizing

import (
	"fmt"
	"io"
	"math"
	"time"

	"sotto/internal/texttable"
)

// Load is what comes in.
type Load struct {
	Calls             int     // at the same time, at the peak
	WordsPerMinute    float64 // of a call, all speakers together
	WordsPerUtterance float64
	CallMinutes       float64       // of the mean call
	Grace             time.Duration // SOTTO_CALL_GRACE
	Dormant           time.Duration // SOTTO_CALL_DORMANT_AFTER
	OpenCalls         int           // SOTTO_MAX_OPEN_CALLS
	CommitRecords     int           // raw records after which a transaction ends
	Replication       int           // replication factor of the topics
	AuditShare        float64       // share of the calls in the audit topic
}

// Rules that are no measurement.
const (
	headroom       = 1.5       // for catching up after a pause
	coresPerPod    = 2         // as in the measurements
	podMemory      = 2 << 30   // the chart's default limit
	baseMemory     = 200 << 20 // of a process with the built-in model
	inFlight       = 4         // copies of a record between poll and commit
	minPartitions  = 12        // so that one broker less, or one pod more, changes little
	perPartition   = 3         // partitions of a pod, so that pods can be added
	maxFill        = 0.5       // of SOTTO_MAX_OPEN_CALLS
	minPods        = 2         // so that an update is not noticed
	memoryFraction = 0.9       // GOMEMLIMIT
)

// Plan is what a load needs.
type Plan struct {
	Utterances float64 // per second
	HeldCalls  int     // open, or in their grace period
	AwakeCalls int     // those of them whose state is ready in memory
	Partitions int
	Pods       int
	Cores      float64 // of all pods
	PodMemory  float64 // bytes of each pod
	In, Out    float64 // bytes per second that clients write to and read from the brokers
	Replicated float64 // bytes per second between the brokers
	Restore    time.Duration
}

// Compute returns what a load needs.
func Compute(l Load) Plan {
	var p Plan
	p.Utterances = float64(l.Calls) * l.WordsPerMinute / 60 / l.WordsPerUtterance
	p.HeldCalls = int(math.Ceil(float64(l.Calls) * (1 + l.Grace.Minutes()/l.CallMinutes)))
	p.AwakeCalls = int(math.Ceil(float64(l.Calls) * (1 + min(l.Grace, l.Dormant).Minutes()/l.CallMinutes)))
	p.Cores = max(1, p.Utterances*headroom/min(streamRate.value()/2, detectRate.value()))
	p.Pods = max(minPods, int(math.Ceil(p.Cores/coresPerPod)))
	// Pods are added until the calls of each fit its memory.
	scale := l.WordsPerUtterance / 12
	flight := float64(l.CommitRecords) * rawBytes.value() * scale * inFlight
	for {
		calls := float64(p.HeldCalls)*callBytes.value() + float64(p.AwakeCalls)*awakeBytes.value()
		p.PodMemory = (baseMemory + calls/float64(p.Pods) + flight) / memoryFraction
		if p.PodMemory <= podMemory {
			break
		}
		p.Pods++
	}
	byCalls := int(math.Ceil(float64(p.HeldCalls) / (maxFill * float64(l.OpenCalls))))
	p.Partitions = roundUp(max(minPartitions, p.Pods*perPartition, byCalls), minPartitions)
	raw := p.Utterances * rawBytes.value() * scale
	clean := p.Utterances * cleanBytes.value() * scale
	states := p.Utterances * stateShare.value() * stateBytes.value()
	p.In = raw + clean*(1+l.AuditShare) + states
	p.Out = raw + clean // one reader of the clean topic
	p.Replicated = p.In * float64(l.Replication-1)
	perPart := float64(p.HeldCalls) / float64(p.Partitions)
	p.Restore = time.Duration(perPart / restoreRate.value() * float64(time.Second))
	return p
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// WriteTable writes the plans of loads as a table for people.
func WriteTable(w io.Writer, loads []Load) error {
	return table(loads).Write(w)
}

// WriteMarkdown writes the same table for docs/scaling.md.
func WriteMarkdown(w io.Writer, loads []Load) error {
	return table(loads).WriteMarkdown(w)
}

func table(loads []Load) *texttable.Table {
	t := texttable.New("calls", "utterances/s", "partitions", "pods", "cores", "memory per pod", "to brokers", "from brokers", "between brokers", "restore")
	for _, l := range loads {
		t.Row(row(l)...)
	}
	return t
}

func row(l Load) []any {
	p := Compute(l)
	return []any{
		thousands(l.Calls), thousands(int(math.Ceil(p.Utterances))), thousands(p.Partitions), thousands(p.Pods), fmt.Sprintf("%.1f", p.Cores),
		fmt.Sprintf("%.0f MiB", p.PodMemory/(1<<20)), rate(p.In), rate(p.Out), rate(p.Replicated), fmt.Sprintf("%.2f s", p.Restore.Seconds()),
	}
}

func rate(bytes float64) string { return fmt.Sprintf("%.1f MB/s", bytes/1e6) }

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// What 'sotto size' and docs/scaling.md assume unless told otherwise.
const (
	WordsPerMinute    = 150
	WordsPerUtterance = 12
	CallMinutes       = 6
)

// Examples are the numbers of calls in the table of docs/scaling.md.
var Examples = []int{1_000, 10_000, 50_000, 200_000, 1_000_000}
