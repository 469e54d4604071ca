package eval

import (
	"fmt"
	"maps"
	"slices"

	"sotto/internal/gold"
)

// Lower is the Variant of a lower-cased copy, Finished that of a finished call, with the masks of
// its second reading.
const (
	Lower    = "lower"
	Finished = "finished"
)

// Set is a named set of labelled conversations, usually a file.
type Set struct {
	Name string
	// Variant names a rewritten copy of the set; it is "" for the set as written.
	Variant string
	// Finished asks for the calls as they are when they are finished.
	Finished      bool
	Conversations []gold.Conversation
}

// SetReport is the report on one set.
type SetReport struct {
	Set     string `json:"set"`
	Variant string `json:"variant,omitempty"`
	*Report
}

// Result is the report on several sets.
type Result struct {
	// Report is the total over the sets as written.
	*Report
	// Sets are in the order in which they were given.
	Sets []SetReport `json:"sets"`
	// Contexts are the totals over the calls of each context in the sets as
	// written.
	Contexts map[string]*Report `json:"contexts,omitempty"`
	// Variants are the totals over each variant.
	Variants map[string]*Report `json:"variants,omitempty"`
}

// Run measures the anonymizer on the sets. Equal input gives equal results,
// whatever the number of workers. The error names the set and the line.
func Run(sets []Set, a Anonymizer, o Options) (*Result, error) {
	o.weights = weightsOf(a)
	totals := map[string]byContext{"": {}}
	result := &Result{Variants: map[string]*Report{}}
	for _, s := range sets {
		by := a
		if s.Finished {
			by = finished(a)
		}
		measured, err := measureAll(s.Conversations, by, &o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		result.Sets = append(result.Sets, SetReport{Set: s.Name, Variant: s.Variant, Report: measured.total().finish(&o)})
		if totals[s.Variant] == nil {
			totals[s.Variant] = byContext{}
		}
		for context, r := range measured {
			totals[s.Variant].add(context, r)
		}
	}
	result.Report, result.Contexts = totals[""].total().finish(&o), totals[""]
	delete(result.Contexts, "")
	for _, r := range result.Contexts {
		r.finish(&o)
	}
	delete(totals, "")
	for variant, t := range totals {
		result.Variants[variant] = t.total().finish(&o)
	}
	return result, nil
}

// byContext has what was measured on the calls of each context; calls without one are under "".
type byContext map[string]*Report

func (b byContext) add(context string, r *Report) {
	if b[context] == nil {
		b[context] = newReport()
	}
	b[context].add(r)
}

func (b byContext) total() *Report {
	total := newReport()
	for _, context := range slices.Sorted(maps.Keys(b)) {
		total.add(b[context])
	}
	return total
}
