package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sotto/detectors"
	"sotto/risk"
)

// Share is a part of a whole. In JSON it is a number between 0 and 1, or null
// when the whole is empty.
type Share struct{ Part, Whole int }

// Value returns the share as a number; it is 0 when the whole is empty.
func (s Share) Value() float64 {
	if s.Whole == 0 {
		return 0
	}
	return float64(s.Part) / float64(s.Whole)
}

// MarshalJSON writes the share as a number or null.
func (s Share) MarshalJSON() ([]byte, error) {
	if s.Whole == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(s.Value())
}

// String returns the share in per cent.
func (s Share) String() string {
	if s.Whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", 100*s.Value())
}

// Report is what was measured on a set of calls.
type Report struct {
	Calls      int `json:"calls"`
	Utterances int `json:"utterances"`
	// Gold, Masked and Partial count labelled spans that are scored: all of
	// them, those wholly masked, and those of which some was masked. A span is
	// wholly masked when masks of whatever type cover every code point of it
	// but white space and punctuation.
	Gold    int `json:"gold"`
	Masked  int `json:"masked"`
	Partial int `json:"partial"`
	// Recall is by spans: the share of gold spans that were wholly masked.
	Recall Share `json:"recall"`
	// RecallChars is the share of gold characters that were masked; all code
	// points of the spans count, white space too.
	RecallChars Share `json:"recall_chars"`
	// Structured is RecallChars of the spans of structured infoTypes only, which are recognized
	// by a form, question or hotword: numbers and IDs, e-mail addresses, user names, street
	// addresses with their postal codes.
	Structured Share `json:"recall_chars_structured"`
	// Precision is by masks: the share of masks that hold some content of a
	// gold span. PrecisionChars is the share of masked content that lies in
	// gold spans. Content in labelled spans that are not scored is left out.
	Precision      Share `json:"precision"`
	PrecisionChars Share `json:"precision_chars"`
	// OverMaskedTokens is the share of non-personal tokens that were masked,
	// in whole or in part. Tokens that a labelled span touches, scored or not,
	// are left out.
	OverMaskedTokens  Share `json:"over_masked_tokens"`
	NonPersonalTokens int   `json:"non_personal_tokens"`
	// FullyAnonymizedCalls is the share of calls in which every gold span was
	// wholly masked; FullyAnonymizedDirect asks it of direct identifiers only,
	// those with 4 points or more. A call without gold spans is anonymized.
	FullyAnonymizedCalls  Share `json:"fully_anonymized_calls"`
	FullyAnonymizedDirect Share `json:"fully_anonymized_calls_direct"`
	// SameEntitySameNumber is the share of repeated gold values that got one
	// number in their call. A gold value repeats when two or more mentions
	// with its infoType and its normal form (risk.Normalize) are each wholly
	// masked by a single mask; it got one number when all those masks have the
	// same type and number. RepeatedValues counts them.
	SameEntitySameNumber Share `json:"same_entity_same_number"`
	RepeatedValues       int   `json:"repeated_values"`
	// SharedNumbers is the share of numbers that stand for values which are
	// not the same information by risk.Equivalent: what was merged wrongly.
	SharedNumbers Share `json:"shared_numbers"`
	// ResidualRisk describes the scores of the calls: the sum over different
	// pieces of gold spans that can still be read. Of organizations and
	// products only those labelled as a speaker's own score.
	ResidualRisk risk.Statistics `json:"residual_risk"`
	// Estimate is about the estimates of the same calls, nil where no engine has made the masks.
	Estimate *EstimateReport       `json:"estimated_risk,omitempty"`
	ByType   map[string]TypeReport `json:"by_type"`
	// Confusion counts gold spans by infoType and by the type of the mask that
	// covers most of them, "(missed)" for none.
	Confusion map[string]map[string]int `json:"confusion"`
	// Errors are there on request, the worst first.
	Errors []ErrorGroup `json:"errors,omitempty"`
}

// TypeReport is what was measured for one infoType.
type TypeReport struct {
	// Gold, Masked and Partial count the gold spans of this type, as in
	// Report, whatever type the masks have.
	Gold    int `json:"gold"`
	Masked  int `json:"masked"`
	Partial int `json:"partial"`
	// Recall is by spans, RecallChars by code points.
	Recall      Share `json:"recall"`
	RecallChars Share `json:"recall_chars"`
	// TypedRecall is the share of gold spans that were wholly masked, for the
	// most part by a mask of their own type.
	TypedRecall Share `json:"typed_recall"`
	// Predicted counts the masks of this type. Precision is the share of them
	// that hold content of a gold span of any type; PrecisionChars is by code
	// points.
	Predicted      int   `json:"predicted"`
	Precision      Share `json:"precision"`
	PrecisionChars Share `json:"precision_chars"`
	// OverMaskedTokens counts the non-personal tokens masked as this type.
	OverMaskedTokens int `json:"over_masked_tokens"`
}

func (t *tally) report(o *Options) *Report {
	r := &Report{
		Calls:                 t.calls,
		Utterances:            t.utterances,
		OverMaskedTokens:      Share{t.overMasked, t.tokens},
		NonPersonalTokens:     t.tokens,
		FullyAnonymizedCalls:  Share{t.fully, t.calls},
		FullyAnonymizedDirect: Share{t.fullyDirect, t.calls},
		SameEntitySameNumber:  Share{t.oneNumber, t.repeated},
		RepeatedValues:        t.repeated,
		SharedNumbers:         Share{t.sharedNumbers, t.numbers},
		ResidualRisk:          risk.Summarize(t.scores),
		Estimate:              estimateReport(t.scores, t.estimates),
		ByType:                make(map[string]TypeReport),
		Confusion:             make(map[string]map[string]int),
	}
	var gold goldTally
	var masks maskTally
	for k, g := range t.gold {
		gold.add(g)
		if row := detectors.InfoType(k).Row(); row != nil && row.HasForm {
			r.Structured.Part += g.maskedChars
			r.Structured.Whole += g.chars
		}
		r.ByType[k] = TypeReport{
			Gold: g.spans, Masked: g.masked, Partial: g.partial,
			Recall:      Share{g.masked, g.spans},
			RecallChars: Share{g.maskedChars, g.chars},
			TypedRecall: Share{g.typed, g.spans},
		}
	}
	for k, m := range t.masks {
		masks.add(m)
		b := r.ByType[k]
		b.Predicted = m.masks
		b.Precision = Share{m.right, m.masks}
		b.PrecisionChars = Share{m.rightChars, m.chars}
		b.OverMaskedTokens = m.overMasked
		r.ByType[k] = b
	}
	for k, n := range t.confusion {
		if r.Confusion[k[0]] == nil {
			r.Confusion[k[0]] = make(map[string]int)
		}
		r.Confusion[k[0]][k[1]] = n
	}
	r.Gold, r.Masked, r.Partial = gold.spans, gold.masked, gold.partial
	r.Recall = Share{gold.masked, gold.spans}
	r.RecallChars = Share{gold.maskedChars, gold.chars}
	r.Precision = Share{masks.right, masks.masks}
	r.PrecisionChars = Share{masks.rightChars, masks.chars}
	if o.Errors {
		r.Errors = t.errors.groups()
	}
	return r
}

// types returns the infoTypes of a report, those with most gold spans first.
func (r *Report) types() []string {
	return slices.SortedFunc(maps.Keys(r.ByType), func(a, b string) int {
		x, y := r.ByType[a], r.ByType[b]
		return cmp.Or(y.Gold-x.Gold, y.Predicted-x.Predicted, cmp.Compare(a, b))
	})
}
