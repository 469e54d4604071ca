package eval

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"sotto/internal/texttable"
	"sotto/risk"
	"sotto/risk/estimate"
)

// EstimateReport says how well the estimate of the stream, which sees nothing
// but anonymized text, follows the residual risk that the labels show.
type EstimateReport struct {
	// Risk describes the estimates of the calls.
	Risk risk.Statistics `json:"risk"`
	// RankCorrelation is Spearman's rho between the estimate and the true
	// score of the calls, null where one of them does not vary.
	RankCorrelation *float64 `json:"rank_correlation"`
	// Over counts the calls whose true score exceeds the default limit of 5 points, Kept those of
	// them that the gate does not release at this limit, and KeptBelow the others.
	Over      int `json:"calls_over_limit"`
	Kept      int `json:"calls_over_limit_not_released"`
	KeptBelow int `json:"calls_below_limit_not_released"`
	// Released is what the gate releases at several limits.
	Released []Released `json:"released"`
	// Calibration groups the calls by their estimate.
	Calibration []risk.Bin `json:"calibration"`
	// Error is the expected calibration error.
	Error float64 `json:"calibration_error"`
}

// gateLimit is the default of SOTTO_RISK_LIMIT.
const gateLimit = 5

var binEdges = []float64{0, 0.25, 0.5, 1, 1.5, 2, 3, 5, 8}

// estimateReport returns nil if the calls have no estimates.
func estimateReport(scores, estimates []float64) *EstimateReport {
	if len(estimates) < len(scores) {
		return nil
	}
	r := &EstimateReport{Risk: risk.Summarize(estimates), RankCorrelation: spearman(scores, estimates)}
	for i, e := range estimates {
		kept, over := estimate.Upper(e) > gateLimit, scores[i] > gateLimit
		if over {
			r.Over++
		}
		if kept && over {
			r.Kept++
		} else if kept {
			r.KeptBelow++
		}
	}
	for _, limit := range limits {
		r.Released = append(r.Released, releasedAt(limit, scores, estimates))
	}
	r.Calibration, r.Error = risk.Calibration(binEdges, estimates, scores)
	return r
}

// spearman is the correlation of the ranks, ties having their mean rank; nil
// where it is not defined.
func spearman(x, y []float64) *float64 {
	a, b := ranks(x), ranks(y)
	mean := float64(len(a)+1) / 2
	var xy, xx, yy float64
	for i := range a {
		xy += (a[i] - mean) * (b[i] - mean)
		xx += (a[i] - mean) * (a[i] - mean)
		yy += (b[i] - mean) * (b[i] - mean)
	}
	if xx == 0 || yy == 0 {
		return nil
	}
	rho := xy / math.Sqrt(xx*yy)
	return &rho
}

func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

func (r *Result) writeEstimates(w io.Writer) error {
	fmt.Fprintln(w, "\nresidual risk by the labels and as estimated from the anonymized text\n(rank corr.: Spearman; cal. error: points)")
	t := texttable.New("set", "calls", "risk", "m+s", "pass", "est.", "est. m+s", "est. pass",
		"rank corr.", "cal. error", "over 5", "not released", "others not released")
	row := func(name string, r *Report) {
		e := r.Estimate
		rho := "-"
		if e.RankCorrelation != nil {
			rho = fmt.Sprintf("%.2f", *e.RankCorrelation)
		}
		t.Row(name, r.Calls, points(r.ResidualRisk.Mean), points(r.ResidualRisk.MeanPlusStd), yesNo(r.ResidualRisk.Passes),
			points(e.Risk.Mean), points(e.Risk.MeanPlusStd), yesNo(e.Risk.Passes), rho, points(e.Error), e.Over, e.Kept, e.KeptBelow)
	}
	for _, s := range r.Sets {
		row(s.title(), s.Report)
	}
	if len(r.Sets) > 1 {
		for _, c := range r.contexts() {
			row(c.Set, c.Report)
		}
	}
	row("total", r.Report)
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\ntotal by estimate")
	t = texttable.New("estimate", "calls", "mean est.", "mean risk")
	for _, b := range r.Estimate.Calibration {
		name := fmt.Sprintf("%g to %g", b.From, b.To)
		if b.To == 0 {
			name = fmt.Sprintf("%g and more", b.From)
		}
		t.Row(name, b.Calls, points(b.Estimated), points(b.Scored))
	}
	return t.Write(w)
}

func points(x float64) string { return fmt.Sprintf("%.2f", x) }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
