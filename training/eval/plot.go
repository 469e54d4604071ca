package eval

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
)

// The picture has two panels side by side: over-masking against recall, and against risk.
const (
	panelWidth, panelHeight = 340, 260
	panelGap                = 70
	panelTop                = 34
)

// plotColours are those of the sets; they differ for people who do not tell red from green, too (Okabe, Ito).
var plotColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

type (
	plot struct {
		Width, Height int
		Right, Bottom int // of the note
		Panels        []panel
		Legend        []legend
	}
	panel struct {
		X, Y, Width, Height int
		Title               string
		Across, Up          []tick
		Lines               []line
	}
	tick struct {
		At   float64
		Text string
	}
	line struct {
		Colour, Path string
		Marks        []mark
	}
	mark struct {
		X, Y  float64
		Label string
	}
	legend struct {
		Y            int
		Colour, Text string
	}
)

var plotTemplate = template.Must(template.New("").Parse(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{.Width}} {{.Height}}" ` +
	`font-family="sans-serif" font-size="12" role="img" aria-label="Over-masking against recall and against risk, by sensitivity">
<rect width="{{.Width}}" height="{{.Height}}" fill="#fff"/>
<text x="{{.Right}}" y="{{.Bottom}}" text-anchor="end">from left to right: balanced, high, maximum</text>
{{range .Panels}}{{$h := .Height}}{{$w := .Width}}<g transform="translate({{.X}} {{.Y}})">
<text x="0" y="-14">{{.Title}}</text>
{{range .Up}}<path d="M0 {{.At}}H{{$w}}" stroke="#ddd"/><text x="-6" y="{{.At}}" dy="4" text-anchor="end">{{.Text}}</text>
{{end}}{{range .Across}}<path d="M{{.At}} 0V{{$h}}" stroke="#ddd"/><text x="{{.At}}" y="{{$h}}" dy="16" text-anchor="middle">{{.Text}}</text>
{{end}}<text x="{{$w}}" y="{{$h}}" dy="32" text-anchor="end">over-masked, %</text>
{{range .Lines}}{{$c := .Colour}}<path d="{{.Path}}" fill="none" stroke="{{.Colour}}" stroke-width="2"/>
{{range .Marks}}<circle cx="{{.X}}" cy="{{.Y}}" r="4" fill="{{$c}}"><title>{{.Label}}</title></circle>
{{end}}{{end}}</g>
{{end}}{{range .Legend}}<rect x="60" y="{{.Y}}" width="12" height="4" fill="{{.Colour}}"/><text x="78" y="{{.Y}}" dy="6">{{.Text}}</text>
{{end}}</svg>
`))

// WritePlot draws the points of each set and of all of them together as a picture in SVG.
func (p Points) WritePlot(w io.Writer) error {
	var names []string
	var sets [][]*Report
	p.each(func(title string, written, _ []*Report) {
		names, sets = append(names, title), append(sets, written)
	})
	over := func(r *Report) float64 { return 100 * r.OverMaskedTokens.Value() }
	recall := func(r *Report) float64 { return 100 * r.RecallChars.Value() }
	risk := func(r *Report) float64 { return r.ResidualRisk.MeanPlusStd }
	right, bottom := 60+2*panelWidth+panelGap, panelTop+panelHeight+54
	d := plot{Width: right + 20, Height: bottom + 18*len(names), Right: right, Bottom: bottom, Panels: []panel{
		p.panel(sets, "characters masked, %", over, recall), p.panel(sets, "residual risk, mean + std", over, risk),
	}}
	for i := range d.Panels {
		d.Panels[i].X, d.Panels[i].Y = 60+i*(panelWidth+panelGap), panelTop
	}
	for i, name := range names {
		d.Legend = append(d.Legend, legend{panelTop + panelHeight + 48 + 18*i, plotColours[i%len(plotColours)], name})
	}
	return plotTemplate.Execute(w, d)
}

func (p Points) panel(sets [][]*Report, title string, x, y func(*Report) float64) panel {
	out := panel{Width: panelWidth, Height: panelHeight, Title: title}
	across, up := axis{0, 0}, axis{math.Inf(1), math.Inf(-1)}
	for _, reports := range sets {
		for _, r := range reports {
			across, up = across.with(x(r)), up.with(y(r))
		}
	}
	toX := func(v float64) float64 { return rounded(across.share(v) * panelWidth) }
	toY := func(v float64) float64 { return rounded((1 - up.share(v)) * panelHeight) }
	for _, v := range across.ticks() {
		out.Across = append(out.Across, tick{toX(v), fmt.Sprint(v)})
	}
	for _, v := range up.ticks() {
		out.Up = append(out.Up, tick{toY(v), fmt.Sprint(v)})
	}
	for i, reports := range sets {
		l := line{Colour: plotColours[i%len(plotColours)]}
		for k, r := range reports {
			m := mark{toX(x(r)), toY(y(r)), string(p[k].Sensitivity)}
			l.Path += fmt.Sprintf("%s%v %v", map[bool]string{true: "M", false: "L"}[k == 0], m.X, m.Y)
			l.Marks = append(l.Marks, m)
		}
		out.Lines = append(out.Lines, l)
	}
	return out
}

func rounded(v float64) float64 { return math.Round(10*v) / 10 }

type axis struct{ least, most float64 }

func (a axis) with(v float64) axis { return axis{min(a.least, v), max(a.most, v)} }

// step is the distance of two ticks: 1, 2 or 5 times a power of ten.
func (a axis) step() float64 {
	size := cmp.Or(a.most-a.least, 1) / 4
	power := math.Pow(10, math.Floor(math.Log10(size)))
	for _, x := range []float64{1, 2, 5} {
		if size <= x*power {
			return x * power
		}
	}
	return 10 * power
}

// bounds are the ends of the axis: ticks below and above everything.
func (a axis) bounds() (from, to float64) {
	s := a.step()
	return s * math.Floor(a.least/s), s * max(math.Ceil(a.most/s), math.Floor(a.least/s)+1)
}

// share says where on the axis a value is, from 0 to 1.
func (a axis) share(v float64) float64 {
	from, to := a.bounds()
	return (v - from) / (to - from)
}

func (a axis) ticks() (all []float64) {
	from, to := a.bounds()
	for i := 0.0; from+i*a.step() <= to+a.step()/2; i++ {
		all = append(all, math.Round(1000*(from+i*a.step()))/1000)
	}
	return all
}
