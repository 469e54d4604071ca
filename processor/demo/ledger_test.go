package demo

import (
	"errors"
	"strings"
	"testing"

	"sotto/internal/gold"
	"sotto/schemas"
)

func raw(call string, seq int64, text string) *message {
	return &message{event: &schemas.RawEvent{CallID: call, Seq: seq, Type: schemas.Utterance, Text: text}}
}

func clean(call string, seq int64) *schemas.CleanEvent {
	return &schemas.CleanEvent{CallID: call, Seq: seq, Type: schemas.Utterance}
}

// The demo's promise rests on the ledger, so the ledger must notice every way to break the promise.
func TestLedgerNoticesFaults(t *testing.T) {
	final := false
	for name, c := range map[string]struct {
		out  string // what comes out: call and sequence number, or a dead letter
		want string // of the error; empty for none
	}{
		"all well":       {"a1 a2", ""},
		"lost":           {"a1", "1 lost"},
		"doubled":        {"a1 a2 a2", "1 came out more than once"},
		"renumbered":     {"a1 a9", "1 lost, 1 came out that never went in"},
		"disordered":     {"a2 a1", "1 came out before an earlier one"},
		"another call":   {"a1 a2 b1", "1 came out that never went in"},
		"interim":        {"a1 a2 a3", "1 came out that never went in, or should have been dropped"},
		"dead letter":    {"a1 dead", ""},
		"dead and clean": {"a1 a2 dead", "1 came out more than once"},
		"dead twice":     {"a1 dead dead", "1 came out more than once"},
		"idle end":       {"a1 a2 idle", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger()
			interim := raw("a", 3, "x")
			interim.event.Final = &final
			for _, m := range []*message{raw("a", 1, "x"), raw("a", 2, "x"), interim} {
				l.expect(m)
			}
			for out := range strings.FieldsSeq(c.out) {
				switch out {
				case "dead":
					l.dead++
				case "idle":
					l.cleaned(&schemas.CleanEvent{CallID: "a", Seq: 4, Type: schemas.End, Call: &schemas.CallSummary{ClosedBy: schemas.ClosedByIdle}})
				default:
					l.cleaned(clean(out[:1], int64(out[1]-'0')))
				}
			}
			err := l.verify()
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
	l := newLedger()
	l.expect(&message{line: []byte("?")})
	l.expect(&message{line: []byte("?")})
	l.dead++
	if err := l.verify(); !errors.Is(err, ErrNotExactlyOnce) || l.complete() {
		t.Errorf("a line without dead letter: %v", err)
	}
	l.dead++
	if err := l.verify(); err != nil || !l.complete() {
		t.Error(err)
	}
}

func TestLedgerMeasuresLabelledSpans(t *testing.T) {
	l := newLedger()
	m := raw("a", 1, "0123456789")
	m.stamp = true
	m.gold = []gold.Span{{Start: 0, End: 3, Type: "SSN"}, {Start: 4, End: 7, Type: "SSN"}, {Start: 8, End: 10, Type: "SSN"}}
	l.expect(m)
	at := func(start, end int) schemas.Entity {
		return schemas.Entity{Type: "SSN", RawStart: &start, RawEnd: &end}
	}
	c := clean("a", 1)
	c.Entities = []schemas.Entity{at(0, 2), at(2, 3), at(5, 6)}
	l.cleaned(c)
	want := typeCount{infoType: "SSN", masked: 3, said: 3, whole: 1, partly: 1}
	if got := l.byFrequency(); len(got) != 1 || *got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
