package ner

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"sotto/detectors/ner/internal/network"
	"sotto/detectors/ner/internal/sequence"
)

// doubtful is a text of many words, some of which the tagger is unsure of.
func doubtful(r *rand.Rand) string {
	parts := []string{
		"it was rowan or maybe grace", "the second bay past harbor", "i grant you may be frank", "well so it is what it is then",
		"and then we went on and on with it", "out by the old mill", "she takes two of the small ones", "mark said the hunter", "no",
	}
	var b strings.Builder
	for range 40 {
		b.WriteString(parts[r.IntN(len(parts))] + " ")
	}
	return b.String()
}

// What is rescored is what it would be if all of the text were read at once, and the probabilities of a word
// remain ones.
func TestRescoreReadsInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rescored := 0
	for range 20 {
		d := document(doubtful(r))
		tagger := NewTagger(Builtin(), points[High])
		tagger.Read(d)
		tagger.Tag(d, &Context{})
		before := append([]sequence.Vector(nil), tagger.chain.Marginals[:tagger.Len()]...)
		whole := network.NewReader(builtinRescorer())
		whole.Read(tagger.Len(), tagger.rowsOf, func(int) bool { return true })
		unsure := make([]bool, tagger.Len())
		for i := range unsure {
			unsure[i] = tagger.isUnsure(i)
		}
		tagger.Rescore()
		for i, v := range tagger.chain.Marginals[:tagger.Len()] {
			if !unsure[i] {
				if tagger.allowed[i] != outsideOnly && v != before[i] {
					t.Fatalf("word %d of %q was rescored, although the tagger is sure of it", i, d.Text)
				}
				continue
			}
			rescored++
			sum := 0.0
			for _, p := range v {
				sum += float64(p)
			}
			weights := [sequence.NumKinds]float32(before[i][:sequence.NumKinds])
			weights[sequence.Person] += before[i][sequence.InsidePerson]
			for k := range weights {
				weights[k] = max(weights[k], leastWeight)
			}
			want := whole.Probabilities(i, &weights)
			if math.Abs(sum-1) > 1e-5 || v[sequence.Outside] != want[sequence.None] {
				t.Fatalf("word %d of %q: no value with probability %v, want %v; the sum is %v", i, d.Text, v[sequence.Outside], want[sequence.None], sum)
			}
		}
	}
	if rescored < 100 {
		t.Errorf("%d words were rescored: the test is void", rescored)
	}
}
