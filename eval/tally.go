package eval

import (
	"maps"
	"slices"

	"sotto/risk/estimate"
)

// tally holds the counts that a report is computed from.
type tally struct {
	calls, utterances      int
	gold                   map[string]*goldTally
	masks                  map[string]*maskTally // by infoType
	confusion              map[[2]string]int
	tokens                 int // outside of every labelled span
	overMasked             int
	fully, fullyDirect     int
	repeated, oneNumber    int
	sharedNumbers, numbers int
	scores, estimates      []float64        // of each call
	figures                estimate.Figures // of a single call
	errors                 errorTally
}

// goldTally counts the labelled spans of one infoType.
type goldTally struct {
	spans, masked, partial int
	typed                  int // wholly masked, and by their own type
	chars, maskedChars     int
}

// maskTally counts the masks of one infoType.
type maskTally struct {
	masks, right int
	overMasked   int // tokens
	// Code points of the masks that are letters, digits or symbols.
	chars, rightChars int
}

func newTally() *tally {
	return &tally{
		gold:      make(map[string]*goldTally),
		masks:     make(map[string]*maskTally),
		confusion: make(map[[2]string]int),
		errors:    make(errorTally),
	}
}

// tallyByContext holds the counts of each context; calls without one are under
// "".
type tallyByContext map[string]*tally

func (b tallyByContext) add(context string, t *tally) {
	if b[context] == nil {
		b[context] = newTally()
	}
	b[context].add(t)
}

// total adds up all contexts.
func (b tallyByContext) total() *tally {
	total := newTally()
	for _, context := range slices.Sorted(maps.Keys(b)) {
		total.add(b[context])
	}
	return total
}

// at returns the counts under a key, which it makes where there are none.
func at[T any](m map[string]*T, key string) *T {
	v := m[key]
	if v == nil {
		v = new(T)
		m[key] = v
	}
	return v
}

func (g *goldTally) add(h *goldTally) {
	g.spans += h.spans
	g.masked += h.masked
	g.partial += h.partial
	g.typed += h.typed
	g.chars += h.chars
	g.maskedChars += h.maskedChars
}

func (m *maskTally) add(n *maskTally) {
	m.masks += n.masks
	m.right += n.right
	m.overMasked += n.overMasked
	m.chars += n.chars
	m.rightChars += n.rightChars
}

// add adds the counts of u, which come later in the order of the corpus.
func (t *tally) add(u *tally) {
	t.calls += u.calls
	t.utterances += u.utterances
	for k, g := range u.gold {
		at(t.gold, k).add(g)
	}
	for k, m := range u.masks {
		at(t.masks, k).add(m)
	}
	for k, n := range u.confusion {
		t.confusion[k] += n
	}
	t.tokens += u.tokens
	t.overMasked += u.overMasked
	t.fully += u.fully
	t.fullyDirect += u.fullyDirect
	t.repeated += u.repeated
	t.oneNumber += u.oneNumber
	t.numbers += u.numbers
	t.sharedNumbers += u.sharedNumbers
	t.scores = append(t.scores, u.scores...)
	t.estimates = append(t.estimates, u.estimates...)
	t.errors.add(u.errors)
}
