package demo

import (
	"errors"
	"strings"
	"testing"

	"sotto/corpus/gold"
	"sotto/schemas"
)

func raw(call string, seq int64, text string) *message {
	return &message{key: call, event: &schemas.RawEvent{CallID: call, Seq: seq, Type: schemas.Utterance, Text: text}}
}

func clean(call string, seq int64) *schemas.CleanEvent {
	return &schemas.CleanEvent{CallID: call, Seq: seq, Type: schemas.Utterance}
}

// The demo's promise rests on the ledger, so the ledger must notice every way to break the promise.
func TestLedgerNoticesFaults(t *testing.T) {
	final := false
	interim := raw("a", 3, "x")
	interim.event.Final = &final
	for name, c := range map[string]struct {
		out  func(l *ledger)
		want string // of the error; empty for none
	}{
		"all well":     {func(l *ledger) { l.clean(clean("a", 1)); l.clean(clean("a", 2)) }, ""},
		"lost":         {func(l *ledger) { l.clean(clean("a", 1)) }, "1 lost"},
		"doubled":      {func(l *ledger) { l.clean(clean("a", 1)); l.clean(clean("a", 2)); l.clean(clean("a", 2)) }, "1 came out more than once"},
		"renumbered":   {func(l *ledger) { l.clean(clean("a", 1)); l.clean(clean("a", 9)) }, "1 lost, 1 came out that never went in"},
		"disordered":   {func(l *ledger) { l.clean(clean("a", 2)); l.clean(clean("a", 1)) }, "1 came out before an earlier one"},
		"another call": {func(l *ledger) { l.clean(clean("a", 1)); l.clean(clean("a", 2)); l.clean(clean("b", 1)) }, "1 came out that never went in"},
		"interim":      {func(l *ledger) { l.clean(clean("a", 1)); l.clean(clean("a", 2)); l.clean(clean("a", 3)) }, "1 are interim"},
		"dead letter":  {func(l *ledger) { l.clean(clean("a", 1)); l.deadLetter(&schemas.DeadLetter{Offset: 1}) }, ""},
		"dead and clean": {func(l *ledger) {
			l.clean(clean("a", 1))
			l.clean(clean("a", 2))
			l.deadLetter(&schemas.DeadLetter{Offset: 1})
		}, "1 came out more than once"},
		"dead twice": {func(l *ledger) {
			l.clean(clean("a", 1))
			l.deadLetter(&schemas.DeadLetter{Offset: 1})
			l.deadLetter(&schemas.DeadLetter{Offset: 1})
		}, "1 came out more than once"},
		"dead of nothing": {func(l *ledger) {
			l.clean(clean("a", 1))
			l.clean(clean("a", 2))
			l.deadLetter(&schemas.DeadLetter{Offset: 7})
		}, "1 came out that never went in"},
		"idle end": {func(l *ledger) {
			l.clean(clean("a", 1))
			l.clean(clean("a", 2))
			l.clean(&schemas.CleanEvent{CallID: "a", Seq: 4, Type: schemas.End, Call: &schemas.CallSummary{ClosedBy: schemas.ClosedByIdle}})
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger()
			p := &player{places: map[place]*message{}}
			for i, m := range number([]*message{raw("a", 1, "x"), raw("a", 2, "x"), interim}) {
				l.expect(m)
				p.places[place{0, int64(i)}] = m
			}
			c.out(l)
			err := l.verify(p)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (!errors.Is(err, ErrNotExactlyOnce) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestLedgerWithBadLines(t *testing.T) {
	p := &player{places: map[place]*message{}}
	l := newLedger()
	for i, m := range []*message{{line: []byte("?")}, {line: []byte("?")}} {
		l.expect(m)
		p.places[place{2, int64(i)}] = m
	}
	l.deadLetter(&schemas.DeadLetter{Partition: 2, Offset: 0})
	if err := l.verify(p); !errors.Is(err, ErrNotExactlyOnce) {
		t.Errorf("a line without dead letter: %v", err)
	}
	l = newLedger()
	for _, m := range p.places {
		l.expect(m)
	}
	l.deadLetter(&schemas.DeadLetter{Partition: 2, Offset: 0})
	l.deadLetter(&schemas.DeadLetter{Partition: 2, Offset: 1})
	if !l.complete() {
		t.Error("messages are still expected")
	}
	if err := l.verify(p); err != nil {
		t.Error(err)
	}
}

func TestLedgerForgetsUnsentMessages(t *testing.T) {
	l := newLedger()
	a, b := raw("a", 1, "x"), raw("a", 2, "x")
	l.expect(a)
	l.expect(b)
	l.forget(b)
	l.clean(clean("a", 1))
	if !l.complete() {
		t.Error("messages are still expected")
	}
	if err := l.verify(&player{}); err != nil {
		t.Error(err)
	}
}

func TestLedgerMeasuresLabelledSpans(t *testing.T) {
	l := newLedger()
	m := raw("a", 1, "0123456789")
	m.labelled = true
	m.gold = []gold.Span{{Start: 0, End: 3, Type: "SSN"}, {Start: 4, End: 7, Type: "SSN"}, {Start: 8, End: 10, Type: "SSN"}, {Start: 3, End: 4, Type: "DATE"}}
	l.expect(m)
	at := func(start, end int) schemas.Entity {
		return schemas.Entity{Type: "SSN", RawStart: &start, RawEnd: &end}
	}
	c := clean("a", 1)
	c.Entities = []schemas.Entity{at(0, 2), at(2, 3), at(5, 6)}
	l.clean(c)
	want := TypeCount{Type: "SSN", Masked: 3, Said: 3, Whole: 1, Partly: 1}
	if got := l.types(); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
