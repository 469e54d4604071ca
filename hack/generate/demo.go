package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sotto/processor/demo"
)

// The picture: lines of monospaced text in two columns, as wide as a page of a repository shows it.
const (
	pictureWidth = 880
	lineHeight   = 17
	columnChars  = 54
	leftColumn   = 20
	rightColumn  = 455
	firstLine    = 72
	pause        = 0.4 // seconds between two turns
)

// shown are the calls of the demo that the picture has, and how many turns of each.
var shown = []struct {
	call  string
	turns int
}{{"call-000001", 7}, {"call-000000", 5}}

// demoTurn is a turn of a call as the demo shows it, with the colours of a terminal.
type demoTurn struct {
	call       string
	seq        int
	raw, clean string
}

var pairs = regexp.MustCompile(`(?m)^(call-\d+) #(\d+)\n  raw    (.*)\n  clean  (.*)$`)

// demoPicture is what 'sotto demo' shows of its first calls, as an animated picture.
func demoPicture(string, []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := demo.Run(context.Background(), demo.Config{Calls: len(shown), Out: &out, Colours: true}); err != nil {
		return nil, err
	}
	byCall := map[string][]demoTurn{}
	for _, m := range pairs.FindAllStringSubmatch(out.String(), -1) {
		seq, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, err
		}
		raw, clean := colourSpeakers(m[3], m[4])
		byCall[m[1]] = append(byCall[m[1]], demoTurn{m[1], seq, raw, clean})
	}
	var turns []demoTurn
	for _, s := range shown {
		// Calls run at the same time, on several partitions.
		call := byCall[s.call]
		slices.SortFunc(call, func(a, b demoTurn) int { return cmp.Compare(a.seq, b.seq) })
		if len(call) < s.turns {
			return nil, fmt.Errorf("the demo shows %d turns of %s", len(call), s.call)
		}
		turns = append(turns, call[:s.turns]...)
	}
	return drawTurns(turns), nil
}

// colourSpeakers colours who speaks if that is replaced, which the demo shows without colours.
func colourSpeakers(raw, clean string) (string, string) {
	before, said, _ := strings.Cut(raw, ": ")
	after, written, _ := strings.Cut(clean, ": ")
	if before == after {
		return raw, clean
	}
	colour := func(label string) string { return "\x1b[31m" + label + "\x1b[0m: " }
	return colour(before) + said, colour(after) + written
}

func drawTurns(turns []demoTurn) []byte {
	var b bytes.Buffer
	y, call := firstLine, turns[0].call
	for i, t := range turns {
		if t.call != call {
			call = t.call
			fmt.Fprintf(&b, `<path d="M0 %dH%d" stroke="#30363d"/>`+"\n", y-lineHeight+8, pictureWidth)
			y += lineHeight
		}
		raw, clean := wrapMarked(t.raw), wrapMarked(t.clean)
		fmt.Fprintf(&b, `<g style="animation-delay:%.1fs">`+"\n", float64(i)*pause)
		for n, line := range raw {
			fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", leftColumn, y+n*lineHeight, draw(line, "r"))
		}
		b.WriteString("</g>\n")
		fmt.Fprintf(&b, `<g style="animation-delay:%.1fs">`+"\n", float64(i)*pause+pause/2)
		for n, line := range clean {
			fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", rightColumn, y+n*lineHeight, draw(line, "c"))
		}
		b.WriteString("</g>\n")
		y += max(len(raw), len(clean))*lineHeight + 6
	}
	height := y
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="12" role="img" aria-label="The beginning of two calls, turn by turn: on the left as they come in, on the right as they go out, with numbered tags in place of names, numbers and addresses">
<style>
text { fill: #e6edf3; white-space: pre }
.r { fill: #ff9d96 } .c { fill: #7ee787 } .h { fill: #9198a1 }
@keyframes come { from { opacity: .15 } }
g { animation: come .3s both }
@media (prefers-reduced-motion: reduce) { g { animation: none } }
</style>
<rect x=".5" y=".5" width="%[3]d" height="%[4]d" rx="8" fill="#0d1117" stroke="#30363d"/>
<text x="%[5]d" y="28"><tspan class="h">$ make demo</tspan></text>
<text x="%[5]d" y="48"><tspan class="h">raw</tspan></text><text x="%[6]d" y="48"><tspan class="h">clean</tspan></text>
`, pictureWidth, height, pictureWidth-1, height-1, leftColumn, rightColumn)
	return append([]byte(head), append(b.Bytes(), "</svg>\n"...)...)
}

// marked is a character, and whether the demo colours it.
type marked struct {
	char   rune
	colour bool
}

// wrapMarked breaks a text with colours of a terminal into lines, between words.
func wrapMarked(text string) (lines [][]marked) {
	var line, word []marked
	flush := func() {
		if len(line) > 0 && len(line)+1+len(word) > columnChars {
			lines, line = append(lines, line), []marked{{' ', false}, {' ', false}}
		} else if len(line) > 0 {
			line = append(line, marked{' ', len(word) > 0 && word[0].colour && line[len(line)-1].colour})
		}
		line, word = append(line, word...), nil
	}
	colour := false
	for rest := text; rest != ""; {
		if escape, after, ok := strings.Cut(rest, "m"); ok && strings.HasPrefix(rest, "\x1b[") {
			colour, rest = escape != "\x1b[0", after
			continue
		}
		char := []rune(rest)[0]
		rest = rest[len(string(char)):]
		if char == ' ' {
			flush()
			continue
		}
		word = append(word, marked{char, colour})
	}
	flush()
	return append(lines, line)
}

// draw writes a line. Its coloured parts have a class of their own.
func draw(line []marked, class string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		end := i
		for end < len(line) && line[end].colour == line[i].colour {
			end++
		}
		var text strings.Builder
		for _, m := range line[i:end] {
			text.WriteRune(m.char)
		}
		if line[i].colour {
			fmt.Fprintf(&b, `<tspan class="%s">%s</tspan>`, class, html.EscapeString(text.String()))
		} else {
			b.WriteString(html.EscapeString(text.String()))
		}
		i = end
	}
	return b.String()
}
