package mapping

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sotto/schemas"
)

// The sequence numbers of a mapping with order: start are the time at which an event begins, in steps
// of 10 ms, and its lane: who says it. Two who begin at the same time have two numbers, and messages
// that arrive in another order have the numbers of their times.
const (
	step    = 10 // ms
	lanes   = 8
	longest = 24 * 60 * 60 * 1000 // ms

	startSeq = 0
	firstSeq = 1
	endSeq   = firstSeq + (longest/step+1)*lanes
)

// MaxSeq is the largest sequence number that the mapping itself gives, 0 if it gives none.
func (m *Mapping) MaxSeq() int64 {
	if m.file.Order == "start" {
		return endSeq
	}
	return 0
}

// Mark is what the call of an event needs to give it its number and to recognize it if it comes again.
// The zero value is that of an event with a number of its own which is not looked for.
type Mark struct {
	// Next reports that the event gets the number after the largest one of its call.
	Next bool
	// identity is 0 if the event cannot be recognized.
	identity uint64
	content  uint32
	// quiet reports that a revision is no dead letter.
	quiet bool
}

// mark gives an event its number, unless the call does, and returns its mark. part is the number of the
// event within its message.
func (m *Mapping) mark(s scope, r *rule, e *schemas.RawEvent, channel string, part int) (mark Mark, reason string) {
	mark = Mark{quiet: m.file.Revised == ignore}
	number := s.text(r.seq)
	switch {
	case number != "":
		seq, ok := whole(number)
		if !ok {
			return mark, ReasonNoOrder
		}
		e.Seq = seq
	case m.file.Order == "":
		mark.Next = true
		if r.seq != nil && e.Type == schemas.Utterance {
			return mark, ReasonNoOrder
		}
	case e.Type == schemas.Start:
		e.Seq = startSeq
	case e.Type == schemas.End:
		e.Seq = endSeq
	default:
		if e.StartMS == nil || *e.StartMS > longest {
			return mark, ReasonNoOrder
		}
		e.Seq = firstSeq + *e.StartMS/step*lanes + lane(e.Speaker, channel)
	}
	id := s.id(r)
	switch {
	case e.Type != schemas.Utterance:
		mark.identity = hash(string(e.Type))
	case id != nil:
		mark.identity = hash(append(id, "id", strconv.Itoa(part))...)
	case !mark.Next:
		mark.identity = hash("seq", strconv.FormatInt(e.Seq, 10), speakerID(e), strconv.Itoa(part))
	}
	mark.content = uint32(hash(e.Text))
	return mark, ""
}

// id returns the parts of the vendor's identifier of a message, nil if it lacks one: what is left may be that of
// several messages, all but the first of which would be taken for revisions.
func (s scope) id(r *rule) (parts []string) {
	for _, p := range r.id {
		part := identifier(s.pick(p))
		if part == "" {
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}

// identifier returns a value as a part of an identifier, "" if it has nothing. That of an object or a list, such as a time with
// its seconds apart, is its JSON, which has the members in the order of their names.
func identifier(v any) string {
	if !isTree(v) {
		return plain(v)
	}
	text, err := json.Marshal(v)
	if err != nil || len(text) == len("{}") {
		return ""
	}
	return string(text)
}

// whole returns the whole number that a text is, also as 7.0 or 7e0, as some encoders write all numbers.
func whole(s string) (n int64, ok bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	return int64(f), err == nil && math.Abs(f) <= 1<<53 && f == math.Trunc(f)
}

// lane keeps those apart who begin to talk at the same time: by their channel or their role.
func lane(x *schemas.Speaker, channel string) int64 {
	digits := channel[len(strings.TrimRight(channel, "0123456789")):]
	n, err := strconv.Atoi(digits)
	switch {
	case err == nil:
		return int64(n % lanes)
	case x == nil || x.Role == schemas.RoleAgent:
		return 0
	case x.Role == schemas.RoleCustomer:
		return 1
	}
	return int64(hash(x.ID) % lanes)
}

func speakerID(e *schemas.RawEvent) string {
	if e.Speaker == nil {
		return ""
	}
	return e.Speaker.ID
}

func hash(parts ...string) uint64 {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d %s", len(p), p)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// Window is what a call remembers of the events of its latest messages, so that one that is sent again
// is recognized: for each, in this order, 8 bytes for its identity, 4 for its text and 4 for its number.
type Window string

const (
	windowEntry = 16
	// windowSize bounds the messages that a call remembers. Platforms repeat a message within minutes.
	windowSize = 64
)

// Verdict says whether a call had an event before.
type Verdict uint8

// Verdicts.
const (
	// Fresh: it is new.
	Fresh Verdict = iota
	// Repeated: it is as it was.
	Repeated
	// Revised: its text was another one.
	Revised
	// RevisedQuietly is Revised, and the mapping says that it is ignored.
	RevisedQuietly
)

// Judge says whether a call that remembers w has an event already. If it has not, Judge gives it the
// number that it gets in the call: the one after last, which is the largest so far, if the mark asks for
// that, and never one that another event has.
func (w Window) Judge(e *schemas.RawEvent, mark Mark, last int64) Verdict {
	taken := map[uint32]bool{}
	for entry := range slices.Chunk([]byte(w), windowEntry) {
		taken[binary.BigEndian.Uint32(entry[12:])] = true
		switch {
		case mark.identity == 0 || binary.BigEndian.Uint64(entry) != mark.identity:
		case binary.BigEndian.Uint32(entry[8:]) == mark.content:
			return Repeated
		case mark.quiet:
			return RevisedQuietly
		default:
			return Revised
		}
	}
	if mark.Next {
		e.Seq = last + 1
	}
	for mark.identity != 0 && taken[uint32(e.Seq)] {
		e.Seq++
	}
	return Fresh
}

// With returns the window after an event that was judged to be fresh.
func (w Window) With(e *schemas.RawEvent, mark Mark) Window {
	if mark.identity == 0 {
		return w
	}
	if len(w) >= windowSize*windowEntry {
		w = w[windowEntry:]
	}
	b := binary.BigEndian.AppendUint64([]byte(w), mark.identity)
	b = binary.BigEndian.AppendUint32(b, mark.content)
	return Window(binary.BigEndian.AppendUint32(b, uint32(e.Seq)))
}
