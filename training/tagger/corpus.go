package tagger

import (
	"math/bits"
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
	"sotto/detectors/pattern"
	"sotto/detectors/spoken"
	"sotto/internal/gold"
	"sotto/internal/wordhash"
)

// Set is labelled conversations from one source.
type Set struct {
	Name          string
	Conversations []gold.Conversation
}

type set struct {
	name         string
	train, check []gold.Conversation
	// turns counts the turns of train.
	turns int
	// namesOnly reports that nothing but names is labelled, so that an unlabelled word may be
	// any other value.
	namesOnly bool
}

const (
	// checkShare is the share of conversations that are held out of training, to calibrate and
	// to score: one in 24.
	checkShare = 24
	// smallSet is the number of turns up to which a set is learned from four times in a pass,
	// tinySet that up to which it is learned from six times.
	smallSet, tinySet = 8000, 1500
)

func newSet(in Set) *set {
	s := &set{name: in.Name, namesOnly: true}
	for _, c := range in.Conversations {
		for _, u := range c.Utterances {
			for _, e := range u.Entities {
				s.namesOnly = s.namesOnly && slices.Contains(namesLabelled, e.Type)
			}
		}
		if HeldOut(c.ID) {
			s.check = append(s.check, c)
			continue
		}
		s.train = append(s.train, c)
		s.turns += len(c.Utterances)
	}
	return s
}

// namesLabelled are the infoTypes that sets of names label.
var namesLabelled = []string{"PERSON_NAME", "ORGANIZATION_NAME", "LOCATION", "PRODUCT", "OTHER"}

// HeldOut reports whether training holds out the conversation with this ID, to calibrate and to
// score the model.
func HeldOut(id string) bool { return hash(baseID(id))%checkShare == 0 }

// halfOf is the half of the question models that a conversation belongs to.
func halfOf(c *gold.Conversation) int { return int(hash(baseID(c.ID)) >> 8 & 1) }

// repeats is how often the set is learned from in a pass, each time varied in another way.
func (s *set) repeats() int {
	switch {
	case s.turns <= tinySet:
		return 6
	case s.turns <= smallSet:
		return 4
	}
	return 1
}

// baseID is the identifier without the mark of a noisy copy, so that a conversation and its copies
// are held out together.
func baseID(id string) string { return strings.TrimSuffix(id, "-asr") }

func hash(s string) uint64 {
	h := wordhash.String(s)
	return h ^ h>>32
}

type sample struct {
	set          *set
	conversation *gold.Conversation
}

func (t *trainer) order() []sample {
	var order []sample
	for _, s := range t.sets {
		for range s.repeats() {
			turns := 0
			for _, i := range t.rng.Perm(len(s.train)) {
				if turns >= t.Limit {
					break
				}
				turns += len(s.train[i].Utterances)
				order = append(order, sample{s, &s.train[i]})
			}
		}
	}
	t.rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	return order
}

// read runs the rules on a turn and takes its elements.
func (t *trainer) read(u *gold.Utterance) {
	t.doc.Reset(u.Text)
	t.doc.Role = roles[u.Role()]
	spoken.Scan(&t.doc)
	pattern.Find(&t.doc)
	t.reader.Read(&t.doc, t.vocabulary)
}

var roles = map[string]detectors.Role{"AGENT": detectors.RoleAgent, "CUSTOMER": detectors.RoleCustomer}

// allow finds the labels that each element of the turn that was read may have.
func (t *trainer) allow(u *gold.Utterance, namesOnly bool) {
	outside := sequence.LabelSet(1 << sequence.Outside)
	if namesOnly {
		for k := sequence.Address; k <= sequence.Quantity; k++ {
			outside |= sequence.LabelsOf(k)
		}
	}
	offsets := make([]int, 0, len(u.Text)+1)
	for b := range u.Text {
		offsets = append(offsets, b)
	}
	offsets = append(offsets, len(u.Text))
	t.allowed = t.allowed[:0]
	last := -1
	for i := range t.reader.Elements {
		token := &t.doc.Tokens[t.reader.Elements[i].Token]
		set, in := outside, -1
		for n := range u.Entities {
			if e := &u.Entities[n]; int(token.Start) < offsets[e.End] && int(token.End) > offsets[e.Start] {
				in = n
				break
			}
		}
		if in >= 0 {
			e := &u.Entities[in]
			// An 's behind a name is not part of it.
			if token.Class != detectors.Clitic || int(token.End) <= offsets[e.End] {
				set = labelsFor(e.Type, in == last)
			}
		}
		last = in
		t.allowed = append(t.allowed, set)
	}
}

// labelsFor returns the labels of a word of a span; inside reports that the span began before it.
func labelsFor(infoType string, inside bool) sequence.LabelSet {
	switch k := sequence.KindOfType(detectors.InfoType(infoType)); {
	case infoType == "OTHER", infoType == string(detectors.SpelledWord):
		return sequence.AnyLabel
	case k != sequence.Person:
		return sequence.LabelsOf(k)
	case inside:
		return 1 << sequence.InsidePerson
	}
	return 1 << sequence.BeginPerson
}

// single returns the kind of a set that holds one label, None for Outside. known is false, and the kind
// None, for other sets.
func single(s sequence.LabelSet) (k sequence.Kind, known bool) {
	if bits.OnesCount16(uint16(s)) != 1 {
		return sequence.None, false
	}
	return sequence.KindOf(sequence.Label(bits.TrailingZeros16(uint16(s)))), true
}
