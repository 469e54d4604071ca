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
