package demo

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"sotto/internal/texttable"
	"sotto/schemas"
)

// view shows a demo. On a terminal with colours it marks what was masked, and leaves the
// breaking of lines to the terminal.
type view struct {
	out     io.Writer
	colours bool
}

// Colours of the terminal.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	normal = "\x1b[0m"
)

func (v view) pair(raw *schemas.RawEvent, clean *schemas.CleanEvent) {
	const indent = len("  clean  ")
	var masked, tags []schemas.Span
	for i := range clean.Entities {
		e := &clean.Entities[i]
		tags = append(tags, schemas.Span{Start: e.Start, End: e.End})
		if e.RawStart != nil && e.RawEnd != nil {
			masked = append(masked, schemas.Span{Start: *e.RawStart, End: *e.RawEnd})
		}
	}
	pair := fmt.Sprintf("%s #%d\n  raw    %s: %s\n  clean  %s: %s\n", printable(clean.CallID), clean.Seq,
		speaker(raw.Speaker), v.paint(raw.Text, masked, red), speaker(clean.Speaker), v.paint(clean.Text, tags, green))
	if !v.colours {
		pair = texttable.Wrap(pair, indent)
	}
	_, _ = io.WriteString(v.out, pair)
}

func (v view) dead(d *schemas.DeadLetter) {
	fmt.Fprintf(v.out, "dead letter: partition %d offset %d: %s\n", d.Partition, d.Offset, d.Reason)
}

// paint colours spans of a text, which are in order.
func (v view) paint(text string, spans []schemas.Span, colour string) string {
	if !v.colours {
		return printable(text)
	}
	runes := []rune(text)
	var b strings.Builder
	at := 0
	for _, s := range spans {
		if s.Start < at || s.End > len(runes) || s.End < s.Start {
			continue
		}
		b.WriteString(printable(string(runes[at:s.Start])) + colour + printable(string(runes[s.Start:s.End])) + normal)
		at = s.End
	}
	return b.String() + printable(string(runes[at:]))
}

func speaker(s *schemas.Speaker) string {
	switch {
	case s == nil:
		return "?"
	case s.Label != "":
		return printable(s.Label)
	case s.Role != "" && s.Role != schemas.RoleUnknown:
		return strings.ToLower(string(s.Role))
	default:
		return printable(s.ID)
	}
}

// printable removes terminal control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}
