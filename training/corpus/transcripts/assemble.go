package transcripts

import (
	"cmp"
	"slices"
	"time"

	"sotto/schemas"
)

// Transcript is a call with its events in order.
type Transcript struct {
	ID string
	// Events are its utterances, with the context, the tenant and the language of the call where they do not
	// say their own. Indirect of each has the indirect identifiers that the stream
	// found, wherever it wrote them.
	Events []*schemas.CleanEvent
	// Summary is that of its last END, nil if it has none. It releases the call if every END does.
	Summary *schemas.CallSummary
	// Partition and Offset say where its first event stands in a topic.
	Partition int32
	Offset    int64

	// context, tenant and language are those of the first event that says them, which may be the START.
	context, tenant, language string

	endedMS int64
	ended   bool
	marks   marks
}

// Released reports whether the call may be trained on.
func (c *Transcript) Released() bool { return c.Summary != nil && c.Summary.Release }

// Assembler collects the events of calls that may be interleaved.
type Assembler struct {
	grace time.Duration
	open  map[key]*Transcript
	// clock is the latest event time of each partition.
	clock map[int32]int64
	ended []*Transcript
}

type key struct {
	partition int32
	id        string
}

// NewAssembler makes an assembler. A call is complete when the event time of its partition has
// passed its END by grace, because an event may come after the END until then. The clock of its
// producer may be behind that of others, so the time at which the END came counts, if it is later.
func NewAssembler(grace time.Duration) *Assembler {
	return &Assembler{grace: grace, open: map[key]*Transcript{}, clock: map[int32]int64{}}
}

// Add adds an event, and returns the calls that are complete by it.
func (a *Assembler) Add(e *schemas.CleanEvent, partition int32, offset int64) []*Transcript {
	k := key{partition, e.CallID}
	c := a.open[k]
	if c == nil {
		c = &Transcript{ID: e.CallID, Partition: partition, Offset: offset}
		a.open[k] = c
	}
	c.context, c.tenant, c.language = cmp.Or(c.context, e.Context), cmp.Or(c.tenant, e.Tenant), cmp.Or(c.language, e.Language)
	a.clock[partition] = max(a.clock[partition], e.TimestampMS)
	switch e.Type {
	case schemas.Utterance:
		c.Events = append(c.Events, e)
		c.marks.addUtterance(e, c.ended)
	case schemas.End:
		c.end(e, a.clock[partition])
		if !c.ended {
			c.ended = true
			a.ended = append(a.ended, c)
		}
	}
	return a.take(func(c *Transcript) bool {
		// Without times, there is nothing to wait for.
		return c.endedMS == 0 || a.clock[c.Partition] >= c.endedMS+a.grace.Milliseconds()
	})
}

// end takes over the summary and the marks of an END. There is another END after events that came
// within the grace period. clock is the event time of the partition.
func (c *Transcript) end(e *schemas.CleanEvent, clock int64) {
	withheld := c.ended && !c.Released()
	c.Summary, c.endedMS = e.Call, e.TimestampMS
	if c.endedMS != 0 {
		c.endedMS = max(c.endedMS, clock)
	}
	if withheld && c.Summary != nil {
		sum := *c.Summary
		sum.Release = false
		c.Summary = &sum
	}
	c.marks.addEnd(e)
}

// take removes and returns the ended calls for which complete holds.
func (a *Assembler) take(complete func(*Transcript) bool) (done []*Transcript) {
	kept := a.ended[:0]
	for _, c := range a.ended {
		if !complete(c) {
			kept = append(kept, c)
			continue
		}
		slices.SortStableFunc(c.Events, func(x, y *schemas.CleanEvent) int { return cmp.Compare(x.Seq, y.Seq) })
		c.marks.apply(c.Events)
		for _, e := range c.Events {
			e.Context, e.Tenant, e.Language = cmp.Or(e.Context, c.context), cmp.Or(e.Tenant, c.tenant), cmp.Or(e.Language, c.language)
		}
		done = append(done, c)
		delete(a.open, key{c.Partition, c.ID})
	}
	a.ended = kept
	return done
}

// Flush returns the calls that have ended, however recently: no event follows.
func (a *Assembler) Flush() []*Transcript {
	return a.take(func(*Transcript) bool { return true })
}

// Open returns the number of calls that are not complete.
func (a *Assembler) Open() int { return len(a.open) }

// Low returns the offset of the oldest event of a partition that belongs to a call that is not
// complete, or next if there is none.
func (a *Assembler) Low(partition int32, next int64) int64 {
	for k, c := range a.open {
		if k.partition == partition {
			next = min(next, c.Offset)
		}
	}
	return next
}
