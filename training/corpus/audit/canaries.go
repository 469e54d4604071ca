package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Canaries are sentences with a random code, which are planted in training data, each so many times. A model that
// has kept one thinks it more likely than other codes in the same sentence.
type Canaries struct {
	// Seed determines the codes: those that are planted, and the others that they are compared with.
	Seed uint64 `json:"seed"`
	// Times has how often each canary is planted. The file has it, and not the codes.
	Times []int `json:"times"`
}

const (
	sentence   = "the code of my locker is "
	codeDigits = 6
	maxPlanted = 1000 // canaries, and times of each
	// exposurePlanted begins the names of the figures by how often canaries were planted.
	exposurePlanted = "exposure_planted_"
	// MaxReferences is how many other codes there are at most.
	MaxReferences = 100_000
)

var digits = strings.Fields("zero one two three four five six seven eight nine")

// sentences returns n sentences with different codes, always the same ones in the same order.
func (c *Canaries) sentences(n int) []string {
	draw, known := rand.New(rand.NewPCG(c.Seed, 1)), map[string]bool{}
	all := make([]string, 0, n)
	for len(all) < n {
		code := make([]string, codeDigits)
		for i := range code {
			code[i] = digits[draw.IntN(len(digits))]
		}
		if s := sentence + strings.Join(code, " "); !known[s] {
			known[s] = true
			all = append(all, s)
		}
	}
	return all
}

// Planted returns the sentences that are planted, each as often as it is, in turn, so that equal ones are apart.
func (c *Canaries) Planted() (all []string) {
	own := c.sentences(len(c.Times))
	for round := range slices.Max(c.Times) {
		for i, s := range own {
			if round < c.Times[i] {
				all = append(all, s)
			}
		}
	}
	return all
}

// Check is an error if the numbers are out of bounds.
func (c *Canaries) Check() error {
	if len(c.Times) == 0 || len(c.Times) > maxPlanted || slices.ContainsFunc(c.Times, func(n int) bool { return n < 1 || n > maxPlanted }) {
		return fmt.Errorf("there must be 1 to %d canaries, each planted 1 to %d times", maxPlanted, maxPlanted)
	}
	return nil
}

// ReadCanaries reads the file that says what was planted.
func ReadCanaries(r io.Reader, name string) (c *Canaries, err error) {
	data, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err == nil && json.Unmarshal(data, &c) != nil || c == nil {
		err = errors.New("not a file of 'sotto corpus canaries'")
	}
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// loss is how surprised the model is by a text, in nats.
func loss(ctx context.Context, m Model, text string) (float64, error) {
	tokens, err := m.Read(ctx, text)
	sum := 0.0
	for _, t := range tokens {
		sum -= t.LogProb
	}
	return sum, err
}

// AddExposure asks the model about the canaries and about so many other codes, and adds the exposure of the canaries
// (Carlini and others, 2019): log2 of the number of codes less log2 of the rank of the canary among them by its
// loss. Codes with an equal loss are half before it, so a model that has learned nothing gives 1.
func (r *Report) AddExposure(ctx context.Context, m Model, c *Canaries, references int) error {
	all := c.sentences(len(c.Times) + references)
	losses := make([]float64, len(all))
	for i, s := range all {
		var err error
		if losses[i], err = loss(ctx, m, s); err != nil {
			return err
		}
	}
	own, others := losses[:len(c.Times)], slices.Sorted(slices.Values(losses[len(c.Times):]))
	exposures, byTimes := make([]float64, len(own)), map[int][]float64{}
	for i, x := range own {
		below, _ := slices.BinarySearch(others, x)
		upTo, _ := slices.BinarySearch(others, math.Nextafter(x, math.Inf(1)))
		rank := 1 + float64(below) + float64(upTo-below)/2
		exposures[i] = math.Log2(float64(references+1) / rank)
		byTimes[c.Times[i]] = append(byTimes[c.Times[i]], exposures[i])
	}
	r.Add("canaries", len(own))
	r.Add("codes_they_are_compared_with", references)
	r.Add("exposure", mean(exposures))
	r.Add("exposure_greatest", slices.Max(exposures))
	r.Add("exposure_greatest_possible", math.Log2(float64(references+1)))
	for _, n := range slices.Sorted(maps.Keys(byTimes)) {
		r.Add(fmt.Sprintf("%s%d_times", exposurePlanted, n), mean(byTimes[n]))
	}
	return nil
}

func mean(of []float64) float64 {
	sum := 0.0
	for _, x := range of {
		sum += x
	}
	return sum / float64(len(of))
}
