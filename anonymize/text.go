package anonymize

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"sotto/schemas"
)

// maxLine bounds the bytes of one line of text.
const maxLine = 1 << 20

// ReadText reads one call from plain "Speaker: words" lines and hands each line
// that is not blank to f as an event, in order. A line without a label has no
// speaker. It fails on a line longer than 1 MiB, naming it by its number, and
// with the error of f.
func ReadText(r io.Reader, f func(*schemas.RawEvent) error) error {
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

// cutLabel takes the label off a line: at most five words and 60 bytes before
// the first colon, which a space or the end of the line follows.
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

// FormatText renders an event as a line of ReadText's form, without line feed.
func FormatText(ev *schemas.CleanEvent) string {
	if ev.Speaker == nil || ev.Speaker.Label == "" {
		return ev.Text
	}
	return strings.TrimSuffix(ev.Speaker.Label+": "+ev.Text, " ")
}
