package processor

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sotto/processor/topic"
)

// A fetch of committed records does not say what waits. It brings nothing of what is behind the start
// of a transaction that is open upstream, however long that lasts, and nothing of what was aborted,
// which nobody waits for. So a goroutine of each session asks the brokers where the partitions end and
// which record is the next one.

// backlog is what waited in a partition of the raw topic when the brokers were asked.
type backlog struct {
	next        int64 // the position of the session then
	end, stable int64 // of the log, and of what no open transaction precedes
	// first is the offset of the first record that waits, -1 for none, and firstMS its timestamp. While
	// the session makes progress they are not looked up.
	first, firstMS int64
	moving         bool
	// blocked is since when a transaction has kept records back, zero if none does. reported is set
	// once the log says so.
	blocked  time.Time
	reported bool
}

// behind is the number of offsets from the first record that waits to the end of the log.
func (b *backlog) behind() int64 {
	switch {
	case b.moving:
		return max(0, b.end-b.next)
	case b.first < 0:
		return 0
	}
	return max(0, b.end-b.first)
}

// surveyor keeps the backlogs of a session. The maps are never changed.
type surveyor struct {
	positions atomic.Pointer[map[int32]int64]
	found     atomic.Pointer[map[int32]*backlog]
}

func (v *surveyor) latest() map[int32]*backlog {
	if found := v.found.Load(); found != nil {
		return *found
	}
	return nil
}

// transactionPatience is how long a transaction may keep records back before the log says so.
const transactionPatience = 30 * time.Second

// watchBacklogs surveys the partitions of the session until it ends.
func (s *session) watchBacklogs() {
	for sleep(s.hard, gaugeInterval) {
		if positions := s.survey.positions.Load(); positions != nil {
			ctx, cancel := context.WithTimeout(s.hard, s.p.settings.SessionTimeout)
			if found, err := s.surveyBacklogs(ctx, *positions); err == nil { // otherwise the session has the same trouble
				s.survey.found.Store(&found)
			}
			cancel()
		}
	}
}

func (s *session) surveyBacklogs(ctx context.Context, positions map[int32]int64) (map[int32]*backlog, error) {
	raw, adm := s.p.settings.TopicRaw, kadm.NewClient(s.gts.Client())
	// In this order, what ends meanwhile looks open rather than gone.
	stables, err := adm.ListCommittedOffsets(ctx, raw)
	if err != nil {
		return nil, err
	}
	ends, err := adm.ListEndOffsets(ctx, raw)
	if err != nil {
		return nil, err
	}
	found, before := map[int32]*backlog{}, s.survey.latest()
	for id, next := range positions {
		stable, ok1 := stables.Lookup(raw, id)
		end, ok2 := ends.Lookup(raw, id)
		if !ok1 || !ok2 || stable.Err != nil || end.Err != nil {
			continue
		}
		b := &backlog{next: next, end: end.Offset, stable: min(stable.Offset, end.Offset), first: -1}
		if err := s.lookUp(ctx, id, b, before[id]); err != nil {
			return nil, err
		}
		found[id] = b
	}
	return found, nil
}

// lookUp finds what waits in a partition, given what did before (nil if that is not known).
func (s *session) lookUp(ctx context.Context, id int32, b, before *backlog) error {
	if b.stable < b.end {
		b.blocked = time.Now()
		if before != nil && before.stable == b.stable && !before.blocked.IsZero() {
			b.blocked, b.reported = before.blocked, before.reported
		}
		if !b.reported && time.Since(b.blocked) >= s.p.transactionPatience {
			b.reported = true
			s.reportTransaction(ctx, id, b)
		}
	}
	switch {
	case before == nil || before.next != b.next:
		b.moving = true
		return nil
	case before.first >= b.next && before.end <= b.end && (before.first < before.stable || before.stable == b.stable):
		b.first, b.firstMS = before.first, before.firstMS // it still waits
		return nil
	case !before.moving && before.end == b.end && before.stable == b.stable:
		return nil // and nothing came
	}
	r := topic.Reader{Client: s.gts.Client(), Stall: s.p.settings.SessionTimeout}
	first, err := r.First(ctx, s.p.settings.TopicRaw, id, b.next, b.stable)
	if err == nil && first == nil && b.stable < b.end {
		r.Uncommitted = true
		first, err = r.First(ctx, s.p.settings.TopicRaw, id, max(b.next, b.stable), b.end)
	}
	if first != nil {
		b.first, b.firstMS = first.Offset, first.Timestamp.UnixMilli()
	}
	return err
}

// reportTransaction logs whose transaction keeps the records of a partition back.
func (s *session) reportTransaction(ctx context.Context, id int32, b *backlog) {
	who := "not known"
	set := kadm.TopicsSet{}
	set.Add(s.p.settings.TopicRaw, id)
	producers, err := kadm.NewClient(s.gts.Client()).DescribeProducers(ctx, set)
	if err != nil {
		who = "not known: " + err.Error()
	}
	for _, p := range producers.SortedProducers() {
		if p.CurrentTxnStartOffset == b.stable {
			who = fmt.Sprintf("ID %d, epoch %d", p.ProducerID, p.ProducerEpoch)
		}
	}
	s.p.log.Warn("records wait behind a transaction of a producer that does not end; see docs/runbooks/SottoTransactionOpen.md",
		"topic", s.p.settings.TopicRaw, "partition", id, "offset", b.stable, "offsets", b.end-b.stable, "producer", who, "since", b.blocked.UTC().Format(time.RFC3339))
}

// reportBacklogs publishes the positions for the next survey, and shows what the last one has found.
func (s *session) reportBacklogs() {
	positions := map[int32]int64{}
	found := s.survey.latest()
	m := s.p.metrics
	for id, p := range s.parts {
		if p.Next < 0 {
			continue
		}
		positions[id] = p.Next
		b, label := found[id], strconv.Itoa(int(id))
		if b == nil {
			continue
		}
		s.progress.shown[id] = true
		m.Lag.WithLabelValues(label).Set(float64(b.behind()))
		open := time.Duration(0)
		if !b.blocked.IsZero() {
			open = time.Since(b.blocked)
		}
		m.OpenTransaction.WithLabelValues(label).Set(open.Seconds())
	}
	s.survey.positions.Store(&positions)
}

// waitsSince returns the timestamp, in ms, of the first record that waits in a partition whose
// position is next, or a bound of it, the timestamp of the last record that was read; 0 for none.
func (b *backlog) waitsSince(next, lastMS int64) int64 {
	switch {
	case b == nil:
		return 0
	case b.first >= next:
		return b.firstMS
	case (b.moving || b.next != next) && b.stable-next > markerLag:
		return lastMS
	}
	return 0
}

// isStable reports whether no transaction is open in a partition of the raw topic that ends at an
// offset.
func isStable(stables kadm.ListedOffsets, raw string, id int32, end int64) bool {
	stable, ok := stables.Lookup(raw, id)
	return ok && stable.Err == nil && stable.Offset >= end
}
