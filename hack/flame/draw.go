package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
	"slices"
	"strings"
)

const (
	imageWidth  = 1200.0
	rowHeight   = 17
	headHeight  = 34
	letterWidth = 6.6
	// leastWidth leaves out boxes that nobody could see.
	leastWidth = 1.5
)

// draw makes an image of the frames below the root.
func draw(title string, root *frame) []byte {
	var boxes bytes.Buffer
	depth := drawFrames(&boxes, root, 0, 0, float64(root.total))
	height := headHeight + depth*rowHeight + 10
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" font-family="monospace" font-size="11">`+"\n",
		imageWidth, height, imageWidth, height)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	fmt.Fprintf(&b, `<text x="8" y="20" font-size="14" font-family="sans-serif">%s</text>`+"\n", html.EscapeString(title))
	// Boxes are drawn with the callers on top; the flip puts them at the bottom.
	fmt.Fprintf(&b, `<g transform="translate(0 %d)">`+"\n", height-10)
	b.Write(boxes.Bytes())
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// drawFrames draws what a frame calls, from a position to the right, and returns how many rows that
// takes.
func drawFrames(b *bytes.Buffer, f *frame, x float64, level int, all float64) (depth int) {
	children := slices.Clone(f.children)
	slices.SortFunc(children, func(a, b *frame) int { return strings.Compare(a.name, b.name) })
	for _, c := range children {
		width := imageWidth * float64(c.total) / all
		if width >= leastWidth {
			drawBox(b, c, x, width, level, all)
			depth = max(depth, 1+drawFrames(b, c, x, level+1, all))
		}
		x += width
	}
	return depth
}

func drawBox(b *bytes.Buffer, f *frame, x, width float64, level int, all float64) {
	y := -(level + 1) * rowHeight
	fmt.Fprintf(b, `<g><title>%s: %.2f %%</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="white"/>`,
		html.EscapeString(f.name), 100*float64(f.total)/all, x, y, width, rowHeight, colour(f.name))
	if letters := int((width - 6) / letterWidth); letters >= 3 {
		label := f.name
		if len(label) > letters {
			label = label[:letters-1] + "…"
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%d">%s</text>`, x+3, y+rowHeight-5, html.EscapeString(label))
	}
	b.WriteString("</g>\n")
}

// colour tells packages apart.
func colour(name string) string {
	pkg, _, _ := strings.Cut(name, ".")
	h := fnv.New32a()
	h.Write([]byte(pkg))
	return fmt.Sprintf("hsl(%d,60%%,72%%)", h.Sum32()%360)
}
