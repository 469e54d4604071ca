package demo

import (
	"fmt"
	"io"
	"strings"
)

// report prints what the demo counted, and that it is right if it is.
func (s *stage) report(out io.Writer, verified bool) error {
	l := s.ledger
	var b strings.Builder
	line := func(name string, n int, note string) {
		if note != "" {
			note = "  " + note
		}
		fmt.Fprintf(&b, "  %-26s %8d%s\n", name, n, note)
	}
	b.WriteString("\nCounts\n")
	line("raw events", l.sent, "")
	line("clean events", l.Clean, "")
	line("utterances", l.Utterances, "")
	line("calls that ended", l.Calls, "")
	line("interim hypotheses", l.Interim, "dropped, since a final utterance follows")
	line("dead letters", l.Dead, "")
	if l.IdleEnds > 0 {
		line("calls closed as idle", l.IdleEnds, "")
	}
	if l.Late > 0 {
		line("late events", l.Late, "")
	}
	line("audit events", s.audit, "")
	line("transactions committed", int(s.metric("sotto_transactions_committed_total")), "")
	line("transactions aborted", int(s.metric("sotto_transactions_aborted_total")), "")
	line("tags written", s.status().masked, "")

	types := l.types()
	said := TypeCount{}
	if len(types) > 0 {
		fmt.Fprintf(&b, "\n  %-30s %6s %8s %8s %8s %8s\n", "infoType", "tags", "labelled", "whole", "part", "missed")
	}
	for _, t := range types {
		fmt.Fprintf(&b, "  %-30s %6d %8d %8d %8d %8d\n", t.Type, t.Masked, t.Said, t.Whole, t.Partly, t.Said-t.Whole-t.Partly)
		said.Said, said.Whole, said.Partly = said.Said+t.Said, said.Whole+t.Whole, said.Partly+t.Partly
	}
	if said.Said > 0 {
		fmt.Fprintf(&b, "\n  Of %d labelled spans %d were masked whole (%.1f %%), %d in part and %d not.\n",
			said.Said, said.Whole, 100*float64(said.Whole)/float64(said.Said), said.Partly, said.Said-said.Whole-said.Partly)
	}
	if len(l.missed) > 0 {
		b.WriteString("\nResidual risk of what was missed\n")
		if err := l.missed.report().WriteTable(&b); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b, "\n%d raw events in %.1f s.", l.sent, s.took.Seconds())
	if s.ended {
		b.WriteString(" Stopped before all calls were played.")
	}
	if verified {
		b.WriteString(" Each came out exactly once, in the order of its call.")
	}
	b.WriteString("\n")
	_, err := io.WriteString(out, b.String())
	return err
}
