package learning

import (
	"hash/fnv"

	"sotto/internal/gold"
	"sotto/state"
	"sotto/state/linking"
	"sotto/training/who/boost"
)

// paired are the options of the model of couples. With more trees, smaller leaves or other shares it is as good.
var paired = boost.Options{Trees: 200, Leaves: 6, Rate: 0.05, Features: 0.3, Fewest: 30, Penalty: 3}

// oneFrom is the score from which on two persons are one in the final version: by cross-validation over the marked calls,
// B-cubed has a precision of .94 and a recall of .92 there; twice as much gives as much of F.
const oneFrom = 1000

// folds is in how many parts the marked calls are for the model of couples: it must learn from what the model of pairs makes
// of calls that this one did not learn from.
const folds = 3

// Part returns in which of n parts a call is.
func Part(id string, n int) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() >> 4 % uint32(n))
}

// split returns the calls of a part, and the others.
func split(all []*Example, fold int) (part, others []*Example) {
	for _, c := range all {
		if Part(c.ID, folds) == fold {
			part = append(part, c)
		} else {
			others = append(others, c)
		}
	}
	return part, others
}

// TrainCouples trains a model of couples.
func TrainCouples(all []*Example) string {
	r := &boost.Rows{}
	for fold := range folds {
		part, others := split(all, fold)
		addCouples(r, part, Train(others))
	}
	return WithThreshold(boost.Train(r, paired), oneFrom)
}

// addCouples adds the couples that a model of pairs makes of calls.
func addCouples(r *boost.Rows, all []*Example, pairs string) {
	// What is learned from must not depend on what was learned before.
	linking.TryModels(pairs, linking.NobodyIsOne, func() {
		for _, c := range all {
			c.addCouples(r, false)
			c.addCouples(r, true)
			c.misheard().addCouples(r, true)
		}
	})
}

// entity is what the mentions of one number are.
type entity struct {
	infoType string
	number   int
}

func (c *Example) addCouples(r *boost.Rows, labelled bool) {
	g := groups[entity]{}
	call := c.replay(labelled, func(k *state.Call, m state.Mention, person string) {
		if n := k.LinkOrCreate(m, limit); person != gold.Unknown && person != "" {
			g.add(entity{n.Type, n.N}, person)
		}
	})
	call.EachCouple(func(a, b state.Ref, f *linking.Couple) {
		one, other := g.person(entity{a.Type, a.N}), g.person(entity{b.Type, b.N})
		if one == "" || other == "" {
			return
		}
		x := *f
		r.Choices = append(r.Choices, boost.Choice{First: len(r.X), End: len(r.X) + 1, Weight: 1})
		r.X, r.Right = append(r.X, x[:]), append(r.Right, one == other)
	})
}
