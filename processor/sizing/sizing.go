// Package sizing computes what a number of concurrent calls needs, from figures that
// were measured. It is the only place that has these figures: docs/scaling.md and
// 'sotto size' take them from here.
package sizing

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/config"
	"sotto/internal/texttable"
)

// Load is what comes in.
type Load struct {
	Calls             int     // at the same time, at the peak
	WordsPerMinute    float64 // of a call, all speakers together
	WordsPerUtterance float64
	CallMinutes       float64       // of the mean call
	Replication       int           // replication factor of the topics
	Zones             int           // that brokers, pods and other clients are spread over
	Retention         time.Duration // of raw, clean and audit events

	Settings *config.Settings
}

// Rules that are no measurement.
const (
	headroom       = 1.5       // for catching up after a pause
	coresPerPod    = 2         // as in the measurements
	podMemory      = 2 << 30   // the chart's default limit
	baseMemory     = 256 << 20 // of a process with the built-in models, and what the encoder keeps
	inFlight       = 4         // copies of a record between poll and commit
	minPartitions  = 12        // so that one broker less, or one pod more, changes little
	perPartition   = 3         // partitions of a pod, so that pods can be added
	maxFill        = 0.5       // of SOTTO_MAX_OPEN_CALLS
	minPods        = 2         // so that an update is not noticed
	memoryFraction = 0.9       // GOMEMLIMIT
	tombstoneBytes = 70        // of a call that is over, with its ID
	compactionLag  = time.Hour // for which old states stay, as 'sotto topics ensure' sets it
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
	CrossZone  float64 // bytes per second between zones, clients and replication together
	Disk       float64 // bytes on all brokers
	Restore    time.Duration
}

// detectionRate is how many utterances a second a core reads as the settings say.
func detectionRate(set *config.Settings) float64 {
	if set.Reading == "fast" {
		return fastRate.value()
	}
	return detectRate.value()
}

// Compute returns what a load needs.
func Compute(l Load) Plan {
	var p Plan
	set := l.Settings
	p.Utterances = float64(l.Calls) * l.WordsPerMinute / 60 / l.WordsPerUtterance
	p.HeldCalls = int(math.Ceil(float64(l.Calls) * (1 + set.CallGrace.Minutes()/l.CallMinutes)))
	p.AwakeCalls = int(math.Ceil(float64(l.Calls) * (1 + min(set.CallGrace, set.DormantAfter).Minutes()/l.CallMinutes)))
	p.Cores = max(1, p.Utterances*headroom/min(streamRate.value()/2, detectionRate(set)))
	p.Pods = max(minPods, int(math.Ceil(p.Cores/coresPerPod)))
	// Pods are added until the calls of each fit its memory.
	flight := float64(set.CommitRecords) * rawBytes.value() * l.scale() * inFlight
	for {
		calls := float64(p.HeldCalls)*callBytes.value() + float64(p.AwakeCalls)*awakeBytes.value()
		p.PodMemory = (baseMemory + calls/float64(p.Pods) + flight) / memoryFraction
		if p.PodMemory <= podMemory {
			break
		}
		p.Pods++
	}
	byCalls := int(math.Ceil(float64(p.HeldCalls) / (maxFill * float64(set.MaxOpenCalls))))
	p.Partitions = roundUp(max(minPartitions, p.Pods*perPartition, byCalls), minPartitions)
	p.traffic(l)
	perPart := float64(p.HeldCalls) / float64(p.Partitions)
	p.Restore = time.Duration(perPart / restoreRate.value() * float64(time.Second))
	return p
}

// scale is how large the events are, beside those that were measured.
func (l *Load) scale() float64 { return l.WordsPerUtterance / 12 }

// traffic computes what goes over the network and onto the disks. States are sealed, so they do not get
// smaller.
func (p *Plan) traffic(l Load) {
	events := p.Utterances * l.scale() * packed[l.Settings.Compression].value()
	raw, clean := events*rawBytes.value(), events*cleanBytes.value()
	kept := raw + clean*(1+l.Settings.AuditRates().Of(""))
	states := p.Utterances * stateShare.value() * stateBytes.value()
	p.In = kept + states
	p.Out = raw + clean // one reader of the clean topic
	copies := float64(l.Replication - 1)
	p.Replicated = p.In * copies
	// A client is in the zone of a leader by chance. The copies of a partition are in as many zones as
	// there are.
	other := 1 - 1/float64(l.Zones)
	far := p.In + p.Out
	if l.Settings.Rack != "" {
		far -= raw // which Sotto reads from its own zone
	}
	p.CrossZone = far*other + p.In*min(copies, float64(l.Replication)*other)
	ended := float64(l.Calls) / l.CallMinutes / 60 // calls per second
	p.Disk = float64(l.Replication) * ((kept+ended*tombstoneBytes)*l.Retention.Seconds() +
		float64(p.HeldCalls)*stateBytes.value() + states*compactionLag.Seconds())
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// Table has the plans of loads, for people and for docs/scaling.md.
func Table(loads []Load) *texttable.Table {
	t := texttable.New("calls", "utterances/s", "partitions", "pods", "cores", "memory per pod", "to brokers", "from brokers", "between brokers", "restore")
	for _, l := range loads {
		p := Compute(l)
		t.Row(
			thousands(l.Calls), thousands(int(math.Ceil(p.Utterances))), thousands(p.Partitions), thousands(p.Pods), fmt.Sprintf("%.1f", p.Cores),
			fmt.Sprintf("%.0f MiB", p.PodMemory/(1<<20)), rate(p.In), rate(p.Out), rate(p.Replicated), fmt.Sprintf("%.2f s", p.Restore.Seconds()),
		)
	}
	return t
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

// Prices are what a unit costs, in any currency, by what it is a price of.
type Prices map[string]float64

// priced is what may have a price: its unit, and how many of these a load takes in a month.
var priced = map[string]struct {
	unit  string
	month func(Plan) float64
}{
	"core": {"an hour of a core", func(p Plan) float64 { return p.Cores * monthHours }},
	"disk": {"a GB on a disk for a month", func(p Plan) float64 { return p.Disk / 1e9 }},
	"zone": {"a GB between zones", func(p Plan) float64 { return p.CrossZone * 3600 * monthHours / 1e9 }},
}

const monthHours = 730

// ParsePrices reads prices as "disk=0.1,zone=0.02,core=0.05". Those that are left out are 0.
func ParsePrices(given string) (Prices, error) {
	prices := Prices{}
	for pair := range strings.SplitSeq(given, ",") {
		name, text, _ := strings.Cut(pair, "=")
		price, err := strconv.ParseFloat(text, 64)
		if _, ok := priced[name]; !ok || err != nil || !(price >= 0) {
			return nil, fmt.Errorf("%q is not a price: write %s and a number, as in disk=0.1,zone=0.02,core=0.05", pair, strings.Join(slices.Sorted(maps.Keys(priced)), ", "))
		}
		prices[name] = price
	}
	return prices, nil
}

// WriteCosts writes the disk and the traffic between zones of loads as a table for people and, with
// prices, what a million minutes of calls cost at that load.
func WriteCosts(w io.Writer, loads []Load, prices Prices) error {
	titles := []string{"calls", "disk", "between zones"}
	names := slices.Sorted(maps.Keys(prices))
	if len(names) > 0 {
		titles = append(append(titles, names...), "per million minutes")
	}
	t := texttable.New(titles...)
	for _, l := range loads {
		p := Compute(l)
		cells := []any{thousands(l.Calls), fmt.Sprintf("%.1f GB", p.Disk/1e9), rate(p.CrossZone)}
		sum, millions := 0.0, float64(l.Calls)*60*monthHours/1e6 // of minutes in a month
		for _, name := range names {
			cost := priced[name].month(p) * prices[name] / millions
			sum += cost
			cells = append(cells, fmt.Sprintf("%.2f", cost))
		}
		t.Row(append(cells, fmt.Sprintf("%.2f", sum))...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := fmt.Fprintf(w, "%s: %g for %s.\n", name, prices[name], priced[name].unit); err != nil {
			return err
		}
	}
	return nil
}
