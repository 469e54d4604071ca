package state

// Held is an event that waits for what is said after it. It is kept raw, as it
// came: it is the one thing in a memory that may hold a whole sentence.
type Held struct {
	// Event is the raw event, in the engine's encoding.
	Event []byte
	Note  Note
}

// Note is what the caller of the engine wants to know of a held event when it is
// let go, by then perhaps in another process.
type Note struct {
	// Utterances is how many utterances the call had when the event came, with
	// it.
	Utterances int64
	// Clock is the caller's event-time clock then, in ms.
	Clock int64
	// Offset and TimestampMS are those of the event's record, where it has one.
	Offset, TimestampMS int64
}

// Bounds of what is held of one call.
const (
	// MaxHeld bounds the events.
	MaxHeld = 16
	// MaxHeldBytes bounds their encoded forms together, so that a state with
	// them fits a Kafka message.
	MaxHeldBytes = 32 << 10
)

// Held returns the events that wait, oldest first. The slice must not be
// written to.
func (c *Call) Held() []Held { return c.held }

// Hold makes h wait behind those that already do. It does nothing and returns
// false when there is no room for it.
func (c *Call) Hold(h Held) bool {
	size := len(h.Event)
	for i := range c.held {
		size += len(c.held[i].Event)
	}
	if len(c.held) >= MaxHeld || size > MaxHeldBytes || len(h.Event) == 0 {
		return false
	}
	c.held = append(c.held[:len(c.held):len(c.held)], h)
	return true
}

// LetGo empties the queue of the events that wait.
func (c *Call) LetGo() { c.held = nil }

type wireHeld struct {
	Event       []byte `cbor:"1,keyasint"`
	Utterances  int64  `cbor:"2,keyasint,omitempty"`
	Clock       int64  `cbor:"3,keyasint,omitempty"`
	Offset      int64  `cbor:"4,keyasint,omitempty"`
	TimestampMS int64  `cbor:"5,keyasint,omitempty"`
}

func (h *Held) wire() wireHeld {
	return wireHeld{h.Event, h.Note.Utterances, h.Note.Clock, h.Note.Offset, h.Note.TimestampMS}
}

func (w *wireHeld) held() Held {
	return Held{w.Event, Note{w.Utterances, w.Clock, w.Offset, w.TimestampMS}}
}
