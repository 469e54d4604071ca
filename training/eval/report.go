package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sotto/detectors"
	"sotto/risk"
	"sotto/risk/estimate"
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

func (s *Share) add(t Share) {
	s.Part += t.Part
	s.Whole += t.Whole
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
	// Cut counts those of which two masks or more cover some, so that one value has become several tags.
	Cut int `json:"cut"`
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
	// KeptTokens is the share of the tokens in labelled spans that are not scored (dates, times and amounts, which
	// are not masked by default) that were masked, in whole or in part.
	KeptTokens Share `json:"kept_tokens_masked"`
	// TypesRight is the share of the gold spans of which something was masked that were masked, for the most part,
	// with their own infoType.
	TypesRight Share `json:"types_right"`
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
	Estimate *EstimateReport `json:"estimated_risk,omitempty"`
	// Persons is about who is who, nil where no persons are marked.
	Persons *PersonsReport         `json:"persons,omitempty"`
	ByType  map[string]*TypeReport `json:"by_type"`
	// Confusion counts gold spans by infoType and by the type of the mask that
	// covers most of them, "(missed)" for none.
	Confusion map[string]map[string]int `json:"confusion"`
	// Errors are there on request, the worst first.
	Errors []ErrorGroup `json:"errors,omitempty"`

	scores, estimates []float64        // of each call
	figures           estimate.Figures // of a single call
	tallied           errorTally
}

// TypeReport is what was measured for one infoType.
type TypeReport struct {
	// Gold, Masked, Partial and Cut count the gold spans of this type, as in
	// Report, whatever type the masks have.
	Gold    int `json:"gold"`
	Masked  int `json:"masked"`
	Partial int `json:"partial"`
	Cut     int `json:"cut"`
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
	// TypedPrecision is the share of the masks of this type that touch a gold span of this type.
	TypedPrecision Share `json:"typed_precision"`
	// OverMaskedTokens counts the non-personal tokens masked as this type.
	OverMaskedTokens int `json:"over_masked_tokens"`
}

func newReport() *Report {
	return &Report{ByType: map[string]*TypeReport{}, Confusion: map[string]map[string]int{}, tallied: errorTally{}}
}

// typeReport returns the report on an infoType, which it makes where there is none.
func (r *Report) typeReport(infoType string) *TypeReport {
	if r.ByType[infoType] == nil {
		r.ByType[infoType] = &TypeReport{}
	}
	return r.ByType[infoType]
}

// confuse counts spans of an infoType that were taken for another one.
func (r *Report) confuse(infoType, as string, n int) {
	if r.Confusion[infoType] == nil {
		r.Confusion[infoType] = map[string]int{}
	}
	r.Confusion[infoType][as] += n
}

// add adds what was measured on calls that come later in the order of the corpus.
func (r *Report) add(o *Report) {
	r.Calls += o.Calls
	r.Utterances += o.Utterances
	r.OverMaskedTokens.add(o.OverMaskedTokens)
	r.KeptTokens.add(o.KeptTokens)
	r.TypesRight.add(o.TypesRight)
	r.FullyAnonymizedCalls.add(o.FullyAnonymizedCalls)
	r.FullyAnonymizedDirect.add(o.FullyAnonymizedDirect)
	r.SameEntitySameNumber.add(o.SameEntitySameNumber)
	r.SharedNumbers.add(o.SharedNumbers)
	for infoType, t := range o.ByType {
		r.typeReport(infoType).add(t)
	}
	for infoType, taken := range o.Confusion {
		for as, n := range taken {
			r.confuse(infoType, as, n)
		}
	}
	if o.Persons != nil {
		if r.Persons == nil {
			r.Persons = &PersonsReport{}
		}
		r.Persons.add(o.Persons)
	}
	r.scores = append(r.scores, o.scores...)
	r.estimates = append(r.estimates, o.estimates...)
	r.tallied.add(o.tallied)
}

func (t *TypeReport) add(o *TypeReport) {
	t.Gold += o.Gold
	t.Masked += o.Masked
	t.Partial += o.Partial
	t.Cut += o.Cut
	t.RecallChars.add(o.RecallChars)
	t.TypedRecall.add(o.TypedRecall)
	t.Predicted += o.Predicted
	t.Precision.add(o.Precision)
	t.PrecisionChars.add(o.PrecisionChars)
	t.TypedPrecision.add(o.TypedPrecision)
	t.OverMaskedTokens += o.OverMaskedTokens
}

// finish fills in what follows from the counts of all calls.
func (r *Report) finish(o *Options) *Report {
	r.NonPersonalTokens, r.RepeatedValues = r.OverMaskedTokens.Whole, r.SameEntitySameNumber.Whole
	r.ResidualRisk, r.Estimate = risk.Summarize(r.scores), estimateReport(r.scores, r.estimates)
	var all TypeReport
	for infoType, t := range r.ByType {
		all.add(t)
		if row := detectors.InfoType(infoType).Row(); row != nil && row.HasForm {
			r.Structured.add(t.RecallChars)
		}
		t.Recall = Share{t.Masked, t.Gold}
	}
	r.Gold, r.Masked, r.Partial, r.Cut, r.Recall = all.Gold, all.Masked, all.Partial, all.Cut, Share{all.Masked, all.Gold}
	r.RecallChars, r.Precision, r.PrecisionChars = all.RecallChars, all.Precision, all.PrecisionChars
	if o.Errors {
		r.Errors = r.tallied.groups()
	}
	return r
}

func (r *Report) types() []string {
	return slices.SortedFunc(maps.Keys(r.ByType), func(a, b string) int {
		x, y := r.ByType[a], r.ByType[b]
		return cmp.Or(y.Gold-x.Gold, y.Predicted-x.Predicted, cmp.Compare(a, b))
	})
}
