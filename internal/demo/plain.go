package demo

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"sotto/internal/texttable"
	"sotto/schemas"
)

// view shows a demo. It is not safe for concurrent use.
type view interface {
	// pair shows an utterance and its clean version.
	pair(raw *schemas.RawEvent, clean *schemas.CleanEvent)
	// dead shows that a record became a dead letter.
	dead(d *schemas.DeadLetter)
	progress(s status)
	close(s status)
}

// plainView prints lines, for pipes, files and terminals without a cursor.
type plainView struct{ out io.Writer }

func (v *plainView) pair(raw *schemas.RawEvent, clean *schemas.CleanEvent) {
	const indent = len("  clean  ")
	pair := fmt.Sprintf("%s #%d\n  raw    %s\n  clean  %s\n", printable(clean.CallID), clean.Seq, said(raw.Speaker, raw.Text), said(clean.Speaker, clean.Text))
	_, _ = io.WriteString(v.out, texttable.Wrap(pair, indent))
}

func (v *plainView) dead(d *schemas.DeadLetter) {
	fmt.Fprintf(v.out, "dead letter: partition %d offset %d: %s\n", d.Partition, d.Offset, d.Reason)
}

func (v *plainView) progress(status) {}
func (v *plainView) close(status)    {}

// said is "Speaker: words".
func said(s *schemas.Speaker, text string) string {
	return printable(speaker(s) + ": " + text)
}

func speaker(s *schemas.Speaker) string {
	switch {
	case s == nil:
		return "?"
	case s.Label != "":
		return s.Label
	case s.Role != "" && s.Role != schemas.RoleUnknown:
		return strings.ToLower(string(s.Role))
	default:
		return s.ID
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
