package risk

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Interval holds the bounds of a 95 per cent confidence interval.
type Interval [2]float64

// Intervals are bootstrap confidence intervals of Statistics.
type Intervals struct {
	Mean        Interval `json:"mean"`
	Std         Interval `json:"std"`
	P95         Interval `json:"p95"`
	MeanPlusStd Interval `json:"mean_plus_std"`
}

const (
	replicates     = 2000
	bootstrapWork  = 20_000_000 // scores drawn at most, so that it takes a second or so
	minReplicates  = 200
	bootstrapSeed1 = 0x736f74746f
	bootstrapSeed2 = 0x7269736b
)

// bootstrap gives percentile intervals (Efron, Annals of Statistics 7, 1979):
// calls are drawn with replacement, each with its weight. The random source
// has a fixed seed: equal scores give equal intervals.
func bootstrap(s []weighted) Intervals {
	if len(s) == 0 {
		return Intervals{}
	}
	n := min(replicates, max(minReplicates, bootstrapWork/len(s)))
	random := rand.New(rand.NewPCG(bootstrapSeed1, bootstrapSeed2))
	draw := make([]weighted, len(s))
	var mean, std, p95, both []float64
	for range n {
		for i := range draw {
			draw[i] = s[random.IntN(len(s))]
		}
		r := summarize(draw)
		mean = append(mean, r.Mean)
		std = append(std, r.Std)
		p95 = append(p95, r.P95)
		both = append(both, r.MeanPlusStd)
	}
	return Intervals{Mean: middle95(mean), Std: middle95(std), P95: middle95(p95), MeanPlusStd: middle95(both)}
}

func middle95(x []float64) Interval {
	slices.Sort(x)
	n := float64(len(x) - 1)
	return Interval{x[int(math.Floor(0.025*n))], x[int(math.Ceil(0.975*n))]}
}

// Proportion is a share with its confidence interval.
type Proportion struct {
	// Count is the number of calls in the sample.
	Count int `json:"count"`
	// Share is the estimate for the traffic, by the weights.
	Share float64  `json:"share"`
	CI    Interval `json:"ci"`
}

// z95 is the standard normal quantile of 0.975.
const z95 = 1.959963984540054

// wilson gives the score interval of a share (E. B. Wilson, Journal of the
// American Statistical Association 22, 1927) from n trials. With unequal
// weights n is the effective sample size.
func wilson(share, n float64) Interval {
	if n == 0 {
		return Interval{0, 1}
	}
	const z2 = z95 * z95
	centre := (share + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(share*(1-share)/n+z2/(4*n*n))
	return Interval{max(0, centre-half), min(1, centre+half)}
}

// proportion estimates the share of calls with a property from the weights of
// those that have it and of all.
func proportion(having, all []float64) Proportion {
	var part, sum, squares float64
	for _, w := range having {
		part += w
	}
	for _, w := range all {
		sum += w
		squares += w * w
	}
	p := Proportion{Count: len(having), CI: Interval{0, 1}}
	if sum > 0 {
		p.Share = part / sum
		// Kish's effective sample size.
		p.CI = wilson(p.Share, sum*sum/squares)
	}
	return p
}

// Normality reports whether the assumption behind the pass criterion holds: that
// scores are normal, so that about 16 per cent lie above mean + std.
type Normality struct {
	// Checked is false where there are too few calls, or no spread, to say
	// anything.
	Checked bool `json:"checked"`
	// JarqueBera is the statistic of Jarque and Bera (Economics Letters 6,
	// 1980) from skewness and kurtosis; P is its asymptotic p-value.
	JarqueBera float64 `json:"jarque_bera"`
	Skewness   float64 `json:"skewness"`
	Kurtosis   float64 `json:"excess_kurtosis"`
	P          float64 `json:"p"`
	// Holds is true while P is 0.05 or more.
	Holds bool `json:"holds"`
	// AboveOneStd is the share of calls above mean + std.
	AboveOneStd float64 `json:"above_mean_plus_std"`
}

// minNormality is the least number of calls for which the check means
// anything.
const minNormality = 20

func normality(s []weighted, about Statistics) Normality {
	var sum, m2, m3, m4, above float64
	for _, x := range s {
		d := x.score - about.Mean
		sum += x.weight
		m2 += x.weight * d * d
		m3 += x.weight * d * d * d
		m4 += x.weight * d * d * d * d
		if x.score > about.MeanPlusStd {
			above += x.weight
		}
	}
	if len(s) < minNormality || m2 == 0 {
		return Normality{}
	}
	m2, m3, m4 = m2/sum, m3/sum, m4/sum
	n := Normality{Checked: true, AboveOneStd: above / sum, Skewness: m3 / math.Pow(m2, 1.5), Kurtosis: m4/(m2*m2) - 3}
	n.JarqueBera = float64(len(s)) / 6 * (n.Skewness*n.Skewness + n.Kurtosis*n.Kurtosis/4)
	// A chi-square variable with two degrees of freedom is exponential.
	n.P = math.Exp(-n.JarqueBera / 2)
	n.Holds = n.P >= 0.05
	return n
}
