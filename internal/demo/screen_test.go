package demo

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"sotto/schemas"
)

func testScreen(width int) (*screen, *bytes.Buffer) {
	var out bytes.Buffer
	v := newScreen(&out, func() int { return width }, true)
	v.style = lipgloss.NewRenderer(&out)
	v.style.SetColorProfile(termenv.ANSI256)
	return v, &out
}

func at(n int) *int { return &n }

func TestScreenKeepsItsColumns(t *testing.T) {
	for _, width := range []int{60, 100, 200} {
		v, out := testScreen(width)
		v.pair(
			&schemas.RawEvent{CallID: "call-000001", Speaker: &schemas.Speaker{Label: "Zoë"},
				Text: "Mara Tarrowby 你好 こんにちは is a rather long line that has to be wrapped into several rows, I am afraid 👩‍👩‍👧"},
			&schemas.CleanEvent{CallID: "call-000001", Speaker: &schemas.Speaker{Label: "[PERSON_NAME_2]"},
				Text:     "[PERSON_NAME_1] 你好 こんにちは is a rather long line that has to be wrapped into several rows, I am afraid 👩‍👩‍👧",
				Entities: []schemas.Entity{{Start: 0, End: 15, Type: "PERSON_NAME", RawStart: at(0), RawEnd: at(13)}}})
		v.progress(status{sent: 1, total: 2, clean: 1})
		lines := strings.Split(ansi.Strip(out.String()), "\n")
		column, _ := v.columns()
		second := chipWidth + ansi.StringWidth(gutter) + column + 1
		rows := 0
		for _, line := range lines[1:] {
			if ansi.StringWidth(line) > width {
				t.Errorf("width %d: a line of %d cells: %q", width, ansi.StringWidth(line), line)
			}
			if !strings.Contains(line, "│") {
				continue
			}
			rows++
			if cell := ansi.Cut(line, second, second+1); cell != "│" {
				t.Errorf("width %d: the second bar is not at cell %d: %q", width, second, line)
			}
		}
		if rows < 2 {
			t.Errorf("width %d: %d rows", width, rows)
		}
	}
}

// A style that is open at the end of a wrapped row would colour the other
// column.
func TestScreenClosesStylesInEachRow(t *testing.T) {
	v, out := testScreen(60)
	name := "A name that is much longer than the column is wide, so that it wraps"
	v.pair(&schemas.RawEvent{Text: name}, &schemas.CleanEvent{Text: "[PERSON_NAME_1]", Entities: []schemas.Entity{
		{Start: 0, End: 15, Type: "PERSON_NAME", RawStart: at(0), RawEnd: at(len(name))}}})
	v.progress(status{})
	underlined := false
	for _, cell := range strings.SplitAfter(out.String(), "\x1b[") {
		code, rest, ok := strings.Cut(cell, "m")
		if !ok || strings.Trim(code, "0123456789;") != "" {
			continue
		}
		switch {
		case code == "" || code == "0" || strings.HasPrefix(code, "0;"):
			underlined = false
		case code == "4" || strings.HasPrefix(code, "4;") || strings.Contains(code, ";4;") || strings.HasSuffix(code, ";4"):
			underlined = true
		case code == "24":
			underlined = false
		}
		if underlined && strings.Contains(rest, "│") {
			t.Fatal("the bar between the columns is underlined")
		}
	}
}

func TestScreenClearsItsFooter(t *testing.T) {
	v, out := testScreen(80)
	v.progress(status{total: 10, clean: 1})
	lines := v.footer
	out.Reset()
	v.dead(&schemas.DeadLetter{Partition: 1, Offset: 2, Reason: "panic"})
	v.progress(status{total: 10, clean: 2})
	if !strings.HasPrefix(out.String(), ansi.CursorUp(lines)+"\r"+ansi.EraseScreenBelow) {
		t.Error("the second frame does not begin by clearing the first one's footer")
	}
	if !strings.Contains(out.String(), "dead letter: partition 1 offset 2: panic") {
		t.Error("no dead letter")
	}
	out.Reset()
	v.close(status{})
	if !strings.HasSuffix(out.String(), ansi.ShowCursor) {
		t.Error("the cursor stays hidden")
	}
}

func TestMarksOutsideTheTextAreLeftOut(t *testing.T) {
	v, _ := testScreen(80)
	got := ansi.Strip(v.paint("Zoë here", []mark{{0, 3, "PERSON_NAME"}, {2, 4, "SSN"}, {4, 99, "SSN"}, {6, 5, "SSN"}}, true))
	if got != "Zoë here" {
		t.Errorf("got %q", got)
	}
}

func TestPrintableRemovesControlSequences(t *testing.T) {
	if got := printable("a\x1b[2Jb\tc\u202edef\u200b\n"); got != "a[2Jb cdef " {
		t.Errorf("got %q", got)
	}
}
