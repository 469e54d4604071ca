package review

import (
	"archive/zip"
	"io"
	"net/url"
	"strings"

	"sotto/risk"
)

// Export is a form in which annotations leave.
type Export struct {
	// About says what it is for.
	About string
	// Mode is that of the calls that it holds.
	Mode  Mode
	Write func(io.Writer, *risk.Table, []Read) error
}

// Exports returns the forms by file name.
func Exports() map[string]Export {
	return map[string]Export{
		"annotated.jsonl": {
			"what was missed, for 'sotto risk' and 'sotto train --annotated'", Missed,
			func(w io.Writer, _ *risk.Table, read []Read) error { return WriteLines(w, read) },
		},
		"annotated.zip": {"annotated text, a file for each reading", Missed, writeZip},
		"gold.jsonl": {
			"labelled conversations, for 'sotto eval' and 'sotto train'", Label,
			func(w io.Writer, _ *risk.Table, read []Read) error { return WriteGold(w, read) },
		},
	}
}

// TextFiles passes each final reading as annotated text to f, with the name that 'sotto risk' reads
// call and annotator from. A call that annotated text cannot hold is one line of JSON instead.
func TextFiles(table *risk.Table, read []Read, f func(name string, write func(io.Writer) error) error) error {
	for i := range read {
		for _, reading := range read[i].Final() {
			id := strings.ReplaceAll(url.PathEscape(read[i].Call.ID), "@", "%40")
			name := id + "@" + reading.Annotator
			text, err := read[i].Call.AnnotatedText(table, reading.Spans)
			write := func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			}
			name += ".txt"
			if err != nil {
				one := Read{read[i].Call, []Reading{reading}}
				name = name[:len(name)-len("txt")] + "jsonl"
				write = func(w io.Writer) error { return WriteLines(w, []Read{one}) }
			}
			if err := f(name, write); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeZip(w io.Writer, table *risk.Table, read []Read) error {
	out := zip.NewWriter(w)
	err := TextFiles(table, read, func(name string, write func(io.Writer) error) error {
		f, err := out.Create(name)
		if err != nil {
			return err
		}
		return write(f)
	})
	if err != nil {
		return err
	}
	return out.Close()
}
