package eval

// tally holds the counts that a report is computed from. Only counts and whole
// scores are added up, so adding is exact.
type tally struct {
	calls, utterances      int
	gold                   map[string]*goldTally
	masks                  map[string]*maskTally
	confusion              map[[2]string]int
	tokens                 int // outside of every labelled span
	overMasked             int
	fully, fullyDirect     int
	repeated, oneNumber    int
	sharedNumbers, numbers int
	scores                 []float64
	spans                  *spanTally
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
	// Code points of the masks that are letters, digits or symbols.
	chars, rightChars int
}

func newTally() *tally {
	return &tally{
		gold:      make(map[string]*goldTally),
		masks:     make(map[string]*maskTally),
		confusion: make(map[[2]string]int),
		spans:     newSpanTally(),
		errors:    make(errorTally),
	}
}

func (t *tally) goldOf(infoType string) *goldTally {
	g := t.gold[infoType]
	if g == nil {
		g = new(goldTally)
		t.gold[infoType] = g
	}
	return g
}

func (t *tally) masksOf(infoType string) *maskTally {
	m := t.masks[infoType]
	if m == nil {
		m = new(maskTally)
		t.masks[infoType] = m
	}
	return m
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
	m.chars += n.chars
	m.rightChars += n.rightChars
}

// add adds the counts of u, which come later in the order of the corpus.
func (t *tally) add(u *tally) {
	t.calls += u.calls
	t.utterances += u.utterances
	for k, g := range u.gold {
		t.goldOf(k).add(g)
	}
	for k, m := range u.masks {
		t.masksOf(k).add(m)
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
	t.spans.add(u.spans)
	t.errors.add(u.errors)
}
