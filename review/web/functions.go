package web

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"sotto/detectors"
	"sotto/internal/texttable"
	"sotto/review"
	"sotto/risk"
)

var functions = template.FuncMap{
	// line is an ID as one line that reads as it is written: it may have characters that turn the direction of the text.
	"line":    texttable.Line,
	"one":     func(x float64) string { return fmt.Sprintf("%.1f", x) },
	"two":     func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"percent": func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) },
	"facet": func(name, label string, values []string, value string) map[string]any {
		return map[string]any{"Name": name, "Label": label, "Values": values, "Value": value}
	},
	"proportion": func(name string, p risk.Proportion) map[string]any {
		return map[string]any{"Name": name, "Count": p.Count, "Share": p.Share, "CI": p.CI}
	},
	"day": func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format(time.DateOnly)
	},
	"date": func(ms int64) string {
		if ms == 0 {
			return ""
		}
		return time.UnixMilli(ms).UTC().Format(time.DateOnly)
	},
	// url.Values.Encode has escaped the query.
	"query": func(q string) template.URL { return template.URL(q) }, //nolint:gosec // see above
	"callQuery": func(q, id string) template.URL {
		v, _ := url.ParseQuery(q)
		v.Set("id", id)
		return template.URL(v.Encode()) //nolint:gosec // Encode escapes it
	},
	// about says what an infoType is.
	"about": func(name string) string {
		if row := detectors.InfoType(name).Row(); row != nil {
			return row.About
		}
		return ""
	},
	"exports":   func() map[string]review.Export { return review.Exports },
	"histogram": histogram,
	"trend":     trend,
}

// The size of a plot.
const (
	plotWidth  = 360
	plotHeight = 150
	plotMargin = 22
)

// histogram draws the shares of calls by their score, with the threshold. It consists of numbers.
func histogram(r risk.Row) template.HTML {
	var b strings.Builder
	bars := max(len(r.Histogram), risk.MaxScore+2)
	width := float64(plotWidth-2*plotMargin) / float64(bars)
	top := 0.01
	for _, share := range r.Histogram {
		top = max(top, share)
	}
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="Share of calls by score; %.1f per cent score more than %d"><g class="bars">`,
		plotWidth, plotHeight, 100*r.Above.Share, risk.MaxScore)
	for i, share := range r.Histogram {
		h := share / top * (plotHeight - 2*plotMargin)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%d: %.1f %%</title></rect>`,
			plotMargin+float64(i)*width+1, plotHeight-plotMargin-h, width-2, h, i, 100*share)
	}
	b.WriteString(`</g><g class="axis">`)
	for i := 0; i < bars; i += 5 {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`, plotMargin+(float64(i)+0.5)*width, plotHeight-6, i)
	}
	x := plotMargin + float64(risk.MaxScore)*width
	fmt.Fprintf(&b, `</g><line class="threshold" x1="%.1f" x2="%.1f" y1="8" y2="%d"/></svg>`, x, x, plotHeight-plotMargin)
	return template.HTML(b.String()) //nolint:gosec // numbers only
}

// trend draws mean + std of each period with its interval, and the threshold.
func trend(rows []risk.Row) template.HTML {
	var b strings.Builder
	top := float64(risk.MaxScore) + 1
	for i := range rows {
		top = max(top, rows[i].Intervals.MeanPlusStd[1])
	}
	y := func(v float64) float64 { return plotHeight - plotMargin - v/top*(plotHeight-2*plotMargin) }
	step := float64(2*plotWidth-2*plotMargin) / float64(len(rows))
	fmt.Fprintf(&b, `<svg class="wide" viewBox="0 0 %d %d" role="img" aria-label="Mean plus standard deviation over time; the table below has the figures">`,
		2*plotWidth, plotHeight)
	fmt.Fprintf(&b, `<line class="threshold" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, plotMargin, 2*plotWidth-plotMargin, y(risk.MaxScore), y(risk.MaxScore))
	for i := range rows {
		r := &rows[i]
		x := plotMargin + (float64(i)+0.5)*step
		fmt.Fprintf(&b, `<line class="interval" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><circle cx="%.1f" cy="%.1f" r="4"/>`,
			x, x, y(r.Intervals.MeanPlusStd[0]), y(r.Intervals.MeanPlusStd[1]), x, y(r.MeanPlusStd))
		if i%max(1, len(rows)/6) == 0 {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x, plotHeight-6, template.HTMLEscapeString(r.Context))
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // numbers and dates only
}
