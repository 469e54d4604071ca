package partition

import (
	"cmp"
	"hash/maphash"
	"slices"

	"sotto/anonymize/intake/mapping"
	"sotto/internal/lifecycle"
	"sotto/schemas"
	"sotto/state"
	"sotto/training/corpus/indirect/live"
)

// Partition is a session's state for one raw partition: its open calls, its
// clock and the calls that have expired. Only the session's own
// goroutine uses it, except for Vault and, in turns, Graph.
type Partition struct {
	ID   int32
	lim  Limits
	Next int64 // the offset after the last routed record
	// StateTopic is the ID of the state topic from which the calls were restored.
	StateTopic [16]byte
	// Partitions is how many partitions the raw topic had then, and RawTopic its ID.
	Partitions int
	RawTopic   [16]byte
	// StateEnd is the end of the state topic: that up to which they were read, and then that of what
	// the brokers have acknowledged since. Claimed reports that the
	// group has claimed the partition.
	StateEnd int64
	Claimed  bool
	// GraphEnd is that of the topic of the graph.
	GraphEnd int64
	// sum is that of the digests of the records of all calls, as of the last commit.
	sum uint64
	// calls has the open calls, those in their grace period and the hashes of the expired ones. Its
	// clock, in ms, moves as passing says.
	calls   *lifecycle.Table[*Call]
	passing passing
	awake   awakeCalls
	Vault   *Vault
	// aged lists the calls in the order in which their states were written.
	aged agedCalls

	// The open transaction.
	savedNext, savedClock int64
	savedPassing          passing
	Changed               []touchedCall // also new or removed
	Tombstones            []string

	// Graph has the indirect identifiers, nil if none is kept. Workers use it in turns.
	Graph *live.Graph
	// lastTurn is closed when the turn that was given out last is over; nil before the first.
	lastTurn chan struct{}
	// Staged are the calls with staged events as of the last commit.
	Staged []*Call
	// described is the last result of clocks.
	described struct {
		clock   int64
		passing passing
		text    string
	}
	// replayed are the calls whose last event a restore has read again.
	replayed map[*Call]struct{}
}

// Limits are the settings that a partition needs; times in ms.
type Limits struct {
	lifecycle.Limits
	Closed    int
	Retention int64 // how long an expired call is remembered at least; 0: forever
	Refresh   int64
	// Dormant is how long a call must be without events to become dormant, and Awake
	// how many calls may be awake.
	Dormant   int64
	Awake     int
	Workers   int
	AuditRate func(context string) float64
	// OutputPartitions are the partitions of the topics that a new call writes to.
	OutputPartitions func() OutputPartitions
	Draw             func(callID string) float64 // uniform in [0,1)
	// WallClock is needed for Retention only.
	WallClock func() int64
}

func New(id int32, lim Limits) *Partition {
	p := &Partition{ID: id, lim: lim, Vault: newVault()}
	p.calls = lifecycle.New(lim.Limits, lifecycle.NewForgotten(lim.Closed, lim.Retention, lim.WallClock), p.Touch)
	return p
}

// Call returns an open call or one in its grace period, nil for none.
func (p *Partition) Call(id string) *Call { return p.calls.Get(id) }

// Expired reports whether a call has expired.
func (p *Partition) Expired(id string) bool { return p.calls.Forgotten.Has(id) }

// Size counts the calls that have a state, and dormantCalls those of them that are dormant.
func (p *Partition) Size() int         { return p.calls.Len() }
func (p *Partition) DormantCalls() int { return p.calls.Len() - p.awake.Len() }

// Begin starts a transaction.
func (p *Partition) Begin() {
	p.savedNext, p.savedClock, p.savedPassing = p.Next, p.calls.Clock, p.passing
}

// Time is when something was, in ms, by the clock of its producer or, if the topic has
// LogAppendTime, of a broker.
type Time struct {
	MS     int64
	Broker bool
}

func (p *Partition) clocks() string {
	if d := &p.described; d.text == "" || d.clock != p.calls.Clock || d.passing != p.passing {
		d.clock, d.passing, d.text = p.calls.Clock, p.passing, p.passing.text(p.calls.Clock)
	}
	return p.described.text
}

func (p *Partition) after(t Time) int64 {
	if t.Broker {
		return p.passing.brokerTime(p.calls.Clock, t.MS)
	}
	return p.passing.event(p.calls.Clock, t.MS, p.lim.Idle/closeShare)
}

// Advance moves the clock by a record, and returns the calls whose idle timeout or grace period has
// passed, in an order that depends on the records only. The call of the record itself, which may be
// nil, does not become idle by it.
func (p *Partition) Advance(t Time, own *Call) []lifecycle.Fired[*Call] {
	return p.moveTo(p.after(t), own)
}

// AdvanceIdle moves the clock by a time, in ms, during which the partition
// provably had no events.
func (p *Partition) AdvanceIdle(by int64) []lifecycle.Fired[*Call] {
	p.passing.wait(by)
	return p.moveTo(p.calls.Clock+by, nil)
}

// Skip moves the clock by a time, in ms, during which the partition provably had no events, and
// reports whether it did: if nobody's time comes, that needs no transaction.
func (p *Partition) Skip(by int64, inTransaction bool) bool {
	if p.calls.Due(p.calls.Clock + by) {
		return false
	}
	p.passing.wait(by)
	if p.calls.Clock += by; !inTransaction {
		p.savedClock, p.savedPassing = p.calls.Clock, p.passing
	}
	return true
}

func (p *Partition) moveTo(clock int64, own *Call) []lifecycle.Fired[*Call] {
	fired := p.calls.Advance(clock, own)
	for _, f := range fired {
		if f.Expired {
			p.Tombstones = append(p.Tombstones, f.Call.ID)
		} else {
			f.Call.Write = true
		}
	}
	return fired
}

// Admit returns the call of an event that is no interim hypothesis, and opens it if it is new, unless that is refused.
// It counts the event in the call's meta.
func (p *Partition) Admit(id string, ev *schemas.RawEvent) (*Call, lifecycle.Admission) {
	c := p.calls.Get(id)
	if c == nil {
		if a := p.calls.Admit(id); a != lifecycle.Opens {
			return nil, a
		}
		c = p.open(id, ev)
	}
	p.Touch(c)
	p.count(c, ev)
	if ev.Context != "" && c.Meta.Context == "" {
		c.Meta.Context, c.Write = ev.Context, true
	}
	if ev.Tenant != "" && c.Meta.Tenant == "" {
		c.Meta.Tenant, c.Write = ev.Tenant, true
	}
	if ev.Type == schemas.End && !c.Meta.Ended {
		p.calls.End(c)
		c.Write = true
	}
	return c, lifecycle.Opens
}

// CallID returns the ID under which the partition knows a call, else the one that a new call gets:
// its ID, or its hash under the newest key. earlier are its hashes under other keys.
func (p *Partition) CallID(id string, earlier []string) string {
	for _, e := range earlier {
		if p.calls.Get(e) != nil || p.calls.Forgotten.Has(e) {
			return e
		}
	}
	return id
}

// count applies what every event does to its call's meta. A restore repeats it
// from the raw topic, so it must depend on the event only.
func (p *Partition) count(c *Call, ev *schemas.RawEvent) {
	c.Meta.LastSeq = max(c.Meta.LastSeq, ev.Seq)
	c.Meta.LastTime = max(c.Meta.LastTime, ev.TimestampMS)
	if ev.Type == schemas.Utterance {
		c.Meta.Utterances++
	}
	if !c.Meta.Ended {
		c.Meta.Active = p.calls.Clock
	}
}

func (p *Partition) open(id string, ev *schemas.RawEvent) *Call {
	c := &Call{Entry: lifecycle.Entry{ID: id}, isNew: true, Write: true, Owner: p.lim.owner(id), awake: &awake{memory: state.NewCall()}}
	c.Meta = Meta{Context: ev.Context, Tenant: ev.Tenant, LastSeq: ev.Seq, OutputPartitions: p.lim.OutputPartitions()}
	p.lim.audit(&c.Meta, id, ev.Context)
	p.calls.Open(c)
	return c
}

func (p *Partition) Touch(c *Call) {
	if !c.touched {
		c.touched = true
		p.Changed = append(p.Changed, touchedCall{c, c.Meta})
	}
}

// Refresh marks calls for writing whose states are so old that a restore would
// have to read too much of the raw topic.
func (p *Partition) Refresh() {
	for c := p.aged.oldest; c != nil && p.Next-c.Meta.Next > p.lim.Refresh; c = c.newer {
		p.Touch(c)
		c.Write = true
	}
}

// Consumed reports whether the open transaction has consumed records.
func (p *Partition) Consumed() bool { return p.Next != p.savedNext }

// Written records that the open transaction writes the state of c, and returns
// the meta to write.
func (p *Partition) Written(c *Call) Meta {
	c.Meta.Next, c.Meta.Clock, c.Meta.Clocks = p.Next, p.calls.Clock, p.clocks()
	return c.Meta
}

// Commit makes the transaction's changes final.
func (p *Partition) Commit() {
	if p.Graph != nil {
		p.Graph.Commit()
	}
	p.keepUntouched()
	p.sum = p.pendingSum()
	for _, t := range p.Changed {
		c := t.Call
		c.settleDigests()
		if c.Gone() {
			p.aged.remove(c)
		} else if c.MustSeal() {
			p.aged.written(c)
		}
		c.commit()
		p.awake.used(c, p.calls.Clock)
		p.collectStaged(c)
		if c.Gone() {
			*c = Call{} // a restored call shares its memory with others
		}
	}
	p.clear()
	p.calls.Commit()
}

// Rollback undoes everything since begin.
func (p *Partition) Rollback() {
	p.Next = p.savedNext
	p.calls.Rollback(p.savedClock)
	p.passing = p.savedPassing
	if p.Graph != nil {
		p.Graph.Rollback()
	}
	for _, t := range p.Changed {
		c := t.Call
		c.rollback(t.saved)
		p.calls.Undo(c, c.isNew)
		if !c.isNew {
			p.awake.used(c, p.calls.Clock)
		}
	}
	p.clear()
}

func (p *Partition) clear() {
	clear(p.Changed)
	p.Changed, p.Tombstones = p.Changed[:0], nil
	p.Begin()
}

// RestoreTombstone notes that a call has expired.
func (p *Partition) RestoreTombstone(id string) { p.calls.Forgotten.Restore(id) }

// restoreCall adds a call whose state was read: dormant if it has no awake part.
func (p *Partition) restoreCall(c *Call) {
	p.calls.Forgotten.Revive(c.ID)
	c.Owner = p.lim.owner(c.ID)
	p.calls.Restore(c)
}

// ReplayFrom returns the raw offset from which events must be counted again so
// that every restored call is exact; upTo if none must.
func (p *Partition) ReplayFrom(upTo int64) int64 {
	from := upTo
	for c := range p.calls.All() {
		from = min(from, c.Meta.Next)
	}
	p.calls.Clock, p.passing = 0, passing{}
	for c := range p.calls.All() {
		if c.Meta.Next == from && c.Meta.Clock > p.calls.Clock {
			p.calls.Clock, p.passing = c.Meta.Clock, parsePassing(c.Meta.Clocks, c.Meta.Clock)
		}
	}
	p.replayed = map[*Call]struct{}{}
	return from
}

// Replay counts an event again that arrived after its call's state was written.
// An event that became a dead letter (refused) only keeps the call active.
func (p *Partition) Replay(id string, offset int64, t Time, ev *schemas.RawEvent, mark mapping.Mark, refused bool) {
	p.calls.Clock = p.after(t)
	c := p.calls.Get(id)
	if c == nil || offset < c.Meta.Next {
		return
	}
	if !c.Meta.Ended {
		c.Meta.Active = p.calls.Clock
		p.replayed[c] = struct{}{}
	}
	if !refused && !ev.Interim() && c.Judge(ev, mark) == mapping.Fresh {
		p.count(c, ev)
		c.Remember(ev, mark)
	}
}

// CannotCount notes that the raw topic begins at an offset, so that some events of the calls whose
// states are older are not counted. It returns the number of such calls.
func (p *Partition) CannotCount(start int64) (calls int) {
	for c := range p.calls.All() {
		if c.Meta.Next < start {
			c.Meta.Uncounted = true
			calls++
		}
	}
	return calls
}

// Ready ends a restore: the partition continues at the committed offset with the committed clock.
//
// Time that passed without events is in that clock only, so a replay may have measured less. The
// calls that it counted were heard that much later, at most; thus no restore ends a call too early.
func (p *Partition) Ready(next int64, at Checkpoint) {
	all := slices.Collect(p.calls.All())
	measured, clock := p.calls.Clock, at.Clock
	for _, c := range all {
		clock = max(clock, c.Meta.Clock)
	}
	if at.Clock == 0 { // somebody has set the offset
		clock = max(clock, measured)
	} else {
		p.passing = parsePassing(at.Clocks, at.Clock)
		p.passing.wait(clock - at.Clock)
	}
	p.Next, p.calls.Clock = next, clock
	for c := range p.replayed {
		c.Meta.Active = min(c.Meta.Active+max(0, clock-measured), clock)
	}
	p.replayed = nil
	p.calls.Start()
	slices.SortFunc(all, func(a, b *Call) int { return cmp.Or(cmp.Compare(a.Meta.Next, b.Meta.Next), cmp.Compare(a.ID, b.ID)) })
	outputs := p.lim.OutputPartitions()
	for _, c := range all {
		c.Meta.OutputPartitions.complete(outputs)
		p.aged.written(c)
		p.awake.used(c, p.calls.Clock)
		p.collectStaged(c)
	}
	p.calls.Commit()
	p.clear()
}

// MostOutputPartitions returns the largest number of partitions of each topic that a call remembers.
func (p *Partition) MostOutputPartitions() (most OutputPartitions) {
	for c := range p.calls.All() {
		o := &c.Meta.OutputPartitions
		most = OutputPartitions{max(most.Clean, o.Clean), max(most.Audit, o.Audit), max(most.Final, o.Final)}
	}
	return most
}

// collectStaged notes a call that has staged events, beside the calls that are noted already.
func (p *Partition) collectStaged(c *Call) {
	if !c.Gone() && c.hasStaged() {
		p.Staged = append(p.Staged, c)
	}
}

// keepUntouched leaves those of the staged calls noted that the open transaction did not release: a
// partition that was restored during the transaction has to wait for the next one.
func (p *Partition) keepUntouched() {
	p.Staged = slices.DeleteFunc(p.Staged, func(c *Call) bool { return c.touched || c.Gone() })
}

// Survey returns the size of the sealed states of the partition's calls and the
// age, in ms, of the oldest call that has not ended.
func (p *Partition) Survey() (bytes, oldest int64) {
	for c := range p.calls.All() {
		bytes += int64(c.StateBytes)
		if !c.Meta.Ended && c.Meta.Opened > 0 {
			oldest = max(oldest, p.calls.Clock-c.Meta.Opened)
		}
	}
	return bytes, oldest
}

// agedCalls lists calls in the order in which their states were written.
type agedCalls struct{ oldest, newest *Call }

// written notes that the state of a call is the newest.
func (l *agedCalls) written(c *Call) {
	l.remove(c)
	if c.older = l.newest; c.older != nil {
		c.older.newer = c
	} else {
		l.oldest = c
	}
	l.newest = c
}

func (l *agedCalls) remove(c *Call) {
	if c.older != nil {
		c.older.newer = c.newer
	} else if l.oldest == c {
		l.oldest = c.newer
	}
	if c.newer != nil {
		c.newer.older = c.older
	} else if l.newest == c {
		l.newest = c.older
	}
	c.older, c.newer = nil, nil
}

var ownerSeed = maphash.MakeSeed()

func (l *Limits) owner(id string) int32 {
	return int32(maphash.String(ownerSeed, id) % uint64(l.Workers))
}

// Turn is the turn of one task. Tasks do something one after the other, in the order in which the
// session gave out their turns, which is that of the log.
//
// A worker that waits never waits for itself: it gets its tasks in the order of the log, and waits
// for earlier ones only. So every turn that was taken must reach a worker.
type Turn struct{ before, over chan struct{} }

// Wait returns when all earlier turns are over.
func (t *Turn) Wait() {
	if t.before != nil {
		<-t.before
	}
}

// Done ends the turn, once it has come.
func (t *Turn) Done() {
	t.Wait()
	close(t.over)
}

// Turn gives out the graph and a turn to use it; nil if there is no graph. Every turn must be
// ended.
func (p *Partition) Turn() (*live.Graph, *Turn) {
	if p.Graph == nil {
		return nil, nil
	}
	t := &Turn{p.lastTurn, make(chan struct{})}
	p.lastTurn = t.over
	return p.Graph, t
}
