package risk

import "testing"

// A bar of all calls reaches the top. It must not stand behind the names of the lines.
func TestBarsCoverNoNames(t *testing.T) {
	r := Row{Statistics: Statistics{Count: 1, Mean: 5, MeanPlusStd: 5}, Histogram: []float64{0, 0, 0, 0, 0, 1}}
	p := histogram(&r)
	for _, w := range p.Words {
		for _, b := range p.Boxes {
			if w.Class != "tick" && w.Class != "label" && b.H > 0 && w.Y > b.Y {
				t.Errorf("%q at %.0f is behind a bar that begins at %.0f", w.Text, w.Y, b.Y)
			}
		}
	}
}
