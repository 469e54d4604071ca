package anonymize

import (
	"slices"
	"sort"
	"strings"

	"sotto/detectors"
)

// parts makes separate findings of the street, the city, the state and the
// postal code of an address that was found as one, so that each is the same
// entity wherever it is said alone.
func (t *turn) parts(d *detectors.Document, found []detectors.Finding) []detectors.Finding {
	if !slices.ContainsFunc(found, func(f detectors.Finding) bool { return isAddress(f) || f.Type == detectors.Location && len(d.Runs) > 0 }) {
		return found
	}
	d.SortFindings()
	out := t.work.split[:0]
	for i := range found {
		f := &found[i]
		if r := codeOf(d, f); r != nil {
			// "Leeton 53142", which the tagger took for one place.
			code := *f
			code.Type, code.Start, code.Value = detectors.StreetAddress, r.Start, ""
			if r.Start > f.Start {
				out = appendRest(d, out, f, f.Start, r.Start)
			}
			out = append(out, code)
			continue
		}
		if !isAddress(*f) {
			out = append(out, *f)
			if i > 0 && codeBehind(d, &found[i-1], f) {
				code := &out[len(out)-1]
				code.Type, code.Value = detectors.StreetAddress, ""
			}
			continue
		}
		cuts := t.cuts(d, f)
		if len(cuts) == 0 || !t.splits(d, f, cuts) {
			out = append(out, *f)
			continue
		}
		at := f.Start
		for _, cut := range cuts {
			out = appendRest(d, out, f, at, cut.Start)
			out = append(out, cut)
			at = cut.End
		}
		out = appendRest(d, out, f, at, f.End)
	}
	t.work.split = out
	return out
}

// codeOf returns the postal code that ends a place, nil when none does.
func codeOf(d *detectors.Document, f *detectors.Finding) *detectors.Run {
	if f.Type != detectors.Location {
		return nil
	}
	if r := lastRun(d, f); r != nil && r.Letters == 0 && isPostal(r.Len()) {
		return r
	}
	return nil
}

// codeBehind tells whether a number without a type stands right behind a place
// and has the five digits of a postal code: "Leeton 53142".
func codeBehind(d *detectors.Document, place, f *detectors.Finding) bool {
	if place.Type != detectors.Location || f.Type != detectors.Numeric || strings.Trim(d.Text[place.End:f.Start], " ,") != "" {
		return false
	}
	r := lastRun(d, f)
	return r != nil && r.Start == f.Start && r.Letters == 0 && r.Len() == 5
}

// isPostal tells whether so many digits are a postal code, of which one may be lost
// or said twice.
func isPostal(digits int) bool { return digits >= 4 && digits <= 6 || digits == 9 }

func isAddress(f detectors.Finding) bool { return f.Type == detectors.StreetAddress }

// splits tells whether the parts of an address are entities of their own: the call
// knows one of them already, there is nothing but places and a postal code, or
// commas tell the parts apart, all on one line and with no country behind. Where the
// parts of another address end is a guess.
func (t *turn) splits(d *detectors.Document, f *detectors.Finding, cuts []detectors.Finding) bool {
	plain := !strings.ContainsAny(d.Text[f.Start:f.End], "\r\n")
	comma, at, rest := false, f.Start, false
	for n := range cuts {
		c := &cuts[n]
		if t.call.Link(t.mention(d, c)) >= 0 {
			return true
		}
		rest = rest || len(appendRest(d, nil, f, at, c.Start)) > 0
		at = c.End
		i := d.TokenAt(c.Start)
		plain = plain && !d.Tokens[i].Is(detectors.Country)
		comma = comma || i > 0 && d.Tokens[i-1].Class == detectors.Punct && d.Tokens[i-1].Ch == ','
	}
	if !rest && len(appendRest(d, nil, f, at, f.End)) == 0 {
		return true
	}
	return plain && comma
}

// appendRest appends the part of an address between two places, without the
// punctuation around it, if a letter or digit is left.
func appendRest(d *detectors.Document, out []detectors.Finding, f *detectors.Finding, start, end int) []detectors.Finding {
	i, j := d.TokenAt(start), d.TokenAt(end)
	for i < j && d.Tokens[i].Class == detectors.Punct {
		i++
	}
	for j > i && d.Tokens[j-1].Class == detectors.Punct {
		j--
	}
	if i >= j {
		return out
	}
	rest := *f
	rest.Start, rest.End = int(d.Tokens[i].Start), int(d.Tokens[j-1].End)
	if rest.Start != f.Start || rest.End != f.End {
		rest.Value = ""
	}
	return append(out, rest)
}

// cuts returns the findings within an address that are entities of their own,
// in order: places that no street's name is made of, and the postal code.
func (t *turn) cuts(d *detectors.Document, f *detectors.Finding) []detectors.Finding {
	var cuts []detectors.Finding
	first := sort.Search(len(d.Findings), func(i int) bool { return d.Findings[i].Start >= f.Start })
	for n := first; n < len(d.Findings) && d.Findings[n].Start < f.End; n++ {
		g := &d.Findings[n]
		if (g.Type == detectors.Location || g.Type == detectors.USState) && g.Start >= f.Start && g.End <= f.End && g.End-g.Start < f.End-f.Start &&
			!streetName(d, g) && !slices.ContainsFunc(cuts, func(c detectors.Finding) bool { return g.Start < c.End && g.End > c.Start }) {
			cuts = append(cuts, *g)
		}
	}
	if i := d.TokenAt(f.Start); len(cuts) == 0 && i < len(d.Tokens) && d.Tokens[i].Is(detectors.State) && d.Tokens[i].Len() > 2 {
		// A state that is a name too, and nothing but its postal code behind.
		state := *f
		state.Type, state.End, state.Value = detectors.USState, int(d.Tokens[i].End), ""
		if r := lastRun(d, f); r != nil && r.Start == state.End+1 {
			cuts = append(cuts, state)
		}
	}
	slices.SortFunc(cuts, func(a, b detectors.Finding) int { return a.Start - b.Start })
	// A postal code right after a street, without a place between.
	if r := lastRun(d, f); r != nil && r.Start > f.Start && r.Letters == 0 {
		after := 0
		if len(cuts) > 0 {
			after = cuts[len(cuts)-1].End
		}
		if (r.Len() == 5 || isPostal(r.Len()) && r.Start == after+1) && r.Start >= after && r.First > 0 && !d.Tokens[r.First-1].Is(detectors.AddressUnit) {
			code := *f
			code.Start, code.End, code.Value = r.Start, r.End, ""
			cuts = append(cuts, code)
		}
	}
	return cuts
}

// streetName tells whether a place is the name of a street: "Ohio Avenue", or the
// town of Willow Street behind a house number.
func streetName(d *detectors.Document, g *detectors.Finding) bool {
	i, j := d.TokenAt(g.Start), d.TokenAt(g.End)
	if i > 0 && j-i > 1 && d.Tokens[j-1].Is(detectors.StreetType) && d.RunAt(i-1) >= 0 {
		return true
	}
	return j < len(d.Tokens) && d.Tokens[j].Is(detectors.StreetType) && !d.Tokens[j].Is(detectors.State)
}

// lastRun returns the run that ends an address, nil when none does.
func lastRun(d *detectors.Document, f *detectors.Finding) *detectors.Run {
	i := sort.Search(len(d.Runs), func(i int) bool { return d.Runs[i].End >= f.End })
	if i < len(d.Runs) && d.Runs[i].End == f.End && d.Runs[i].Start >= f.Start {
		return &d.Runs[i]
	}
	return nil
}
