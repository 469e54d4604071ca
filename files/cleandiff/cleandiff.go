// Package cleandiff compares two anonymized versions of the same calls: those of the live
// stream and those of a new policy, model or version. It compares what is left of each
// utterance outside of its tags and surrogates, so that other numbers or surrogates are no
// difference.
package cleandiff

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"sotto/internal/texttable"
	"sotto/schemas"
)

type content struct {
	words []string // outside of the entities, in order
	types []string // of the entities, sorted
}

// Comparison collects both versions. The zero value is usable.
type Comparison struct {
	before, after map[schemas.EventKey]content
}

// Before adds an event of the first version. Of an event that comes twice, the later
// one counts.
func (c *Comparison) Before(e *schemas.CleanEvent) { add(&c.before, e) }

// After adds an event of the second version.
func (c *Comparison) After(e *schemas.CleanEvent) { add(&c.after, e) }

func add(to *map[schemas.EventKey]content, e *schemas.CleanEvent) {
	if e.Type != schemas.Utterance {
		return
	}
	if *to == nil {
		*to = map[schemas.EventKey]content{}
	}
	(*to)[e.Key()] = contentOf(e)
}

func contentOf(e *schemas.CleanEvent) content {
	var c content
	text := []rune(e.Text)
	at := 0
	var rest strings.Builder
	entities := slices.SortedFunc(slices.Values(e.Entities), func(a, b schemas.Entity) int { return cmp.Compare(a.Start, b.Start) })
	for i := range entities {
		x := &entities[i]
		c.types = append(c.types, x.Type)
		if x.Start < at || x.End < x.Start || x.End > len(text) {
			continue // not a position in this text
		}
		rest.WriteString(string(text[at:x.Start]))
		rest.WriteByte(' ')
		at = x.End
	}
	rest.WriteString(string(text[at:]))
	c.words = strings.FieldsFunc(rest.String(), func(r rune) bool { return strings.ContainsRune(" \t\n.,;:!?\"()", r) })
	slices.Sort(c.types)
	return c
}

// Difference is an utterance that differs. Revealed and Masked are numbers of words.
type Difference struct {
	Call     string
	Seq      int64
	Revealed int // left in the second version only: possibly a leak
	Masked   int // left in the first version only
	Before   []string
	After    []string // infoTypes
}

// Report is the outcome of a comparison.
type Report struct {
	Compared, Equal, OnlyBefore, OnlyAfter int
	Revealing, Masking, Retyped            int // utterances
	Types                                  map[string][2]int
	Differences                            []Difference // those that reveal most come first
}

// Report compares what was added.
func (c *Comparison) Report() Report {
	r := Report{Types: map[string][2]int{}}
	for k, before := range c.before {
		after, ok := c.after[k]
		if !ok {
			r.OnlyBefore++
			continue
		}
		r.Compared++
		r.countTypes(before.types, 0)
		r.countTypes(after.types, 1)
		d := Difference{Call: k.CallID, Seq: k.Seq, Revealed: missing(after.words, before.words), Masked: missing(before.words, after.words),
			Before: before.types, After: after.types}
		switch {
		case d.Revealed > 0:
			r.Revealing++
		case d.Masked > 0:
			r.Masking++
		case !slices.Equal(before.types, after.types):
			r.Retyped++
		default:
			r.Equal++
			continue
		}
		r.Differences = append(r.Differences, d)
	}
	for k := range c.after {
		if _, ok := c.before[k]; !ok {
			r.OnlyAfter++
		}
	}
	slices.SortFunc(r.Differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(b.Revealed, a.Revealed), cmp.Compare(b.Masked, a.Masked), cmp.Compare(a.Call, b.Call), cmp.Compare(a.Seq, b.Seq))
	})
	return r
}

func (r *Report) countTypes(types []string, version int) {
	for _, t := range types {
		n := r.Types[t]
		n[version]++
		r.Types[t] = n
	}
}

// missing returns how many of the words are not among the others, each counted as often as
// it occurs.
func missing(words, others []string) int {
	left := map[string]int{}
	for _, w := range others {
		left[w]++
	}
	n := 0
	for _, w := range words {
		if left[w]--; left[w] < 0 {
			n++
		}
	}
	return n
}

// Write writes the report for people, with the first differences. It contains no words of
// the calls.
func (r *Report) Write(w io.Writer, differences int) error {
	counts := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range []struct {
		what string
		n    int
	}{
		{"utterances compared", r.Compared}, {"equal", r.Equal}, {"reveal words that were masked", r.Revealing},
		{"mask words that were left, and reveal none", r.Masking}, {"with other infoTypes only", r.Retyped},
		{"in the first version only", r.OnlyBefore}, {"in the second version only", r.OnlyAfter},
	} {
		fmt.Fprintf(counts, "%s\t%d\n", line.what, line.n)
	}
	if err := counts.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	types := texttable.New("infoType", "first", "second")
	for _, name := range slices.Sorted(maps.Keys(r.Types)) {
		types.Row(name, r.Types[name][0], r.Types[name][1])
	}
	if err := types.Write(w); err != nil {
		return err
	}
	shown := r.Differences[:min(differences, len(r.Differences))]
	if len(shown) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := texttable.New("call", "seq", "words revealed", "words masked", "first", "second")
	t.AlignLeft(4)
	t.AlignLeft(5)
	for _, d := range shown {
		t.Row(d.Call, d.Seq, d.Revealed, d.Masked, strings.Join(d.Before, " "), strings.Join(d.After, " "))
	}
	return t.Write(w)
}
