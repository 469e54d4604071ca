package rebuilt

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"

	"sotto/files/formats/harmless"
	"sotto/files/formats/plaintext"
	"sotto/files/formats/table"
	"sotto/files/formats/transcript"
)

// block is a part of a document of Word: lines of text, or a table with its cells.
type block struct {
	text string
	rows [][]string
}

// part is a block that was read: it writes its paragraphs or its table.
type part struct {
	*transcript.Call
	write func(b *strings.Builder) error
}

// isTable reports whether the rows of a table keep their cells. Rows of two cells are a speaker and words otherwise.
func isTable(rows [][]string) bool {
	wide := slices.ContainsFunc(rows, func(cells []string) bool { return len(cells) > 2 })
	return wide || isForm(rows)
}

// isForm reports whether a table has names of fields and their values.
func isForm(rows [][]string) bool {
	fields := map[string]bool{} // speakers would come again
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(cells []string) bool {
		again := len(cells) == 2 && fields[cells[0]]
		if len(cells) == 2 {
			fields[cells[0]] = true
		}
		return again || len(cells) != 2 || cells[0] == "" || strings.HasSuffix(cells[0], ":") || harmless.Speaker(cells[0]) || !harmless.Header(cells[0])
	})
}

// hasColumns reports whether the first row of a table has the name of the column of texts.
func hasColumns(rows [][]string) bool {
	c, _ := table.Columns{}.Guess(rows[0])
	return len(rows) > 1 && c.Text != ""
}

func readBlocks(blocks []block, b *budget) (*transcript.Document, error) {
	call := &transcript.Call{}
	var parts []part
	for _, k := range blocks {
		p, err := k.read(b)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		call.Turns = append(call.Turns, p.Turns...)
		call.Others = append(call.Others, p.Others...)
		call.Labels = append(call.Labels, p.Labels...)
	}
	return &transcript.Document{Calls: []*transcript.Call{call}, Notes: []string{left}, Encode: func() ([]byte, error) {
		var body strings.Builder
		for _, p := range parts {
			if err := p.write(&body); err != nil {
				return nil, err
			}
		}
		return writeDOCX(body.String())
	}}, nil
}

func (k block) read(b *budget) (part, error) {
	if k.rows == nil {
		if err := b.take(strings.Count(k.text, "\n"), 0); err != nil {
			return part{}, err
		}
		d := plaintext.ReadDocument(k.text)
		return part{d.Calls[0], func(out *strings.Builder) error {
			text, err := d.Encode()
			writeParagraphs(out, string(text))
			return err
		}}, nil
	}
	if hasColumns(k.rows) {
		return k.columns()
	}
	return k.cells(), nil
}

// columns reads a table of utterances.
func (k block) columns() (part, error) {
	width := 0
	for _, cells := range k.rows {
		width = max(width, len(cells))
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	for _, cells := range k.rows {
		if err := w.Write(append(slices.Clone(cells), make([]string, width-len(cells))...)); err != nil {
			return part{}, err
		}
	}
	w.Flush()
	d, err := table.ReadCSV(text.String(), ',', table.Columns{})
	if err != nil {
		return part{}, err
	}
	all := &transcript.Call{}
	for _, c := range d.Calls {
		all.Turns, all.Others = append(all.Turns, c.Turns...), append(all.Others, c.Others...)
	}
	return part{all, func(out *strings.Builder) error {
		data, err := d.Encode()
		if err != nil {
			return err
		}
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		writeTable(out, rows)
		return err
	}}, nil
}

// cells reads a table of which nothing is known but its cells, and perhaps the names of its fields.
func (k block) cells() part {
	call := &transcript.Call{}
	form := isForm(k.rows)
	limits := harmless.For(0)
	for i, cells := range k.rows {
		for j, text := range cells {
			set := func(clean string) { k.rows[i][j] = clean }
			switch {
			case text == "":
			case form && j == 1:
				call.AddValue(limits, cells[0], text, set)
			default:
				call.AddOther(text, set)
				call.Others[len(call.Others)-1].Plain = form || i == 0 && isHeader(k.rows)
			}
		}
	}
	return part{call, func(out *strings.Builder) error {
		writeTable(out, k.rows)
		return nil
	}}
}

// isHeader reports whether the first of several rows has the names of columns.
func isHeader(rows [][]string) bool {
	return len(rows) > 1 && !slices.ContainsFunc(rows[0], func(c string) bool { return !harmless.Header(c) })
}

func writeParagraphs(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString(`<w:p><w:r><w:t xml:space="preserve">` + escaped(strings.TrimSuffix(line, "\n")) + `</w:t></w:r></w:p>`)
	}
}

func writeTable(b *strings.Builder, rows [][]string) {
	width := 0
	for _, cells := range rows {
		width = max(width, len(cells))
	}
	b.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>` + strings.Repeat(`<w:gridCol/>`, width) + `</w:tblGrid>`)
	for _, cells := range rows {
		b.WriteString(`<w:tr>`)
		for _, c := range append(cells, make([]string, width-len(cells))...) {
			b.WriteString(`<w:tc>`)
			writeParagraphs(b, c+"\n")
			b.WriteString(`</w:tc>`)
		}
		b.WriteString(`</w:tr>`)
	}
	b.WriteString(`</w:tbl>`)
}
