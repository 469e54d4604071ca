package agreement

import (
	"math"
	"testing"
)

// TestAlphaOfThePaper has the values of the nominal example in Krippendorff's "Computing
// Krippendorff's Alpha-Reliability" (2011), section C: four observers,
// missing data.
func TestAlphaOfThePaper(t *testing.T) {
	units := [][]string{
		{"1", "1", "1"}, {"2", "2", "3", "2"}, {"3", "3", "3", "3"}, {"3", "3", "3", "3"}, {"2", "2", "2", "2"}, {"1", "2", "3", "4"},
		{"4", "4", "4", "4"}, {"1", "1", "2", "1"}, {"2", "2", "2", "2"}, {"5", "5", "5"}, {"1", "1"},
	}
	a := alpha{totals: map[string]float64{}}
	for _, u := range units {
		a.add(u)
	}
	if got := a.value(); math.Abs(got-0.743) > 0.0005 {
		t.Errorf("alpha %.4f, the paper has 0.743", got)
	}
}

func TestKappa(t *testing.T) {
	// The example of Cohen's kappa that textbooks use: 20 yes-yes, 5, 10, 15 no-no.
	tab := table{first: map[string]int{}, second: map[string]int{}}
	for pair, n := range map[[2]string]int{{"y", "y"}: 20, {"y", "n"}: 5, {"n", "y"}: 10, {"n", "n"}: 15} {
		for range n {
			tab.add(pair[0], pair[1])
		}
	}
	if got := tab.kappa(); math.Abs(got-0.4) > 1e-9 {
		t.Errorf("kappa %v, want 0.4", got)
	}
}
