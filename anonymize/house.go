package anonymize

import "sotto/detectors"

// maxHouse bounds the digits of a house number.
const maxHouse = 5

// houses makes addresses of places that a house number stands beside, "Tekkengata 64"
// or "34 Mill Farm", where nothing else of the sentence follows: many streets have
// no word for street in their name, and the tagger takes them for places.
func houses(d *detectors.Document) {
	if len(d.Runs) == 0 {
		return
	}
	for i, n := 0, len(d.Findings); i < n; i++ {
		if f := &d.Findings[i]; f.Type == detectors.Location {
			house(d, f.Start, f.End)
		}
	}
}

// house adds the address of the place between two byte offsets, if it is one.
func house(d *detectors.Document, start, end int) {
	first, last := tokenAt(d, start), tokenAt(d, end)
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

// numberAfter returns the house number that stands right behind a place which ends
// before token k.
func numberAfter(d *detectors.Document, k int) *detectors.Run {
	if k < len(d.Tokens) && d.Tokens[k].Ch == '.' && d.Tokens[k].Glued() {
		k++ // "Lindenstr. 64"
	}
	if k >= len(d.Tokens) {
		return nil
	}
	if r := runWith(d, k); r != nil && r.First == k && isHouse(r) && r.Digits < maxHouse {
		return r
	}
	return nil
}

// numberBefore returns the house number that stands right before token k, alone or
// behind what leads to a place.
func numberBefore(d *detectors.Document, k int) *detectors.Run {
	if k == 0 {
		return nil
	}
	r := runWith(d, k-1)
	if r == nil || r.Last != k-1 || !isHouse(r) {
		return nil
	}
	if r.First > 0 {
		if t := &d.Tokens[r.First-1]; t.Class != detectors.Punct && !t.Is(detectors.Function|detectors.Copula|detectors.Backchannel) {
			return nil
		}
	}
	return r
}

func isHouse(r *detectors.Run) bool {
	return !r.Claimed && !r.Scaled && r.Digits > 0 && r.Digits <= maxHouse && r.Letters <= 1 && r.Joints == 0
}

// clauseEnds tells whether nothing that belongs to the words before comes at token k.
func clauseEnds(d *detectors.Document, k int) bool {
	return k >= len(d.Tokens) || d.Tokens[k].Class == detectors.Punct || d.Tokens[k].Is(detectors.StreetType)
}

// keepRuns takes off the tagger's findings the beginning of a number that goes on
// behind them, "Leeton 531" of "Leeton 531 42", so that no number is cut in two.
func keepRuns(d *detectors.Document) {
	if len(d.Runs) == 0 {
		return
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Evidence != detectors.ByModel {
			continue
		}
		r := runWith(d, tokenAt(d, f.End-1))
		if r == nil || r.Digits == 0 || r.Start <= f.Start || r.Start >= f.End || r.End <= f.End {
			continue
		}
		for k := r.First; k > 0 && int(d.Tokens[k-1].End) > f.Start; k-- {
			if d.Tokens[k-1].Class != detectors.Punct {
				f.End = int(d.Tokens[k-1].End)
				break
			}
		}
	}
}
