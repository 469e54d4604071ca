package processor

import (
	"container/list"

	"sotto/state"
)

// call is one call of a partition. Most calls are dormant most of the time, so it
// contains only what every call needs; see awake for the rest.
//
// The fields up to owner belong to the session's goroutine. The others belong to
// the call's worker until it answers the barrier at the end of a transaction.
type call struct {
	id      string // as in the output: kept or hashed
	meta    callMeta
	timerAt int64
	touched bool
	isNew   bool // opened in the open transaction
	gone    bool // removed from the partition
	write   bool // its state must be written, even if the engine did not change it
	// asks reports whether the call's last utterance asked for something personal.
	asks  bool
	owner int32

	stateBytes int32 // size of the last record in the state topic
	// sealed is the state of a dormant call. While a transaction is open it is kept
	// beside awake, so that an abort makes the call dormant again.
	sealed []byte
	*awake // nil if the call is dormant
}

// awake is what a call needs while events come in. It takes several times the
// memory of the sealed state.
type awake struct {
	memory      *state.Call // as of the last commit
	pending     *state.Call // of the open transaction, nil if untouched
	risk        callRisk    // as of the last commit
	pendingRisk callRisk    // of the open transaction, if pending is not nil
	text        transcript
	changed     bool // pending differs from memory in a way that later decisions need
	sealer      *state.Sealer
	// failed is set if an event failed and the open transaction, which will abort, must not go on
	// with the call.
	failed bool
	// stateBound is an upper bound of the size of the sealed state in the open
	// transaction.
	stateBound int

	// used is the partition's clock when the call was last touched, and place the
	// call's place among the awake calls. Both belong to the session's goroutine.
	used  int64
	place *list.Element
}

// touchedCall is a call that the open transaction changes.
type touchedCall struct {
	*call
	saved callMeta // as of the last commit
}

// callMeta is the stream's own state of a call, next to that of the engine. All
// of it is in the sealed state.
type callMeta struct {
	Utterances int64  `cbor:"1,keyasint"`
	LastSeq    int64  `cbor:"2,keyasint"`
	Context    string `cbor:"3,keyasint,omitempty"`
	Tenant     string `cbor:"4,keyasint,omitempty"`
	// AuditRate is the rate of the call's context if that selected the call for
	// the audit, otherwise 0.
	AuditRate float64 `cbor:"5,keyasint,omitempty"`
	// Active is the partition's clock at the call's last event.
	Active int64 `cbor:"6,keyasint"`
	Ended  bool  `cbor:"7,keyasint,omitempty"`
	// EndedAt is the partition's clock when the call ended.
	EndedAt int64 `cbor:"8,keyasint,omitempty"`
	// Next is the raw offset after the last event that this state includes, and
	// Clock the partition's clock there.
	Next  int64 `cbor:"9,keyasint"`
	Clock int64 `cbor:"10,keyasint"`
	// Opened is the partition's clock when the call began; 0 in the states of
	// earlier versions.
	Opened int64 `cbor:"11,keyasint,omitempty"`
	// Draw decides whether the call is in the audit sample; Uniform is the rate of
	// its context. See auditor.
	Draw    float64 `cbor:"12,keyasint,omitempty"`
	Uniform float64 `cbor:"13,keyasint,omitempty"`
}

// begin creates the copy that the call's worker may change. It opens the state of
// a dormant call, which fails only if the state was damaged in memory.
func (c *call) begin(v *vault) error {
	if c.awake == nil {
		a, err := v.open(c)
		if err != nil {
			return err
		}
		c.awake = a
	}
	if c.pending == nil {
		c.restart()
	}
	return nil
}

// restart makes the open transaction continue with the state as of the last commit.
func (c *call) restart() {
	c.pending, c.pendingRisk, c.stateBound = c.memory.Clone(), c.risk, int(c.stateBytes)
	c.text.begin()
}

// fail undoes the open transaction's changes of the call, which then gets no more of its events.
func (c *call) fail() {
	c.restart()
	c.failed = true
}

// commit makes what the open transaction did with the call final.
func (c *call) commit() {
	if c.awake != nil {
		c.sealed = nil
		if c.pending != nil {
			c.memory, c.pending = c.pending, nil
			c.risk = c.pendingRisk
			c.text.commit()
		}
		c.changed = false
	}
	c.touched, c.isNew, c.write = false, false, false
}

// rollback undoes what the open transaction did with the call.
func (c *call) rollback(saved callMeta) {
	c.meta = saved
	c.touched, c.write, c.gone = false, false, false
	switch {
	case c.sealed != nil:
		c.awake = nil
	case c.awake != nil:
		c.pending, c.changed, c.failed = nil, false, false
	}
}

// latest returns the state with what the open transaction changed, nil if the call
// is dormant.
func (c *call) latest() *state.Call {
	switch {
	case c.awake == nil:
		return nil
	case c.pending != nil:
		return c.pending
	}
	return c.memory
}

// deferred returns the deferred events as of the last commit. A dormant call has
// none.
func (c *call) deferred() []state.Deferred {
	if c.awake == nil {
		return nil
	}
	return c.memory.Deferred()
}

// mustSeal reports whether the open transaction has to write the call's state.
func (c *call) mustSeal() bool { return !c.gone && (c.write || c.awake != nil && c.changed) }

// callSnapshot is what an event changes of a call in its worker.
type callSnapshot struct {
	pending *state.Call
	risk    callRisk
	changed bool
	closing bool
	bound   int
}

// snapshot costs one small allocation. The next change of each part of the state copies that part.
func (c *call) snapshot() callSnapshot {
	return callSnapshot{c.pending.Clone(), c.pendingRisk, c.changed, c.text.closing, c.stateBound}
}

func (c *call) restoreTo(s callSnapshot) {
	c.pending, c.pendingRisk, c.changed, c.text.closing, c.stateBound = s.pending, s.risk, s.changed, s.closing, s.bound
}
