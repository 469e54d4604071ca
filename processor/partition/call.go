package partition

import (
	"cmp"
	"container/list"

	"github.com/fxamacker/cbor/v2"

	"sotto/anonymize"
	"sotto/anonymize/intake/mapping"
	"sotto/internal/lifecycle"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/sealing"
)

// Call is one call of a partition. Most calls are dormant most of the time, so it
// contains only what every call needs; see awake for the rest.
//
// The fields up to owner belong to the session's goroutine. The others belong to
// the call's worker until it answers the barrier at the end of a transaction.
type Call struct {
	lifecycle.Entry // its ID is as in the output: kept or hashed
	Meta            Meta
	// older and newer are the neighbours in agedCalls.
	older, newer *Call
	touched      bool
	isNew        bool // opened in the open transaction
	Write        bool // its state must be written, even if the engine did not change it
	// Asks reports whether the call's last utterance asked for something personal.
	Asks  bool
	Owner int32

	StateBytes int32 // size of the last record in the state topic
	// stateDigest and textDigest are the digests of the call's records as of the last commit, and
	// sealedDigest that of the state that the open transaction writes.
	stateDigest, textDigest, sealedDigest uint32
	// sealed is the state of a dormant call. While a transaction is open it is kept
	// beside awake, so that an abort makes the call dormant again.
	sealed []byte
	*awake // nil if the call is dormant
}

// awake is what a call needs while events come in. It takes several times the
// memory of the sealed state.
type awake struct {
	memory      *state.Call // as of the last commit
	Pending     *state.Call // of the open transaction, nil if untouched
	risk        Risk        // as of the last commit
	PendingRisk Risk        // of the open transaction, if Pending is not nil
	Text        Transcript
	Changed     bool // Pending differs from memory in a way that later decisions need
	sealer      *sealing.Sealer
	// failed is set if an event failed and the open transaction, which will abort, must not go on
	// with the call.
	failed bool
	// StateBound is an upper bound of the size of the sealed state in the open
	// transaction.
	StateBound int

	// used is the partition's clock when the call was last touched, and place the
	// call's place among the awake calls. Both belong to the session's goroutine.
	used  int64
	place *list.Element
}

type touchedCall struct {
	*Call
	saved Meta // as of the last commit
}

// Meta is the stream's own state of a call, next to that of the engine. All
// of it is in the sealed state.
type Meta struct {
	Utterances int64  `cbor:"1,keyasint"`
	LastSeq    int64  `cbor:"2,keyasint"`
	Context    string `cbor:"3,keyasint,omitempty"`
	Tenant     string `cbor:"4,keyasint,omitempty"`
	// AuditRate is the rate of the call's context if that selected the call for
	// the audit, otherwise 0.
	AuditRate float64 `cbor:"5,keyasint,omitempty"`
	// Life has the keys 6, 7, 8 and 11.
	lifecycle.Life
	// Next is the raw offset after the last event that this state includes, and
	// Clock the partition's clock there.
	Next  int64 `cbor:"9,keyasint"`
	Clock int64 `cbor:"10,keyasint"`
	// Draw decides whether the call is in the audit sample; Uniform is the rate of
	// its context. See auditor.
	Draw    float64 `cbor:"12,keyasint,omitempty"`
	Uniform float64 `cbor:"13,keyasint,omitempty"`
	// Clocks are those of the producers at Clock, and LastTime is the largest time of an event of
	// the call. Former releases have neither.
	Clocks   string `cbor:"14,keyasint,omitempty"`
	LastTime int64  `cbor:"15,keyasint,omitempty"`
	// OutputPartitions has the keys 16 to 18.
	OutputPartitions
	// Window has the latest messages of the call, if a mapping reads them.
	Window cbor.ByteString `cbor:"20,keyasint,omitempty"`
	// Uncounted is set if a restore could not count all events of the call: their raw records were
	// deleted after they were processed.
	Uncounted bool `cbor:"19,keyasint,omitempty"`
}

// OutputPartitions are how many partitions the topics of the outputs had when a call was opened. They
// decide where the events of the call go, for its life, so that these keep their order when partitions
// are added. A topic that the stream does not write has 0.
type OutputPartitions struct {
	Clean int32 `cbor:"16,keyasint,omitempty"`
	Audit int32 `cbor:"17,keyasint,omitempty"`
	Final int32 `cbor:"18,keyasint,omitempty"`
}

// complete sets what a former release has not noted, or what nobody needed then.
func (o *OutputPartitions) complete(now OutputPartitions) {
	o.Clean, o.Audit, o.Final = cmp.Or(o.Clean, now.Clean), cmp.Or(o.Audit, now.Audit), cmp.Or(o.Final, now.Final)
}

// IdleAt is when a call became idle, by its own events.
func (m *Meta) IdleAt(timeout int64) int64 { return cmp.Or(m.LastTime, m.Active) + timeout }

// Judge gives the event of a message of others its number and says whether the call, which may be nil, has it
// already. For an event of ours it does nothing.
func (c *Call) Judge(e *schemas.RawEvent, mark mapping.Mark) mapping.Verdict {
	if c == nil {
		return mapping.Window("").Judge(e, mark, 0)
	}
	return mapping.Window(c.Meta.Window).Judge(e, mark, c.Meta.LastSeq)
}

// Remember notes an event that was judged to be new. A restore repeats that, as it does with counts.
func (c *Call) Remember(e *schemas.RawEvent, mark mapping.Mark) {
	c.Meta.Window = cbor.ByteString(mapping.Window(c.Meta.Window).With(e, mark))
}

// Lived implements lifecycle.Living.
func (c *Call) Lived() *lifecycle.Life { return &c.Meta.Life }

// Begin creates the copy that the call's worker may change. It opens the state of
// a dormant call, which fails only if the state was damaged in memory.
func (c *Call) Begin(v *Vault) error {
	if c.awake == nil {
		a, err := v.open(c)
		if err != nil {
			return err
		}
		c.awake = a
	}
	if c.Pending == nil {
		c.restart()
	}
	return nil
}

// restart makes the open transaction continue with the state as of the last commit.
func (c *Call) restart() {
	c.Pending, c.PendingRisk, c.StateBound = c.memory.Clone(), c.risk, int(c.StateBytes)
	c.Text.begin()
}

// Fail undoes the open transaction's changes of the call, which then gets no more of its events.
func (c *Call) Fail() {
	c.restart()
	c.failed = true
}

func (c *Call) commit() {
	if c.awake != nil {
		c.sealed = nil
		if c.Pending != nil {
			c.memory, c.Pending = c.Pending, nil
			c.risk = c.PendingRisk
			c.Text.commit()
		}
		c.Changed = false
	}
	c.touched, c.isNew, c.Write = false, false, false
}

func (c *Call) rollback(saved Meta) {
	c.Meta = saved
	c.touched, c.Write = false, false
	switch {
	case c.sealed != nil:
		c.awake = nil
	case c.awake != nil:
		c.Pending, c.Changed, c.failed = nil, false, false
	}
}

// HasFailed reports whether an event failed, so that the call gets no more of the open transaction.
func (c *Call) HasFailed() bool { return c.awake != nil && c.failed }

// TextChanged reports whether the open transaction has to write any of the call's transcript.
func (c *Call) TextChanged() bool { return c.awake != nil && c.Pending != nil && c.Text.changed() }

// Latest returns the state with what the open transaction changed, nil if the call
// is dormant.
func (c *Call) Latest() *state.Call {
	switch {
	case c.awake == nil:
		return nil
	case c.Pending != nil:
		return c.Pending
	}
	return c.memory
}

// hasStaged reports whether events of the call are staged as of the last commit. None of a dormant
// call are.
func (c *Call) hasStaged() bool { return c.awake != nil && len(c.memory.Staged()) > 0 }

// MustSeal reports whether the open transaction has to write the call's state.
func (c *Call) MustSeal() bool { return !c.Gone() && (c.Write || c.awake != nil && c.Changed) }

// Snapshot is what an event changes of a call in its worker.
type Snapshot struct {
	pending *state.Call
	risk    Risk
	changed bool
	closing bool
	bound   int
}

// Snapshot costs one small allocation. The next change of each part of the state copies that part.
func (c *Call) Snapshot() Snapshot {
	return Snapshot{c.Pending.Clone(), c.PendingRisk, c.Changed, c.Text.Closing, c.StateBound}
}

func (c *Call) RestoreTo(s Snapshot) {
	c.Pending, c.PendingRisk, c.Changed, c.Text.Closing, c.StateBound = s.pending, s.risk, s.changed, s.closing, s.bound
}

// Conversation continues a call in the open transaction.
func (c *Call) Conversation(e anonymize.Anonymizer) anonymize.Conversation {
	return anonymize.Resume(e, c.Pending)
}
