package tiers

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
)

var errTextGrid = errors.New("it is no TextGrid in text form that can be read; save it again with Praat")

// token is a string, a flag, a number, or a word that Praat ignores.
var token = regexp.MustCompile(`"(?:[^"]|"")*"|![^\r\n]*|<exists>|[^\s"]+`)

// grid reads the free-standing values of a TextGrid, in its long or short form, and writes the long one.
type grid struct {
	output
	tokens []string
	limits harmless.Limits
	err    error
}

// ReadTextGrid reads a TextGrid. Times are rounded to a tenth of a millisecond.
func ReadTextGrid(s string) (*transcript.Document, error) {
	g := &grid{limits: harmless.For(len(s))}
	for _, t := range token.FindAllString(s, -1) {
		if t == "<exists>" || t[0] == '"' || strings.Contains("+-.0123456789", t[:1]) {
			g.tokens = append(g.tokens, t)
		}
	}
	if kind, class := g.text(), g.text(); !strings.HasPrefix(kind, "ooTextFile") || class != "TextGrid" {
		return nil, errTextGrid
	}
	g.add("File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n")
	g.time("", "xmin")
	g.time("", "xmax")
	if g.next() != "<exists>" {
		return nil, errTextGrid
	}
	n := g.size()
	g.add(fmt.Sprintf("tiers? <exists> \nsize = %d \nitem []: \n", n))
	var tiers []*tier
	for i := 1; i <= n && g.err == nil; i++ {
		tiers = append(tiers, g.tier(i))
	}
	d := &transcript.Document{Encode: g.encode}
	if g.err == nil {
		addTiers(d, tiers)
	}
	return d, g.err
}

// next returns the next value, "" if there is none or one before was wrong.
func (g *grid) next() string {
	if len(g.tokens) == 0 || g.err != nil {
		g.err = errTextGrid
		return ""
	}
	t := g.tokens[0]
	g.tokens = g.tokens[1:]
	return t
}

func (g *grid) text() string {
	t := g.next()
	if len(t) < 2 || t[0] != '"' {
		g.err = errTextGrid
		return ""
	}
	return strings.ReplaceAll(t[1:len(t)-1], `""`, `"`)
}

func (g *grid) size() int {
	n, err := strconv.Atoi(g.next())
	if err != nil || n < 0 || n > len(g.tokens) {
		g.err = errTextGrid
	}
	return n
}

// time reads a time in seconds, and writes it.
func (g *grid) time(indent, name string) *int64 {
	f, err := strconv.ParseFloat(g.next(), 64)
	t := strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', -1, 64)
	if err != nil || !g.limits.Value("offset", t) {
		g.err = errTextGrid
	}
	g.add(indent, name, " = ", t, " \n")
	return new(int64(f * 1000))
}

func (g *grid) string(indent, name string) (s string, set func(string)) {
	s = g.text()
	g.add(indent, name, " = ")
	set = g.value(s, quoted)
	g.add(" \n")
	return s, set
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func (g *grid) tier(i int) *tier {
	kind := g.text()
	list, at := "intervals", "xmin"
	if kind == "TextTier" {
		list, at = "points", "number"
	} else if kind != "IntervalTier" {
		g.err = errTextGrid
	}
	g.add(fmt.Sprintf("    item [%d]:\n        class = \"%s\" \n", i, kind))
	name, rename := g.string("        ", "name")
	t := &tier{name: name, rename: []func(string){rename}}
	g.time("        ", "xmin")
	g.time("        ", "xmax")
	n := g.size()
	g.add(fmt.Sprintf("        %s: size = %d \n", list, n))
	for k := 1; k <= n && g.err == nil; k++ {
		g.add(fmt.Sprintf("        %s [%d]:\n", list, k))
		const indent = "            "
		slot := transcript.Slot{StartMS: g.time(indent, at)}
		slot.EndMS = slot.StartMS
		name := "mark"
		if list == "intervals" {
			slot.EndMS, name = g.time(indent, "xmax"), "text"
		}
		slot.Text, slot.Set = g.string(indent, name)
		t.notes = append(t.notes, slot)
	}
	return t
}
