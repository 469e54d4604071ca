package demo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sotto/schemas"
)

// ledger compares what went in with what came out. It is not safe for concurrent
// use.
type ledger struct {
	entries map[eventKey]*entry
	sent    int // messages known to be sent
	// lastIndex has, by call, the message whose output came last.
	lastIndex map[string]int
	deadAt    []place
	// over has the calls whose END has come out.
	over map[string]bool

	// Calls counts the ENDs sent, Ended those that have come out.
	Calls, Ended, Clean, Dead, Interim, IdleEnds, Utterances int

	entities map[string]*TypeCount
	missed   missed
	verdicts verdicts

	outOfNowhere, disorder, interimOut int
}

type eventKey struct {
	call string
	seq  int64
}

// entry counts the messages with one call ID and sequence number: more than
// one where the input repeats itself.
type entry struct {
	due, clean, dead int
	interim          bool
	messages         []*message // those whose output has not come yet
}

// TypeCount has the counts of an infoType.
type TypeCount struct {
	Type   string
	Masked int // tags in clean events
	// Said, Whole and Partly count the labelled spans: those said, those
	// masked as a whole and those of which some was masked.
	Said, Whole, Partly int
}

func newLedger() *ledger {
	return &ledger{entries: map[eventKey]*entry{}, lastIndex: map[string]int{}, over: map[string]bool{}, entities: map[string]*TypeCount{}, missed: missed{}, verdicts: verdicts{}}
}

// expect records that a message is sent. A message without an event can only come
// out as a dead letter.
func (l *ledger) expect(m *message) {
	l.sent++
	if m.event == nil {
		return
	}
	if m.event.Interim() {
		l.Interim++
	}
	if m.event.Type == schemas.End {
		l.Calls++
	}
	k := eventKey{m.event.CallID, m.event.Seq}
	e := l.entries[k]
	if e == nil {
		e = &entry{}
		l.entries[k] = e
	}
	if m.event.Interim() {
		e.interim = true
		return
	}
	e.due++
	e.messages = append(e.messages, m)
}

// forget undoes expect for a message that was never sent.
func (l *ledger) forget(m *message) {
	l.sent--
	if m.event == nil {
		return
	}
	if m.event.Type == schemas.End {
		l.Calls--
	}
	e := l.entries[eventKey{m.event.CallID, m.event.Seq}]
	if m.event.Interim() {
		l.Interim--
		return
	}
	e.due--
	e.messages = slices.DeleteFunc(e.messages, func(o *message) bool { return o == m })
}

// clean records a clean event and returns the message that it came from, nil if
// there is none.
func (l *ledger) clean(c *schemas.CleanEvent) *message {
	l.verdicts.clean(c)
	if c.Call != nil && c.Call.ClosedBy == schemas.ClosedByIdle {
		l.IdleEnds++
		return nil
	}
	l.Clean++
	switch c.Type {
	case schemas.Utterance:
		l.Utterances++
	case schemas.End:
		l.Ended++
		l.over[c.CallID] = true
	}
	for i := range c.Entities {
		l.typeCount(c.Entities[i].Type).Masked++
	}
	e := l.entries[eventKey{c.CallID, c.Seq}]
	switch {
	case e == nil:
		l.outOfNowhere++
		return nil
	case e.due == 0 && e.interim:
		l.interimOut++
		return nil
	}
	e.clean++
	if len(e.messages) == 0 {
		return nil // a duplicate; verify reports it
	}
	m := e.messages[0]
	e.messages = e.messages[1:]
	if last, ok := l.lastIndex[c.CallID]; ok && m.index < last {
		l.disorder++
	}
	l.lastIndex[c.CallID] = m.index
	if m.labelled {
		l.measure(m, c)
	}
	return m
}

func (l *ledger) deadLetter(d *schemas.DeadLetter) {
	l.Dead++
	l.deadAt = append(l.deadAt, place{d.Partition, d.Offset})
}

// complete reports whether the outcome of every message that was sent is known.
func (l *ledger) complete() bool { return l.out() >= l.sent }

// out counts the messages whose outcome is known.
func (l *ledger) out() int { return l.Clean + l.Dead + l.Interim }

// verify compares what came out with what went in. Call it when no more output can
// come.
func (l *ledger) verify(p *player) error {
	deadLines := 0
	seen := map[place]bool{}
	doubled := 0
	for _, at := range l.deadAt {
		switch m := p.at(at); {
		case seen[at]:
			doubled++
		case m == nil:
			l.outOfNowhere++
		case m.event == nil:
			deadLines++
		default:
			if e := l.entries[eventKey{m.event.CallID, m.event.Seq}]; m.event.Interim() {
				l.interimOut++
			} else {
				e.dead++
			}
		}
		seen[at] = true
	}
	lines := l.sent - l.Interim
	lost := 0
	for _, e := range l.entries {
		lines -= e.due
		if got := e.clean + e.dead; got < e.due {
			lost += e.due - got
		} else {
			doubled += got - e.due
		}
	}
	if lines > deadLines {
		lost += lines - deadLines
	}
	var bad []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{lost, "lost"},
		{doubled, "came out more than once"},
		{l.disorder, "came out before an earlier one of their call"},
		{l.interimOut, "are interim hypotheses that should have been dropped"},
		{l.outOfNowhere, "came out that never went in"},
	} {
		if c.n > 0 {
			bad = append(bad, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("%w: of %d events %s", ErrNotExactlyOnce, l.sent, strings.Join(bad, ", "))
	}
	return nil
}

// ErrNotExactlyOnce means that the outputs are not exactly one per raw event.
var ErrNotExactlyOnce = errors.New("the events did not come out exactly once")

func (l *ledger) typeCount(infoType string) *TypeCount {
	t := l.entities[infoType]
	if t == nil {
		t = &TypeCount{Type: infoType}
		l.entities[infoType] = t
	}
	return t
}

// types are the counts by infoType, the most masked one first.
func (l *ledger) types() []TypeCount {
	var list []TypeCount
	for _, t := range l.entities {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b TypeCount) int {
		if a.Masked != b.Masked {
			return b.Masked - a.Masked
		}
		return strings.Compare(a.Type, b.Type)
	})
	return list
}
