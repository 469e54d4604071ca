package state

// Turn is what later turns need to know of an earlier one. Its meaning is the tagger's; the state
// only keeps it.
type Turn struct {
	Speaker SpeakerID `cbor:"1,keyasint,omitempty"`
	// Seq is the sequence number of its event; TimeMS when it ended, -1 if it had no time.
	Seq    int64 `cbor:"2,keyasint,omitempty"`
	TimeMS int64 `cbor:"3,keyasint,omitempty"`
	// Asked is what it asks for, Kinds what it contains and End what is at its end.
	Asked uint32 `cbor:"4,keyasint,omitempty"`
	Kinds uint16 `cbor:"5,keyasint,omitempty"`
	End   uint8  `cbor:"6,keyasint,omitempty"`
}

// maxTurns bounds the turns that a call remembers.
const maxTurns = 8

// Turns returns the last turns that asked for something or contained something, oldest first. The
// slice must not be written to and is valid until the next AddTurn.
func (c *Call) Turns() []Turn { return c.turns }

// AddTurn remembers a turn and forgets the oldest of more than eight.
func (c *Call) AddTurn(t Turn) {
	own(c, turnsField, &c.turns, 3)
	if len(c.turns) >= maxTurns {
		n := copy(c.turns, c.turns[len(c.turns)+1-maxTurns:])
		c.turns = c.turns[:n]
	}
	c.turns = append(c.turns, t)
	c.others++
}
