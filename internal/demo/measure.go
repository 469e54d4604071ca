package demo

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sotto/risk"
	"sotto/schemas"
)

// missed has, by call ID, what was not masked in labelled calls.
type missed map[string]*risk.Call

// call adds a call, so that calls without misses count too.
func (m missed) call(ev *schemas.RawEvent) *risk.Call {
	c := m[ev.CallID]
	if c == nil {
		c = &risk.Call{ID: ev.CallID}
		m[ev.CallID] = c
	}
	c.Context = cmp.Or(c.Context, ev.Context)
	return c
}

// report assesses the residual risk in the calls that are over. The others were played in part, which
// would make them look safer than they are.
func (m missed) report(over map[string]bool) *risk.Report {
	calls := make([]risk.Call, 0, len(m))
	for _, id := range slices.Sorted(maps.Keys(m)) {
		if over[id] {
			calls = append(calls, *m[id])
		}
	}
	return risk.Table6().Assess(calls)
}

// unscored are labels of the corpora that are not personal information or are off
// by default.
var unscored = map[string]bool{"DATE": true, "TIME": true, "MONEY": true, "OTHER": true, "GENDER": true, "ETHNIC_GROUP": true}

// measure compares the masks of a clean event with the labels of the raw text.
// Spaces and punctuation reveal nothing and need not be masked.
func (l *ledger) measure(m *message, c *schemas.CleanEvent) {
	call := l.missed.call(m.event)
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
		if unscored[g.Type] {
			continue
		}
		var left strings.Builder
		hidden := 0
		for at := g.Start; at < g.End; at++ {
			switch r := text[at]; {
			case unicode.IsSpace(r) || unicode.IsPunct(r):
				left.WriteByte(' ')
			case masked[at]:
				hidden++
				left.WriteByte(' ')
			default:
				left.WriteRune(r)
			}
		}
		t := l.typeCount(g.Type)
		t.Said++
		value := strings.Join(strings.Fields(left.String()), " ")
		switch {
		case value == "":
			t.Whole++
			continue
		case hidden > 0:
			t.Partly++
		}
		call.Missed = append(call.Missed, risk.Annotation{
			Piece: risk.Piece{Type: g.Type, Value: value, Partial: hidden > 0, Speaker: g.OfSpeaker},
		})
	}
}
