package table

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"sotto/files/formats/transcript"
)

var errParquet = errors.New("it is not a Parquet file that can be read")

// ReadParquet reads a table in a Parquet file. It is written with the same schema. Of the metadata
// in its footer nothing is kept, since programs put samples and paths there. Bytes that are no text
// become empty, and a whole number that is somebody's becomes 0. most is how many bytes the file
// may decode to, MaxDecoded if it is 0.
func ReadParquet(data []byte, c Columns, most int64) (d *transcript.Document, err error) {
	defer func() {
		if recover() != nil { // the library panics on some broken files
			d, err = nil, errParquet
		}
	}()
	p := &parquetTable{left: decodedLimit(cmp.Or(most, MaxDecoded))}
	if err := p.open(data); err != nil {
		if errors.Is(err, ErrTooLarge) {
			return nil, err
		}
		return nil, errParquet
	}
	r := p.table()
	c, note := c.Guess(r.header)
	if d, err = r.document(c); err != nil {
		return nil, err
	}
	if note != "" {
		d.Notes = append(d.Notes, note)
	}
	if p.removed {
		d.Notes = append(d.Notes, "values that are no text were removed")
	}
	d.Encode = p.encode
	return d, nil
}

type parquetTable struct {
	schema *parquet.Schema
	rows   []parquet.Row
	// removed reports whether bytes that are no text were removed.
	removed bool
	// left is how much the rows may still take.
	left decodedLimit
}

// open reads a file, once it is known what that takes.
func (p *parquetTable) open(data []byte) error {
	limit := p.left
	if err := limit.metadata(data); err != nil {
		return err
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	if err := limit.pages(data, f); err != nil {
		return err
	}
	p.schema = f.Schema()
	for _, g := range f.RowGroups() {
		if err := p.readGroup(g); err != nil {
			return err
		}
	}
	return nil
}

func (p *parquetTable) readGroup(g parquet.RowGroup) error {
	in := g.Rows()
	defer in.Close()
	buffer := make([]parquet.Row, 128)
	for {
		n, err := in.ReadRows(buffer)
		for _, row := range buffer[:n] {
			// A row may repeat a long value that the pages hold once.
			size := int64(valueCost)
			for i := range row {
				size += valueCost
				if k := row[i].Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
					size += int64(len(row[i].ByteArray()))
				}
			}
			if err := p.left.take(size); err != nil {
				return err
			}
			p.rows = append(p.rows, row.Clone())
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *parquetTable) table() rows {
	paths := p.schema.Columns()
	var r rows
	for _, path := range paths {
		r.header = append(r.header, strings.Join(path, "."))
		r.names = append(r.names, columnName(path))
	}
	for _, row := range p.rows {
		cells := make([]cell, len(paths))
		for i := range row {
			c, at := p.cell(&row[i]), row[i].Column()
			switch {
			case cells[at].set == nil:
				cells[at] = c
			case c.set != nil:
				cells[at].more = append(cells[at].more, c)
			}
		}
		r.cells = append(r.cells, cells)
	}
	return r
}

// columnName is the last name of a path that is not one of those that writers give the parts of a
// list.
func columnName(path []string) string {
	for _, name := range slices.Backward(path) {
		if !slices.Contains([]string{"list", "element", "item", "array", "bag", "array_element"}, name) {
			return name
		}
	}
	return ""
}

func (p *parquetTable) cell(v *parquet.Value) cell {
	replace := func(with parquet.Value) { *v = with.Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column()) }
	switch v.Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray:
		if v.IsNull() {
			return cell{}
		}
		if !utf8.Valid(v.ByteArray()) || v.Kind() == parquet.FixedLenByteArray {
			p.removed = true
			if v.Kind() == parquet.FixedLenByteArray {
				replace(parquet.FixedLenByteArrayValue(make([]byte, len(v.ByteArray()))))
			} else {
				replace(parquet.ByteArrayValue(nil))
			}
			return cell{}
		}
		return cell{text: string(v.ByteArray()), set: func(clean string) { replace(parquet.ByteArrayValue([]byte(clean))) }}
	case parquet.Int32:
		return cell{text: strconv.FormatInt(int64(v.Int32()), 10), set: func(string) { replace(parquet.Int32Value(0)) }}
	case parquet.Int64:
		return cell{text: strconv.FormatInt(v.Int64(), 10), set: func(string) { replace(parquet.Int64Value(0)) }}
	case parquet.Double:
		return cell{text: strconv.FormatFloat(v.Double(), 'f', -1, 64), set: func(string) { replace(parquet.DoubleValue(0)) }}
	case parquet.Float:
		return cell{text: strconv.FormatFloat(float64(v.Float()), 'f', -1, 32), set: func(string) { replace(parquet.FloatValue(0)) }}
	}
	return cell{}
}

func (p *parquetTable) encode() ([]byte, error) {
	var out bytes.Buffer
	w := parquet.NewWriter(&out, p.schema)
	if _, err := w.WriteRows(p.rows); err != nil {
		return nil, errParquet
	}
	if err := w.Close(); err != nil {
		return nil, errParquet
	}
	return out.Bytes(), nil
}
