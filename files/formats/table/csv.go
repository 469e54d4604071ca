package table

import (
	"errors"
	"strings"

	"sotto/files/formats/harmless"
	"sotto/files/formats/transcript"
)

// ReadCSV reads a table with a separator; 0 asks to detect it. Quotes, line breaks and the fields
// that do not change stay as they are.
func ReadCSV(s string, comma byte, c Columns) (*transcript.Document, error) {
	if comma == 0 {
		comma = separator(s)
	}
	source := transcript.NewSource(s)
	cells, err := scan(source, comma)
	if err != nil {
		return nil, err
	}
	r := rows{cells: cells}
	var header []cell
	if len(cells) > 0 && !isNumber(c.Text) {
		header, r.cells = cells[0], cells[1:]
		for _, h := range header {
			r.header = append(r.header, h.text)
		}
	}
	r.names = r.header
	c, note := c.Guess(r.header)
	d, err := r.document(c)
	if err != nil {
		return nil, err
	}
	if note != "" {
		d.Notes = append(d.Notes, note)
	}
	if len(d.Calls) > 0 {
		for _, h := range header { // a table without header has a row of values in its place
			if h.text != "" && !harmless.Name(h.text) && !isUsual(h.text) {
				d.Calls[0].AddOther(h.text, h.set)
				others := d.Calls[0].Others
				others[len(others)-1].Plain = harmless.Header(h.text)
			}
		}
	}
	d.Encode = source.Encode
	return d, nil
}

// HasHeader reports whether a text begins with a line of column names by which the text of a table
// and something else of it are known, and which character separates them.
func HasHeader(s string) (comma byte, ok bool) {
	first, _, more := strings.Cut(s, "\n")
	comma = separator(first)
	names := strings.Split(strings.TrimRight(first, "\r"), string(comma))
	for i := range names {
		names[i] = strings.Trim(names[i], `"`)
	}
	c, _ := Columns{}.Guess(names)
	return comma, more && c.Text != "" && (c.Call+c.Speaker+c.Role+c.Start+c.End != "" || comma == '\t' && len(names) > 2)
}

// separator returns the character that the first line has most of.
func separator(s string) byte {
	first, _, _ := strings.Cut(s, "\n")
	best := byte(',')
	for _, b := range []byte{'\t', ';', '|'} {
		if strings.Count(first, string(b)) > strings.Count(first, string(best)) {
			best = b
		}
	}
	return best
}

// scan reads the fields of a table. Empty lines are no rows.
func scan(source *transcript.Source, comma byte) ([][]cell, error) {
	s := source.Text()
	var all [][]cell
	var row []cell
	for i := 0; i < len(s); {
		if len(row) == 0 && (s[i] == '\n' || s[i] == '\r') {
			i++
			continue
		}
		end, value, err := field(s, i, comma)
		if err != nil {
			return nil, err
		}
		start := i
		row = append(row, cell{text: value, set: func(clean string) { source.Replace(start, end, quoted(clean, s[start:end], comma)) }})
		i = end
		if i < len(s) && s[i] == comma {
			if i++; i == len(s) {
				row = append(row, cell{set: func(string) {}})
			}
			continue
		}
		all, row = append(all, row), nil
	}
	if row != nil {
		all = append(all, row)
	}
	return all, nil
}

// field returns the end of the field that begins at a position, and its value.
func field(s string, start int, comma byte) (end int, value string, err error) {
	if start < len(s) && s[start] == '"' {
		for i := start + 1; i < len(s); i++ {
			if s[i] != '"' {
				continue
			}
			if i+1 < len(s) && s[i+1] == '"' {
				i++
				continue
			}
			rest := bare(s, i+1, comma)
			return rest, strings.ReplaceAll(s[start+1:i], `""`, `"`) + s[i+1:rest], nil
		}
		return 0, "", errors.New("a quoted field has no closing quote")
	}
	end = bare(s, start, comma)
	return end, s[start:end], nil
}

// bare returns where what is not quoted ends.
func bare(s string, i int, comma byte) int {
	for i < len(s) && s[i] != comma && s[i] != '\n' && s[i] != '\r' {
		i++
	}
	return i
}

// quoted returns a value as a field, in quotes if it needs them or had them.
func quoted(value, before string, comma byte) string {
	if strings.HasPrefix(before, `"`) || strings.ContainsAny(value, "\"\r\n"+string(comma)) {
		return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	return value
}
