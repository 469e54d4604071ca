package ner

import (
	"math/rand/v2"
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// Rows add up to the same bits on every processor, also where buckets are full and a feature has the hash
// of free places.
func TestRowsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{0, 1, 2, 30, 3000} {
		x := newTable(rows)
		if rows == 30 { // only one free place
			x.buckets = x.buckets[:rows/3+1]
		}
		hashes := []uint32{0}
		for len(hashes) < rows {
			hashes = append(hashes, rng.Uint32())
		}
		m := &Model{asked: make([]row, 64), askedShift: 32 - 6, askedScale: 0.03}
		for i := range m.asked {
			m.asked[i] = anyRow(rng)
		}
		for _, h := range hashes[:rows] {
			x.add(h, anyRow(rng))
		}
		for n := range maxAdded + 1 {
			features := make([]uint32, n)
			for i := range features {
				if features[i] = rng.Uint32(); rng.IntN(4) > 0 {
					features[i] = hashes[rng.IntN(len(hashes))]
				}
			}
			var got, want sequence.Vector
			for y := 1; y < sequence.NumLabels; y++ {
				got[y] = rng.Float32() - 0.5
			}
			want = got
			x.fetch(features)
			x.addRows(features, 0.02, &got)
			addRowsPortable(&x, features, 0.02, &want)
			m.fetchAsked(features)
			m.addAsked(features, &got)
			addAskedPortable(m.asked, m.askedShift, features, m.askedScale, &want)
			if got != want {
				t.Fatalf("%d features of %d rows: %v, want %v", n, rows, got, want)
			}
		}
	}
}

// anyRow is a row of any weights, the largest ones included.
func anyRow(rng *rand.Rand) row {
	r := noWeights
	for y := 1; y < sequence.NumLabels; y++ {
		r.setWeight(y, byte(128-128*rng.IntN(2)+rng.IntN(128)))
	}
	return r
}

// everyWord is a call that knows each word.
type everyWord struct{}

func (everyWord) KindOf(uint64) sequence.Kind { return sequence.Person }

// The sums of rows would be wrong if a word or a question had more features than that.
func TestNoSumHasTooManyRows(t *testing.T) {
	var certain [sequence.NumKinds]float32
	for k := range certain {
		certain[k] = 1
	}
	asked := sequence.Levels(&certain, new([sequence.NumKinds]float32))
	d := document(strings.Repeat("Ines Quimby, 604-555-0134, at 12 Maple Street with Lipitor. ", 50))
	for i := range d.Tokens {
		token := &d.Tokens[i]
		d.Add(detectors.Finding{Start: int(token.Start), End: int(token.End), Type: detectors.PersonName, Evidence: detectors.ByStructure})
	}
	tagger := NewTagger(Builtin(), points[High], nil)
	tagger.Read(d)
	tagger.reader.SetContext(&Context{
		Asked: asked, Pending: asked, Own: sequence.Person, Near: true, Other: ^sequence.Kinds(0), Known: everyWord{},
	}, d)
	most := len(tagger.questions)
	for i := range tagger.reader.Elements {
		most = max(most, len(tagger.reader.TextFeatures(i, nil)), len(tagger.reader.ContextFeatures(i, nil)))
	}
	if most < maxAdded/2 || most > maxAdded {
		t.Errorf("%d rows are added up, and %d may be", most, maxAdded)
	}
}
