package eval

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"sotto/internal/gold"
	"sotto/internal/texttable"
)

// Agreement compares a second annotation of conversations with the first.
//
// Totals count the spans that are scored, as in a Report. ByType also has the infoTypes that are
// not scored by default, such as DATE.
type Agreement struct {
	Calls      int `json:"calls"`
	Utterances int `json:"utterances"`
	// Characters are the code points of the texts but white space.
	Characters int `json:"characters"`
	// RecallChars and OverMaskedTokens are those of a Report: what an anonymizer that masks the
	// second annotation would get against the first.
	RecallChars      Share `json:"recall_chars"`
	OverMaskedTokens Share `json:"over_masked_tokens"`
	// AnyType takes all scored infoTypes for one. Typed asks for the same infoType; its kappa is over
	// all categories at once.
	AnyType SpanAgreement            `json:"any_type"`
	Typed   SpanAgreement            `json:"typed"`
	ByType  map[string]SpanAgreement `json:"by_type"`

	result *Result
}

// SpanAgreement compares the labels of two annotations.
type SpanAgreement struct {
	// First and Second are the numbers of spans.
	First  int `json:"first"`
	Second int `json:"second"`
	// ExactF1 is 2 × same / (first + second), where spans are the same if they begin and end at the
	// same places. OverlapF1 is the harmonic mean of the shares of spans that overlap one of the
	// other annotation. Both are nil where neither annotation has a span.
	ExactF1   *float64 `json:"exact_f1"`
	OverlapF1 *float64 `json:"overlap_f1"`
	// Kappa is Cohen's kappa over the characters; nil if both annotations put all characters into
	// one and the same category.
	Kappa *float64 `json:"kappa"`
	// RecallChars is the share of the characters of the first annotation's spans that the second one
	// labels with any infoType; of spans that are scored, with any scored infoType.
	RecallChars Share `json:"recall_chars"`
}

// Agree compares a second annotation with the first one of the same conversations, which are found
// by ID. The first one may hold more conversations. The error names a conversation by its line in
// the second annotation.
func Agree(first, second []gold.Conversation, o Options) (*Agreement, error) {
	originals := map[string]*gold.Conversation{}
	for i := range first {
		if c := &first[i]; originals[c.ID] == nil {
			originals[c.ID] = c
		} else {
			return nil, fmt.Errorf("two conversations of the first annotation have the id of its line %d", c.Line)
		}
	}
	t := newAgreementTally()
	again := annotator{&o, map[string]*gold.Conversation{}}
	var compared []gold.Conversation
	for i := range second {
		b := &second[i]
		a := originals[b.ID]
		switch {
		case a == nil:
			return nil, fmt.Errorf("line %d: the first annotation has no conversation of this id", b.Line)
		case again.second[b.ID] != nil:
			return nil, fmt.Errorf("line %d: an earlier conversation has the same id", b.Line)
		}
		if err := sameTexts(a, b); err != nil {
			return nil, fmt.Errorf("line %d: %w", b.Line, err)
		}
		again.second[b.ID] = b
		compared = append(compared, *a)
		for k := range a.Utterances {
			t.utterance(&a.Utterances[k], &b.Utterances[k], &o)
		}
	}
	result, err := Run([]Set{{Name: "agreement", Conversations: compared}}, again, o)
	if err != nil {
		return nil, err
	}
	return t.agreement(result, &o), nil
}

func sameTexts(a, b *gold.Conversation) error {
	if len(a.Utterances) != len(b.Utterances) {
		return fmt.Errorf("%d utterances, where the first annotation has %d", len(b.Utterances), len(a.Utterances))
	}
	for i := range a.Utterances {
		if a.Utterances[i].Text != b.Utterances[i].Text {
			return fmt.Errorf("utterance %d: the text is not that of the first annotation", i+1)
		}
	}
	return nil
}

// annotator is an Anonymizer that masks what the second annotation labels.
type annotator struct {
	options *Options
	second  map[string]*gold.Conversation
}

func (a annotator) Anonymize(c *gold.Conversation) ([][]Mask, error) {
	masks := make([][]Mask, len(c.Utterances))
	for i := range masks {
		u := &a.second[c.ID].Utterances[i]
		text := []rune(u.Text)
		for _, s := range u.Entities {
			if a.options.scored(s.Type, string(text[s.Start:s.End])) {
				masks[i] = append(masks[i], Mask{Start: s.Start, End: s.End, Type: s.Type})
			}
		}
	}
	return masks, nil
}

// WriteTable writes the agreement for people.
func (a *Agreement) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%d conversations, %d turns, %d characters. The second annotation covers\n"+
		"%s %% of the characters that the first one labels, and %s %% of the\n"+
		"tokens that it does not label.\n\n",
		a.Calls, a.Utterances, a.Characters, a.RecallChars, a.OverMaskedTokens)
	t := texttable.New("infoType", "first", "second", "chars %", "exact F1", "overlap F1", "kappa")
	agreementRow(t, "any infoType", a.AnyType)
	agreementRow(t, "same infoType", a.Typed)
	for _, infoType := range a.types() {
		agreementRow(t, infoType, a.ByType[infoType])
	}
	return t.Write(w)
}

func agreementRow(t *texttable.Table, title string, s SpanAgreement) {
	t.Row(title, s.First, s.Second, s.RecallChars, decimal(s.ExactF1), decimal(s.OverlapF1), decimal(s.Kappa))
}

func decimal(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *x)
}

// types returns the infoTypes, those with most spans first.
func (a *Agreement) types() []string {
	return slices.SortedFunc(maps.Keys(a.ByType), func(x, y string) int {
		m, n := a.ByType[x], a.ByType[y]
		return cmp.Or(n.First+n.Second-m.First-m.Second, cmp.Compare(x, y))
	})
}

// WriteDifferences lists what the second annotation leaves out of the first one and what it adds,
// see Result.WriteErrors. It quotes the conversations. The Options of Agree must ask for errors.
func (a *Agreement) WriteDifferences(w io.Writer, limit int) error {
	return a.result.WriteErrors(w, limit)
}
