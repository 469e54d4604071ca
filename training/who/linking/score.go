package linking

import (
	"fmt"
	"hash/fnv"
	"io"

	"sotto/internal/gold"
	"sotto/state"
	"sotto/training/eval"
)

// Score is how well mentions were linked in calls.
type Score struct {
	eval.PersonsReport
	labels, agree int
}

// Add measures the model of pairs that is built in, or being tried, on calls, live or, if final is set, as they are at their end.
func (b *Score) Add(all []*Call, labelled, final bool) {
	for _, c := range all {
		var people, refs []string
		labels := map[string]int{}
		var linked []state.Ref
		call := c.replay(labelled, func(k *state.Call, m state.Mention, person string) {
			r := k.LinkOrCreate(m, limit)
			if person == "" || person == gold.Unknown {
				return
			}
			if m.Source == state.SourceLabel {
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

// Cross trains on four fifths of the calls and measures on the last fifth, five times.
func Cross(out io.Writer, all []*Call, thresholds []int) {
	const folds = 3
	type key struct {
		threshold       int
		labelled, final bool
	}
	scores := map[key]*Score{}
	for fold := range folds {
		var train, test []*Call
		for _, c := range all {
			h := fnv.New32a()
			h.Write([]byte(c.ID))
			if int(h.Sum32()>>4%folds) == fold {
				test = append(test, c)
			} else {
				train = append(train, c)
			}
		}
		model := Train(train)
		for _, t := range thresholds {
			for _, k := range []key{{t, false, false}, {t, false, true}, {t, true, false}, {t, true, true}} {
				if scores[k] == nil {
					scores[k] = &Score{}
				}
				state.TryPairs(WithThreshold(model, t), func() { scores[k].Add(test, k.labelled, k.final) })
			}
		}
	}
	for _, k := range []key{{0, false, false}, {0, false, true}, {0, true, false}, {0, true, true}} {
		for _, k.threshold = range thresholds {
			fmt.Fprintf(out, "threshold %d labels %t final %t: %v\n", k.threshold, k.labelled, k.final, scores[k])
		}
	}
}
