package state

// Staged is an event that waits in the sealed state with what remote tiers answered about it. It is
// kept raw: nothing else in the state may contain a whole sentence. Former releases also kept events
// here that later ones might continue; those have no answer.
type Staged struct {
	// Event is the raw event, in the engine's encoding.
	Event []byte `cbor:"1,keyasint"`
	// Remote is what remote tiers answered about it, in the engine's encoding; nil if none was
	// asked.
	Remote []byte `cbor:"6,keyasint,omitempty"`
	RecordPosition
}

// RecordPosition is what the caller of the engine needs to know about a staged event when it is
// released, by then perhaps in another process. The key 3 has a time that former releases wrote.
type RecordPosition struct {
	// Utterances counts the call's utterances when the event came, with it.
	Utterances int64 `cbor:"2,keyasint,omitempty"`
	// Offset and TimestampMS are those of the event's record.
	Offset      int64 `cbor:"4,keyasint,omitempty"`
	TimestampMS int64 `cbor:"5,keyasint,omitempty"`
	// Ended reports whether the call was over when the event came, and Closes whether the event
	// ended it.
	Ended  bool `cbor:"7,keyasint,omitempty"`
	Closes bool `cbor:"8,keyasint,omitempty"`
}

// MaxStaged and MaxStagedBytes bound the staged events of a call and their encoded forms together, so
// that a state with them fits a Kafka message.
const (
	MaxStaged      = 256
	MaxStagedBytes = 256 << 10
)

// Staged returns the staged events, oldest first. The slice must not be written to.
func (c *Call) Staged() []Staged { return c.staged }

// Stage adds an event behind those that are staged already. It reports whether there was room for it.
func (c *Call) Stage(s Staged) bool {
	size := len(s.Event) + len(s.Remote)
	for i := range c.staged {
		size += len(c.staged[i].Event) + len(c.staged[i].Remote)
	}
	if len(c.staged) >= MaxStaged || size > MaxStagedBytes || len(s.Event) == 0 {
		return false
	}
	c.staged = append(c.staged[:len(c.staged):len(c.staged)], s)
	return true
}

// ClearStaged removes the staged events.
func (c *Call) ClearStaged() { c.staged = nil }
