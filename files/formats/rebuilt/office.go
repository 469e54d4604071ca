package rebuilt

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"sotto/files/formats/table"
	"sotto/files/formats/transcript"
)

// The formats of this file.
const (
	DOCX = "docx"
	XLSX = "xlsx"
)

// IsOffice returns which of the two formats a file has, "" if neither.
func IsOffice(data []byte) string {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return ""
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return ""
	}
	for _, f := range z.File {
		switch f.Name {
		case mainDocument:
			return DOCX
		case workbook:
			return XLSX
		}
	}
	return ""
}

const (
	mainDocument = "word/document.xml"
	workbook     = "xl/workbook.xml"
	sharedTexts  = "xl/sharedStrings.xml"
	cellStyles   = "xl/styles.xml"
	sheetFolder  = "xl/worksheets"
)

var (
	errOffice = errors.New("it is no document that can be read: save it again, or as text")
	errSheets = errors.New("it has sheets that are no worksheets, such as charts: remove them, or save each worksheet as CSV")
)

// parts reads parts of an office document, of at most so many bytes together, until the context ends.
type parts struct {
	ctx    context.Context
	zip    *zip.Reader
	left   int64
	budget *budget
}

func open(ctx context.Context, data []byte, l Limits) (*parts, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errOffice
	}
	return &parts{ctx, z, cmp.Or(l.Decoded, table.MaxDecoded), l.budget()}, nil
}

func (p *parts) has(name string) bool {
	return slices.ContainsFunc(p.zip.File, func(f *zip.File) bool { return f.Name == name })
}

// maxDepth is how deep the elements of an office document may be nested: tables in tables need a tenth of it.
const maxDepth = 1024

func (p *parts) each(name string, token func(t xml.Token) error) error {
	f, err := p.zip.Open(name)
	if err != nil {
		return errOffice
	}
	defer func() { _ = f.Close() }() // it was only read
	in := &io.LimitedReader{R: f, N: p.left + 1}
	d, depth := xml.NewDecoder(in), 0
	for n := 0; ; n++ {
		if n%1024 == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		t, err := d.Token()
		if in.N <= 0 {
			return table.ErrTooLarge
		}
		if errors.Is(err, io.EOF) {
			p.left = in.N - 1
			return nil
		}
		switch t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if err != nil || depth > maxDepth {
			return errOffice
		}
		if err := token(t); err != nil {
			return err
		}
	}
}

// ReadDOCX reads the paragraphs and tables of a document of Word, with what was inserted and without what was deleted.
func ReadDOCX(ctx context.Context, data []byte, l Limits) (*transcript.Document, error) {
	p, err := open(ctx, data, l)
	if err != nil {
		return nil, err
	}
	r := wordReader{lines: lines{budget: p.budget}}
	if err := p.each(mainDocument, r.token); err != nil {
		return nil, err
	}
	r.endText()
	return readBlocks(r.blocks, p.budget)
}

// wordReader reads WordprocessingML (ECMA-376, part 1, section 17).
type wordReader struct {
	lines    lines
	blocks   []block
	rows     [][]string // of the outermost table
	cells    []string   // of the row that is read
	depth    int        // of tables
	skipped  int        // depth within what is not read
	isText   bool
	cellText strings.Builder
}

func (r *wordReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		// A fallback repeats what stands before it, and what was moved stands elsewhere.
		if name := t.Name.Local; r.skipped > 0 || name == "Fallback" || name == "del" || name == "moveFrom" {
			r.skipped++
			return nil
		}
		switch t.Name.Local {
		case "tbl":
			r.depth++
		case "t":
			r.isText = true
		case "tab", "br", "cr", "noBreakHyphen":
			r.add(map[string]string{"noBreakHyphen": "-"}[t.Name.Local] + " ")
		}
	case xml.CharData:
		if r.isText && r.skipped == 0 {
			r.add(string(t))
			return r.lines.err
		}
	case xml.EndElement:
		if r.skipped > 0 {
			r.skipped--
			return nil
		}
		r.end(t.Name.Local)
		return r.lines.err
	}
	return nil
}

func (r *wordReader) add(text string) {
	if r.depth == 0 {
		r.lines.add(text)
	} else if r.take(0, len(text)) {
		r.cellText.WriteString(text)
	}
}

// take takes from the budget of the document, and reports whether there was enough.
func (r *wordReader) take(parts, bytes int) bool {
	r.lines.err = cmp.Or(r.lines.err, r.lines.budget.take(parts, bytes))
	return r.lines.err == nil
}

func (r *wordReader) end(name string) {
	switch name {
	case "t":
		r.isText = false
	case "p":
		if r.depth == 0 {
			r.lines.end()
		} else if r.take(0, 1) {
			r.cellText.WriteByte(' ')
		}
	case "tc":
		r.take(1, 0)
		r.cells = append(r.cells, r.cellText.String())
		r.cellText.Reset()
	case "tr":
		for i, c := range r.cells {
			r.cells[i] = strings.Join(strings.Fields(c), " ")
		}
		r.rows, r.cells = append(r.rows, r.cells), nil
	case "tbl":
		if r.depth--; r.depth == 0 {
			r.endTable()
		}
	}
}

func (r *wordReader) endText() {
	r.lines.end()
	if r.lines.out.Len() > 0 {
		r.blocks = append(r.blocks, block{text: r.lines.out.String()})
		r.lines.out.Reset()
	}
}

// endTable adds the table that ends: as one with cells, or its rows as lines.
func (r *wordReader) endTable() {
	rows := r.rows
	r.rows = nil
	if len(rows) > 0 && isTable(rows) {
		r.endText()
		r.blocks = append(r.blocks, block{rows: rows})
		return
	}
	r.lines.end()
	for _, cells := range rows {
		r.lines.add(row(cells))
		r.lines.end()
	}
}

// sheet is a worksheet as a table.
type sheet struct {
	rows    [][]string
	numbers map[[2]int]bool // cells that are numbers
	read    *transcript.Document
}

// ReadXLSX reads each worksheet as a table with a header, as CSV files are.
func ReadXLSX(ctx context.Context, data []byte, l Limits, c table.Columns) (*transcript.Document, error) {
	p, err := open(ctx, data, l)
	if err != nil {
		return nil, err
	}
	var shared []string
	if p.has(sharedTexts) {
		if shared, err = p.sharedStrings(); err != nil {
			return nil, err
		}
	}
	days, err := p.dates()
	if err != nil {
		return nil, err
	}
	var sheets []*sheet
	out := &transcript.Document{Notes: []string{left}}
	names, err := p.worksheets()
	if err != nil {
		return nil, err
	}
	for n, name := range names {
		s, err := p.sheet(name, shared, days)
		if err != nil {
			return nil, err
		}
		if len(s.rows) == 0 {
			continue
		}
		var text strings.Builder
		w := csv.NewWriter(&text)
		if err := w.WriteAll(s.rows); err != nil {
			return nil, err
		}
		if s.read, err = table.ReadCSV(text.String(), ',', c); err != nil {
			return nil, fmt.Errorf("worksheet %d: %w", n+1, err)
		}
		sheets = append(sheets, s)
		out.Calls, out.Notes = append(out.Calls, s.read.Calls...), append(out.Notes, s.read.Notes...)
	}
	if len(sheets) == 0 {
		return nil, errOffice
	}
	out.Encode = func() ([]byte, error) { return writeXLSX(sheets) }
	return out, nil
}

// worksheets returns the names of the worksheets by their numbers, which have gaps where one was deleted. It fails if the
// workbook has sheets elsewhere, which would be lost.
func (p *parts) worksheets() (names []string, err error) {
	for _, f := range p.zip.File {
		if path.Dir(f.Name) == sheetFolder && path.Ext(f.Name) == ".xml" {
			names = append(names, f.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	declared := 0
	err = p.each(workbook, func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "sheet" {
			declared++
		}
		return nil
	})
	if err == nil && declared > len(names) {
		err = errSheets
	}
	return names, err
}

// sharedStrings reads the texts that cells refer to by number.
func (p *parts) sharedStrings() (all []string, err error) {
	var b strings.Builder
	isText, phonetic := false, 0
	err = p.each(sharedTexts, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			isText = t.Name.Local == "t" && phonetic == 0
			if t.Name.Local == "rPh" {
				phonetic++
			}
		case xml.CharData:
			if isText {
				b.Write(t)
			}
		case xml.EndElement:
			isText = false
			switch t.Name.Local {
			case "rPh":
				phonetic--
			case "si":
				all = append(all, b.String())
				b.Reset()
				return p.budget.take(1, 0)
			}
		}
		return nil
	})
	return all, err
}

// sheet reads a worksheet, and makes its rows equally long.
func (p *parts) sheet(name string, shared []string, days dates) (*sheet, error) {
	r := sheetReader{sheet: sheet{numbers: map[[2]int]bool{}}, shared: shared, days: days, budget: p.budget}
	if err := p.each(name, r.token); err != nil {
		return nil, err
	}
	width := 0
	for _, cells := range r.rows {
		width = max(width, len(cells))
	}
	if err := p.budget.take(width*len(r.rows), 0); err != nil {
		return nil, err
	}
	for i, cells := range r.rows {
		r.rows[i] = append(cells, make([]string, width-len(cells))...)
	}
	return &r.sheet, nil
}

// sheetReader reads SpreadsheetML (ECMA-376, part 1, section 18.3).
type sheetReader struct {
	sheet
	shared  []string
	days    dates
	cells   []string // of the row that is read
	kind    string   // of the cell that is read
	style   int
	column  int
	value   strings.Builder
	isValue bool
	budget  *budget // of texts, which cells share in the file
}

func (r *sheetReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		r.isValue = t.Name.Local == "v" || t.Name.Local == "t"
		if t.Name.Local == "c" {
			r.beginCell(t.Attr)
		}
	case xml.CharData:
		if r.isValue {
			r.value.Write(t)
		}
	case xml.EndElement:
		r.isValue = false
		switch t.Name.Local {
		case "c":
			return r.endCell()
		case "row":
			r.rows, r.cells = append(r.rows, r.cells), nil
		}
	}
	return nil
}

func (r *sheetReader) beginCell(attributes []xml.Attr) {
	r.kind, r.style, r.column = "", 0, len(r.cells)
	for _, a := range attributes {
		switch a.Name.Local {
		case "t":
			r.kind = a.Value
		case "s":
			r.style, _ = strconv.Atoi(a.Value) // without one, it is the first
		case "r":
			r.column = columnOf(a.Value)
		}
	}
	r.value.Reset()
}

func (r *sheetReader) endCell() error {
	if r.column < len(r.cells) || r.column >= maxColumns {
		return errOffice
	}
	text := r.value.String()
	if r.kind == "s" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= len(r.shared) {
			return errOffice
		}
		text = r.shared[n]
	}
	isNumber := (r.kind == "" || r.kind == "n") && text != ""
	if day, ok := r.days.text(r.style, text); ok && isNumber {
		text, isNumber = day, false
	}
	if err := r.budget.take(r.column-len(r.cells)+1, len(text)); err != nil {
		return err
	}
	r.cells = append(r.cells, make([]string, r.column-len(r.cells))...)
	r.cells = append(r.cells, text)
	r.numbers[[2]int{len(r.rows), r.column}] = isNumber
	return nil
}

// maxColumns is how many columns a worksheet can have.
const maxColumns = 16384

// columnOf returns the column of a reference, 27 for "AB7".
func columnOf(reference string) (n int) {
	for _, r := range reference {
		if r < 'A' || r > 'Z' || n > maxColumns {
			break
		}
		n = n*26 + int(r-'A') + 1
	}
	return n - 1
}
