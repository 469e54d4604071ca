package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sotto/config"
	"sotto/processor/sizing"
)

// withSizes writes the table of docs/scaling.md and the figures that it comes from.
func withSizes(_ string, old []byte) ([]byte, error) {
	s, err := config.Load(nil)
	if err != nil {
		return nil, err
	}
	var loads []sizing.Load
	for _, calls := range sizing.Examples {
		loads = append(loads, sizing.Load{
			Calls: calls, WordsPerMinute: sizing.WordsPerMinute, WordsPerUtterance: sizing.WordsPerUtterance, CallMinutes: sizing.CallMinutes,
			Replication: 3, Zones: 3, Settings: &s,
		})
	}
	var table, figures strings.Builder
	if err := sizing.Table(loads).WriteMarkdown(&table); err != nil {
		return nil, err
	}
	figures.WriteString("| what | figure | command |\n|---|--:|---|\n")
	for _, f := range sizing.Figures() {
		fmt.Fprintf(&figures, "| %s | %s | `%s` |\n", f.Name, f, f.Command)
	}
	fmt.Fprintf(&figures, "\nMeasured on %s, %s.\n", sizing.Measured.Date, sizing.Measured.Machine)
	for name, text := range map[string]string{"sizes": table.String(), "figures": figures.String()} {
		if old, err = between(old, "<!-- BEGIN "+name+" -->\n", "<!-- END "+name+" -->\n", "\n"+text+"\n"); err != nil {
			return nil, err
		}
	}
	return old, nil
}

// between replaces what stands between two lines of a page.
func between(page []byte, begin, end, text string) ([]byte, error) {
	head, rest, ok := bytes.Cut(page, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, fmt.Errorf("has no lines %q and %q", begin, end)
	}
	return slices.Concat(head, []byte(begin+text+end), tail), nil
}
