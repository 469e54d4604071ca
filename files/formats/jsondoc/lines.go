package jsondoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sotto/files/formats/harmless"
	"sotto/files/formats/jsontree"
	"sotto/files/formats/table"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// ReadLines reads JSON lines: either an utterance a line, with columns as a table has them, or a
// document of a known format a line.
func ReadLines(s string, c table.Columns) (*transcript.Document, error) {
	return readLines(s, c, formats)
}

// readLines reads JSON lines, of which each has one of some formats or is an utterance.
func readLines(s string, c table.Columns, known []format) (*transcript.Document, error) {
	l := lineReader{known: known, calls: map[string]*transcript.Call{}, sizes: map[*transcript.Call]int{}, out: &transcript.Document{}}
	number := 0
	lines := strings.Lines(s)
	if json.Valid([]byte(s)) { // one document, which may have several lines
		lines = slices.Values([]string{s})
	}
	for line := range lines {
		number++
		if err := l.line(line, c); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	l.out.Encode = func() ([]byte, error) {
		var b strings.Builder
		for _, encode := range l.lines {
			b.WriteString(encode())
		}
		return []byte(b.String()), nil
	}
	return l.out, nil
}

// ReadUtterance reads one object that is an utterance, as cues of captions may be; it returns nil if a
// text is none.
func ReadUtterance(s string) *transcript.Document {
	if !IsUtterance(s) {
		return nil
	}
	d, err := ReadLines(strings.ReplaceAll(s, "\n", " "), table.Columns{})
	if err != nil || len(d.Calls) != 1 || len(d.Calls[0].Turns) != 1 {
		return nil
	}
	return d
}

type lineReader struct {
	known []format
	out   *transcript.Document
	lines []func() string // which write them
	calls map[string]*transcript.Call
	// columns are those of the first line.
	columns *table.Columns
	// sizes are the bytes of the lines of each call so far.
	sizes map[*transcript.Call]int
}

func (l *lineReader) line(s string, c table.Columns) error {
	if strings.TrimSpace(s) == "" {
		l.lines = append(l.lines, func() string { return s })
		return nil
	}
	root, err := jsontree.Parse(s)
	if err != nil {
		return err
	}
	d := newDocument(strings.TrimSuffix(s, "\n"), root)
	l.lines = append(l.lines, func() string { return d.encode() + s[len(d.source.Text()):] })
	if c.Text == "" {
		for i := range l.known {
			if f := &l.known[i]; f.detect(root) {
				l.out.Calls = append(l.out.Calls, d.read(f.read).Calls...)
				l.out.Notes = append(l.out.Notes, d.notes...)
				return nil
			}
		}
	}
	return l.utterance(d, c)
}

func (l *lineReader) utterance(d *document, c table.Columns) error {
	if l.columns == nil {
		guessed, note := c.Guess(d.root.MemberNames())
		l.columns = &guessed
		if note != "" {
			l.out.Notes = append(l.out.Notes, note)
		}
	}
	c = *l.columns
	if c.Text == "" || d.root.Kind != jsontree.Object {
		return table.ErrNoText
	}
	n := d.root.Member(c.Call)
	call := l.calls[n.Scalar()] // without IDs, all lines are one call
	if call == nil {
		call = &transcript.Call{ID: n.Scalar()}
		l.calls[call.ID] = call
		l.out.Calls = append(l.out.Calls, call)
	}
	d.call = call
	if n.IsText() {
		call.SetID = append(call.SetID, d.setter(n))
	}
	speaker := d.root.Member(c.Speaker)
	id := speaker.Scalar()
	t := d.turn(d.root.Member(c.Text), schemas.Speaker{ID: id, Role: cmp.Or(role(d.root.Member(c.Role).Scalar()), role(id))})
	if speaker.IsText() && !harmless.Speaker(speaker.Str) {
		t.Speaker.Label, t.SetLabel = speaker.Str, d.setter(speaker)
	}
	call.Turns = append(call.Turns, t)
	l.sizes[call] += len(d.source.Text())
	d.limits = harmless.For(l.sizes[call])
	for _, name := range c.Keep {
		if n := d.root.Member(name); n != nil {
			n.ClaimAll()
		}
	}
	t.Repeats = d.wordLists(d.root, t.Text)
	d.addOthers(d.root, "")
	return nil
}
