package processor

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.opentelemetry.io/otel/trace"

	"sotto/processor/partition"
	"sotto/processor/telemetry"
	"sotto/training/corpus/indirect/live"
)

// progress is a session's progress on its raw partitions, for the metrics. Only
// the session's own goroutine uses it.
type progress struct {
	records  []recordTime    // of the open transaction
	oldest   int64           // least timestamp of records, 0 for none
	last     map[int32]int64 // timestamp of each partition's last record, in ms
	shown    map[int32]bool  // partitions that have a lag in the metrics
	reported time.Time
	// surveyed is when the gauges that need a pass over all calls were updated.
	surveyed time.Time
}

func newProgress() progress {
	return progress{last: map[int32]int64{}, shown: map[int32]bool{}}
}

// recordTime is the timestamp of a raw record, in ms, and its trace if that is sampled.
type recordTime struct {
	at    int64
	trace trace.TraceID
}

const (
	gaugeInterval  = time.Second
	surveyInterval = 10 * time.Second
)

func (g *progress) consumed(recs []*kgo.Record) {
	for _, r := range recs {
		at := r.Timestamp.UnixMilli()
		g.records = append(g.records, recordTime{at, telemetry.SampledTrace(r)})
		if g.oldest == 0 || at < g.oldest {
			g.oldest = at
		}
		g.last[r.Partition] = at
	}
}

// noteOldest notes the timestamp of the oldest record that is known and not committed.
func (s *session) noteOldest() {
	g := &s.progress
	oldest, found := g.oldest, s.survey.latest()
	for id, p := range s.parts {
		if at := found[id].waitsSince(p.Next, g.last[id]); at > 0 && (oldest == 0 || at < oldest) {
			oldest = at
		}
	}
	s.p.oldest[s.n].Store(oldest * int64(time.Millisecond))
}

// markerLag is the lag of a partition whose last record was committed, if its
// producer is transactional: the marker of that transaction.
const markerLag = 1

// committed observes the latency of each record. The trace of a record becomes the
// exemplar of its latency.
func (g *progress) committed(latency prometheus.ExemplarObserver, now time.Time) {
	for _, r := range g.records {
		var exemplar prometheus.Labels
		if r.trace.IsValid() {
			exemplar = prometheus.Labels{"trace_id": r.trace.String()}
		}
		latency.ObserveWithExemplar(float64(max(0, now.UnixMilli()-r.at))/1000, exemplar)
	}
	g.records, g.oldest = g.records[:0], 0
}

// aborted keeps the age of the oldest record: it is still not committed.
func (g *progress) aborted() { g.records = g.records[:0] }

func (s *session) reportGauges() {
	g, now := &s.progress, time.Now()
	if now.Sub(g.reported) < gaugeInterval {
		return
	}
	g.reported = now
	m, label := s.p.metrics, strconv.Itoa(s.n)
	s.noteOldest()
	m.Assigned.WithLabelValues(label).Set(float64(len(s.parts)))
	m.Stopped.WithLabelValues(label).Set(float64(s.health.Stopped()))
	if !s.open {
		s.reportCalls()
	}
	for id := range g.shown {
		if s.parts[id] == nil {
			s.hide(id)
			delete(g.shown, id)
			delete(g.last, id)
		}
	}
	s.reportBacklogs()
	// While a transaction is open the calls belong to their workers.
	if s.open || now.Sub(g.surveyed) < surveyInterval {
		return
	}
	g.surveyed = now
	var memory, oldest int64
	var graphs []*live.Graph
	for _, p := range s.parts {
		bytes, age := p.Survey()
		memory += bytes
		oldest = max(oldest, age)
		if p.Graph != nil {
			graphs = append(graphs, p.Graph)
		}
	}
	m.Indirect.Survey(label, graphs)
	m.StateMemory.WithLabelValues(label).Set(float64(memory))
	m.OldestCall.WithLabelValues(label).Set(float64(oldest) / 1000)
}

func (s *session) reportCalls() {
	calls, dormant := 0, 0
	for _, p := range s.parts {
		calls += p.Size()
		dormant += p.DormantCalls()
	}
	label := strconv.Itoa(s.n)
	s.p.metrics.OpenCalls.WithLabelValues(label).Set(float64(calls))
	s.p.metrics.DormantCalls.WithLabelValues(label).Set(float64(dormant))
}

func (s *session) hide(id int32) {
	label := strconv.Itoa(int(id))
	s.p.metrics.Lag.DeleteLabelValues(label)
	s.p.metrics.OpenTransaction.DeleteLabelValues(label)
}

// removeGauges removes the session's gauges when it ends, so that they do not
// pass for those of its successor.
func (s *session) removeGauges() {
	m, label := s.p.metrics, strconv.Itoa(s.n)
	for id := range s.progress.shown {
		s.hide(id)
	}
	for _, g := range []*prometheus.GaugeVec{m.Assigned, m.Stopped, m.StateMemory, m.OldestCall, m.OpenCalls, m.DormantCalls, m.Indirect.LeastCalls} {
		g.DeleteLabelValues(label)
	}
	m.Indirect.Words.DeletePartialMatch(prometheus.Labels{"session": label})
}

// idleness tracks whether a raw partition is idle. A partition is idle if the
// broker answers, the end of its log does not move, no record arrives and no
// transaction is open in it. The clock of an idle partition moves with the wall
// clock, so that the last calls of the day are closed. A partition whose broker
// does not answer is not idle, nor is one with an open transaction: its events may
// only be delayed.
type idleness struct {
	active bool      // records arrived since the last check
	end    int64     // end of the log at the last check
	at     time.Time // time of the last check, zero for none
}

// idleCheckInterval is the time between two checks for idle partitions.
func (s *session) idleCheckInterval() time.Duration {
	return min(max(s.p.settings.CallIdleTimeout/10, 100*time.Millisecond), 10*time.Second)
}

// idleFor checks the partitions that have open calls. For those that have been
// idle since the last check it returns the time since then, in ms. It skips
// partitions that the client no longer counts as assigned, and those without a
// committed offset: the group could not fence a commit that closes their calls.
func (s *session) idleFor() map[int32]int64 {
	var candidates []*partition.Partition
	mine := s.gts.Client().CommittedOffsets()[s.p.settings.TopicRaw]
	for _, p := range s.parts {
		_, assigned := mine[p.ID]
		if assigned && p.Next >= 0 && !s.idle[p.ID].active && p.Size() > 0 {
			candidates = append(candidates, p)
		} else {
			delete(s.idle, p.ID)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.hard, 2*time.Second)
	defer cancel()
	raw, adm := s.p.settings.TopicRaw, kadm.NewClient(s.gts.Client())
	stables, err := adm.ListCommittedOffsets(ctx, raw)
	var ends kadm.ListedOffsets
	if err == nil {
		ends, err = adm.ListEndOffsets(ctx, raw)
	}
	now := s.p.now()
	idle := map[int32]int64{}
	for _, p := range candidates {
		end, ok := ends.Lookup(raw, p.ID)
		if err != nil || !ok || end.Err != nil || !isStable(stables, raw, p.ID, end.Offset) {
			delete(s.idle, p.ID)
			continue
		}
		if last := s.idle[p.ID]; !last.at.IsZero() && last.end == end.Offset {
			idle[p.ID] = now.Sub(last.at).Milliseconds()
		}
		s.idle[p.ID] = idleness{end: end.Offset, at: now}
	}
	return idle
}
