// Package plaintext reads and writes a call as plain lines, "Speaker: words".
package plaintext

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"sotto/schemas"
)

// maxLine bounds the bytes of one line of text.
const maxLine = 1 << 20

// Read reads one call and passes each line that is not blank to f as an event, in order. A line
// without a label has no speaker. Read fails on a line that is longer than 1 MiB, naming its
// number, and with the error of f.
func Read(r io.Reader, f func(*schemas.RawEvent) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := int64(0)
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		ev := &schemas.RawEvent{CallID: "text", Seq: n, Type: schemas.Utterance, Text: line}
		if label, words, ok := cutLabel(line); ok {
			ev.Text = words
			ev.Speaker = &schemas.Speaker{ID: label, Label: label}
		}
		if err := f(ev); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// cutLabel separates the label of a line: at most five words and 60 bytes before the first
// colon, which a space or the end of the line follows.
func cutLabel(line string) (label, words string, ok bool) {
	label, words, ok = strings.Cut(line, ":")
	if !ok || words != "" && words[0] != ' ' && words[0] != '\t' {
		return "", "", false
	}
	if n := len(strings.Fields(label)); n == 0 || n > 5 || len(label) > 60 {
		return "", "", false
	}
	return strings.TrimSpace(label), strings.TrimSpace(words), true
}

// Format returns an event as a line that Read can read, without line feed.
func Format(ev *schemas.CleanEvent) string {
	if ev.Speaker == nil || ev.Speaker.Label == "" {
		return ev.Text
	}
	return strings.TrimSuffix(ev.Speaker.Label+": "+ev.Text, " ")
}
