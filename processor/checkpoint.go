package processor

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// checkpoint is the metadata of a committed offset: what a restore must find. It
// is committed in the same transaction as the states, so the two agree unless
// somebody loses or replaces one of them.
type checkpoint struct {
	clock int64
	// stateTopic is the ID of the state topic, zero if it is not known.
	stateTopic [16]byte
	// calls is the number of calls that have a state, -1 if it is not known.
	calls int
	// graph is the number of calls that the graph of indirect identifiers has counted, -1 if there
	// was none.
	graph int64
}

// checkpointPrefix and the earlier clockPrefix begin the metadata. Offsets that an
// operator sets have neither, which accepts whatever is there.
const (
	checkpointPrefix = "sotto/2 "
	clockPrefix      = "sotto/1 clock="
)

func (p *partition) checkpoint() string {
	m := fmt.Sprintf("%sclock=%d state=%s calls=%d", checkpointPrefix, p.clock, hex.EncodeToString(p.stateTopic[:]), len(p.calls))
	if p.graph != nil {
		m += fmt.Sprintf(" graph=%d", p.graph.Calls())
	}
	return m
}

func parseCheckpoint(metadata *string) checkpoint {
	c := checkpoint{calls: -1, graph: -1}
	if metadata == nil {
		return c
	}
	if text, ok := strings.CutPrefix(*metadata, clockPrefix); ok {
		c.clock, _ = strconv.ParseInt(text, 10, 64)
		return c
	}
	text, ok := strings.CutPrefix(*metadata, checkpointPrefix)
	if !ok {
		return c
	}
	for field := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "clock":
			c.clock, _ = strconv.ParseInt(value, 10, 64)
		case "state":
			if id, err := hex.DecodeString(value); err == nil && len(id) == len(c.stateTopic) {
				c.stateTopic = [16]byte(id)
			}
		case "graph":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				c.graph = n
			}
		case "calls":
			if n, err := strconv.Atoi(value); err == nil {
				c.calls = n
			}
		}
	}
	return c
}

// contradiction returns why the committed offset and the state topic cannot belong
// together, "" if they can: the offset (negative if there is none), the topic's ID,
// and how many records and calls it has.
func (c *checkpoint) contradiction(committed int64, stateTopic [16]byte, records, calls int) string {
	var unknown [16]byte
	switch {
	case committed < 0 && records > 0:
		return "the state topic has states, but the group has no offset. It has expired, was deleted, or the group has another name now. Starting at the beginning would duplicate every event"
	case c.stateTopic != unknown && stateTopic != unknown && c.stateTopic != stateTopic:
		return "the state topic was recreated after the offset was committed. Continuing would number the entities of open calls from 1 again"
	case c.calls > calls:
		return fmt.Sprintf("the offset was committed with the states of %d calls, of which the state topic has %d. Continuing would number the entities of the others from 1 again", c.calls, calls)
	}
	return ""
}
