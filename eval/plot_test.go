package eval

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestCalibrationPlotIsTrue(t *testing.T) {
	scores, estimates := []float64{0, 0.4, 1.2, 30}, []float64{0.1, 0.3, 1.2, 1e6}
	r := Report{Calls: 4, Estimate: estimateReport(scores, estimates)}
	var b strings.Builder
	if err := r.WriteCalibrationPlot(&b); err != nil {
		t.Fatal(err)
	}
	var at [][2]float64
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "circle" {
			var p [2]float64
			for _, a := range e.Attr {
				for i, name := range []string{"cx", "cy"} {
					if a.Name.Local == name {
						if p[i], err = strconv.ParseFloat(a.Value, 64); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			at = append(at, p)
		}
	}
	if len(at) != 4 {
		t.Fatalf("%d circles, want 4", len(at))
	}
	// If estimate and score are equal, the circle is on the diagonal; if the score is lower, it is
	// below the diagonal.
	if p := at[2]; math.Abs(p[0]-(plotSize-p[1])) > 0.11 {
		t.Errorf("a calibrated part is at %v", p)
	}
	if p := at[3]; p[0] != plotSize-plotMargin/2 || plotSize-p[1] >= p[0] {
		t.Errorf("a part beyond the scale is at %v", p)
	}
}

// With few calls, a circle is great. One at the edge must not cover the labels of the axes.
func TestCirclesOfThePlotCoverNoLabel(t *testing.T) {
	r := Report{Calls: 1, Estimate: estimateReport([]float64{0}, []float64{0.01})}
	var b strings.Builder
	if err := r.WriteCalibrationPlot(&b); err != nil {
		t.Fatal(err)
	}
	circles, clipped := 0, false
	var inside [4]float64
	attr := func(e xml.StartElement, name string) string {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	number := func(e xml.StartElement, name string) float64 {
		f, err := strconv.ParseFloat(attr(e, name), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	var labels [][2]float64
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e, ok := tok.(xml.StartElement); {
		case !ok:
		case e.Name.Local == "rect" && attr(e, "x") != "":
			inside = [4]float64{number(e, "x"), number(e, "y"), number(e, "x") + number(e, "width"), number(e, "y") + number(e, "height")}
		case e.Name.Local == "g":
			clipped = attr(e, "clip-path") == "url(#inside)"
		case e.Name.Local == "circle":
			if circles++; !clipped {
				t.Error("a circle is not clipped")
			}
		case e.Name.Local == "text" && attr(e, "x") != "":
			labels = append(labels, [2]float64{number(e, "x"), number(e, "y")})
		}
	}
	if circles != 1 || len(labels) < 12 {
		t.Fatalf("%d circles, %d labels", circles, len(labels))
	}
	const height = 12
	for _, l := range labels {
		if l[0] > inside[0] && l[0] < inside[2] && l[1] > inside[1] && l[1]-height < inside[3] {
			t.Errorf("a label at %v is where circles are: %v", l, inside)
		}
	}
}
