package chaos

import (
	"context"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
	"sotto/training/corpus/callgen"
)

// feeder produces calls to the raw topic at a steady rate, each record once and in order, even if
// the broker is killed meanwhile.
type feeder struct {
	r          *rig
	cl         *kgo.Client
	partitions int32
	rate       int // records per second
	seed       uint64
	err        atomic.Pointer[error]
	clock      int64 // event time in ms

	// Written by run; read it only after run has returned.
	sent    [][]uint64 // a hash of each value, by partition
	secrets secrets
}

func (r *rig) newFeeder(partitions int32, rate int, seed uint64) *feeder {
	r.T.Helper()
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(r.Cluster.Brokers()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		// By default, the client writes with acks of all replicas, idempotently and with unlimited
		// retries. With this option it reports when it cannot keep that promise.
		kgo.StopProducerOnDataLossDetected(),
		kgo.MetadataMinAge(100*time.Millisecond), kgo.RetryBackoffFn(func(int) time.Duration { return 100 * time.Millisecond }),
	)
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(cl.Close)
	return &feeder{r: r, cl: cl, partitions: partitions, rate: rate, seed: seed, sent: make([][]uint64, partitions), secrets: secrets{}}
}

// feedTick is the time between two bursts.
const feedTick = 20 * time.Millisecond

// run feeds until stop is closed, then closes all calls and waits until everything is written.
func (f *feeder) run(ctx context.Context, stop <-chan struct{}) error {
	tick := time.NewTicker(feedTick)
	defer tick.Stop()
	burst := max(1, f.rate*int(feedTick/time.Millisecond)/1000)
	n := 0
	for rec := range f.records() {
		if n++; n%burst == 0 {
			select {
			case <-tick.C:
			case <-stop:
				return f.finish(ctx)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		f.send(ctx, rec)
	}
	return f.finish(ctx)
}

// finish closes every call by event time, in steps that are short enough to count: those of the
// first half of the time end the open calls, the others end their grace period. Nothing is left for
// the wall clock to close while the stream is drained. Before that come so many events that the
// clocks of other producers do not hold up time any more.
func (f *feeder) finish(ctx context.Context) error {
	const others = 300
	step := f.r.Set.CallIdleTimeout.Milliseconds() / 5
	steps := 2 * (f.r.Set.CallIdleTimeout + f.r.Set.CallGrace).Milliseconds() / step
	for n := range others + 2 + steps {
		if n > others {
			f.clock += step
		}
		for p := range f.partitions {
			e := schemas.RawEvent{CallID: fmt.Sprint("closing-", p), Seq: n, Type: schemas.Utterance, Text: "Bye.", TimestampMS: f.clock}
			f.send(ctx, f.r.Raw(p, &e))
		}
	}
	if err := f.cl.Flush(ctx); err != nil {
		return err
	}
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *feeder) send(ctx context.Context, rec *kgo.Record) {
	f.sent[rec.Partition] = append(f.sent[rec.Partition], maphash.Bytes(feedSeed, rec.Value))
	f.cl.Produce(ctx, rec, func(_ *kgo.Record, err error) {
		if err != nil {
			f.err.CompareAndSwap(nil, &err)
		}
	})
}

var feedSeed = maphash.MakeSeed()

func (f *feeder) count() (n int) {
	for _, s := range f.sent {
		n += len(s)
	}
	return n
}

// checkRaw fails the test if the raw topic does not hold what was fed, besides calls of the canary and
// of producers with transactions: the checks that follow would prove nothing.
func (f *feeder) checkRaw(t *testing.T) {
	t.Helper()
	got := make([][]uint64, f.partitions)
	for _, rec := range f.r.Read(f.r.Topics.Raw) {
		if key := string(rec.Key); strings.HasPrefix(key, "sotto-canary-") || strings.HasPrefix(key, upstreamPrefix) {
			continue
		}
		got[rec.Partition] = append(got[rec.Partition], maphash.Bytes(feedSeed, rec.Value))
	}
	for p := range got {
		if !slices.Equal(got[p], f.sent[p]) {
			t.Fatalf("partition %d of the raw topic does not hold what was fed: %d records, want %d", p, len(got[p]), len(f.sent[p]))
		}
	}
}

// partition returns the partition of a call.
func (f *feeder) partition(callID string) int32 {
	h := fnv.New32a()
	h.Write([]byte(callID))
	return int32(h.Sum32() % uint32(f.partitions))
}

// overlap is the number of concurrent calls.
const overlap = 300

// records generates calls without end. Of every eight calls one has no END, one has another
// utterance within the grace period, and one has an utterance after its state has expired. Now and
// then there is a truncated record.
func (f *feeder) records() iter.Seq[*kgo.Record] {
	grace := f.r.Set.CallGrace.Milliseconds()
	rnd := rand.New(rand.NewPCG(f.seed, 11))
	return func(yield func(*kgo.Record) bool) {
		spoken := map[string]schemas.RawEvent{} // an utterance of each open call, with something personal
		var soon, late []schemas.RawEvent       // events after an END, by time
		for e := range callgen.New(callgen.Config{Seed: f.seed, Interim: 0.05}).Events(0, math.MaxInt32, overlap) {
			ev := e.RawEvent
			f.clock = ev.TimestampMS
			f.secrets.addEvent(e)
			for _, after := range []*[]schemas.RawEvent{&soon, &late} {
				for len(*after) > 0 && (*after)[0].TimestampMS <= f.clock {
					if !yield(f.record(&(*after)[0])) {
						return
					}
					*after = (*after)[1:]
				}
			}
			switch {
			case len(e.Gold) > 0:
				spoken[ev.CallID] = ev
			case ev.Type == schemas.End:
				again, ok := spoken[ev.CallID]
				delete(spoken, ev.CallID)
				again.Seq = ev.Seq + 1
				switch kind := rnd.IntN(8); {
				case kind == 0:
					continue
				case kind == 1 && ok:
					again.TimestampMS = f.clock + grace/2
					soon = append(soon, again)
				case kind == 2 && ok:
					again.TimestampMS = f.clock + 2*grace
					late = append(late, again)
				}
			}
			if !yield(f.record(&ev)) {
				return
			}
			if rnd.IntN(300) == 0 {
				half := f.record(&ev)
				half.Value = half.Value[:len(half.Value)/2]
				if !yield(half) {
					return
				}
			}
		}
	}
}

// record returns the record of an event. The clocks of producers are hours apart.
func (f *feeder) record(e *schemas.RawEvent) *kgo.Record {
	h := fnv.New32a()
	h.Write([]byte(e.CallID))
	told := *e
	told.TimestampMS += []int64{0, 0, -2, 3}[h.Sum32()/7%4] * time.Hour.Milliseconds()
	return f.r.Raw(f.partition(e.CallID), &told)
}

// secrets are values that may only be in the raw topic, by their first bytes. Shorter values are
// left out: they would occur by chance in sealed states, as digits do in times.
type secrets map[[secretBytes]byte]map[string]bool

const (
	secretBytes  = 8
	secretDigits = 12
)

func (s secrets) add(values ...string) {
	for _, v := range values {
		if len(v) < secretBytes || len(v) < secretDigits && strings.Trim(v, "0123456789") == "" {
			continue
		}
		first := [secretBytes]byte([]byte(v))
		if s[first] == nil {
			s[first] = map[string]bool{}
		}
		s[first][v] = true
	}
}

// addEvent adds all personal information of an event: its text, its labelled values, and the
// speakers' data.
func (s secrets) addEvent(e *callgen.Event) {
	s.add(e.Text)
	if len(e.Gold) > 0 {
		text := []rune(e.Text)
		for _, g := range e.Gold {
			s.add(string(text[g.Start:g.End]))
		}
	}
	if e.Speaker != nil {
		s.add(e.Speaker.ID, e.Speaker.Label)
	}
	for _, p := range e.Participants {
		s.add(p.SpeakerID, p.Organization)
		s.add(slices.Concat(p.Names, p.Emails, p.Phones, p.Other)...)
	}
}

// in reports whether data holds a secret.
func (s secrets) in(data []byte) bool {
	for i := 0; i+secretBytes <= len(data); i++ {
		for v := range s[[secretBytes]byte(data[i:])] {
			if i+len(v) <= len(data) && string(data[i:i+len(v)]) == v {
				return true
			}
		}
	}
	return false
}

// any returns one of the secrets.
func (s secrets) any() string {
	for _, values := range s {
		for v := range values {
			return v
		}
	}
	return ""
}
