package processor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
	"sotto/schemas"
)

// Two regions with a cluster each, as docs/scaling.md describes them: the loss of the active
// one, and the way back. Times are minutes since the first call began.
const (
	longCall      = 3 // minutes that the operator takes for the length of a long call
	rawMirrored   = 9 // the last minute of the raw topic that reached the other region
	cleanMirrored = 7 // the last minute of the clean topic
	startsFrom    = cleanMirrored - longCall
	lossAfter     = 10 // the last minute of the first region
	lastInSecond  = 12 // calls that were open at the loss end then
)

// region is a cluster and the release of Sotto there.
type region struct {
	*rig
	sotto *instance
	began time.Time
}

// newRegion starts a cluster: an Apache Kafka of its own if the environment asks for one.
func newRegion(t *testing.T, began time.Time) *region {
	t.Helper()
	if os.Getenv(brokertest.EnvBroker) == "kafka" && os.Getenv(brokertest.EnvBrokers) == "" {
		k := brokertest.OpenKafka(t, brokertest.KafkaOptions{SeparateController: true})
		return &region{rig: newRigOn(t, k, 2), began: began}
	}
	return &region{rig: newRig(t, 2), began: began}
}

// lose ends the region's Sotto from one moment to the next, and its brokers where they
// can be killed.
func (r *region) lose() {
	r.T.Helper()
	r.sotto.kill()
	if k, ok := r.Cluster.(*brokertest.Kafka); ok {
		if err := k.Kill(); err != nil {
			r.T.Fatal(err)
		}
	}
}

func (r *region) repair() {
	r.T.Helper()
	if k, ok := r.Cluster.(*brokertest.Kafka); ok {
		if err := k.Restart(r.T.Context()); err != nil {
			r.T.Fatal(err)
		}
	}
}

// cohort is some calls that have the same course: an event a minute, and a START and an END in
// the minutes given, 0 for none. The START lists a value that no detector finds.
type cohort struct {
	name       string
	from, to   int
	start, end int
}

const (
	callsPerCohort = 4
	onlyStartKnows = "blue kettle"
)

func (c cohort) events(call string, minute int) (events []*schemas.RawEvent) {
	if minute < c.from || minute > c.to {
		return nil
	}
	seq := int64(minute) * 10
	if minute == c.start {
		e := utterance(call, seq-1, "x", "")
		e.Type, e.Participants = schemas.Start, []schemas.Participant{{Other: []string{onlyStartKnows}}}
		events = append(events, e)
	}
	text := "this is " + []string{rosa, hugo}[minute%2] + " speaking"
	if minute%3 == 0 {
		text = "this is about " + onlyStartKnows + " again"
	}
	events = append(events, utterance(call, seq, "x", text))
	if minute == c.end {
		events = append(events, ended(call, seq+1))
	}
	return events
}

// produce sends the events of the calls in the order of their time.
func (r *region) produce(c cohort) (sent []schemas.EventKey) {
	r.T.Helper()
	var recs []*kgo.Record
	for minute := c.from; minute <= c.to; minute++ {
		for n := range callsPerCohort {
			call := fmt.Sprint(c.name, "-", n)
			for _, e := range c.events(call, minute) {
				rec := r.Raw(int32(n%2), e)
				rec.Timestamp = r.began.Add(time.Duration(minute) * time.Minute)
				recs = append(recs, rec)
				sent = append(sent, schemas.EventKey{CallID: call, Seq: e.Seq, Type: e.Type})
			}
		}
	}
	r.Feed(recs...)
	return sent
}

// mirror copies records of a topic to a topic of another cluster, as a mirror does: keys,
// values, partitions and timestamps, but other offsets. It returns how many.
func mirror(from, to *region, fromTopic, toTopic string, arrived func(*kgo.Record) bool) int {
	from.T.Helper()
	var copies []*kgo.Record
	for _, rec := range from.Read(fromTopic) {
		if arrived(rec) {
			copies = append(copies, &kgo.Record{Topic: toTopic, Partition: rec.Partition, Key: rec.Key, Value: rec.Value, Timestamp: rec.Timestamp})
		}
	}
	to.Feed(copies...)
	return len(copies)
}

// ends returns the ends of a topic's partitions.
func (r *region) ends(topic string) map[int32]int64 {
	r.T.Helper()
	listed, err := r.admin().ListEndOffsets(r.T.Context(), topic)
	if err != nil {
		r.T.Fatal(err)
	}
	ends := map[int32]int64{}
	listed.Each(func(o kadm.ListedOffset) { ends[o.Partition] = o.Offset })
	return ends
}

// startAt sets the offsets of the group as kafka-consumer-groups does, and starts Sotto. The
// group takes no offsets while it waits for a member that was killed.
func (r *region) startAt(offsets kadm.ListedOffsets, err error) {
	r.T.Helper()
	if err == nil {
		err = brokertest.WaitFor(r.T.Context(), "the group to have no member", func(ctx context.Context) (bool, error) {
			committed, err := r.admin().CommitOffsets(ctx, r.Group, offsets.Offsets())
			return err == nil, errors.Join(err, committed.Error())
		})
	}
	if err != nil {
		r.T.Fatal(err)
	}
	r.sotto = r.start("a")
}

// emptyStates deletes the state topic and creates it again.
func (r *region) emptyStates() {
	r.T.Helper()
	_, err := r.admin().DeleteTopics(r.T.Context(), r.Topics.State)
	if err == nil {
		err = brokertest.WaitFor(r.T.Context(), "the deletion", func(ctx context.Context) (bool, error) {
			return true, brokertest.CreateTopic(ctx, r.Cluster, r.Topics.State, 2, map[string]string{"cleanup.policy": "compact"})
		})
	}
	if err != nil {
		r.T.Fatal(err)
	}
}

// tally is what readers of a clean topic notice.
type tally struct {
	lost       int // events without a clean event
	twice      int // events with more than one
	renumbered int // calls of which two clean events of the same event have other numbers
	unmasked   int // clean events with a value that only the START knew
}

func (r *region) tally(sent []schemas.EventKey) tally {
	r.T.Helper()
	versions := map[schemas.EventKey][]*schemas.CleanEvent{}
	for _, e := range r.Clean(r.Read(r.Topics.Clean)) {
		id := e.Key()
		versions[id] = append(versions[id], e)
		if strings.Contains(e.Text, "Rosa") || strings.Contains(e.Text, "Hugo") {
			r.T.Errorf("a name is left in event %d of call %s", e.Seq, e.CallID)
		}
	}
	var n tally
	renumbered := map[string]bool{}
	for _, id := range sent {
		all := versions[id]
		if len(all) == 0 {
			n.lost++
			continue
		}
		if len(all) > 1 {
			n.twice++
		}
		for _, e := range all {
			if strings.Contains(e.Text, onlyStartKnows) {
				n.unmasked++
			}
			if e.Text != all[0].Text && !strings.Contains(e.Text, onlyStartKnows) {
				renumbered[e.CallID] = true
			}
		}
	}
	n.renumbered = len(renumbered)
	return n
}

// check compares the tally of events with a row of the table in docs/scaling.md.
func (r *region) check(what string, sent []schemas.EventKey) {
	r.T.Helper()
	n := r.tally(sent)
	row := fmt.Sprintf("| %s | %d | %d | %d | %d | %d |", what, len(sent), n.lost, n.twice, n.renumbered, n.unmasked)
	r.T.Log(row)
	page, err := os.ReadFile("../docs/scaling.md")
	if err != nil {
		r.T.Fatal(err)
	}
	if !strings.Contains(string(page), "\n"+row+"\n") {
		r.T.Errorf("docs/scaling.md has no row %s", row)
	}
	if d := r.DeadLetters(); len(d) > 0 {
		r.T.Errorf("%d dead letters: %+v", len(d), d[0])
	}
}

func TestRehearseTheLossOfAClusterAndTheWayBack(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	first, second := newRegion(t, began), newRegion(t, began)
	for _, r := range []*region{first, second} {
		r.Set.CallGrace, r.Set.CallIdleTimeout = time.Second, 30*time.Second // so that calls that ended are soon forgotten
	}

	// Calls that began before the time from which the second region will start, and after it.
	first.sotto = first.start("a")
	long := first.produce(cohort{"long", 1, lossAfter, 1, 0})
	short := first.produce(cohort{"short", startsFrom + 1, lossAfter, startsFrom + 1, 0})
	sent := slices.Concat(long, short)
	first.Await(first.Topics.Clean, len(sent))

	// The mirrors lag when the first region is lost.
	mirror(first, second, first.Topics.Raw, second.Topics.Raw, func(rec *kgo.Record) bool {
		return !rec.Timestamp.After(began.Add(rawMirrored * time.Minute))
	})
	mirroredClean := mirror(first, second, first.Topics.Clean, second.Topics.Clean, func(rec *kgo.Record) bool {
		return first.Clean([]*kgo.Record{rec})[0].Seq <= cleanMirrored*10
	})
	first.lose()
	takeover := map[string]map[int32]int64{second.Topics.Raw: second.ends(second.Topics.Raw), second.Topics.Clean: second.ends(second.Topics.Clean)}

	// Fail over.
	second.startAt(second.admin().ListOffsetsAfterMilli(t.Context(), began.Add(startsFrom*time.Minute).UnixMilli(), second.Topics.Raw))
	again := 0
	for _, id := range sent {
		if id.Seq > startsFrom*10-2 && id.Seq <= rawMirrored*10 {
			again++
		}
	}
	second.Await(second.Topics.Clean, mirroredClean+again)
	second.check("failover: calls whose START is not read again", long)
	second.check("failover: calls whose START is read again", short)

	// Calls go on and end there, and others begin.
	more := slices.Concat(second.produce(cohort{"long", lossAfter + 1, lastInSecond, 0, lastInSecond}),
		second.produce(cohort{"short", lossAfter + 1, lastInSecond, 0, lastInSecond}))
	between := second.produce(cohort{"between", lossAfter + 1, lastInSecond, lossAfter + 1, 0})
	second.Await(second.Topics.Clean, mirroredClean+again+len(more)+len(between))

	// Fail back: the first region gets what it lacks, an empty state topic, and the end of its
	// raw topic as the place to start from.
	first.repair()
	since := func(rec *kgo.Record) bool { return rec.Offset >= takeover[rec.Topic][rec.Partition] }
	mirror(second, first, second.Topics.Raw, first.Topics.Raw, since)
	mirroredBack := second.ends(second.Topics.Clean)
	mirror(second, first, second.Topics.Clean, first.Topics.Clean, since)
	first.emptyStates()
	first.startAt(first.admin().ListEndOffsets(t.Context(), first.Topics.Raw))
	// New calls begin there, and those that are open end where they are.
	fresh := first.produce(cohort{"fresh", lastInSecond + 1, lastInSecond + 3, lastInSecond + 1, lastInSecond + 3})
	between = append(between, second.produce(cohort{"between", lastInSecond + 1, lastInSecond + 3, 0, lastInSecond + 3})...)
	eventually(t, "no open call in the second region", func() bool { return second.drained(between) })
	second.sotto.mustStop(t)
	mirror(second, first, second.Topics.Clean, first.Topics.Clean, func(rec *kgo.Record) bool { return rec.Offset >= mirroredBack[rec.Partition] })
	eventually(t, "the new calls", func() bool { return first.tally(fresh).lost == 0 })

	// The events that were not mirrored are in the first region's topics, so that nothing is lost for
	// good; and no event after the loss is there twice.
	first.check("after the way back: events before the loss", sent)
	first.check("after the way back: events of the second region", slices.Concat(more, between))
	first.check("after the way back: new calls", fresh)
	if err := first.sotto.Ready(); err != nil {
		t.Error(err)
	}
}

// drained reports whether all events are in the clean topic and no call is open.
func (r *region) drained(sent []schemas.EventKey) bool {
	r.T.Helper()
	return r.tally(sent).lost == 0 && len(streamtest.Open(r.Read(r.Topics.State))) == 0
}
