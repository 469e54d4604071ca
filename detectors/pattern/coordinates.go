package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// coordinates finds pairs of latitude and longitude: decimal degrees with three
// places or more, and degrees that were said with a direction.
func coordinates(doc *d.Document) {
	named := doc.HasHotword(d.HotCoordinates)
	for i := range doc.Runs {
		r := &doc.Runs[i]
		if r.Claimed || r.Letters > 1 || r.Connectors == 0 {
			continue
		}
		if end := decimalsEnd(doc, i, named); end > 0 {
			addClaimed(doc, r.First, end, d.Finding{
				Type: d.LocationCoordinates, Value: plainCode(doc, r.First, end), Score: 0.88,
				Detector: "coordinates", Evidence: d.ByStructure,
			})
		}
	}
}

// decimalsEnd returns the token after the decimal degrees that begin with run i, 0 when
// they are none. named says that coordinates are named.
func decimalsEnd(doc *d.Document, i int, named bool) int {
	r := &doc.Runs[i]
	whole, places, second := decimalParts(doc, r)
	switch {
	case whole > 180, places < 3 && !(named && places >= 1):
		return 0
	case second >= 3:
		return r.Last + 1
	case i+1 < len(doc.Runs) && places >= 3 && pairs(doc, r, &doc.Runs[i+1]):
		return doc.Runs[i+1].Last + 1
	case !named:
		return 0
	}
	if end := r.Last + 1; end < len(doc.Tokens) && doc.Tokens[end].Is(d.Direction) {
		return end + 1
	}
	if places >= 3 {
		return r.Last + 1
	}
	return 0
}

// decimalParts returns the whole part and the number of places of a decimal, and the
// places of a second one in the same run; whole is over 180 when it is none.
func decimalParts(doc *d.Document, r *d.Run) (whole, places, second int) {
	state := 0
	for _, y := range doc.Symbols(r) {
		if y.Kind != d.Connector {
			if !ids.IsDigit(y.Ch) {
				return 999, 0, 0
			}
			switch state {
			case 0:
				whole = min(whole*10+int(y.Ch-'0'), 999)
			case 1:
				places++
			case 3:
				second++
			}
			continue
		}
		switch {
		case state == 0 && y.Ch == '.', state == 2 && y.Ch == '.':
			state++
		case state == 1 && y.Ch == '-':
			state++
		case state == 0 && y.Ch == '-' && whole == 0:
		default:
			return 999, 0, 0
		}
	}
	return whole, places, second
}

// pairs reports whether the second run is the longitude to the first one's latitude.
func pairs(doc *d.Document, a, b *d.Run) bool {
	if b.First-a.Last > 5 || b.Claimed {
		return false
	}
	for k := a.Last + 1; k < b.First; k++ {
		t := &doc.Tokens[k]
		if t.Class != d.Punct && !t.Is(d.Direction|d.Connect|d.Filler) && !doc.WordIs(k, "and") && t.Class != d.Other {
			return false
		}
	}
	lat, _, _ := decimalParts(doc, a)
	whole, places, _ := decimalParts(doc, b)
	return lat <= 90 && places >= 3 && whole <= 180
}
