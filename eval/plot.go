package eval

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// The calibration plot is a square with logarithmic axes, in pixels and points
// of risk.
const (
	plotSize   = 420.0
	plotMargin = 52.0
	plotLeast  = 0.03 // what is less is drawn at the edge
	plotMost   = 60.0
)

// WriteCalibrationPlot writes an SVG image that holds the estimated risk of the
// calls against the one by the labels: a circle for each part of
// EstimateReport.Calibration, its area by the number of calls. On the line both
// are equal.
func (r *Report) WriteCalibrationPlot(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[1]g" width="%[1]g" height="%[1]g" font-family="sans-serif" font-size="12" role="img" aria-label="estimated against true residual risk">
<rect width="100%%" height="100%%" fill="#fff"/>
`, plotSize)
	low, high := plotMargin, plotSize-plotMargin/2
	for _, v := range []float64{0.1, 0.3, 1, 3, 10, 30} {
		at, up := plotX(v), plotY(v)
		fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1fM%.1f %.1fH%.1f" stroke="#d9dfe6"/>`+"\n", at, plotSize-low, plotSize-high, low, up, high)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#5d6b7a">%g</text>`+"\n", at, plotSize-low+18, v)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end" fill="#5d6b7a">%g</text>`+"\n", low-6, up+4, v)
	}
	fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="#8a5a00" stroke-dasharray="5 4"/>`+"\n", low, plotSize-low, high, plotSize-high)
	// A great circle at the edge would cover the labels of the axes.
	fmt.Fprintf(b, `<clipPath id="inside"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></clipPath>`+"\n<g clip-path=\"url(#inside)\">\n",
		low, plotSize-high, high-low, high-low)
	for _, p := range r.Estimate.Calibration {
		radius := 3 + 22*math.Sqrt(float64(p.Calls)/float64(max(r.Calls, 1)))
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="#3f6fb0" fill-opacity=".6"><title>%d calls: estimated %.2f, by the labels %.2f</title></circle>`+"\n",
			plotX(p.Estimated), plotY(p.Scored), radius, p.Calls, p.Estimated, p.Scored)
	}
	fmt.Fprintln(b, "</g>")
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#1d2733">mean estimate, points</text>`+"\n", (low+high)/2, plotSize-8)
	fmt.Fprintf(b, `<text transform="translate(14 %.1f) rotate(-90)" text-anchor="middle" fill="#1d2733">mean risk by the labels, points</text>`+"\n", plotSize-(low+high)/2)
	fmt.Fprintln(b, "</svg>")
	return b.Flush()
}

func plotX(v float64) float64 {
	share := math.Log(min(max(v, plotLeast), plotMost)/plotLeast) / math.Log(plotMost/plotLeast)
	return plotMargin + share*(plotSize-1.5*plotMargin)
}

func plotY(v float64) float64 { return plotSize - plotX(v) }
