package risk

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"sotto/detectors"
)

// Report is what annotated calls show about the traffic that they come from.
type Report struct {
	Total Row `json:"total"`
	// Contexts are in alphabetical order.
	Contexts []Row `json:"contexts"`
	// Contributions are the infoTypes that the risk consists of, the greatest
	// first.
	Contributions []Contribution `json:"contributions"`
	// HighScorers is nil where no call has more than MaxScore points.
	HighScorers *HighScorers `json:"high_scorers,omitempty"`
	// RedTeam is nil where no call has a verdict.
	RedTeam *RedTeam `json:"red_team,omitempty"`
	// Agreement is nil where no call has two annotators.
	Agreement *Agreement `json:"agreement,omitempty"`
	// Weighted means that calls were sampled with different probabilities, so
	// that every figure but counts and maxima is an estimate by their weights.
	Weighted bool `json:"weighted"`
	// Unknown counts the calls whose probability is not known although others
	// have one; they count as if they had been certain to be sampled.
	Unknown int `json:"unknown_probability,omitempty"`
	// Read is how much was read of the calls that are annotated.
	Read Size `json:"read"`
	// Incomplete counts the calls of which the sample lacks utterances.
	Incomplete int `json:"incomplete,omitempty"`
}

// The results of a row.
const (
	Pass         = "pass"
	Fail         = "fail"
	NotAnnotated = "not annotated"
)

// Row holds the figures of a context or of all calls.
type Row struct {
	Context string `json:"context"`
	// Result is NotAnnotated if no call is annotated, or there is none, otherwise Pass or Fail.
	Result string `json:"result"`
	Statistics
	// NotAnnotated counts the calls that are not annotated. No other figure includes them.
	NotAnnotated int       `json:"not_annotated,omitempty"`
	Intervals    Intervals `json:"ci"`
	// Above is the share of calls with a score above the threshold of 5; AtLeast
	// the share of those that reach it.
	Above   Proportion `json:"above_threshold"`
	AtLeast Proportion `json:"at_threshold"`
	// Direct is the share of calls in which somebody found a direct identifier: a piece with 4 points or more.
	// It alone does not reach the threshold.
	Direct    Proportion `json:"direct_identifier"`
	Normality Normality  `json:"normality"`
	// Histogram holds the share of calls with each whole score, rounded up,
	// from 0; the last bar takes all higher ones.
	Histogram []float64 `json:"histogram"`
}

// Contribution is what an infoType adds to the risk.
type Contribution struct {
	Type   string          `json:"type"`
	Group  detectors.Group `json:"group"`
	Direct bool            `json:"direct"`
	// Pieces counts the different pieces missed, by each annotator again, Calls
	// the calls they are in.
	Pieces int `json:"pieces"`
	Calls  int `json:"calls"`
	// PerCall is the part of the mean score that comes from this type, Share
	// the part of all points.
	PerCall float64 `json:"per_call"`
	Share   float64 `json:"share"`
}

// RedTeam holds the shares of the verdicts.
type RedTeam struct {
	Calls int `json:"calls"`
	// Nothing was found, Residual information does not identify anybody, or
	// somebody was Identified.
	Nothing    Proportion `json:"nothing"`
	Residual   Proportion `json:"residual"`
	Identified Proportion `json:"identified"`
}

const maxBar = 20

// scored is a call with the readings of its annotators put together.
type scored struct {
	*Transcript // the first reading
	weight      float64
	score       float64 // the mean over the annotators
	readings    int
	direct      bool       // a reading has a direct identifier
	worst       []Distinct // the pieces of the reading with the most points
}

// Assess scores the calls and estimates the figures of the traffic. A call
// that several annotators read has the mean of their scores. Calls that are not
// annotated are counted and nothing else.
func (t *Table) Assess(calls []Transcript) *Report {
	readings, unread := group(calls)
	r := &Report{}
	known := 0
	var all []scored
	contributions := make(map[string]*Contribution)
	for _, of := range readings {
		s := scored{Transcript: of[0], weight: 1, readings: len(of)}
		if s.Probability > 0 {
			s.weight = 1 / s.Probability
			known++
		}
		if len(all) > 0 && s.weight != all[0].weight {
			r.Weighted = true
		}
		if s.Missing > 0 {
			r.Incomplete++
		}
		r.Read.add(s.Text)
		seen := make(map[string]bool)
		most := -1
		for _, c := range of {
			distinct := t.Merge(c.pieces())
			s.direct = s.direct || slices.ContainsFunc(distinct, Distinct.direct)
			points := t.contribute(distinct, s, seen, contributions)
			s.score += float64(points) / float64(s.readings)
			if points > most {
				most, s.worst = points, distinct
			}
		}
		all = append(all, s)
	}
	if known > 0 {
		r.Unknown = len(all) - known
	}
	r.Total = row("total", all, len(unread))
	contexts := make(map[string][]scored)
	for _, s := range all {
		name := cmp.Or(s.Context, "unknown")
		contexts[name] = append(contexts[name], s)
	}
	notAnnotated := make(map[string]int)
	for _, c := range unread {
		name := cmp.Or(c.Context, "unknown")
		notAnnotated[name]++
		if _, ok := contexts[name]; !ok {
			contexts[name] = nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(contexts)) {
		r.Contexts = append(r.Contexts, row(name, contexts[name], notAnnotated[name]))
	}
	r.Contributions = ranked(contributions, all)
	r.HighScorers = highScorers(all)
	r.RedTeam = redTeam(all)
	r.Agreement = agreementOf(readings)
	return r
}

// group puts the readings of each call together, in the order of the first. unread are the calls
// that are not annotated.
func group(calls []Transcript) (out [][]*Transcript, unread []*Transcript) {
	at := make(map[string]int)
	for i := range calls {
		c := &calls[i]
		if c.NotAnnotated {
			unread = append(unread, c)
			continue
		}
		if k, ok := at[c.ID]; ok && c.Annotator != "" {
			out[k] = append(out[k], c)
			continue
		}
		if c.Annotator != "" {
			at[c.ID] = len(out)
		}
		out = append(out, []*Transcript{c})
	}
	return out, unread
}

// contribute adds one reading up by infoType and returns its points. seen holds the infoTypes that
// the call was counted for.
func (t *Table) contribute(distinct []Distinct, s scored, seen map[string]bool, to map[string]*Contribution) int {
	sum := 0
	for _, d := range distinct {
		sum += d.Points
		c := to[d.Piece.Type]
		if c == nil {
			e, _ := t.Lookup(d.Piece.Type)
			c = &Contribution{Type: d.Piece.Type, Group: cmp.Or(e.Group, detectors.GroupOther), Direct: e.Direct()}
			to[d.Piece.Type] = c
		}
		c.Pieces++
		if !seen[d.Piece.Type] {
			seen[d.Piece.Type] = true
			c.Calls++
		}
		c.PerCall += s.weight * float64(d.Points) / float64(s.readings)
	}
	return sum
}

func ranked(contributions map[string]*Contribution, all []scored) []Contribution {
	var weights, points float64
	for _, s := range all {
		weights += s.weight
	}
	var out []Contribution
	for _, k := range slices.Sorted(maps.Keys(contributions)) {
		c := *contributions[k]
		points += c.PerCall
		out = append(out, c)
	}
	for i := range out {
		if points > 0 {
			out[i].Share = out[i].PerCall / points
		}
		out[i].PerCall /= weights
	}
	slices.SortStableFunc(out, func(a, b Contribution) int {
		return cmp.Or(cmp.Compare(b.PerCall, a.PerCall), b.Pieces-a.Pieces, strings.Compare(a.Type, b.Type))
	})
	return out
}

func row(context string, calls []scored, notAnnotated int) Row {
	r := Row{Context: context, NotAnnotated: notAnnotated}
	scores := make([]weighted, len(calls))
	var weights, above, atLeast, direct []float64
	var sum float64
	for i, c := range calls {
		scores[i] = weighted{c.score, c.weight}
		weights = append(weights, c.weight)
		sum += c.weight
		if c.score > MaxScore {
			above = append(above, c.weight)
		}
		if c.score >= MaxScore {
			atLeast = append(atLeast, c.weight)
		}
		if c.direct {
			direct = append(direct, c.weight)
		}
		bar := min(int(math.Ceil(c.score)), maxBar)
		for len(r.Histogram) <= bar {
			r.Histogram = append(r.Histogram, 0)
		}
		r.Histogram[bar] += c.weight
	}
	for i := range r.Histogram {
		r.Histogram[i] /= sum
	}
	r.Statistics = summarize(scores)
	switch {
	case r.Passes:
		r.Result = Pass
	case r.Count == 0:
		r.Result = NotAnnotated
	default:
		r.Result = Fail
	}
	r.Intervals = bootstrap(scores)
	r.Above = proportion(above, weights)
	r.AtLeast = proportion(atLeast, weights)
	r.Direct = proportion(direct, weights)
	r.Normality = normality(scores, r.Statistics)
	return r
}

func redTeam(all []scored) *RedTeam {
	weights := make(map[Verdict][]float64)
	var judged []float64
	for _, s := range all {
		if s.Verdict != "" {
			weights[s.Verdict] = append(weights[s.Verdict], s.weight)
			judged = append(judged, s.weight)
		}
	}
	if len(judged) == 0 {
		return nil
	}
	return &RedTeam{
		Calls:      len(judged),
		Nothing:    proportion(weights[NothingFound], judged),
		Residual:   proportion(weights[Residual], judged),
		Identified: proportion(weights[Identified], judged),
	}
}
