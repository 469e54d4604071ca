package processor

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"
)

// progress is how far a session has got with its raw partitions, for the
// metrics. Only the session's own goroutine uses it.
type progress struct {
	ends  map[int32]int64 // end of each partition's log as last fetched
	times []int64         // timestamps of the open transaction's records, in ms
	shown map[int32]bool  // partitions that have a lag in the metrics
	told  time.Time
	// walked is when the calls in memory were last looked through.
	walked time.Time
}

const (
	tellEvery = time.Second
	walkEvery = 10 * time.Second
)

// fetched notes the ends of the logs that a poll told of.
func (g *progress) fetched(fetches kgo.Fetches) {
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if p.Err != nil {
			return
		}
		if g.ends == nil {
			g.ends = map[int32]int64{}
		}
		g.ends[p.Partition] = p.HighWatermark
	})
}

// took notes records that went into the open transaction.
func (g *progress) took(recs []*kgo.Record) {
	for _, r := range recs {
		g.times = append(g.times, r.Timestamp.UnixMilli())
	}
}

func (g *progress) committed(latency prometheus.Observer, now time.Time) {
	at := now.UnixMilli()
	for _, t := range g.times {
		latency.Observe(float64(max(0, at-t)) / 1000)
	}
	g.times = g.times[:0]
}

func (g *progress) aborted() { g.times = g.times[:0] }

// tell brings the session's gauges up to date, now and then.
func (s *session) tell() {
	g, now := &s.progress, time.Now()
	if now.Sub(g.told) < tellEvery {
		return
	}
	g.told = now
	m, label := s.p.metrics, strconv.Itoa(s.n)
	m.assigned.WithLabelValues(label).Set(float64(len(s.parts)))
	m.stopped.WithLabelValues(label).Set(float64(s.health.stopped()))
	for id := range g.shown {
		if s.parts[id] == nil {
			m.lag.DeleteLabelValues(strconv.Itoa(int(id)))
			delete(g.shown, id)
			delete(g.ends, id)
		}
	}
	for id, p := range s.parts {
		if end, ok := g.ends[id]; ok && p.next >= 0 {
			if g.shown == nil {
				g.shown = map[int32]bool{}
			}
			g.shown[id] = true
			m.lag.WithLabelValues(strconv.Itoa(int(id))).Set(float64(max(0, end-p.next)))
		}
	}
	// While a transaction is open the calls belong to their workers.
	if s.open || now.Sub(g.walked) < walkEvery {
		return
	}
	g.walked = now
	var held, oldest int64
	for _, p := range s.parts {
		bytes, age := p.survey()
		held += bytes
		oldest = max(oldest, age)
	}
	m.heldBytes.WithLabelValues(label).Set(float64(held))
	m.oldestCall.WithLabelValues(label).Set(float64(oldest) / 1000)
}

// survey returns the size of the sealed states of the partition's calls and
// for how long, in ms of event time, the oldest call that has not ended has
// been open.
func (p *partition) survey() (bytes, oldest int64) {
	for _, c := range p.calls {
		bytes += int64(c.sealedBytes)
		if !c.meta.Ended && c.meta.Opened > 0 {
			oldest = max(oldest, p.clock-c.meta.Opened)
		}
	}
	return bytes, oldest
}

// tellNothing takes the session's gauges away when it ends, so that nobody
// takes them for its successor's.
func (s *session) tellNothing() {
	m, label := s.p.metrics, strconv.Itoa(s.n)
	for id := range s.progress.shown {
		m.lag.DeleteLabelValues(strconv.Itoa(int(id)))
	}
	for _, g := range []*prometheus.GaugeVec{m.assigned, m.stopped, m.heldBytes, m.oldestCall, m.openCalls} {
		g.DeleteLabelValues(label)
	}
}
