package soak

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// Mark is an event of a run that the plot shows as a vertical line.
type Mark struct {
	At   time.Duration
	Kind string
}

const (
	plotWidth, plotLeft   = 720, 90
	panelHeight, panelGap = 130, 44
	plotTop               = 50
)

var markColours = []string{"#d62728", "#9467bd", "#2ca02c", "#ff7f0e"}

// Plot draws the series below each other over the same time, as an SVG image. Each axis begins at
// zero and ends at twice the median, so that flat looks flat; larger values are drawn at the edge.
func Plot(title string, run time.Duration, all []Series, marks []Mark) []byte {
	var b strings.Builder
	height := plotTop + len(all)*(panelHeight+panelGap) + 30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", plotLeft+plotWidth+20, height)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	fmt.Fprintf(&b, `<text x="%d" y="20" font-size="14">%s</text>`+"\n", plotLeft, html.EscapeString(title))
	x := func(at time.Duration) float64 { return plotLeft + plotWidth*float64(at)/float64(run) }
	bottom := plotTop + len(all)*(panelHeight+panelGap) - panelGap
	drawMarks(&b, x, bottom, marks)
	for i := range all {
		drawSeries(&b, x, plotTop+i*(panelHeight+panelGap), &all[i], run)
	}
	for i := range 7 {
		at := run * time.Duration(i) / 6
		fmt.Fprintf(&b, `<text x="%.0f" y="%d" text-anchor="middle">%.4g min</text>`+"\n", x(at), bottom+18, at.Minutes())
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func drawMarks(b *strings.Builder, x func(time.Duration) float64, bottom int, marks []Mark) {
	colours := map[string]string{}
	for _, m := range marks {
		if colours[m.Kind] == "" {
			colours[m.Kind] = markColours[len(colours)%len(markColours)]
			fmt.Fprintf(b, `<text x="%d" y="38" fill="%s">| %s</text>`+"\n", plotLeft+150*(len(colours)-1), colours[m.Kind], html.EscapeString(m.Kind))
		}
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s" stroke-opacity="0.35"/>`+"\n", x(m.At), plotTop, x(m.At), bottom, colours[m.Kind])
	}
}

func drawSeries(b *strings.Builder, x func(time.Duration) float64, top int, s *Series, run time.Duration) {
	values := make([]float64, len(s.Samples))
	for i, p := range s.Samples {
		values[i] = p.Value
	}
	most := 1.0
	if len(values) > 0 {
		if m := median(values); m > 0 {
			most = 2 * m
		}
	}
	label := s.Name
	if d, err := s.Drift(run); err == nil {
		label += ": " + d.String()
	}
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", plotLeft, top-4, html.EscapeString(label))
	y := func(v float64) float64 { return float64(top) + panelHeight*(1-min(v, most)/most) }
	for i := range 3 {
		v := most * float64(i) / 2
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>`, plotLeft, y(v), plotLeft+plotWidth, y(v))
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%.3g %s</text>`+"\n", plotLeft-6, y(v)+4, v, html.EscapeString(s.Unit))
	}
	var points strings.Builder
	for _, p := range s.Samples {
		fmt.Fprintf(&points, "%.1f,%.1f ", x(p.At), y(p.Value))
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="#1f77b4"/>`+"\n", strings.TrimSpace(points.String()))
}
