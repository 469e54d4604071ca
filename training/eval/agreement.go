package eval

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode"

	"sotto/internal/gold"
	"sotto/internal/texttable"
	"sotto/risk/agreement"
)

// Agreement compares a second annotation of conversations with the first, by the spans that are scored.
type Agreement struct {
	Calls      int `json:"calls"`
	Utterances int `json:"utterances"`
	// RecallChars and OverMaskedTokens are those of a Report: what an anonymizer that masks the
	// second annotation would get against the first.
	RecallChars      Share `json:"recall_chars"`
	OverMaskedTokens Share `json:"over_masked_tokens"`
	// AnyType takes all infoTypes for one. Typed asks for the same infoType.
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
	// RecallChars is the share of the characters of the first annotation's spans that the second one
	// labels with any infoType.
	RecallChars Share `json:"recall_chars"`
	// SpanF1 and Kappa are those of agreement.Figures, the latter over the characters but white space.
	SpanF1 float64 `json:"span_f1"`
	Kappa  float64 `json:"kappa"`
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
	again := recorded{}
	var compared []gold.Conversation
	for i := range second {
		b := &second[i]
		a := originals[b.ID]
		switch {
		case a == nil:
			return nil, fmt.Errorf("line %d: the first annotation has no conversation of this id", b.Line)
		case again[b.ID] != nil:
			return nil, fmt.Errorf("line %d: an earlier conversation has the same id", b.Line)
		}
		if err := sameTexts(a, b); err != nil {
			return nil, fmt.Errorf("line %d: %w", b.Line, err)
		}
		again[b.ID] = o.onlyScored(b)
		compared = append(compared, *a)
	}
	r, err := Run([]Set{{Name: "agreement", Conversations: compared}}, again, o)
	if err != nil {
		return nil, err
	}
	return o.agreement(r, compared, again), nil
}

func (o *Options) agreement(r *Result, first []gold.Conversation, second map[string]*gold.Conversation) *Agreement {
	compare := func(recall Share, category func(infoType string) string) SpanAgreement {
		calls := make([][]agreement.Reading, len(first))
		a := SpanAgreement{RecallChars: recall}
		for i := range first {
			x, y := o.reading("first", &first[i], category), o.reading("second", second[first[i].ID], category)
			a.First, a.Second = a.First+len(x.Spans), a.Second+len(y.Spans)
			calls[i] = []agreement.Reading{x, y}
		}
		f := agreement.Compare(calls, "")
		a.SpanF1, a.Kappa = f.SpanF1, f.Kappa
		return a
	}
	a := &Agreement{
		Calls: r.Calls, Utterances: r.Utterances, RecallChars: r.RecallChars, OverMaskedTokens: r.OverMaskedTokens,
		AnyType: compare(r.RecallChars, func(string) string { return "personal" }),
		Typed:   compare(r.RecallChars, func(infoType string) string { return infoType }),
		ByType:  map[string]SpanAgreement{}, result: r,
	}
	for only, t := range r.ByType {
		a.ByType[only] = compare(t.RecallChars, func(infoType string) string {
			if infoType != only {
				return ""
			}
			return only
		})
	}
	return a
}

// reading is what an annotation labels: its scored spans, each in a category, or left out with "".
func (o *Options) reading(annotator string, c *gold.Conversation, category func(infoType string) string) agreement.Reading {
	r := agreement.Reading{Annotator: annotator}
	for i := range c.Utterances {
		u := &c.Utterances[i]
		text := []rune(u.Text)
		labels := make([]string, len(text))
		for _, s := range u.Entities {
			in := category(s.Type)
			if in == "" || !o.Scored(s.Type, string(text[s.Start:s.End])) {
				continue
			}
			r.Spans = append(r.Spans, agreement.Span{Seq: int64(i), Start: s.Start, End: s.End, Type: in})
			for k := s.Start; k < s.End; k++ {
				labels[k] = in
			}
		}
		for k, l := range labels {
			if !unicode.IsSpace(text[k]) {
				r.Labels = append(r.Labels, l)
			}
		}
	}
	return r
}

func sameTexts(a, b *gold.Conversation) error {
	if len(a.Utterances) != len(b.Utterances) {
		return fmt.Errorf("%d utterances, where the labelled conversation has %d", len(b.Utterances), len(a.Utterances))
	}
	for i := range a.Utterances {
		if a.Utterances[i].Text != b.Utterances[i].Text {
			return fmt.Errorf("utterance %d: the text is not that of the labelled conversation", i+1)
		}
	}
	return nil
}

// onlyScored returns a copy of a conversation without the spans that are not scored.
func (o *Options) onlyScored(c *gold.Conversation) *gold.Conversation {
	out := *c
	out.Utterances = slices.Clone(c.Utterances)
	for i := range out.Utterances {
		u := &out.Utterances[i]
		text := []rune(u.Text)
		u.Entities = slices.DeleteFunc(slices.Clone(u.Entities), func(s gold.Span) bool {
			return !o.Scored(s.Type, string(text[s.Start:s.End]))
		})
	}
	return &out
}

// WriteTable writes the agreement for people.
func (a *Agreement) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%d conversations, %d turns. The second annotation covers %s %% of the\n"+
		"characters that the first one labels, and %s %% of the tokens that it does\nnot label.\n\n",
		a.Calls, a.Utterances, a.RecallChars, a.OverMaskedTokens)
	t := texttable.New("infoType", "first", "second", "chars %", "span F1", "kappa")
	row := func(title string, s SpanAgreement) {
		t.Row(title, s.First, s.Second, s.RecallChars, fmt.Sprintf("%.3f", s.SpanF1), fmt.Sprintf("%.3f", s.Kappa))
	}
	row("any infoType", a.AnyType)
	row("same infoType", a.Typed)
	for _, infoType := range slices.SortedFunc(maps.Keys(a.ByType), func(x, y string) int {
		m, n := a.ByType[x], a.ByType[y]
		return cmp.Or(n.First+n.Second-m.First-m.Second, cmp.Compare(x, y))
	}) {
		row(infoType, a.ByType[infoType])
	}
	return t.Write(w)
}

// WriteDifferences lists what the second annotation leaves out of the first one and what it adds,
// see Result.WriteErrors. It quotes the conversations. The Options of Agree must ask for errors.
func (a *Agreement) WriteDifferences(w io.Writer, limit int) error {
	return a.result.WriteErrors(w, limit)
}
