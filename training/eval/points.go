package eval

import (
	"fmt"
	"io"

	"sotto/detectors/ner"
	"sotto/internal/texttable"
	"sotto/risk"
	"sotto/risk/estimate"
)

// Point is what was measured at one operating point of detection.
type Point struct {
	Sensitivity ner.Sensitivity `json:"sensitivity"`
	*Result
}

// Points are what was measured of the same sets at each operating point, in their order.
type Points []Point

// at returns the results of one set, by its index, or of all of them together.
func (p Points) at(set int) (all []*Report) {
	for _, x := range p {
		if set < len(x.Sets) {
			all = append(all, x.Sets[set].Report)
		} else {
			all = append(all, x.Report)
		}
	}
	return all
}

// each calls do with the sets as written and, if they are several, with all of them together. lower has the
// results of the lower-cased copy, and is nil if there is none.
func (p Points) each(do func(title string, written, lower []*Report)) {
	files, sets := 0, p[0].Sets
	for i, s := range sets {
		if s.Variant != "" {
			continue
		}
		files++
		var lower []*Report
		if i+1 < len(sets) && sets[i+1].Variant == Lower {
			lower = p.at(i + 1)
		}
		do(s.Set, p.at(i), lower)
	}
	if files > 1 {
		var lower []*Report
		for _, x := range p {
			if r := x.Variants[Lower]; r != nil {
				lower = append(lower, r)
			}
		}
		do("total", p.at(len(sets)), lower)
	}
}

// WriteTable writes for people what each operating point masks in each set, and then which calls of all sets
// the gate releases.
func (p Points) WriteTable(w io.Writer) error {
	t := texttable.New("set", "sensitivity", "calls", "chars %", "lower %", "over %", "direct %", "m+s")
	t.AlignLeft(1)
	p.each(func(title string, written, lower []*Report) {
		for i, r := range written {
			inLower := "-"
			if lower != nil {
				inLower = lower[i].RecallChars.String()
			}
			t.Row(title, p[i].Sensitivity, r.Calls, r.RecallChars, inLower, r.OverMaskedTokens, r.FullyAnonymizedDirect,
				points(r.ResidualRisk.MeanPlusStd))
		}
	})
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\ncalls that the gate releases at enforce, by the limit\n(fine: of the calls with at most 5 points; others: released with more;\nrisk, m+s: of the released calls, by the labels)")
	t = texttable.New("sensitivity", "limit", "released %", "fine %", "others", "risk", "m+s")
	for _, x := range p {
		for _, r := range x.Estimate.Released {
			t.Row(x.Sensitivity, r.Limit, r.Calls, r.Fine, r.Over, points(r.Mean), points(r.MeanPlusStd))
		}
		t.Row(x.Sensitivity, "none", Share{x.Calls, x.Calls}, Share{x.Calls - x.Estimate.Over, x.Calls - x.Estimate.Over}, x.Estimate.Over,
			points(x.ResidualRisk.Mean), points(x.ResidualRisk.MeanPlusStd))
	}
	return t.Write(w)
}

// Released is what the gate releases at a limit.
type Released struct {
	Limit float64 `json:"limit"`
	// Calls is the share of all calls that is released, Fine that of the calls with at most 5 points. Over
	// counts the others that are released.
	Calls Share `json:"calls"`
	Fine  Share `json:"fine"`
	Over  int   `json:"over"`
	// Mean and MeanPlusStd describe the risk by the labels of the released calls.
	Mean        float64 `json:"mean"`
	MeanPlusStd float64 `json:"mean_plus_std"`
}

// limits are the values of SOTTO_RISK_LIMIT that are compared.
var limits = []float64{3, 4, 5, 6, 8, 10, 12}

func releasedAt(limit float64, scores, estimates []float64) Released {
	r := Released{Limit: limit, Calls: Share{Whole: len(scores)}}
	var kept []float64
	for i, score := range scores {
		fine, released := score <= gateLimit, estimate.Upper(estimates[i]) <= limit
		if fine {
			r.Fine.Whole++
		}
		if !released {
			continue
		}
		kept = append(kept, score)
		if fine {
			r.Fine.Part++
		} else {
			r.Over++
		}
	}
	r.Calls.Part = len(kept)
	s := risk.Summarize(kept)
	r.Mean, r.MeanPlusStd = s.Mean, s.MeanPlusStd
	return r
}
