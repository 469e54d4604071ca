package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sotto/internal/gold"
)

// PersonsReport is how well the numbers of tags agree with who the mentions are, in calls in which persons are marked.
type PersonsReport struct {
	Calls int `json:"calls"`
	// Mentions are those that a mask touches, and whose person can be known.
	Mentions int `json:"mentions"`
	// Precision, Recall and F are B-cubed over the mentions: of the mentions that have the tag of a mention, the share that
	// are the same person; of the mentions that are the same person, the share that have the same tag.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F         float64 `json:"f"`
	// CallsRight is the share of calls in which every person has one tag, and every tag is one person's.
	CallsRight Share `json:"calls_right"`
	// Split is the share of persons who have more than one tag, Merged that of tags which several persons have.
	Split  Share `json:"persons_split"`
	Merged Share `json:"tags_of_several_persons"`
	// Missed mentions have no mask, and OtherType ones a mask that is no person's.
	Missed    int `json:"missed"`
	OtherType int `json:"other_type"`

	precision, recall float64 // sums over the mentions
}

// AddCall adds a call: who each of its mentions is, and the tag of each.
func (r *PersonsReport) AddCall(people, tags []string) {
	tagsOf, peopleOf := together(people, tags), together(tags, people)
	for i := range people {
		var both float64
		for j := range people {
			if people[i] == people[j] && tags[i] == tags[j] {
				both++
			}
		}
		r.precision += both / float64(len(peopleOf[tags[i]]))
		r.recall += both / float64(len(tagsOf[people[i]]))
	}
	r.Calls, r.Mentions = r.Calls+1, r.Mentions+len(people)
	split, merged := severalIn(tagsOf), severalIn(peopleOf)
	r.Split.add(split)
	r.Merged.add(merged)
	r.CallsRight.Whole++
	if split.Part+merged.Part == 0 {
		r.CallsRight.Part++
	}
	r.finish()
}

// together returns the values of each key.
func together(keys, values []string) map[string][]string {
	of := map[string][]string{}
	for i, k := range keys {
		of[k] = append(of[k], values[i])
	}
	return of
}

// severalIn returns how many keys have different values.
func severalIn(of map[string][]string) Share {
	s := Share{0, len(of)}
	for _, values := range of {
		if slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
			s.Part++
		}
	}
	return s
}

func (r *PersonsReport) add(o *PersonsReport) {
	r.Calls += o.Calls
	r.Mentions += o.Mentions
	r.CallsRight.add(o.CallsRight)
	r.Split.add(o.Split)
	r.Merged.add(o.Merged)
	r.Missed += o.Missed
	r.OtherType += o.OtherType
	r.precision += o.precision
	r.recall += o.recall
	r.finish()
}

func (r *PersonsReport) finish() {
	n := float64(max(r.Mentions, 1))
	r.Precision, r.Recall = r.precision/n, r.recall/n
	if sum := r.Precision + r.Recall; sum > 0 {
		r.F = 2 * r.Precision * r.Recall / sum
	}
}

// persons measures who is who in a call in which persons are marked.
func (r *Report) persons(c *gold.Conversation, p *gold.People, masks [][]Mask, list bool) {
	r.Persons = &PersonsReport{}
	var people, tags []string
	var turns []int
	for _, m := range p.Mentions {
		if m.Person == gold.Unknown {
			continue
		}
		in := masks[m.Utterance]
		k := slices.IndexFunc(in, func(x Mask) bool { return x.Start < m.End && x.End > m.Start })
		if k < 0 {
			r.Persons.Missed++
			continue
		}
		if in[k].Type != personName {
			r.Persons.OtherType++
		}
		people, tags = append(people, m.Person), append(tags, fmt.Sprintf("%s_%d", in[k].Type, in[k].ID))
		turns = append(turns, m.Utterance+1)
	}
	r.Persons.AddCall(people, tags)
	if list {
		r.tallied.persons(c, Split, people, tags, turns)
		r.tallied.persons(c, Merged, tags, people, turns)
	}
}

const personName = "PERSON_NAME"

// persons records who has several tags, or which tags have several persons, and in which turns. It quotes nothing.
func (e errorTally) persons(c *gold.Conversation, kind ErrorKind, keys, values []string, turns []int) {
	first := map[string]int{}
	places := map[string]map[string][]string{}
	for i, k := range keys {
		if places[k] == nil {
			first[k], places[k] = turns[i], map[string][]string{}
		}
		places[k][values[i]] = append(places[k][values[i]], fmt.Sprint(turns[i]))
	}
	for k, of := range places {
		if len(of) < 2 {
			continue
		}
		var parts []string
		for _, v := range slices.SortedFunc(maps.Keys(of), compareTags) {
			parts = append(parts, fmt.Sprintf("%s in %s", v, strings.Join(slices.Compact(of[v]), ", ")))
		}
		e.record(ErrorKey{Kind: kind, Type: personName, Text: k + ": " + strings.Join(parts, "; ")},
			Example{Conversation: c.ID, Line: c.Line, Utterance: first[k], Speaker: c.Utterances[first[k]-1].Speaker})
	}
}

// compareTags orders short numbers before long ones: p2 before p10.
func compareTags(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }
