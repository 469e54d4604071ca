package partition

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Checkpoint is the metadata of a committed offset: what a restore must find. It
// is committed in the same transaction as the states, so the two agree unless
// somebody loses or replaces one of them.
type Checkpoint struct {
	// Clock is the time of the partition, and Clocks those of its producers then, "" if they are
	// not known.
	Clock  int64
	Clocks string
	// StateTopic is the ID of the state topic, zero if it is not known.
	StateTopic [16]byte
	// Partitions is how many partitions the raw topic had, 0 if that is not known.
	Partitions int
	// Calls is the number of calls that have a state, -1 if it is not known.
	Calls int
	// Graph is the number of calls that the graph of indirect identifiers has counted, -1 if there
	// was none.
	Graph int64
}

// checkpointPrefix and the earlier clockPrefix begin the metadata. Offsets that an
// operator sets have neither, which accepts whatever is there.
const (
	checkpointPrefix = "sotto/2 "
	clockPrefix      = "sotto/1 clock="
)

// Checkpoint is that of the partition now.
func (p *Partition) Checkpoint() Checkpoint {
	c := Checkpoint{Clock: p.calls.Clock, Clocks: p.clocks(), StateTopic: p.StateTopic, Partitions: p.Partitions, Calls: p.calls.Len(), Graph: -1}
	if p.Graph != nil {
		c.Graph = int64(p.Graph.Calls())
	}
	return c
}

// String is the metadata.
func (c Checkpoint) String() string {
	m := fmt.Sprintf("%sclock=%d state=%s calls=%d", checkpointPrefix, c.Clock, hex.EncodeToString(c.StateTopic[:]), c.Calls)
	if c.Partitions > 0 {
		m += fmt.Sprintf(" partitions=%d", c.Partitions)
	}
	if c.Clocks != "" {
		m += " clocks=" + c.Clocks
	}
	if c.Graph >= 0 {
		m += fmt.Sprintf(" graph=%d", c.Graph)
	}
	return m
}

func ParseCheckpoint(metadata *string) Checkpoint {
	c := Checkpoint{Calls: -1, Graph: -1}
	if metadata == nil {
		return c
	}
	if text, ok := strings.CutPrefix(*metadata, clockPrefix); ok {
		c.Clock, _ = strconv.ParseInt(text, 10, 64)
		return c
	}
	text, ok := strings.CutPrefix(*metadata, checkpointPrefix)
	if !ok {
		return c
	}
	for field := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(field, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case name == "clocks":
			c.Clocks = value
		case name == "state":
			if id, err := hex.DecodeString(value); err == nil && len(id) == len(c.StateTopic) {
				c.StateTopic = [16]byte(id)
			}
		case err != nil:
		case name == "clock":
			c.Clock = n
		case name == "partitions":
			c.Partitions = int(n)
		case name == "graph":
			c.Graph = n
		case name == "calls":
			c.Calls = int(n)
		}
	}
	return c
}

// Contradiction returns why the committed offset and the state topic cannot belong
// together, "" if they can: the offset (negative if there is none), the topic's ID,
// and how many records and calls it has.
func (c *Checkpoint) Contradiction(committed int64, stateTopic [16]byte, records, calls int) string {
	var unknown [16]byte
	switch {
	case committed < 0 && records > 0:
		return "the state topic has states, but the group has no offset. It has expired, was deleted, or the group has another name now. Starting at the beginning would duplicate every event"
	case c.StateTopic != unknown && stateTopic != unknown && c.StateTopic != stateTopic:
		return "the state topic was recreated after the offset was committed. Continuing would number the entities of open calls from 1 again"
	case c.Calls > calls:
		return fmt.Sprintf("the offset was committed with the states of %d calls, of which the state topic has %d. Continuing would number the entities of the others from 1 again", c.Calls, calls)
	}
	return ""
}
