package detectors

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Strength is how much the kind of evidence says. Of two findings that overlap, the stronger one wins.
type Strength uint8

// The strengths, in rising order.
const (
	StrengthForm      Strength = iota // the form alone
	StrengthModel                     // the statistical tagger
	StrengthCue                       // words that introduce it, or a dictionary
	StrengthStructure                 // an unmistakable form, or one with its hotword
	StrengthChecksum                  // a checksum, together with a form or context
	StrengthKnown                     // what the user or the call's memory knows
)

// Strength is that of the strongest reason.
func (e Evidence) Strength() Strength {
	switch {
	case e&(ByUser|ByMemory) != 0:
		return StrengthKnown
	case e&ByChecksum != 0:
		return StrengthChecksum
	case e&ByStructure != 0, e&ByHotword != 0 && e&(ByShape|ByList) != 0:
		return StrengthStructure
	case e&(ByCue|ByDictionary|ByHotword|ByList) != 0:
		return StrengthCue
	case e&ByModel != 0:
		return StrengthModel
	}
	return StrengthForm
}

// Rule is what decided between two findings that overlap.
type Rule uint8

// The rules, in the order in which they are asked.
const (
	// ByContainment: a longer finding of structure or more contains it, so that a
	// name inside an e-mail address is a part of the address.
	ByContainment Rule = iota + 1
	// ByStrength: the stronger kind of evidence.
	ByStrength
	// ByLength: the longer in bytes.
	ByLength
	// ByScore: the higher score.
	ByScore
	// ByStart: the earlier.
	ByStart
	// ByName: the infoType, then the detector, that comes first in the alphabet,
	// so that the order is total.
	ByName
)

// String names the rule.
func (r Rule) String() string {
	return [...]string{"", "containment", "evidence", "length", "score", "position", "name"}[r]
}

// compare orders findings, the winner first, and returns the rule that decided.
func compare(a, b *Finding) (int, Rule) {
	if c := cmp.Compare(b.Evidence.Strength(), a.Evidence.Strength()); c != 0 {
		return c, ByStrength
	}
	if c := cmp.Compare(b.End-b.Start, a.End-a.Start); c != 0 {
		return c, ByLength
	}
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c, ByScore
	}
	if c := cmp.Compare(a.Start, b.Start); c != 0 {
		return c, ByStart
	}
	if c := strings.Compare(string(a.Type), string(b.Type)); c != 0 {
		return c, ByName
	}
	return strings.Compare(a.Detector, b.Detector), ByName
}

// Loss says why a finding was dropped or cut.
type Loss struct {
	// Loser is the finding as it was, Winner the first one that it lost to.
	Loser, Winner Finding
	Rule          Rule
	// Cut reports that the part of the loser outside of the winner was kept as a finding.
	Cut bool
}

// Resolver makes findings disjoint. It keeps its memory between calls and is
// not safe for concurrent use.
type Resolver struct {
	// Explain asks for Losses.
	Explain bool
	// Losses are those of the last Resolve, in the order of its clusters.
	Losses []Loss

	ranked []Finding
	kept   []Finding
	owners []int
}

// Resolve returns disjoint findings in the order of the text. A finding that lies
// within a longer one of structure or more is dropped, unless it has a checksum.
// Others that overlap are ranked by strength, length, score, position and name. The winner
// keeps its whole span. The part of a loser outside of it stays a finding of the
// loser's type if it has a letter or a digit, so that everything that any
// finding covered stays covered. The value of such a part is empty.
//
// The result depends on the set of findings only, not on their order. The slice
// is the resolver's and valid until the next call.
func (r *Resolver) Resolve(d *Document) []Finding {
	r.kept, r.Losses = r.kept[:0], r.Losses[:0]
	if len(d.Findings) == 0 {
		return nil
	}
	r.ranked = append(r.ranked[:0], d.Findings...)
	slices.SortFunc(r.ranked, func(a, b Finding) int {
		if c := cmp.Compare(a.Start, b.Start); c != 0 {
			return c
		}
		c, _ := compare(&a, &b)
		return c
	})
	for i := 0; i < len(r.ranked); {
		end := r.ranked[i].End
		j := i + 1
		for j < len(r.ranked) && r.ranked[j].Start < end {
			end = max(end, r.ranked[j].End)
			j++
		}
		if j == i+1 {
			r.kept = append(r.kept, r.ranked[i])
		} else {
			r.cluster(d, r.ranked[i:j], end)
		}
		i = j
	}
	return r.kept
}

// cluster resolves findings that overlap directly or through others. Each is placed in turn,
// the strongest first, into what is still free; owners holds for each byte of
// the cluster the kept finding that has it, so the cost is the length of the
// text that the findings cover, up to end.
func (r *Resolver) cluster(d *Document, c []Finding, end int) {
	base := c[0].Start
	c = r.uncontained(c)
	slices.SortFunc(c, func(a, b Finding) int { n, _ := compare(&a, &b); return n })
	r.owners = slices.Grow(r.owners[:0], end-base)[:end-base]
	for i := range r.owners {
		r.owners[i] = -1
	}
	first := len(r.kept)
	for i := range c {
		r.place(d, c[i], base)
	}
	slices.SortFunc(r.kept[first:], func(a, b Finding) int { return cmp.Compare(a.Start, b.Start) })
}

// uncontained drops the findings that lie within a longer one of structure or more.
func (r *Resolver) uncontained(c []Finding) []Finding {
	slices.SortFunc(c, func(a, b Finding) int {
		if n := cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)); n != 0 {
			return n
		}
		n, _ := compare(&a, &b)
		return n
	})
	kept, holder := 0, -1
	for i := range c {
		f := c[i]
		if holder >= 0 && c[holder].End >= f.End && c[holder].End-c[holder].Start > f.End-f.Start && f.Evidence&ByChecksum == 0 {
			if r.Explain {
				r.Losses = append(r.Losses, Loss{Loser: f, Winner: c[holder], Rule: ByContainment})
			}
			continue
		}
		c[kept] = f
		if f.Evidence.Strength() >= StrengthStructure && (holder < 0 || f.End > c[holder].End) {
			holder = kept
		}
		kept++
	}
	return c[:kept]
}

// place keeps the parts of a finding that no stronger one has.
func (r *Resolver) place(d *Document, f Finding, base int) {
	taken, cut := -1, false
	for b := f.Start; b < f.End; {
		if o := r.owners[b-base]; o >= 0 {
			if taken < 0 {
				taken = o
			}
			b++
			continue
		}
		from := b
		for b < f.End && r.owners[b-base] < 0 {
			b++
		}
		if from == f.Start && b == f.End {
			r.own(f, base)
			return
		}
		if s, e := d.trim(from, b); s < e {
			rest := f
			rest.Start, rest.End, rest.Value = s, e, ""
			r.own(rest, base)
			cut = true
		}
	}
	if r.Explain {
		_, rule := compare(&r.kept[taken], &f)
		r.Losses = append(r.Losses, Loss{Loser: f, Winner: r.kept[taken], Rule: rule, Cut: cut})
	}
}

func (r *Resolver) own(f Finding, base int) {
	for b := f.Start; b < f.End; b++ {
		r.owners[b-base] = len(r.kept)
	}
	r.kept = append(r.kept, f)
}

// trim narrows a span to its first and last letter or digit. The result is empty when
// there is none.
func (d *Document) trim(start, end int) (int, int) {
	for start < end {
		r, n := utf8.DecodeRuneInString(d.Text[start:end])
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			break
		}
		start += n
	}
	for start < end {
		r, n := utf8.DecodeLastRuneInString(d.Text[start:end])
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			break
		}
		end -= n
	}
	return start, end
}
