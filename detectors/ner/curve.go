package ner

// CurvePoints is the number of equal steps of a Curve.
const CurvePoints = 20

// Curve maps the mean probability of the words of a finding to the share of such findings that are
// right: values at 0, 1/20, ... 1, between which it is linear. It never falls.
type Curve [CurvePoints + 1]float32

// At returns the calibrated probability.
func (c *Curve) At(p float32) float32 {
	x := float32(min(max(p, 0), 1) * CurvePoints)
	i := min(int(x), CurvePoints-1)
	return c[i] + float32((c[i+1]-c[i])*(x-float32(i)))
}

// Identity is the curve that changes nothing.
func Identity() (c Curve) {
	for i := range c {
		c[i] = float32(i) / CurvePoints
	}
	return c
}
