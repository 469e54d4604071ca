package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestSummarize(t *testing.T) {
	s := Summarize([]float64{4, 1, 1, 2})
	near(t, "mean", s.Mean, 2, 0)
	near(t, "std", s.Std, math.Sqrt2, 1e-15) // (4+1+1+0)/3
	near(t, "p95", s.P95, 2+0.85*2, 1e-12)   // at 0.95·3 = 2.85
	near(t, "max", s.Max, 4, 0)
	near(t, "mean + std", s.MeanPlusStd, 2+math.Sqrt2, 1e-15)
	if !s.Passes || s.Count != 4 {
		t.Errorf("statistics %+v", s)
	}
	if s := Summarize(nil); s.Passes || s != (Statistics{}) {
		t.Errorf("of no calls: %+v", s)
	}
	if s := Summarize([]float64{4.9}); !s.Passes || s.Std != 0 || s.P95 != 4.9 {
		t.Errorf("of one call: %+v", s)
	}
	if s := Summarize([]float64{5, 5}); s.Passes {
		t.Error("5 is not less than 5")
	}
	in := []float64{3, 1, 2}
	Summarize(in)
	if in[0] != 3 {
		t.Error("the scores were sorted in place")
	}
	// The 3.1 of the paper's Table 4 for 100 calls: the 95th score is 3, the
	// 96th 5.
	scores := make([]float64, 100)
	for i := range scores {
		switch {
		case i >= 95:
			scores[i] = 5
		case i >= 80:
			scores[i] = 3
		}
	}
	near(t, "p95 of the paper", Summarize(scores).P95, 3.1, 1e-12)
}

func TestEqualWeightsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Float64Range(0, 30), 1, 40).Draw(t, "scores")
		weight := rapid.Float64Range(0.5, 100).Draw(t, "weight")
		s := make([]weighted, len(scores))
		for i, x := range scores {
			s[i] = weighted{x, weight}
		}
		a, b := Summarize(scores), summarize(s)
		for _, d := range []float64{a.Mean - b.Mean, a.Std - b.Std, a.P95 - b.P95, a.Max - b.Max} {
			if math.Abs(d) > 1e-9 {
				t.Fatalf("weights of %v: %+v, without %+v", weight, b, a)
			}
		}
	})
}

// Calls with a high estimated risk are sampled ten times as often as the others, and they are the
// risky ones. The weighted figures remain those of the traffic; the plain ones are far off.
func TestTargetedSamplingStaysUnbiased(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	type call struct{ score, probability float64 }
	var traffic []call
	var truth []float64
	for range 20_000 {
		score := math.Floor(random.ExpFloat64() * 1.5)
		doubt := 0.0
		if random.Float64() < score/8 {
			doubt = 0.3
		}
		// The call is in one sample or the other, or both.
		traffic = append(traffic, call{score, 1 - (1-0.03)*(1-doubt)})
		truth = append(truth, score)
	}
	want := Summarize(truth)
	var mean, both, p95, plain float64
	const rounds = 200
	for range rounds {
		var sample []weighted
		var unweighted []float64
		for _, c := range traffic {
			if random.Float64() < c.probability {
				sample = append(sample, weighted{c.score, 1 / c.probability})
				unweighted = append(unweighted, c.score)
			}
		}
		s := summarize(sample)
		mean += s.Mean / rounds
		both += s.MeanPlusStd / rounds
		p95 += s.P95 / rounds
		plain += Summarize(unweighted).Mean / rounds
	}
	near(t, "mean", mean, want.Mean, 0.02)
	near(t, "mean + std", both, want.MeanPlusStd, 0.04)
	near(t, "p95", p95, want.P95, 0.25)
	if plain < want.Mean+0.5 {
		t.Errorf("the sample is not biased: plain mean %v of %v; the test shows nothing", plain, want.Mean)
	}
}

func TestWilson(t *testing.T) {
	// 19 of 200 calls, as in the paper's section 4.5, calculated by hand.
	got := wilson(0.095, 200)
	near(t, "lower bound", got[0], 0.06166, 1e-4)
	near(t, "upper bound", got[1], 0.14360, 1e-4)
	if got := wilson(0, 10); got[0] != 0 || got[1] < 0.27 || got[1] > 0.28 {
		t.Errorf("none of 10: %v", got)
	}
	if got := wilson(0, 0); got != (Interval{0, 1}) {
		t.Errorf("none of none: %v", got)
	}
	p := proportion([]float64{2, 2}, []float64{2, 2, 2, 2})
	if p.Share != 0.5 || p.Count != 2 || p.CI != wilson(0.5, 4) {
		t.Errorf("two of four with equal weights: %+v", p)
	}
	p = proportion([]float64{10}, []float64{10, 1, 1})
	near(t, "weighted share", p.Share, 10.0/12, 1e-12)
	if p.CI != wilson(p.Share, 144.0/102) {
		t.Errorf("unequal weights leave %v", p.CI)
	}
}

func TestBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	covered := 0
	const rounds = 60
	for round := range rounds {
		var s []weighted
		for range 100 {
			s = append(s, weighted{2 + random.NormFloat64(), 1})
		}
		ci := bootstrap(s)
		if ci.Mean[0] <= 2 && 2 <= ci.Mean[1] {
			covered++
		}
		width := ci.Mean[1] - ci.Mean[0]
		if width < 0.25 || width > 0.55 { // 2 · 1.96 / 10 = 0.39
			t.Fatalf("interval of the mean %v", ci.Mean)
		}
		if round == 0 && bootstrap(s) != ci {
			t.Fatal("equal scores gave different intervals")
		}
	}
	if covered < 51 {
		t.Errorf("%d of %d intervals hold the mean", covered, rounds)
	}
	if bootstrap(nil) != (Intervals{}) {
		t.Error("no calls have an interval")
	}
}

func TestNormality(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var normal, skewed []weighted
	for range 200 {
		normal = append(normal, weighted{10 + 2*random.NormFloat64(), 1})
		skewed = append(skewed, weighted{random.ExpFloat64(), 1})
	}
	if n := normality(normal, summarize(normal)); !n.Checked || !n.Holds || math.Abs(n.AboveOneStd-0.159) > 0.06 {
		t.Errorf("normal scores: %+v", n)
	}
	if n := normality(skewed, summarize(skewed)); !n.Checked || n.Holds || n.Skewness < 1 || n.P > 0.001 {
		t.Errorf("exponential scores: %+v", n)
	}
	if n := normality(normal[:10], summarize(normal[:10])); n.Checked {
		t.Error("ten calls were tested for normality")
	}
	flat := make([]weighted, 50)
	for i := range flat {
		flat[i] = weighted{1, 1}
	}
	if n := normality(flat, summarize(flat)); n.Checked {
		t.Error("scores without spread were tested for normality")
	}
}

func BenchmarkBootstrap(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 8))
	s := make([]weighted, 500)
	for i := range s {
		s[i] = weighted{math.Floor(random.ExpFloat64()), 1}
	}
	for b.Loop() {
		bootstrap(s)
	}
}
