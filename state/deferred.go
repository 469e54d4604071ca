package state

// Deferred is an event that is held back until later events are known. It is kept raw: nothing else
// in the state may contain a whole sentence.
type Deferred struct {
	// Event is the raw event, in the engine's encoding.
	Event []byte
	// Remote is what remote tiers answered about it, in the engine's encoding; nil if none was
	// asked.
	Remote   []byte
	Position RecordPosition
}

// RecordPosition is what the caller of the engine needs to know about a deferred event when
// it is released, by then perhaps in another process.
type RecordPosition struct {
	// Utterances counts the call's utterances when the event came, with it.
	Utterances int64
	// Clock is the caller's event-time clock at that time, in ms.
	Clock int64
	// Offset and TimestampMS are those of the event's record, if it has one.
	Offset, TimestampMS int64
	// Ended reports whether the call was over when the event came, and Closes whether the event
	// ended it.
	Ended, Closes bool
}

// Bounds of the deferred events of one call.
const (
	// MaxDeferred bounds the events.
	MaxDeferred = 16
	// MaxDeferredBytes bounds their encoded forms together, so that a state with them fits a
	// Kafka message.
	MaxDeferredBytes = 32 << 10
	// MaxStaged and MaxStagedBytes bound those that wait only until they are in the sealed state
	// with the answers of the remote tiers.
	MaxStaged      = 256
	MaxStagedBytes = 256 << 10
)

// Deferred returns the deferred events, oldest first. The slice must not be written to.
func (c *Call) Deferred() []Deferred { return c.deferred }

// Defer adds an event behind those that are deferred already. It reports whether there was
// room for it.
func (c *Call) Defer(h Deferred) bool { return c.deferWithin(h, MaxDeferred, MaxDeferredBytes) }

// Stage is Defer for an event that waits only until it is in the sealed state.
func (c *Call) Stage(h Deferred) bool { return c.deferWithin(h, MaxStaged, MaxStagedBytes) }

func (c *Call) deferWithin(h Deferred, events, bytes int) bool {
	size := len(h.Event) + len(h.Remote)
	for i := range c.deferred {
		size += len(c.deferred[i].Event) + len(c.deferred[i].Remote)
	}
	if len(c.deferred) >= events || size > bytes || len(h.Event) == 0 {
		return false
	}
	c.deferred = append(c.deferred[:len(c.deferred):len(c.deferred)], h)
	return true
}

// ClearDeferred removes the deferred events.
func (c *Call) ClearDeferred() { c.deferred = nil }

type wireDeferred struct {
	Event       []byte `cbor:"1,keyasint"`
	Utterances  int64  `cbor:"2,keyasint,omitempty"`
	Clock       int64  `cbor:"3,keyasint,omitempty"`
	Offset      int64  `cbor:"4,keyasint,omitempty"`
	TimestampMS int64  `cbor:"5,keyasint,omitempty"`
	Remote      []byte `cbor:"6,keyasint,omitempty"`
	Ended       bool   `cbor:"7,keyasint,omitempty"`
	Closes      bool   `cbor:"8,keyasint,omitempty"`
}

func (h *Deferred) wire() wireDeferred {
	at := &h.Position
	return wireDeferred{h.Event, at.Utterances, at.Clock, at.Offset, at.TimestampMS, h.Remote, at.Ended, at.Closes}
}

func (w *wireDeferred) deferred() Deferred {
	at := RecordPosition{w.Utterances, w.Clock, w.Offset, w.TimestampMS, w.Ended, w.Closes}
	return Deferred{w.Event, w.Remote, at}
}
