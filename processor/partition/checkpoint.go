package partition

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Checkpoint is the metadata of a committed offset: what a restore must find. It
// is committed in the same transaction as the states, so the two agree unless
// somebody loses or replaces one of them.
type Checkpoint struct {
	// Known is false for an offset that somebody else has committed.
	Known bool
	// Next is the offset itself, -1 if it is not known, and RawTopic the ID of the raw topic. They
	// tell what the stream has committed last, beside an offset of somebody else.
	Next     int64
	RawTopic [16]byte
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
	// States and Grams say what the state topic must hold, and that of the graph.
	States, Grams Contents
}

// Contents say what a partition of a compacted topic must hold. A broker that becomes the leader
// although it lacks records (an unclean election) cuts the log off; it may be longer than before
// when somebody looks.
type Contents struct {
	// End is an offset before which the brokers have acknowledged records, 0 if it is not known.
	End int64
	// Sum is that of the digests of the last record of each key, nil if it is not known.
	Sum *uint64
}

// cutOff returns why the contents cannot be those of a log with this end, "" if they can.
func (c *Contents) cutOff(end int64) string {
	if end < c.End {
		return fmt.Sprintf("it ends at offset %d, although the brokers have acknowledged what is before offset %d: a broker without the latest records became its leader", end, c.End)
	}
	return ""
}

// lost returns why the contents cannot be those of a log with this end and sum, "" if they can.
func (c *Contents) lost(end int64, sum uint64) string {
	switch {
	case end < c.End:
		return c.cutOff(end)
	case c.Sum != nil && *c.Sum != sum:
		return "it does not hold what it held when the offset was committed: records were lost, as by a broker that became its leader without the latest ones, or replaced"
	}
	return ""
}

func (c *Contents) text(name string) (m string) {
	if c.End > 0 {
		m = fmt.Sprintf(" %s.end=%d", name, c.End)
	}
	if c.Sum != nil {
		m += fmt.Sprintf(" %s.sum=%x", name, *c.Sum)
	}
	return m
}

func (c *Contents) parse(field, value string) {
	switch field {
	case "end":
		c.End, _ = strconv.ParseInt(value, 10, 64)
	case "sum":
		if n, err := strconv.ParseUint(value, 16, 64); err == nil {
			c.Sum = &n
		}
	}
}

// checkpointPrefix and the earlier clockPrefix begin the metadata. Offsets that an
// operator or another consumer sets have neither.
const (
	checkpointPrefix = "sotto/2 "
	clockPrefix      = "sotto/1 clock="
)

// Checkpoint is that of the partition now.
func (p *Partition) Checkpoint() Checkpoint {
	c := Checkpoint{Known: true, Next: p.Next, RawTopic: p.RawTopic, Clock: p.calls.Clock, Clocks: p.clocks(),
		StateTopic: p.StateTopic, Partitions: p.Partitions, Calls: p.calls.Len(), Graph: -1}
	c.States = Contents{p.StateEnd, new(p.pendingSum())}
	if p.Graph != nil {
		c.Graph = int64(p.Graph.Calls())
		c.Grams = Contents{p.GraphEnd, new(p.Graph.Sum())}
	}
	return c
}

// String is the metadata.
func (c Checkpoint) String() string {
	m := fmt.Sprintf("%sclock=%d state=%s calls=%d", checkpointPrefix, c.Clock, hex.EncodeToString(c.StateTopic[:]), c.Calls)
	if c.Next >= 0 {
		m += fmt.Sprintf(" next=%d raw=%s", c.Next, hex.EncodeToString(c.RawTopic[:]))
	}
	if c.Partitions > 0 {
		m += fmt.Sprintf(" partitions=%d", c.Partitions)
	}
	if c.Clocks != "" {
		m += " clocks=" + c.Clocks
	}
	if c.Graph >= 0 {
		m += fmt.Sprintf(" graph=%d", c.Graph)
	}
	return m + c.States.text("states") + c.Grams.text("grams")
}

// Unknown is the checkpoint of an offset that an operator has set: it accepts whatever states there
// are.
func Unknown() Checkpoint { return Checkpoint{Next: -1, Calls: -1, Graph: -1} }

// Timed is Unknown with the time of the partition.
func (c *Checkpoint) Timed() Checkpoint {
	u := Unknown()
	u.Clock, u.Clocks = c.Clock, c.Clocks
	return u
}

func ParseCheckpoint(metadata *string) Checkpoint {
	c := Unknown()
	if metadata == nil {
		return c
	}
	if text, ok := strings.CutPrefix(*metadata, clockPrefix); ok {
		c.Known = true
		c.Clock, _ = strconv.ParseInt(text, 10, 64)
		return c
	}
	text, ok := strings.CutPrefix(*metadata, checkpointPrefix)
	if !ok {
		return c
	}
	c.Known = true
	for field := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(field, "=")
		if topic, what, ok := strings.Cut(name, "."); ok {
			switch topic {
			case "states":
				c.States.parse(what, value)
			case "grams":
				c.Grams.parse(what, value)
			}
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case name == "clocks":
			c.Clocks = value
		case name == "state":
			parseTopicID(&c.StateTopic, value)
		case name == "raw":
			parseTopicID(&c.RawTopic, value)
		case err != nil:
		case name == "clock":
			c.Clock = n
		case name == "next":
			c.Next = n
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

func parseTopicID(id *[16]byte, text string) {
	if b, err := hex.DecodeString(text); err == nil && len(b) == len(id) {
		*id = [16]byte(b)
	}
}

// Found is what a restore has found in the state topic: its ID, its end, how many records and calls
// it has, and the sum of its Contents.
type Found struct {
	Topic          [16]byte
	End            int64
	Records, Calls int
	Sum            uint64
}

const renumbers = "Continuing would number the entities of open calls from 1 again"

// CutOff returns why a state topic that ends at an offset cannot be the one of the checkpoint, "" if it can. It
// is known before the topic is read, which may end in a transaction whose end is lost.
func (c *Checkpoint) CutOff(stateTopic [16]byte, end int64) string {
	if why := c.States.cutOff(end); why != "" && c.StateTopic == stateTopic {
		return "the state topic has changed: " + why + ". " + renumbers
	}
	return ""
}

// Contradiction returns why the committed offset, negative if there is none, and the state topic
// cannot belong together, "" if they can.
func (c *Checkpoint) Contradiction(committed int64, found Found) string {
	var unknown [16]byte
	switch {
	case committed < 0 && found.Records > 0:
		return "the state topic has states, but the group has no offset. It has expired, was deleted, or the group has another name now. Starting at the beginning would duplicate every event"
	case c.StateTopic != unknown && found.Topic != unknown && c.StateTopic != found.Topic:
		return "the state topic was recreated after the offset was committed. " + renumbers
	case c.Calls > found.Calls:
		return fmt.Sprintf("the offset was committed with the states of %d calls, of which the state topic has %d. Continuing would number the entities of the others from 1 again", c.Calls, found.Calls)
	}
	if why := c.States.lost(found.End, found.Sum); why != "" {
		return "the state topic has changed: " + why + ". " + renumbers
	}
	return ""
}

// CutOffGraph is CutOff for the graph of indirect identifiers.
func (c *Checkpoint) CutOffGraph(end int64) string {
	if c.Graph < 0 {
		return ""
	}
	return c.Grams.cutOff(end)
}

// LostGraph is Contradiction for the graph of indirect identifiers.
func (c *Checkpoint) LostGraph(end int64, sum uint64) string {
	if c.Graph < 0 {
		return ""
	}
	return c.Grams.lost(end, sum)
}

// Found is what a restore of the partition has found, which has read this many records.
func (p *Partition) Found(records int) Found {
	return Found{p.StateTopic, p.StateEnd, records, p.Size(), p.sum}
}

// digest is a part of the sum of Contents. The last bytes of a sealed record are those of its
// authentication, so they differ between any two.
func digest(sealed []byte) uint32 {
	if len(sealed) < 4 {
		return 0
	}
	return binary.BigEndian.Uint32(sealed[len(sealed)-4:])
}

// pendingSum is the sum of the partition's states after the open transaction.
func (p *Partition) pendingSum() uint64 {
	sum := p.sum
	for _, t := range p.Changed {
		sum += t.Call.digestsAfter() - t.Call.digests()
	}
	return sum
}

// digests is what a call's records add to the sum, and digestsAfter what they do after the open
// transaction.
func (c *Call) digests() uint64 { return uint64(c.stateDigest) + uint64(c.textDigest) }

func (c *Call) digestsAfter() uint64 {
	if c.Gone() {
		return 0
	}
	return uint64(c.nextDigest()) + uint64(c.nextTextDigest())
}

func (c *Call) nextDigest() uint32 {
	if c.MustSeal() {
		return c.sealedDigest
	}
	return c.stateDigest
}

func (c *Call) nextTextDigest() uint32 {
	switch {
	case !c.TextChanged():
		return c.textDigest
	case c.Text.Closing:
		return 0
	}
	return c.textDigest + c.Text.digest
}

// settleDigests makes the digests of the open transaction final.
func (c *Call) settleDigests() {
	c.stateDigest, c.textDigest = c.nextDigest(), c.nextTextDigest()
}
