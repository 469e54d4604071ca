package learning

import (
	"fmt"
	"io"
	"slices"

	"sotto/internal/gold"
	"sotto/state"
	"sotto/state/linking"
	"sotto/training/eval"
	"sotto/training/who/boost"
)

// Score is how well mentions were linked in calls.
type Score struct {
	eval.PersonsReport
	labels, agree int
}

// Add measures the model of pairs that is built in, or being tried, on calls, live or, if final is set, as they are at their end.
func (b *Score) Add(all []*Example, labelled, final bool) {
	for _, c := range all {
		var people, refs []string
		labels := map[string]int{}
		var linked []state.Ref
		call := c.replay(labelled, func(k *state.Call, m state.Mention, person string) {
			r := k.LinkOrCreate(m, limit)
			if person == "" || person == gold.Unknown {
				return
			}
			if m.Source == linking.SourceLabel {
				labels[person] = len(linked)
			}
			people, linked = append(people, person), append(linked, r)
		})
		if final {
			call.Settle()
		}
		for _, r := range linked {
			if final {
				r = call.FinalOf(r)
			}
			refs = append(refs, fmt.Sprint(r.Type, r.N))
		}
		b.AddCall(people, refs)
		b.addLabels(labels, people, refs)
	}
}

// addLabels adds whether most mentions of each speaker have the number of the speaker's label.
func (b *Score) addLabels(labels map[string]int, people, refs []string) {
	for person, at := range labels {
		label, n, same := refs[at], -1, -1 // without the label itself
		for i := range people {
			if people[i] == person {
				n++
				if refs[i] == label {
					same++
				}
			}
		}
		if n > 0 {
			b.labels++
			if 2*same > n {
				b.agree++
			}
		}
	}
}

func (b *Score) String() string {
	return fmt.Sprintf("calls %d mentions %d precision %.4f recall %.4f F %.4f right %.3f, of %d persons %d split, of %d numbers %d of two people, labels agree %d of %d",
		b.Calls, b.Mentions, b.Precision, b.Recall, b.F, b.CallsRight.Value(), b.Split.Whole, b.Split.Part, b.Merged.Whole, b.Merged.Part, b.agree, b.labels)
}

// rolesRight counts the marked names that the encoder read, those of them where the likeliest part in the talk is right, and those of
// third persons.
func rolesRight(all []*Example) (right, third, names int) {
	for _, c := range all {
		for i := range c.Mentions {
			m := &c.Mentions[i]
			says := m.Talk.Chances
			if m.Person == "" || m.Person == gold.Unknown || says == (linking.Chances{}) {
				continue
			}
			is := says.Third
			if c.People[m.Speaking] == m.Person {
				is = says.Speaks
			} else if slices.Contains(c.People, m.Person) {
				is = says.Listens
			} else {
				third++
			}
			names++
			if is == max(says.Speaks, says.Listens, says.Third) {
				right++
			}
		}
	}
	return right, third, names
}

// Cross trains on two thirds of the calls and measures on the last third, three times, for several thresholds of the model of
// pairs in live calls, and of the model of couples in final versions.
func Cross(out io.Writer, all []*Example, live, final []int) {
	scores := map[measured]*Score{}
	right, third, names := rolesRight(all)
	fmt.Fprintf(out, "part in the talk: %d of %d names right; %d are of third persons\n", right, names, third)
	var models [folds]string
	var rows [folds]*boost.Rows
	for fold := range folds {
		part, others := split(all, fold)
		models[fold], rows[fold] = Train(others), &boost.Rows{}
		addCouples(rows[fold], part, models[fold])
	}
	for fold := range folds {
		r := &boost.Rows{}
		for k := range folds {
			if k != fold {
				r.Add(rows[k])
			}
		}
		ofCouples := boost.Train(r, paired)
		part, _ := split(all, fold)
		for _, t := range live {
			linking.TryModels(WithThreshold(models[fold], t), ofCouples, func() { measure(scores, part, t, false) })
		}
		for _, t := range final {
			linking.TryModels(models[fold], WithThreshold(ofCouples, t), func() { measure(scores, part, t, true) })
		}
	}
	for _, labelled := range []bool{false, true} {
		for _, t := range live {
			fmt.Fprintf(out, "live threshold %d labels %t: %v\n", t, labelled, scores[measured{t, labelled, false}])
		}
		for _, t := range final {
			fmt.Fprintf(out, "final threshold %d labels %t: %v\n", t, labelled, scores[measured{t, labelled, true}])
		}
	}
}

// measured says with which threshold and on what a score was measured.
type measured struct {
	threshold       int
	labelled, final bool
}

func measure(scores map[measured]*Score, part []*Example, threshold int, final bool) {
	for _, labelled := range []bool{false, true} {
		key := measured{threshold, labelled, final}
		if scores[key] == nil {
			scores[key] = &Score{}
		}
		scores[key].Add(part, labelled, final)
	}
}
