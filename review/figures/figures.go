// Package figures computes what the dashboard of sotto review shows.
package figures

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"sotto/review"
	"sotto/risk"
)

// Dashboard holds the figures of annotated calls.
type Dashboard struct {
	Risk *risk.Report
	// Weeks are the figures of each week of calls, Policies those of each policy version, in the order
	// of their first calls.
	Weeks, Policies []risk.Row
	// Calibration compares the live estimates with what people found.
	Calibration []risk.Bin
	Needs       []Need
	// RedTeam is nil where no call has a verdict.
	RedTeam *risk.RedTeam
	// Readings counts the readings behind it.
	Readings int
	// Wrong are the wrong masks by infoType, among Masks.
	Wrong []Wrong
	Masks int
	Paces []Pace
}

// Wrong counts masks of an infoType that are wrong: that hide nothing personal, or have the wrong infoType.
type Wrong struct {
	Type                   string
	NotPersonal, OtherType int
}

// Pace is how fast an annotator finishes readings of a kind. Its times are about those that they worked.
type Pace struct {
	Annotator string
	Kind      review.Kind
	Readings  int
	Hours     float64
	// Minutes is the median of a reading, PerHour how many readings they finish in an hour.
	Minutes, PerHour float64
}

// edges are the lower bounds of the groups of Calibration.
var edges = []float64{0, 0.5, 1, 2, 5, 10}

// Need says how many more calls have to be annotated.
type Need struct {
	Context string
	Calls   int
	// More is how many more calls it takes until the interval of mean + std lies on one side of the
	// threshold, if the scores stay as they are. 0 means that it does.
	More int
	// Unknown means that too few calls were read to say.
	Unknown bool
}

// Compute computes the figures. Texts are not needed.
func Compute(read []review.Read) *Dashboard {
	table, d := risk.Table6(), &Dashboard{}
	var all, judged []risk.Transcript
	weeks, policies := map[string][]risk.Transcript{}, map[string][]risk.Transcript{}
	for i := range read {
		c := read[i].Call
		calls := read[i].RiskCalls()
		if calls[0].Verdict != "" {
			// Only the verdict counts here: the red team reads calls that nobody annotated.
			judged = append(judged, risk.Transcript{ID: c.ID, Verdict: calls[0].Verdict, Probability: c.Rate})
		}
		if calls[0].NotAnnotated {
			continue
		}
		d.Readings += len(calls)
		if c.TimestampMS > 0 {
			week := review.Week(c.TimestampMS)
			weeks[week] = append(weeks[week], calls...)
		}
		policies[cmp.Or(c.Policy, "unknown")] = append(policies[cmp.Or(c.Policy, "unknown")], calls...)
		all = append(all, calls...)
	}
	d.Paces = paces(read)
	d.wrongMasks(read)
	d.RedTeam = table.Assess(judged).RedTeam
	d.Risk = table.Assess(all)
	// Without texts it says nothing; package agreement has it.
	d.Risk.Agreement = nil
	d.Weeks = rows(table, weeks)
	d.Policies = rows(table, policies)
	slices.SortStableFunc(d.Policies, func(a, b risk.Row) int {
		return cmp.Compare(firstCall(policies[a.Context]), firstCall(policies[b.Context]))
	})
	d.Calibration = calibrate(table, read)
	if len(d.Risk.Contexts) != 1 {
		d.Needs = append(d.Needs, need(&d.Risk.Total))
	}
	for i := range d.Risk.Contexts {
		d.Needs = append(d.Needs, need(&d.Risk.Contexts[i]))
	}
	return d
}

func paces(read []review.Read) (out []Pace) {
	times := map[Pace][]int64{}
	for i := range read {
		for _, r := range read[i].Readings {
			if r.ActiveMS > 0 { // readings of earlier versions have no time
				p := Pace{Annotator: r.Annotator, Kind: r.Kind}
				times[p] = append(times[p], r.ActiveMS)
			}
		}
	}
	for p, all := range times {
		slices.Sort(all)
		sum := int64(0)
		for _, ms := range all {
			sum += ms
		}
		p.Readings, p.Hours, p.Minutes = len(all), float64(sum)/3_600_000, float64(all[len(all)/2])/60_000
		p.PerHour = float64(p.Readings) / p.Hours
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Pace) int { return cmp.Or(cmp.Compare(a.Annotator, b.Annotator), cmp.Compare(a.Kind, b.Kind)) })
	return out
}

// wrongMasks counts those of the final readings; of several readings of a call, each counts.
func (d *Dashboard) wrongMasks(read []review.Read) {
	by := map[string]*Wrong{}
	for i := range read {
		for _, r := range read[i].Final() {
			d.Masks += r.Masks
			for _, m := range r.Wrong {
				w := by[m.Was]
				if w == nil {
					w = &Wrong{Type: m.Was}
					by[m.Was] = w
				}
				if m.Type == "" {
					w.NotPersonal++
				} else {
					w.OtherType++
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		d.Wrong = append(d.Wrong, *by[name])
	}
}

func rows(table *risk.Table, groups map[string][]risk.Transcript) (out []risk.Row) {
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		row := table.Assess(groups[name]).Total
		row.Context = name
		out = append(out, row)
	}
	return out
}

// firstCall returns when the first of the calls began, as far as that is known.
func firstCall(calls []risk.Transcript) int64 {
	first := int64(math.MaxInt64)
	for i := range calls {
		if ms := calls[i].TimestampMS; ms > 0 {
			first = min(first, ms)
		}
	}
	return first
}

func calibrate(table *risk.Table, read []review.Read) []risk.Bin {
	var estimates, scores []float64
	for i := range read {
		c := read[i].Call
		final := read[i].Final()
		if c.Estimated == nil || len(final) == 0 {
			continue
		}
		score := 0.0
		for _, r := range final {
			for _, p := range r.Pieces {
				score += float64(table.Points(p)) / float64(len(final))
			}
		}
		estimates, scores = append(estimates, *c.Estimated), append(scores, score)
	}
	bins, _ := risk.Calibration(edges, estimates, scores)
	return bins
}

// leastCalls is the number of calls below which an interval says nothing about the next ones.
const leastCalls = 10

// need extrapolates: the width of an interval falls with the root of the number of calls.
func need(r *risk.Row) Need {
	n := Need{Context: r.Context, Calls: r.Count}
	interval := r.Intervals.MeanPlusStd
	if r.Count < leastCalls || r.Std == 0 && r.Count < 10*leastCalls {
		n.Unknown = true
		return n
	}
	margin, half := risk.MaxScore-r.MeanPlusStd, interval[1]-r.MeanPlusStd
	if margin < 0 {
		margin, half = -margin, r.MeanPlusStd-interval[0]
	}
	switch {
	case half <= margin:
	case margin < 0.01:
		n.Unknown = true
	default:
		n.More = int(math.Ceil(float64(r.Count)*(half/margin)*(half/margin))) - r.Count
	}
	return n
}
