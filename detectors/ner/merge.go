package ner

import (
	"cmp"
	"slices"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// ruleFindings walks along what the rules found, beside the spans of the tagger. It keeps its memory
// between texts.
type ruleFindings struct {
	// order has the positions of the findings in the order of their starts. Those before next
	// have begun, and active are those of them that may overlap the next span.
	order, active []int32
	next          int
}

// begin takes the findings of a document; without need it takes none.
func (r *ruleFindings) begin(findings []detectors.Finding, need bool) {
	r.order, r.active, r.next = r.order[:0], r.active[:0], 0
	if !need {
		return
	}
	for i := range findings {
		r.order = append(r.order, int32(i))
	}
	slices.SortFunc(r.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(findings[a].Start, findings[b].Start), cmp.Compare(a, b))
	})
}

// merge reports whether a finding of the tagger adds nothing to what the rules found. It does not if
// it lies within something stronger, such as an address. It does not either if words that introduce
// a value, or a list, already gave a finding of its kind, which is then extended to cover both, so
// that a name stays one value; but not over something of another kind. Otherwise the finding gets
// the more specific infoType of a rule's finding of its kind. Findings must come in order.
func (r *ruleFindings) merge(d *detectors.Document, f *detectors.Finding, kind Kind) bool {
	findings := d.Findings
	for r.next < len(r.order) && findings[r.order[r.next]].Start < f.End {
		r.active = append(r.active, r.order[r.next])
		r.next++
	}
	r.active = slices.DeleteFunc(r.active, func(i int32) bool { return findings[i].End <= f.Start })
	part, apart := int32(-1), true
	for _, i := range r.active {
		g := &findings[i]
		switch {
		case g.Start <= f.Start && g.End >= f.End && g.Evidence.Tier() > f.Evidence.Tier() && g.Type != f.Type:
			return true
		case sequence.KindOfType(g.Type) != kind:
			apart = false
		case leadsTo(d, f, g, kind):
			return true
		default:
			f.Type = g.Type
			settleGrammar(d, f, g, kind)
			f.WidenCore(g)
			if part < 0 && g.Value == "" && g.Evidence&(detectors.ByCue|detectors.ByDictionary) != 0 {
				part = i
			}
		}
	}
	if part < 0 || !apart {
		return false
	}
	g := &findings[part]
	g.Hint |= f.Hint
	g.WidenCore(f)
	if g.Start > f.Start || g.End < f.End {
		g.Start, g.End = min(g.Start, f.Start), max(g.End, f.End)
		g.Evidence |= detectors.ByModel
	}
	return true
}

// settleGrammar decides about words of grammar at the ends of a name, an age or a date of birth where a rule,
// whose finding is g, found it without them: "the" before a date. They would become a value of their own. A
// date and an age take them, a name leaves them. A word that also sounds like a digit or a letter stays.
func settleGrammar(d *detectors.Document, f, g *detectors.Finding, kind Kind) {
	switch kind {
	case sequence.Person, sequence.Organization, sequence.Age, sequence.Birth:
	default:
		return
	}
	takes := kind == sequence.Age || kind == sequence.Birth
	if f.Start < g.Start && isGrammar(d, f.Start, g.Start) && !sounds(d, f.Start, g.Start) {
		if takes {
			g.Start = f.Start
		}
		f.Start = g.Start
	}
	if f.End > g.End && isGrammar(d, g.End, f.End) && !sounds(d, g.End, f.End) {
		if takes {
			g.End = f.End
		}
		f.End = g.End
	}
}

// sounds reports whether a word between two byte offsets may stand for a digit or a letter.
func sounds(d *detectors.Document, start, end int) bool {
	const symbols = detectors.NumWord | detectors.Homophone | detectors.LetterSound | detectors.LetterName | detectors.Spelling | detectors.Connect
	for i := d.TokenAt(start); i < len(d.Tokens) && int(d.Tokens[i].Start) < end; i++ {
		if d.Tokens[i].Is(symbols) {
			return true
		}
	}
	return false
}

// leadsTo reports whether the tagger's finding is an address that a rule found, g, or the beginning of it, with
// grammar words before it that lead to it: "write to me at".
func leadsTo(d *detectors.Document, f, g *detectors.Finding, kind Kind) bool {
	return kind == sequence.Online && g.Evidence.Tier() > f.Evidence.Tier() && g.Start < f.End && f.End <= g.End && d.TokenAt(f.Start) > 0 &&
		isGrammar(d, f.Start, g.Start)
}

// isGrammar reports whether there are only grammar words and punctuation between two byte offsets.
func isGrammar(d *detectors.Document, start, end int) bool {
	for i := d.TokenAt(start); i < len(d.Tokens) && int(d.Tokens[i].Start) < end; i++ {
		if t := &d.Tokens[i]; t.Class != detectors.Punct && !t.Is(detectors.Function|detectors.Filler) {
			return false
		}
	}
	return true
}
