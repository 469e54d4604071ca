// Package rebuilt reads documents of office programs, e-mail and web pages as text, and writes new ones that have
// nothing but that text and its lines.
//
// Whatever else such a file has stays behind, since it may name people: authors, comments, deleted passages, headers,
// links, styles, pictures, attachments, scripts.
package rebuilt

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/files/formats/plaintext"
	"sotto/files/formats/table"
	"sotto/files/formats/transcript"
)

// left is the note of every document.
const left = "only the text and its lines are kept: no layout, pictures, links, comments, attachments or metadata"

// Limits bound what a document may become in memory. 0 is the largest bound there is.
type Limits struct {
	// Decoded are the bytes that it may decode to, Text those of its text, and Parts counts its lines, cells and elements.
	Decoded     int64
	Text, Parts int
}

const (
	// maxText is how many bytes of text a document may have: those of a hundred novels.
	maxText = 64 << 20
	// partCost is about how many bytes each cell or line takes besides its text.
	partCost = 256
)

// budget is what a document may still become.
type budget struct{ text, parts int }

func (l Limits) budget() *budget {
	decoded := cmp.Or(l.Decoded, table.MaxDecoded)
	return &budget{cmp.Or(l.Text, maxText), cmp.Or(l.Parts, int(decoded/partCost))}
}

// take takes the parts and the bytes of a text.
func (b *budget) take(parts, bytes int) error {
	if b.parts -= parts; b.parts < 0 {
		return table.ErrTooLarge
	}
	if b.text -= bytes; b.text < 0 {
		return table.ErrTooLarge
	}
	return nil
}

// document reads a text as plain text, and writes it by write.
func document(text string, b *budget, write func(text string) ([]byte, error)) (*transcript.Document, error) {
	if err := b.take(strings.Count(text, "\n"), 0); err != nil {
		return nil, err
	}
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
	return d, nil
}

// lines collects lines of text. Spaces and line breaks within a line are one space each.
type lines struct {
	out           strings.Builder
	budget        *budget
	begun, spaced bool
	// err is that of the budget, after which nothing is added.
	err error
}

func (l *lines) add(text string) {
	for text != "" && l.err == nil {
		n := strings.IndexFunc(text, unicode.IsSpace)
		if n < 0 {
			n = len(text)
		}
		if n == 0 {
			_, size := utf8.DecodeRuneInString(text)
			text, l.spaced = text[size:], l.begun
			continue
		}
		if l.spaced {
			l.out.WriteByte(' ')
		}
		l.err = l.budget.take(0, n+1)
		l.out.WriteString(text[:n])
		text, l.begun, l.spaced = text[n:], true, false
	}
}

// end ends a line.
func (l *lines) end() {
	if l.begun {
		l.out.WriteByte('\n')
	}
	l.begun, l.spaced = false, false
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
