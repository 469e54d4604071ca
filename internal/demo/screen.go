package demo

import (
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"sotto/schemas"
)

// screen shows raw and clean side by side on a terminal. Utterances scroll up; the
// progress bar and the counters stay at the bottom.
type screen struct {
	out     io.Writer
	width   func() int
	style   *lipgloss.Renderer
	colours bool
	pending strings.Builder // rows since the last frame
	footer  int             // lines of the footer on the terminal
	begun   bool
}

func newScreen(out io.Writer, width func() int, colours bool) *screen {
	r := lipgloss.NewRenderer(out)
	// out is known to be a terminal; the number of its colours is detected, and
	// is never zero. Without a profile, bold and underlined text would go too.
	if r.ColorProfile() == termenv.Ascii {
		r.SetColorProfile(termenv.ANSI)
	}
	return &screen{out: out, width: width, style: r, colours: colours}
}

// in returns the style in a colour, unless the user wants none.
func (v *screen) in(style lipgloss.Style, c lipgloss.Color) lipgloss.Style {
	if !v.colours {
		return style
	}
	return style.Foreground(c)
}

// Colours that are distinguishable on dark and light backgrounds.
var palette = []lipgloss.Color{"39", "208", "77", "205", "178", "141", "44", "203", "112", "75", "214", "170"}

// tagColours are the colours of the most frequent types; others get one by hash.
var tagColours = map[string]lipgloss.Color{
	"PERSON_NAME": "39", "ORGANIZATION_NAME": "208", "PHONE_NUMBER": "77", "EMAIL_ADDRESS": "205", "NUMERIC": "178",
	"CREDIT_CARD_NUMBER": "203", "SSN": "203", "STREET_ADDRESS": "44", "LOCATION": "44", "GENERIC_ID": "141",
	"DATE_OF_BIRTH": "112", "SPELLED_WORD": "75", "USER_NAME": "214",
}

func tagColour(infoType string) lipgloss.Color {
	if c, ok := tagColours[infoType]; ok {
		return c
	}
	return pickColour(infoType)
}

// tagType returns the infoType of a label that is a tag, such as [PERSON_NAME_1].
func tagType(label string) (infoType string, ok bool) {
	inner, ok1 := strings.CutPrefix(label, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	i := strings.LastIndexByte(inner, '_')
	if !ok1 || !ok2 || i < 0 {
		return "", false
	}
	return inner[:i], true
}

func pickColour(name string) lipgloss.Color {
	h := fnv.New32a()
	_, _ = io.WriteString(h, name) // cannot fail
	return palette[h.Sum32()%uint32(len(palette))]
}

const (
	chipWidth = 8 // the last letters of the call ID
	gutter    = " │ "
	minColumn = 20
)

func (v *screen) columns() (column, total int) {
	total = max(v.width(), 40)
	column = max((total-chipWidth-1-2*ansi.StringWidth(gutter))/2, minColumn)
	return column, total
}

func (v *screen) pair(raw *schemas.RawEvent, clean *schemas.CleanEvent) {
	if !v.begun {
		v.header()
	}
	column, _ := v.columns()
	// The raw column shows in the colour of its tag what was masked.
	var masked, tags []mark
	for i := range clean.Entities {
		e := &clean.Entities[i]
		tags = append(tags, mark{e.Start, e.End, e.Type})
		if e.RawStart != nil && e.RawEnd != nil {
			masked = append(masked, mark{*e.RawStart, *e.RawEnd, e.Type})
		}
	}
	role := v.style.NewStyle().Bold(true)
	dim := v.style.NewStyle().Faint(true)
	label := role
	if infoType, ok := tagType(speaker(clean.Speaker)); ok {
		label = v.in(role, tagColour(infoType))
	}
	left := role.Render(printable(speaker(raw.Speaker))+":") + " " + v.paint(raw.Text, masked, false)
	right := label.Render(printable(speaker(clean.Speaker))+":") + " " + v.paint(clean.Text, tags, true)
	id := printable(clean.CallID)
	if n := utf8.RuneCountInString(id); n > chipWidth-2 {
		id = string([]rune(id)[n-chipWidth+2:])
	}
	chip := v.in(v.style.NewStyle().Width(chipWidth), pickColour(clean.CallID)).Render("● " + id)
	cell := v.style.NewStyle().Width(column)
	l, r := cell.Render(left), cell.Render(right)
	rows := max(lipgloss.Height(l), lipgloss.Height(r))
	bar := dim.Render(strings.TrimSuffix(strings.Repeat(gutter+"\n", rows), "\n"))
	v.pending.WriteString(lipgloss.JoinHorizontal(lipgloss.Top, chip, bar, l, bar, r))
	v.pending.WriteByte('\n')
}

func (v *screen) header() {
	v.begun = true
	column, _ := v.columns()
	title := v.style.NewStyle().Bold(true).Underline(true).Width(column)
	v.pending.WriteString(lipgloss.JoinHorizontal(lipgloss.Top,
		strings.Repeat(" ", chipWidth), gutter, title.Render("raw"), gutter, title.Render("clean")) + "\n")
}

func (v *screen) dead(d *schemas.DeadLetter) {
	style := v.in(v.style.NewStyle().Bold(true), "203")
	v.pending.WriteString(style.Render(fmt.Sprintf("✗ dead letter: partition %d offset %d: %s", d.Partition, d.Offset, d.Reason)) + "\n")
}

// mark is a span of a text in code points.
type mark struct {
	start, end int
	infoType   string
}

// paint colours the marks of a text, which are in order.
func (v *screen) paint(text string, marks []mark, tags bool) string {
	runes := []rune(text)
	var b strings.Builder
	at := 0
	for _, m := range marks {
		if m.start < at || m.end > len(runes) || m.end < m.start {
			continue
		}
		b.WriteString(printable(string(runes[at:m.start])))
		style := v.in(v.style.NewStyle(), tagColour(m.infoType))
		if tags {
			style = style.Bold(true)
		} else {
			style = style.Underline(true)
		}
		b.WriteString(style.Render(printable(string(runes[m.start:m.end]))))
		at = m.end
	}
	b.WriteString(printable(string(runes[at:])))
	return b.String()
}

// progress draws a frame: the new rows, and below them the footer.
func (v *screen) progress(s status) {
	var frame strings.Builder
	if v.footer == 0 {
		frame.WriteString(ansi.HideCursor)
	}
	frame.WriteString(v.clear())
	frame.WriteString(v.pending.String())
	v.pending.Reset()
	footer := v.foot(s)
	frame.WriteString(footer)
	v.footer = strings.Count(footer, "\n")
	_, _ = io.WriteString(v.out, frame.String())
}

// clear erases the footer.
func (v *screen) clear() string {
	if v.footer == 0 {
		return ""
	}
	return ansi.CursorUp(v.footer) + "\r" + ansi.EraseScreenBelow
}

func (v *screen) foot(s status) string {
	_, total := v.columns()
	done := s.clean + s.dead + s.interim
	share := 0.0
	if s.total > 0 {
		share = min(1, float64(done)/float64(s.total))
	}
	length := max(10, min(60, total-30))
	filled := int(share * float64(length))
	bar := v.in(v.style.NewStyle(), "77").Render(strings.Repeat("━", filled)) +
		v.style.NewStyle().Faint(true).Render(strings.Repeat("─", length-filled))
	number := v.style.NewStyle().Bold(true)
	counters := []string{
		"calls " + number.Render(fmt.Sprintf("%d/%d", s.calls, s.callsTotal)),
		"in " + number.Render(fmt.Sprint(s.sent)),
		"out " + number.Render(fmt.Sprint(s.clean)),
		"masked " + number.Render(fmt.Sprint(s.masked)),
		"transactions " + number.Render(fmt.Sprint(s.commits)),
		"dead letters " + number.Render(fmt.Sprint(s.dead)),
	}
	lines := []string{
		"",
		fmt.Sprintf("%s %3.0f %%  %s", bar, 100*share, s.elapsed),
		strings.Join(counters, "   "),
	}
	for i := range lines {
		// A line that wrapped would take more rows than are cleared.
		lines[i] = ansi.Truncate(lines[i], total-1, "…")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (v *screen) close(s status) {
	v.progress(s)
	v.footer = 0
	_, _ = io.WriteString(v.out, ansi.ShowCursor)
}
