package refine

import "sotto/detectors"

// maxHouseDigits bounds the digits of a house number.
const maxHouseDigits = 5

// addHouseNumbers adds a street address for each place with a house number beside
// it, "Tekkengata 64" or "34 Mill Farm", if the clause ends there: many street
// names contain no word for street, and the tagger takes them for places.
func addHouseNumbers(d *detectors.Document) {
	if len(d.Runs) == 0 {
		return
	}
	for i, n := 0, len(d.Findings); i < n; i++ {
		if f := &d.Findings[i]; f.Type == detectors.Location {
			addHouseNumber(d, f.Start, f.End)
		}
	}
}

// addHouseNumber adds the address of the place between two byte offsets, if it has
// a house number.
func addHouseNumber(d *detectors.Document, start, end int) {
	first, last := d.TokenAt(start), d.TokenAt(end)
	from, to := first, last
	if r := numberAfter(d, last); r != nil {
		to = r.Last + 1
	}
	if !clauseEnds(d, to) {
		return
	}
	if r := numberBefore(d, first); r != nil {
		from = r.First
	}
	if from == first && (to == last || from > 0 && d.Tokens[from-1].Class != detectors.Punct && !d.Tokens[from-1].Is(detectors.Function)) {
		return
	}
	const score = 0.7
	d.Add(detectors.Finding{
		Start: int(d.Tokens[from].Start), End: int(d.Tokens[to-1].End), Type: detectors.StreetAddress,
		Likelihood: detectors.LikelihoodOf(score), Score: score, Detector: "address", Evidence: detectors.ByStructure,
	})
}

// numberAfter returns the house number directly behind a place that ends before
// token k, nil for none.
func numberAfter(d *detectors.Document, k int) *detectors.Run {
	if k < len(d.Tokens) && d.Tokens[k].Ch == '.' && d.Tokens[k].Glued() {
		k++ // "Lindenstr. 64"
	}
	if n := d.RunAt(k); n >= 0 {
		if r := &d.Runs[n]; r.First == k && isHouseNumber(r) && r.Digits < maxHouseDigits {
			return r
		}
	}
	return nil
}

// numberBefore returns the house number directly before token k, alone or behind a
// word that leads to a place; nil for none.
func numberBefore(d *detectors.Document, k int) *detectors.Run {
	n := d.RunAt(k - 1)
	if n < 0 {
		return nil
	}
	r := &d.Runs[n]
	if r.Last != k-1 || !isHouseNumber(r) {
		return nil
	}
	if r.First > 0 {
		if t := &d.Tokens[r.First-1]; t.Class != detectors.Punct && !t.Is(detectors.Function|detectors.Copula|detectors.Backchannel) {
			return nil
		}
	}
	return r
}

func isHouseNumber(r *detectors.Run) bool {
	return !r.Claimed && !r.Scaled && r.Digits > 0 && r.Digits <= maxHouseDigits && r.Letters <= 1 && r.Connectors == 0
}

// clauseEnds reports whether token k does not continue the clause before it.
func clauseEnds(d *detectors.Document, k int) bool {
	return k >= len(d.Tokens) || d.Tokens[k].Class == detectors.Punct || d.Tokens[k].Is(detectors.StreetType)
}
