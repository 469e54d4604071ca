// Package texttable writes tables and sentences for people, in lines of at most
// Width columns, and tables in Markdown.
package texttable

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Width is how wide a line may be. A wider line wraps on a terminal of the usual
// size, and the columns of a table that wraps are no longer below each other.
const Width = 80

// gap separates two columns.
const gap = 2

// Table is a table with a line of titles. A table that is too wide continues
// below, with its first column repeated and without the rows that are empty there.
// The first column is aligned to the left,
// the others to the right.
type Table struct {
	// Indent is the number of spaces before each line.
	Indent int

	titles []string
	rows   [][]string
	left   []int
}

// New returns a table with the titles of its columns.
func New(titles ...string) *Table { return &Table{titles: titles, left: []int{0}} }

// AlignLeft aligns a column to the left, the first being 0. Cells of such a
// column that are too wide continue on the next line.
func (t *Table) AlignLeft(column int) { t.left = append(t.left, column) }

// Row adds a row. It has as many cells as there are titles. What a terminal would obey, or a line break, is escaped in
// its cells.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(t.titles))
	for i := range row {
		if i < len(cells) {
			row[i] = Line(fmt.Sprint(cells[i]))
		}
	}
	t.rows = append(t.rows, row)
}

// Write writes the table as text.
func (t *Table) Write(w io.Writer) error {
	var b strings.Builder
	for i, columns := range t.blocks() {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.writeBlock(&b, columns)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the table in Markdown, which has no limit of width.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| " + strings.Join(t.titles, " | ") + " |\n|")
	for i := range t.titles {
		if slices.Contains(t.left, i) {
			b.WriteString("---|")
		} else {
			b.WriteString("--:|")
		}
	}
	b.WriteByte('\n')
	for _, r := range t.rows {
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// blocks divides the columns after the first into runs that fit beside it.
func (t *Table) blocks() [][]int {
	first := t.Indent + t.width(0)
	blocks := [][]int{{0}}
	used := first
	for i := 1; i < len(t.titles); i++ {
		last := len(blocks) - 1
		if used+gap+t.least(i) > Width && len(blocks[last]) > 1 {
			blocks = append(blocks, []int{0})
			used, last = first, last+1
		}
		blocks[last] = append(blocks[last], i)
		used += gap + t.width(i)
	}
	return blocks
}

func (t *Table) width(column int) int {
	n := utf8.RuneCountInString(t.titles[column])
	for _, r := range t.rows {
		n = max(n, utf8.RuneCountInString(r[column]))
	}
	return n
}

// least is the width below which a column goes to another block.
func (t *Table) least(column int) int {
	const wrapped = 24
	n := t.width(column)
	if slices.Contains(t.left, column) {
		n = max(min(n, wrapped), utf8.RuneCountInString(t.titles[column]))
	}
	return n
}

func (t *Table) writeBlock(b *strings.Builder, columns []int) {
	widths := make([]int, len(columns))
	used := t.Indent
	for i, c := range columns {
		widths[i] = t.width(c)
		if i > 0 {
			used += gap
			if slices.Contains(t.left, c) {
				widths[i] = min(widths[i], max(t.least(c), Width-used))
			}
		}
		used += widths[i]
	}
	for _, row := range append([][]string{t.titles}, t.rows...) {
		if says(row, columns) {
			t.writeRow(b, columns, widths, row)
		}
	}
}

// says reports whether a block has a row: the first one has every row, others
// those that have something in its columns.
func says(row []string, columns []int) bool {
	return len(columns) == 1 || columns[1] == 1 || slices.ContainsFunc(columns[1:], func(c int) bool { return row[c] != "" })
}

// writeRow writes a row, in several lines where a cell continues.
func (t *Table) writeRow(b *strings.Builder, columns, widths []int, row []string) {
	cells := make([][]string, len(columns))
	lines := 1
	for i, c := range columns {
		cells[i] = []string{row[c]}
		if slices.Contains(t.left, c) && i > 0 {
			cells[i] = wrap(row[c], widths[i])
		}
		lines = max(lines, len(cells[i]))
	}
	for n := range lines {
		var line strings.Builder
		for i, c := range columns {
			cell, width := "", widths[i]
			if n < len(cells[i]) {
				cell = cells[i][n]
			}
			if slices.Contains(t.left, c) {
				width = -width // fmt then fills up at the end
			}
			if i > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			fmt.Fprintf(&line, "%*s", width, cell)
		}
		b.WriteString(strings.TrimRight(strings.Repeat(" ", t.Indent)+line.String(), " ") + "\n")
	}
}

// Wrap breaks each line of a text between words, so that none is wider than
// Width. Lines after a break are indented by the given number of spaces. A word
// that is wider stays whole.
func Wrap(text string, indent int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		end := ""
		if strings.HasSuffix(line, "\n") {
			line, end = line[:len(line)-1], "\n"
		}
		if utf8.RuneCountInString(line) <= Width {
			b.WriteString(line + end)
			continue
		}
		before := line[:len(line)-len(strings.TrimLeft(line, " "))]
		first := wrap(line[len(before):], Width-len(before))
		b.WriteString(before + first[0])
		if len(first) > 1 {
			rest := strings.TrimLeft(line[len(before)+len(first[0]):], " ")
			for _, l := range wrap(rest, Width-indent) {
				b.WriteString("\n" + strings.Repeat(" ", indent) + l)
			}
		}
		b.WriteString(end)
	}
	return b.String()
}

// Fill breaks the paragraphs of a text anew, so that their lines are as long as
// Width allows. Empty lines end a paragraph, and indented lines stay as they are.
func Fill(text string) string {
	var lines []string
	open := false
	for _, line := range strings.Split(text, "\n") {
		prose := line != "" && line[0] != ' '
		if prose && open {
			lines[len(lines)-1] += " " + line
		} else {
			lines = append(lines, line)
		}
		open = prose
	}
	return Wrap(strings.Join(lines, "\n"), 0)
}

// wrap breaks a text between words into lines of a width. Only a word that is
// wider makes a wider line.
func wrap(text string, width int) []string {
	var lines []string
	line, used := "", 0
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			line, used = word, n
		case used+1+n <= width:
			line, used = line+" "+word, used+1+n
		default:
			lines = append(lines, line)
			line, used = word, n
		}
	}
	return append(lines, line)
}

// Printable returns a text that a terminal shows and does not obey, as the name of a file may
// contain what moves the cursor or turns the direction of the text: everything is escaped that is
// not printable, but for line breaks.
func Printable(s string) string {
	return escaped(s, func(r rune) bool { return r == '\n' || unicode.IsPrint(r) })
}

// Line is Printable for what must stay one line, such as the name of a file or the ID of a call.
func Line(s string) string { return escaped(s, unicode.IsPrint) }

func escaped(s string, stays func(rune) bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case stays(r):
			b.WriteString(s[i : i+n])
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		i += n
	}
	return b.String()
}
