package learning

import (
	"fmt"
	"strings"

	"sotto/detectors"
	"sotto/internal/gold"
	"sotto/state"
	"sotto/state/linking"
	"sotto/training/who/boost"
)

// grown are the options of the model of pairs.
var grown = boost.Options{Trees: 600, Leaves: 8, Rate: 0.05, Features: 0.3, Fewest: 60, Penalty: 3}

// SameWords is a model by which only the same words are one person. What is learned from must not depend on what was
// learned before.
const SameWords = "0,0\n0 0 1 2,-1,1"

// threshold is the score from which on two mentions are one person. By cross-validation over the marked calls ('who cross'), most of
// which are of the difficult ones, B-cubed has a precision of .95 and a recall of .89 there; below, F hardly grows, and numbers that two
// people share do more harm than second numbers of one.
const threshold = 4000

// Train trains a model of pairs: first on the persons as they were marked, then, too, on those that the first model makes
// of the calls, as a live call has them.
func Train(all []*Example) string {
	var r *boost.Rows
	linking.TryModels(SameWords, linking.NobodyIsOne, func() { r = rows(all, false) })
	brief := grown
	brief.Trees /= 2
	first := boost.Train(r, brief)
	linking.TryModels(first, linking.NobodyIsOne, func() {
		r.Add(rows(all, true))
	})
	return WithThreshold(boost.Train(r, grown), threshold)
}

// rows describes each mention of a person beside each person so far, of all calls and of each with some names misheard,
// among the persons as they were marked, or among those that the model makes of the calls. The speakers have labels in
// half of them.
func rows(all []*Example, byModel bool) *boost.Rows {
	r := &boost.Rows{}
	for _, c := range all {
		c.addRows(r, byModel, byModel)
		c.misheard().addRows(r, !byModel, byModel)
	}
	return r
}

func (c *Example) addRows(r *boost.Rows, labelled, byModel bool) {
	g := groups[int]{}
	c.replay(labelled, func(k *state.Call, m state.Mention, person string) {
		if !decidesPerson(&m) {
			k.LinkOrCreate(m, limit)
			return
		}
		isMarked := person != gold.Unknown && person != ""
		if isMarked {
			first := len(r.X)
			k.EachPair(&m, func(i int, p *linking.Pair) {
				if is := g.person(i); is != gold.Unknown {
					x := *p
					r.X, r.Right = append(r.X, x[:]), append(r.Right, is == person)
				}
			})
			if len(r.X) > first {
				r.Choices = append(r.Choices, boost.Choice{First: first, End: len(r.X), Weight: 1})
			}
		}
		var at int
		if isMarked && !byModel {
			at = find(g, person)
		} else {
			at = k.Link(m)
		}
		if m.Kind != detectors.KindName && at < 0 {
			k.LinkOrCreate(m, limit)
		} else if at = k.LinkAs(m, at, limit); at >= 0 {
			g.add(at, person)
		}
	})
}

// groups are how many mentions of each person the entities of a call have.
type groups[Entity comparable] map[Entity]map[string]int

func (g groups[Entity]) add(e Entity, person string) {
	if g[e] == nil {
		g[e] = map[string]int{}
	}
	g[e][person]++
}

// person returns whom most mentions of an entity are.
func (g groups[Entity]) person(e Entity) (who string) {
	for p, n := range g[e] {
		if most := g[e][who]; n > most || n == most && p < who {
			who = p
		}
	}
	return who
}

// find returns the first entity that is mostly a person, or -1.
func find(g groups[int], person string) int {
	at := -1
	for i := range g {
		if g.person(i) == person && (at < 0 || i < at) {
			at = i
		}
	}
	return at
}

// WithThreshold returns a model that links from another score on.
func WithThreshold(model string, threshold int) string {
	head, trees, _ := strings.Cut(model, "\n")
	base, _, _ := strings.Cut(head, ",")
	return fmt.Sprintf("%s,%d\n%s", base, threshold, trees)
}
