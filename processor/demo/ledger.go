package demo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sotto/risk"
	"sotto/schemas"
)

// ledger compares what went in with what came out. It is not safe for concurrent
// use.
type ledger struct {
	// waiting has the messages with each key whose output has not come yet, in the order of playing: more
	// than one where the input repeats itself.
	waiting map[schemas.EventKey][]*message
	// over has the calls that have come out, true for those whose END has; last has the place of the
	// message of each that came out last.
	over map[string]bool
	last map[string]int
	// sent counts the messages, of which due must come out and the others are interim hypotheses.
	sent, due, clean, dead int
	// doubled counts the outputs after the last one that was due.
	doubled, disorder, outOfNowhere int
	types                           map[string]*typeCount
	// missed has, by call ID, what was not masked in generated calls; estimates has the risk of the
	// calls that ended, as the stream estimates it.
	missed    map[string]*risk.Transcript
	estimates []float64
	people    people
}

// keyOf returns the key of the clean event of a message.
func keyOf(m *message) schemas.EventKey {
	return schemas.EventKey{CallID: m.event.CallID, Seq: m.event.Seq, Type: m.event.Type}
}

type typeCount struct {
	infoType string
	masked   int // tags in clean events
	// said, whole and partly count the labelled spans: those said, those
	// masked as a whole and those of which some was masked.
	said, whole, partly int
}

func newLedger() *ledger {
	return &ledger{waiting: map[schemas.EventKey][]*message{}, over: map[string]bool{}, last: map[string]int{}, types: map[string]*typeCount{}, missed: map[string]*risk.Transcript{},
		people: people{tags: map[inCall]map[string]bool{}, persons: map[inCall]map[string]bool{}}}
}

// expect records that a message is sent. A message without an event can only come
// out as a dead letter.
func (l *ledger) expect(m *message) {
	l.sent++
	if m.event != nil && m.event.Interim() {
		return
	}
	l.due++
	if m.event == nil {
		return
	}
	m.index = l.sent
	l.waiting[keyOf(m)] = append(l.waiting[keyOf(m)], m)
}

// cleaned records a clean event and returns the message that it came from, nil if
// there is none.
func (l *ledger) cleaned(c *schemas.CleanEvent) *message {
	if c.Call != nil && c.Call.EstimatedRisk != nil {
		l.estimates = append(l.estimates, *c.Call.EstimatedRisk)
	}
	if c.Call != nil && c.Call.ClosedBy == schemas.ClosedByIdle {
		return nil
	}
	l.clean++
	l.over[c.CallID] = l.over[c.CallID] || c.Type == schemas.End
	for i := range c.Entities {
		l.typeCount(c.Entities[i].Type).masked++
	}
	waiting, known := l.waiting[c.Key()]
	switch {
	case !known:
		l.outOfNowhere++
		return nil
	case len(waiting) == 0:
		l.doubled++
		return nil
	}
	m := waiting[0]
	l.waiting[c.Key()] = waiting[1:]
	if m.index < l.last[c.CallID] {
		l.disorder++
	}
	l.last[c.CallID] = m.index
	if m.stamp {
		l.measure(m, c)
		l.people.add(m, c)
	}
	return m
}

func (l *ledger) out() int { return l.clean + l.dead }

// complete reports whether the outcome of every message that was sent is known.
func (l *ledger) complete() bool { return l.out() >= l.due }

// verify compares what came out with what went in. Call it when no more output can
// come.
func (l *ledger) verify() error {
	doubled := l.doubled
	lost := l.due - (l.clean - doubled - l.outOfNowhere) - l.dead
	if lost < 0 { // a dead letter of an event that also came out
		doubled -= lost
	}
	var bad []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{lost, "lost"},
		{doubled, "came out more than once"},
		{l.disorder, "came out before an earlier one of their call"},
		{l.outOfNowhere, "came out that never went in, or should have been dropped"},
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

func (l *ledger) typeCount(infoType string) *typeCount {
	t := l.types[infoType]
	if t == nil {
		t = &typeCount{infoType: infoType}
		l.types[infoType] = t
	}
	return t
}

func (l *ledger) byFrequency() []*typeCount {
	return slices.SortedFunc(maps.Values(l.types), func(a, b *typeCount) int {
		return cmp.Or(b.masked-a.masked, cmp.Compare(a.infoType, b.infoType))
	})
}

// measure compares the masks of a clean event with what is personal in the raw text of a generated
// call. Spaces and punctuation reveal nothing and need not be masked.
func (l *ledger) measure(m *message, c *schemas.CleanEvent) {
	call := l.missed[c.CallID]
	if call == nil {
		call = &risk.Transcript{ID: c.CallID, Context: m.event.Context}
		l.missed[c.CallID] = call
	}
	text := []rune(m.event.Text)
	masked := make([]bool, len(text))
	for i := range c.Entities {
		if k := &c.Entities[i]; k.RawStart != nil && k.RawEnd != nil {
			for at := max(0, *k.RawStart); at < min(len(text), *k.RawEnd); at++ {
				masked[at] = true
			}
		}
	}
	for _, g := range m.gold {
		var left strings.Builder
		hidden := false
		for at := g.Start; at < g.End; at++ {
			switch r := text[at]; {
			case unicode.IsSpace(r) || unicode.IsPunct(r):
				left.WriteByte(' ')
			case masked[at]:
				hidden = true
				left.WriteByte(' ')
			default:
				left.WriteRune(r)
			}
		}
		t := l.typeCount(g.Type)
		t.said++
		value := strings.Join(strings.Fields(left.String()), " ")
		switch {
		case value == "":
			t.whole++
			continue
		case hidden:
			t.partly++
		}
		call.Missed = append(call.Missed, risk.Annotation{
			Piece: risk.Piece{Type: g.Type, Value: value, Partial: hidden, Speaker: g.OfSpeaker},
		})
	}
}

// risks describes the residual risk of the calls that are over: by what was missed in generated
// calls, by the estimates of the stream in others. Calls that were played in part would look safer
// than they are.
func (l *ledger) risks() risk.Statistics {
	if len(l.missed) == 0 {
		slices.Sort(l.estimates) // sums of floats depend on the order
		return risk.Summarize(l.estimates)
	}
	var calls []risk.Transcript
	for _, id := range slices.Sorted(maps.Keys(l.missed)) {
		if l.over[id] {
			calls = append(calls, *l.missed[id])
		}
	}
	return risk.Table6().Assess(calls).Total.Statistics
}
