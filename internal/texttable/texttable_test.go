package texttable

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func written(t *testing.T, table *Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	table := New("set", "calls", "gold")
	table.Indent = 1
	table.Row("é", 10, "x")
	table.Row("all of it", 2, "10000")
	if got, want := written(t, table), ""+
		" set        calls   gold\n"+
		" é             10      x\n"+
		" all of it      2  10000\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	var b strings.Builder
	if err := table.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "| set | calls | gold |\n|---|--:|--:|\n| é | 10 | x |\n| all of it | 2 | 10000 |\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestWideTableContinuesBelow(t *testing.T) {
	wide := strings.Repeat("w", 30)
	table := New("name", wide, wide, wide)
	table.Row("a", 1, 2, 3)
	table.Row("b", 4)
	pad := strings.Repeat(" ", 29)
	if got, want := written(t, table), ""+
		"name  "+wide+"  "+wide+"\n"+
		"a     "+pad+"1  "+pad+"2\n"+
		"b     "+pad+"4\n"+
		"\n"+
		"name  "+wide+"\n"+
		"a     "+pad+"3\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestCellsToTheLeftContinueBelow(t *testing.T) {
	table := New("name", "n", "note")
	table.AlignLeft(2)
	table.Row(strings.Repeat("a", 40), 7, "several words that do not fit into what is left of the line")
	table.Row("b", 8, "short")
	a := strings.Repeat(" ", 36)
	if got, want := written(t, table), ""+
		"name"+a+"  n  note\n"+
		strings.Repeat("a", 40)+"  7  several words that do not fit into\n"+
		strings.Repeat(" ", 45)+"what is left of the line\n"+
		"b   "+a+" 8  short\n"; got != strings.Replace(want, "b   "+a+" 8", "b"+strings.Repeat(" ", 41)+"8", 1) {
		t.Errorf("got\n%s", got)
	}
}

// Whatever is in a table, all of it is written, and only a cell that cannot be
// broken makes a line too wide.
func TestTablesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "columns")
		cell := rapid.StringMatching(`[a-zé]{1,9}( [a-z]{1,6}){0,3}`)
		row := rapid.SliceOfN(cell, n, n)
		table := New(row.Draw(t, "titles")...)
		table.Indent = rapid.IntRange(0, 2).Draw(t, "indent")
		for i := 1; i < n; i++ {
			if rapid.Bool().Draw(t, "left") {
				table.AlignLeft(i)
			}
		}
		var words []string
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			var cells []any
			for _, c := range row.Draw(t, "row") {
				cells = append(cells, c)
				words = append(words, strings.Fields(c)...)
			}
			table.Row(cells...)
		}
		var b strings.Builder
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if w := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); w > Width {
				t.Errorf("%d columns: %q", w, line)
			}
		}
		left := map[string]int{}
		for _, w := range strings.Fields(b.String()) {
			left[w]++
		}
		for _, w := range words {
			if left[w]--; left[w] < 0 {
				t.Errorf("%q is not in the table", w)
			}
		}
	})
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 20) + "end"
	for text, want := range map[string]string{
		"short\n":                           "short\n",
		"":                                  "",
		"  " + long:                         "  " + strings.TrimRight(strings.Repeat("word ", 15), " ") + "\n    " + strings.Repeat("word ", 5) + "end",
		"a\n" + long:                        "a\n" + strings.TrimRight(strings.Repeat("word ", 16), " ") + "\n    " + strings.Repeat("word ", 4) + "end",
		strings.Repeat("x", 90) + " y\nz\n": strings.Repeat("x", 90) + "\n    y\nz\n",
	} {
		if got := Wrap(text, 4); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestFill(t *testing.T) {
	long := strings.Repeat("word ", 18) + "end"
	for text, want := range map[string]string{
		"":                          "",
		"one\ntwo\n\nthree":         "one two\n\nthree",
		"names:\n  a\n  b\nand\nso": "names:\n  a\n  b\nand so",
		long:                        strings.Repeat("word ", 15) + "word\nword word end",
	} {
		if got := Fill(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	const in = "a é\n\x1b[2J\u009b\u202e\U000e0041\xff'"
	if got := Printable(in); got != "a é\n"+`\x1b[2J\u009b\u202e\U000e0041\xff'` {
		t.Errorf("%q", got)
	}
}

// A cell is one line that a terminal does not obey.
func TestCellsAreLines(t *testing.T) {
	table := New("call", "n")
	table.Row("a\x1b[2Jb\nc\u202ed", 1)
	var b strings.Builder
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "\n") != 2 || strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, `a\x1b[2Jb\nc\u202ed`) {
		t.Errorf("the table is %q", got)
	}
}
