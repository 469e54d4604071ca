package risk

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
)

//go:embed report.html.tmpl
var htmlSource string

var htmlTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"percent": percent, "percents": percents,
	"f1": func(x float64) string { return fmt.Sprintf("%.1f", x) },
	"f2": func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"g3": func(x float64) string { return fmt.Sprintf("%.3g", x) },
}).Parse(htmlSource))

// WriteHTML writes the report as one page that needs nothing else: no script,
// no font, no picture from elsewhere. It holds figures, infoTypes and the names
// of contexts, and nothing that was said.
func (r *Report) WriteHTML(w io.Writer) error {
	p := page{Report: r, Notes: r.Notes(), Threshold: MaxScore}
	rows := append([]Row{r.Total}, r.Contexts...)
	if len(r.Contexts) == 1 {
		rows = r.Contexts
	}
	for i := range rows {
		if rows[i].Count > 0 {
			p.Histograms = append(p.Histograms, histogram(&rows[i]))
		}
	}
	p.Bars = contributionBars(r.Contributions)
	if len(r.Trend) > 0 {
		p.Line = trendLine(r.Trend)
	}
	if r.RedTeam != nil {
		p.Verdicts = r.RedTeam.rows()
	}
	return htmlTemplate.Execute(w, p)
}

// page is what the template sees.
type page struct {
	*Report
	Notes      []string
	Threshold  int
	Histograms []plot
	Bars       *plot
	Line       *plot
	Verdicts   []verdictRow
}

// plot is a drawing of boxes, lines and words, in units of the view box.
type plot struct {
	Title, Summary string
	Width, Height  float64
	Boxes          []box
	Lines          []segment
	Paths          []path
	Words          []words
}

type box struct {
	X, Y, W, H float64
	Class, Tip string
}

type segment struct {
	X1, Y1, X2, Y2 float64
	Class          string
}

type path struct{ Points, Class string }

type words struct {
	X, Y                float64
	Text, Class, Anchor string
}

// The margins of a plot with axes.
const (
	plotLeft, plotRight = 46.0, 14.0
	plotTop, plotBottom = 12.0, 40.0
	// lineNames is the height of the names of a histogram's lines, which stand above the bars.
	lineNames = 28.0
)

// histogram draws the share of calls by score, with the threshold and mean +
// std.
func histogram(r *Row) plot {
	p := plot{
		Title: r.Context, Width: 460, Height: 220 + lineNames,
		Summary: fmt.Sprintf("%d calls, mean %.1f, mean + std %.1f: %s", r.Count, r.Mean, r.MeanPlusStd, r.result()),
	}
	bars := max(len(r.Histogram), MaxScore+3)
	top := 0.0
	for _, share := range r.Histogram {
		top = max(top, share)
	}
	step, ticks := scale(top)
	x0, y0 := plotLeft, p.Height-plotBottom
	wide, high := p.Width-plotLeft-plotRight, p.Height-plotBottom-plotTop-lineNames
	unit := wide / float64(bars)
	y := func(share float64) float64 { return y0 - share/(step*float64(ticks))*high }
	for i := range ticks + 1 {
		v := step * float64(i)
		p.Lines = append(p.Lines, segment{x0, y(v), x0 + wide, y(v), "grid"})
		p.Words = append(p.Words, words{x0 - 6, y(v) + 4, fmt.Sprintf("%.0f %%", 100*v), "tick", "end"})
	}
	for score, share := range r.Histogram {
		class := "bar"
		if score > MaxScore {
			class = "bar over"
		}
		p.Boxes = append(p.Boxes, box{x0 + float64(score)*unit + 1, y(share), unit - 2, y0 - y(share), class, fmt.Sprintf("score %s: %s of calls", scoreName(score, " or more"), percent(share))})
	}
	every := 1 + bars/15
	for score := 0; score < bars; score += every {
		p.Words = append(p.Words, words{x0 + (float64(score)+0.5)*unit, y0 + 16, scoreName(score, "+"), "tick", "middle"})
	}
	p.Words = append(p.Words, words{x0 + wide/2, p.Height - 4, "score of the call", "label", "middle"})
	at := func(score float64) float64 { return x0 + min(score+0.5, float64(bars))*unit }
	limit := x0 + (MaxScore+0.5)*unit
	mark, shift, anchor := at(r.MeanPlusStd), 4.0, "start"
	if r.MeanPlusStd < MaxScore && r.MeanPlusStd > float64(bars)/4 {
		shift, anchor = -4, "end" // away from the line of the threshold
	}
	p.Lines = append(p.Lines, segment{limit, plotTop, limit, y0, "threshold"}, segment{mark, plotTop, mark, y0, "mark"})
	p.Words = append(p.Words, words{limit + 4, plotTop + 8, "threshold", "threshold", "start"}, words{mark + shift, plotTop + 22, "mean + std", "mark", anchor})
	return p
}

// scoreName names a bar of a histogram; the last one holds all higher scores.
func scoreName(score int, more string) string {
	if score < maxBar {
		more = ""
	}
	return fmt.Sprint(score) + more
}

// scale chooses round steps for an axis from 0 to at least top.
func scale(top float64) (step float64, ticks int) {
	if top <= 0 {
		return 1, 1
	}
	step = math.Pow(10, math.Floor(math.Log10(top)))
	for _, f := range []float64{0.2, 0.5, 1} {
		if top/(step*f) <= 5 {
			step *= f
			break
		}
	}
	if top/step > 5 {
		step *= 2
	}
	return step, max(1, int(math.Ceil(top/step-1e-9)))
}

// contributionBars draws what each infoType adds to the mean score.
func contributionBars(contributions []Contribution) *plot {
	const rowHeight, labels, most = 24.0, 250.0, 15
	if len(contributions) > most {
		contributions = contributions[:most]
	}
	if len(contributions) == 0 || contributions[0].PerCall == 0 {
		return nil
	}
	p := &plot{Title: "Points per call by infoType", Width: 760, Height: rowHeight*float64(len(contributions)) + 10}
	unit := (p.Width - labels - 110) / contributions[0].PerCall
	for i, c := range contributions {
		y := 5 + rowHeight*float64(i)
		class := "bar"
		if c.Direct {
			class = "bar over"
		}
		tip := fmt.Sprintf("%s: %d pieces in %d calls", c.Type, c.Pieces, c.Calls)
		p.Boxes = append(p.Boxes, box{labels, y + 3, max(1, c.PerCall*unit), rowHeight - 8, class, tip})
		p.Words = append(p.Words,
			words{labels - 8, y + 16, c.Type, "tick", "end"},
			words{labels + c.PerCall*unit + 6, y + 16, fmt.Sprintf("%.2f (%s)", c.PerCall, percent(c.Share)), "tick", "start"})
	}
	return p
}

// trendLine draws mean and mean + std over time.
func trendLine(periods []Period) *plot {
	p := &plot{Title: "Trend", Width: 760, Height: 240}
	top := float64(MaxScore)
	for _, q := range periods {
		top = max(top, q.MeanPlusStd)
	}
	step, ticks := scale(top * 1.05)
	x0, y0 := plotLeft, p.Height-plotBottom
	wide, high := p.Width-plotLeft-plotRight-30, p.Height-plotBottom-plotTop
	y := func(v float64) float64 { return y0 - v/(step*float64(ticks))*high }
	x := func(i int) float64 { return x0 + wide*float64(i)/float64(len(periods)-1) }
	for i := range ticks + 1 {
		v := step * float64(i)
		p.Lines = append(p.Lines, segment{x0, y(v), x0 + wide, y(v), "grid"})
		p.Words = append(p.Words, words{x0 - 6, y(v) + 4, fmt.Sprintf("%g", math.Round(v*100)/100), "tick", "end"})
	}
	p.Lines = append(p.Lines, segment{x0, y(MaxScore), x0 + wide, y(MaxScore), "threshold"})
	p.Words = append(p.Words, words{x0 + 4, y(MaxScore) - 4, "threshold", "threshold", "start"})
	var mean, both string
	for i, q := range periods {
		mean += fmt.Sprintf("%.1f,%.1f ", x(i), y(q.Mean))
		both += fmt.Sprintf("%.1f,%.1f ", x(i), y(q.MeanPlusStd))
		p.Boxes = append(p.Boxes, box{x(i) - 3, y(q.MeanPlusStd) - 3, 6, 6, "dot", fmt.Sprintf("%s: %d calls, mean %.1f, mean + std %.1f", q.Start, q.Count, q.Mean, q.MeanPlusStd)})
		if every := 1 + (len(periods)-1)/7; i%every == 0 {
			p.Words = append(p.Words, words{x(i), y0 + 16, q.Start, "tick", "middle"})
		}
	}
	p.Paths = []path{{mean, "mean"}, {both, "both"}}
	last := periods[len(periods)-1]
	p.Words = append(p.Words,
		words{x(len(periods)-1) + 4, y(last.Mean) + 4, "mean", "label", "start"},
		words{x(len(periods)-1) + 4, y(last.MeanPlusStd) - 6, "+ std", "mark", "start"})
	return p
}
