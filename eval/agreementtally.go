package eval

import (
	"maps"
	"slices"
	"unicode"

	"sotto/internal/gold"
)

// anyType is the category of all scored infoTypes.
const anyType = ""

// agreementTally counts what two annotations label.
type agreementTally struct {
	utterances int
	// spans are by infoType; those of anyType count all scored ones.
	spans map[string]*spanPairs
	// characters counts code points by the infoTypes of the two annotations, "" for none.
	characters map[[2]string]int
}

// spanPairs counts the spans of two annotations.
type spanPairs struct {
	first, second         int
	same                  int
	inFirst, inSecond     int // that overlap a span of the other annotation
	firstChars, alsoChars int
}

func newAgreementTally() *agreementTally {
	return &agreementTally{spans: map[string]*spanPairs{}, characters: map[[2]string]int{}}
}

func (t *agreementTally) utterance(first, second *gold.Utterance, o *Options) {
	t.utterances++
	text := []rune(first.Text)
	a, b := o.compared(first.Entities, text), o.compared(second.Entities, text)
	as, bs := o.totals(a), o.totals(b)
	t.compare(anyType, withoutType(as), withoutType(bs))
	types := map[string]bool{}
	for _, s := range slices.Concat(a, b) {
		types[s.Type] = true
	}
	for infoType := range types {
		t.compare(infoType, ofType(a, infoType), ofType(b, infoType))
	}
	aChars, bChars, bScored := spread(a, len(text)), spread(b, len(text)), spread(bs, len(text))
	for i, r := range text {
		if x := aChars[i]; x != "" {
			n := at(t.spans, x)
			n.firstChars++
			if bScored[i] != "" || bChars[i] != "" && !o.inTotals(x) {
				n.alsoChars++
			}
		}
		if !unicode.IsSpace(r) {
			t.characters[[2]string{aChars[i], bChars[i]}]++
		}
	}
}

// compare counts spans of two annotations that are all of one category.
func (t *agreementTally) compare(category string, a, b []gold.Span) {
	n := at(t.spans, category)
	n.first += len(a)
	n.second += len(b)
	n.inFirst += overlapping(a, b)
	n.inSecond += overlapping(b, a)
	rest := slices.Clone(b)
	for _, s := range a {
		if i := slices.IndexFunc(rest, func(r gold.Span) bool { return r.Start == s.Start && r.End == s.End }); i >= 0 {
			n.same++
			rest = slices.Delete(rest, i, i+1)
		}
	}
}

// overlapping returns how many spans of a overlap one of b.
func overlapping(a, b []gold.Span) (n int) {
	for _, s := range a {
		if slices.ContainsFunc(b, func(r gold.Span) bool { return r.Start < s.End && s.Start < r.End }) {
			n++
		}
	}
	return n
}

// compared leaves out the spans that are not compared at all: of infoTypes that were not asked for,
// and quantities.
func (o *Options) compared(spans []gold.Span, text []rune) (out []gold.Span) {
	for _, s := range spans {
		if o.scored(s.Type, string(text[s.Start:s.End])) || !o.inTotals(s.Type) {
			out = append(out, s)
		}
	}
	return out
}

// inTotals reports whether compared spans of this infoType count in the totals.
func (o *Options) inTotals(infoType string) bool {
	return len(o.Types) > 0 || !unscoredByDefault(infoType)
}

func (o *Options) totals(spans []gold.Span) []gold.Span {
	return slices.DeleteFunc(slices.Clone(spans), func(s gold.Span) bool { return !o.inTotals(s.Type) })
}

func ofType(spans []gold.Span, infoType string) []gold.Span {
	return slices.DeleteFunc(slices.Clone(spans), func(s gold.Span) bool { return s.Type != infoType })
}

func withoutType(spans []gold.Span) []gold.Span {
	out := slices.Clone(spans)
	for i := range out {
		out[i].Type = anyType
	}
	return out
}

// spread gives each code point the infoType of its label, "" for none.
func spread(spans []gold.Span, n int) []string {
	out := make([]string, n)
	for _, s := range spans {
		for i := s.Start; i < s.End; i++ {
			out[i] = s.Type
		}
	}
	return out
}

func (t *agreementTally) agreement(r *Result, o *Options) *Agreement {
	a := &Agreement{
		Calls: r.Calls, Utterances: t.utterances, RecallChars: r.RecallChars,
		OverMaskedTokens: r.OverMaskedTokens, ByType: map[string]SpanAgreement{}, result: r,
	}
	var typed spanPairs
	for infoType, n := range t.spans {
		if infoType == anyType {
			continue
		}
		s := n.agreement()
		s.Kappa = t.kappa(func(label string) string {
			if label == infoType {
				return label
			}
			return ""
		})
		a.ByType[infoType] = s
		if o.inTotals(infoType) {
			typed.add(n)
		}
	}
	for _, n := range t.characters {
		a.Characters += n
	}
	a.Typed = typed.agreement()
	a.Typed.Kappa = t.kappa(func(label string) string {
		if o.inTotals(label) {
			return label
		}
		return ""
	})
	a.AnyType = at(t.spans, anyType).agreement()
	a.AnyType.RecallChars = a.Typed.RecallChars
	a.AnyType.Kappa = t.kappa(func(label string) string {
		if label != "" && o.inTotals(label) {
			return "personal"
		}
		return ""
	})
	return a
}

func (n *spanPairs) add(m *spanPairs) {
	n.first += m.first
	n.second += m.second
	n.same += m.same
	n.inFirst += m.inFirst
	n.inSecond += m.inSecond
	n.firstChars += m.firstChars
	n.alsoChars += m.alsoChars
}

func (n *spanPairs) agreement() SpanAgreement {
	s := SpanAgreement{First: n.first, Second: n.second, RecallChars: Share{n.alsoChars, n.firstChars}}
	if n.first+n.second == 0 {
		return s
	}
	exact := 2 * float64(n.same) / float64(n.first+n.second)
	overlap := 0.0
	if n.inFirst > 0 && n.inSecond > 0 {
		recall, precision := float64(n.inFirst)/float64(n.first), float64(n.inSecond)/float64(n.second)
		overlap = 2 * recall * precision / (recall + precision)
	}
	s.ExactF1, s.OverlapF1 = &exact, &overlap
	return s
}

// kappa is Cohen's kappa over the characters, in the categories of their labels.
func (t *agreementTally) kappa(category func(label string) string) *float64 {
	first, second := map[string]float64{}, map[string]float64{}
	all, same := 0.0, 0.0
	for labels, n := range t.characters {
		a, b := category(labels[0]), category(labels[1])
		first[a] += float64(n)
		second[b] += float64(n)
		all += float64(n)
		if a == b {
			same += float64(n)
		}
	}
	expected := 0.0
	for _, c := range slices.Sorted(maps.Keys(first)) {
		expected += first[c] * second[c]
	}
	if expected == all*all {
		return nil
	}
	k := (same*all - expected) / (all*all - expected)
	return &k
}
