package state

// Deferred is an event that is held back until later events are known. It is kept raw: nothing else
// in the state may contain a whole sentence.
type Deferred struct {
	// Event is the raw event, in the engine's encoding.
	Event    []byte
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
}

// Bounds of the deferred events of one call.
const (
	// MaxDeferred bounds the events.
	MaxDeferred = 16
	// MaxDeferredBytes bounds their encoded forms together, so that a state with them fits a
	// Kafka message.
	MaxDeferredBytes = 32 << 10
)

// Deferred returns the deferred events, oldest first. The slice must not be written to.
func (c *Call) Deferred() []Deferred { return c.deferred }

// Defer adds an event behind those that are deferred already. It reports whether there was
// room for it.
func (c *Call) Defer(h Deferred) bool {
	size := len(h.Event)
	for i := range c.deferred {
		size += len(c.deferred[i].Event)
	}
	if len(c.deferred) >= MaxDeferred || size > MaxDeferredBytes || len(h.Event) == 0 {
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
}

func (h *Deferred) wire() wireDeferred {
	return wireDeferred{h.Event, h.Position.Utterances, h.Position.Clock, h.Position.Offset, h.Position.TimestampMS}
}

func (w *wireDeferred) deferred() Deferred {
	return Deferred{w.Event, RecordPosition{w.Utterances, w.Clock, w.Offset, w.TimestampMS}}
}
