package anonymize

import (
	"slices"
	"sort"
	"strings"

	"sotto/detectors"
)

// splitAddresses makes separate findings of the street, the city, the state and the
// postal code of an address that was found as one, so that each is the same entity
// wherever it is said alone.
func (p *eventPass) splitAddresses(w *workspace, found []detectors.Finding) []detectors.Finding {
	d := &w.doc
	if !slices.ContainsFunc(found, func(f detectors.Finding) bool {
		return f.Type == detectors.StreetAddress || f.Type == detectors.Location && len(d.Runs) > 0
	}) {
		return found
	}
	d.SortFindings()
	out := w.split[:0]
	for i := range found {
		f := &found[i]
		if f.Type == detectors.StreetAddress {
			out = p.appendParts(w, out, f)
			continue
		}
		code, r := *f, lastRun(d, f)
		if r != nil && r.Letters == 0 {
			code.Type, code.Start, code.Value = detectors.StreetAddress, r.Start, ""
			switch {
			case f.Type == detectors.Location && isPostal(r.Len()):
				// The tagger took a place and its postal code for one place: "Leeton 53142".
				if r.Start > f.Start {
					out = appendRest(d, out, f, f.Start, r.Start)
				}
				f = &code
			case f.Type == detectors.Numeric && r.Start == f.Start && r.Len() == 5 && i > 0 && isRightBehind(d, &found[i-1], f):
				f = &code
			}
		}
		out = append(out, *f)
	}
	w.split = out
	return out
}

func isRightBehind(d *detectors.Document, place, f *detectors.Finding) bool {
	return place.Type == detectors.Location && strings.Trim(d.Text[place.End:f.Start], " ,") == ""
}

// appendParts appends the parts of an address, or the address itself if it is one
// entity.
func (p *eventPass) appendParts(w *workspace, out []detectors.Finding, f *detectors.Finding) []detectors.Finding {
	cuts := cutsOf(&w.doc, f)
	if len(cuts) == 0 || !p.splits(w, f, cuts) {
		return append(out, *f)
	}
	at := f.Start
	for _, cut := range cuts {
		out = appendRest(&w.doc, out, f, at, cut.Start)
		out = append(out, cut)
		at = cut.End
	}
	return appendRest(&w.doc, out, f, at, f.End)
}

// isPostal reports whether so many digits are a postal code, of which one may be lost or
// said twice.
func isPostal(digits int) bool { return digits >= 4 && digits <= 6 || digits == 9 }

// splits reports whether the parts of an address are entities of their own: the call
// knows one of them already, or there is nothing but places and a postal code, or commas
// separate the parts, all on one line and with no country behind. Where the parts of
// another address end is a guess.
func (p *eventPass) splits(w *workspace, f *detectors.Finding, cuts []detectors.Finding) bool {
	d := &w.doc
	plain := !strings.ContainsAny(d.Text[f.Start:f.End], "\r\n")
	comma, at, rest := false, f.Start, false
	for n := range cuts {
		c := &cuts[n]
		if p.call.Link(p.mention(w, c)) >= 0 {
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

// appendRest appends the part of an address between two places, without the punctuation
// around it, if a letter or digit is left.
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

// cutsOf returns the findings within an address that are entities of their own, in
// order: places that no street is named after, and the postal code.
func cutsOf(d *detectors.Document, f *detectors.Finding) []detectors.Finding {
	cuts := placesWithin(d, f)
	if len(cuts) == 0 {
		cuts = appendStateBeforeCode(d, cuts, f)
	}
	slices.SortFunc(cuts, func(a, b detectors.Finding) int { return a.Start - b.Start })
	return appendPostalCode(d, cuts, f)
}

// placesWithin returns the places within an address that no street is named after.
func placesWithin(d *detectors.Document, f *detectors.Finding) []detectors.Finding {
	var places []detectors.Finding
	first := sort.Search(len(d.Findings), func(i int) bool { return d.Findings[i].Start >= f.Start })
	for n := first; n < len(d.Findings) && d.Findings[n].Start < f.End; n++ {
		g := &d.Findings[n]
		if g.Type != detectors.Location && g.Type != detectors.USState || g.End > f.End || g.End-g.Start == f.End-f.Start || isStreetName(d, g) {
			continue
		}
		if !slices.ContainsFunc(places, func(c detectors.Finding) bool { return g.Start < c.End && g.End > c.Start }) {
			places = append(places, *g)
		}
	}
	return places
}

// appendStateBeforeCode appends the state of an address that is nothing but a state whose
// name is also a person's, and its postal code.
func appendStateBeforeCode(d *detectors.Document, cuts []detectors.Finding, f *detectors.Finding) []detectors.Finding {
	i := d.TokenAt(f.Start)
	if i >= len(d.Tokens) || !d.Tokens[i].Is(detectors.State) || d.Tokens[i].Len() <= 2 {
		return cuts
	}
	state := *f
	state.Type, state.End, state.Value = detectors.USState, int(d.Tokens[i].End), ""
	if r := lastRun(d, f); r != nil && r.Start == state.End+1 {
		cuts = append(cuts, state)
	}
	return cuts
}

// appendPostalCode appends the postal code that ends an address, behind the last place or
// right behind the street.
func appendPostalCode(d *detectors.Document, cuts []detectors.Finding, f *detectors.Finding) []detectors.Finding {
	r := lastRun(d, f)
	if r == nil || r.Start <= f.Start || r.Letters > 0 || r.First == 0 || d.Tokens[r.First-1].Is(detectors.AddressUnit) {
		return cuts
	}
	after := 0
	if len(cuts) > 0 {
		after = cuts[len(cuts)-1].End
	}
	if r.Start < after || r.Len() != 5 && !(isPostal(r.Len()) && r.Start == after+1) {
		return cuts
	}
	code := *f
	code.Start, code.End, code.Value = r.Start, r.End, ""
	return append(cuts, code)
}

// isStreetName reports whether a place is the name of a street: "Ohio Avenue", or the
// town of Willow Street behind a house number.
func isStreetName(d *detectors.Document, g *detectors.Finding) bool {
	i, j := d.TokenAt(g.Start), d.TokenAt(g.End)
	if i > 0 && j-i > 1 && d.Tokens[j-1].Is(detectors.StreetType) && d.RunAt(i-1) >= 0 {
		return true
	}
	return j < len(d.Tokens) && d.Tokens[j].Is(detectors.StreetType) && !d.Tokens[j].Is(detectors.State)
}

// lastRun returns the run that ends a finding, nil when none does.
func lastRun(d *detectors.Document, f *detectors.Finding) *detectors.Run {
	i := sort.Search(len(d.Runs), func(i int) bool { return d.Runs[i].End >= f.End })
	if i < len(d.Runs) && d.Runs[i].End == f.End && d.Runs[i].Start >= f.Start {
		return &d.Runs[i]
	}
	return nil
}
