package demo

import (
	"fmt"
	"strings"
)

// writeStats writes what the demo counted, by infoType and by context.
func (s *stage) writeStats(b *strings.Builder) error {
	l := s.ledger
	line := func(name string, n int, note string) {
		if note != "" {
			note = "  " + note
		}
		fmt.Fprintf(b, "  %-26s %8d%s\n", name, n, note)
	}
	b.WriteString("\nCounts\n")
	line("raw events", l.sent, "")
	line("clean events", l.Clean, "")
	line("utterances", l.Utterances, "")
	line("calls that ended", l.Calls, "")
	line("interim hypotheses", l.Interim, "dropped: a final one follows")
	line("dead letters", l.Dead, "")
	if l.IdleEnds > 0 {
		line("calls closed as idle", l.IdleEnds, "")
	}
	line("audit events", s.audit, "")
	line("transactions committed", int(s.metric("sotto_transactions_committed_total")), "")
	line("transactions aborted", int(s.metric("sotto_transactions_aborted_total")), "")
	line("tags written", s.status().masked, "")

	writeTypes(b, l.types())
	if len(l.missed) > 0 {
		b.WriteString("\nResidual risk of what was missed\n")
		if err := l.missed.report(l.over).WriteTable(b); err != nil {
			return err
		}
	}
	if err := l.verdicts.write(b); err != nil {
		return err
	}
	fmt.Fprintf(b, "\n%d raw events in %.1f s.\n", l.sent, s.took.Seconds())
	return nil
}

// writeTypes prints the table of infoTypes, with the outcome of labelled spans if
// the calls are labelled.
func writeTypes(b *strings.Builder, types []TypeCount) {
	if len(types) == 0 {
		return
	}
	var all TypeCount
	for _, t := range types {
		all.Said, all.Whole, all.Partly = all.Said+t.Said, all.Whole+t.Whole, all.Partly+t.Partly
	}
	row := func(name string, cells ...any) {
		if all.Said == 0 {
			cells = cells[:1]
		}
		fmt.Fprintf(b, "  %-29s", name)
		for _, c := range cells {
			fmt.Fprintf(b, " %8v", c)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	row("infoType", "tags", "labelled", "whole", "part", "missed")
	for _, t := range types {
		row(t.Type, t.Masked, t.Said, t.Whole, t.Partly, t.Said-t.Whole-t.Partly)
	}
	if all.Said > 0 {
		fmt.Fprintf(b, "\n  Of %d labelled spans %d were masked whole (%.1f %%), %d in part, %d not.\n",
			all.Said, all.Whole, 100*float64(all.Whole)/float64(all.Said), all.Partly, all.Said-all.Whole-all.Partly)
	}
}
