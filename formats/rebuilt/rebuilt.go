// Package rebuilt reads documents of office programs, e-mail and web pages as text, and writes new ones that have
// nothing but that text and its lines.
//
// Whatever else such a file has stays behind, since it may name people: authors, comments, deleted passages, headers,
// links, styles, pictures, attachments, scripts.
package rebuilt

import (
	"strings"

	"sotto/formats/plaintext"
	"sotto/formats/transcript"
)

// left is the note of every document.
const left = "only the text and its lines are kept: no layout, pictures, links, comments, attachments or metadata"

// document reads a text as plain text, and writes it by write.
func document(text string, write func(text string) ([]byte, error)) *transcript.Document {
	d := plaintext.ReadDocument(text)
	encode := d.Encode
	d.Notes = append(d.Notes, left)
	d.Encode = func() ([]byte, error) {
		out, err := encode()
		if err != nil {
			return nil, err
		}
		return write(string(out))
	}
	return d
}

type lines struct {
	out  strings.Builder
	line strings.Builder
}

func (l *lines) add(text string) { l.line.WriteString(text) }

// end ends a line; spaces and line breaks within it are one space each.
func (l *lines) end() {
	if line := strings.Join(strings.Fields(l.line.String()), " "); line != "" {
		l.out.WriteString(line + "\n")
	}
	l.line.Reset()
}

// row returns a row of a table as a line: "Ines: hello" if it has two cells.
func row(cells []string) string {
	var full []string
	for _, c := range cells {
		if c = strings.Join(strings.Fields(c), " "); c != "" {
			full = append(full, c)
		}
	}
	if len(full) == 2 && !strings.HasSuffix(full[0], ":") {
		return full[0] + ": " + full[1]
	}
	return strings.Join(full, " ")
}
