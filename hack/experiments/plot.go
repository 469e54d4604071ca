package main

import (
	"fmt"
	"strings"
)

// curve is utility against privacy over training effort.
type curve struct {
	name   string
	points [][2]float64
}

// draw makes an SVG image of the curves; the axes go from 0 to 1.
func draw(curves []curve) string {
	colours := []string{"#d62728", "#ff7f0e", "#9467bd", "#2ca02c", "#1f77b4"}
	const side, left, top = 360, 60, 20
	x := func(v float64) float64 { return left + v*side }
	y := func(v float64) float64 { return top + (1-v)*side }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", left+side+150, top+side+50)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i := range 6 {
		v := float64(i) / 5
		fmt.Fprintf(&b, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#ddd"/><text x="%.0f" y="%.0f" text-anchor="end">%.1f</text>`+"\n", x(0), y(v), x(1), y(v), x(0)-6, y(v)+4, v)
		fmt.Fprintf(&b, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#ddd"/><text x="%.0f" y="%.0f" text-anchor="middle">%.1f</text>`+"\n", x(v), y(0), x(v), y(1), x(v), y(0)+16, v)
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="middle">privacy</text>`+"\n", x(0.5), y(0)+36)
	fmt.Fprintf(&b, `<text x="16" y="%.0f" text-anchor="middle" transform="rotate(-90 16 %.0f)">accuracy on its own calls</text>`+"\n", y(0.5), y(0.5))
	for i, c := range curves {
		colour := colours[i%len(colours)]
		var path []string
		for _, p := range c.points {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x(p[0]), y(p[1])))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x(p[0]), y(p[1]), colour)
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s"/>`+"\n", strings.Join(path, " "), colour)
		fmt.Fprintf(&b, `<text x="%.0f" y="%d" fill="%s">%s</text>`+"\n", x(1)+12, top+20+20*i, colour, c.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
