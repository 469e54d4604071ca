package ner

import (
	"unicode/utf8"

	"sotto/detectors"
	"sotto/detectors/ner/internal/crf"
	"sotto/detectors/ner/internal/feature"
)

// Name is a name that a Tagger found.
type Name struct {
	// First and Last are its tokens, Last inclusive.
	First, Last int
	Type        detectors.InfoType
	// Raw is the mean probability of its words to be part of a name; Score is
	// the share of names with this Raw that were right on data held out.
	Raw, Score float32
	// Kind is the position of Type in the order of the model's kinds.
	Kind int
}

// Tagger finds names with a model. It keeps its memory between texts and is not
// safe for concurrent use.
type Tagger struct {
	model  *Model
	reader feature.Reader
	chain  crf.ForwardBackward
	names  []Name
	below  []Name
	others others
}

// NewTagger makes a tagger.
func NewTagger(m *Model) *Tagger { return &Tagger{model: m} }

const (
	// mask takes every other byte of a row.
	mask = 0x00ff00ff00ff00ff
	// enter is the probability that some word of a name must have, join that
	// which the words next to it must have. alike is how likely they must be
	// compared with the likeliest, so that a sure name does not take in the
	// words after it.
	enter, join, alike = 0.15, 0.1, 0.4
	// sure is what a clitic or a word that is not in Latin letters must have to
	// continue a name.
	sure = 0.6
	// minBelow is the probability from which a word that is in no name is kept
	// as one below the threshold.
	minBelow = 0.05
)

// Tag returns the names of a document, in order, however unlikely. The slice is
// valid until the next call.
func (t *Tagger) Tag(d *detectors.Document) []Name {
	t.names, t.below = t.names[:0], t.below[:0]
	t.reader.Read(d, t.model.vocabulary)
	n := len(t.reader.Elements)
	if n == 0 {
		return nil
	}
	t.chain.Reset(n)
	for i := range n {
		t.model.weigh(t.reader.Features(i), &t.chain.Scores[i])
	}
	t.chain.Run(t.model.factors, nil, nil)
	t.decode(d)
	return t.names
}

// weigh adds up the rows of the features, four labels at a time in lanes of 16
// bits: 64 features of at most 255 fit.
func (m *Model) weigh(features []uint32, v *crf.Vector) {
	var odd, even uint64
	for _, f := range features {
		row := m.rows[f>>m.shift]
		odd += row & mask
		even += row >> 8 & mask
	}
	zero := int32(128 * len(features))
	v[0] = 0
	for k := range 4 {
		v[1+2*k] = float32(int32(odd>>(16*k)&0xffff)-zero) * m.scale
		v[2+2*k] = float32(int32(even>>(16*k)&0xffff)-zero) * m.scale
	}
}

// decode takes stretches of words that are part of a name rather than not.
func (t *Tagger) decode(d *detectors.Document) {
	m := t.chain.Marginals
	for i := 0; i < len(m); {
		if 1-m[i][crf.Outside] < join {
			t.keepBelow(i)
			i++
			continue
		}
		k := bestKind(&m[i])
		first, further := crf.Begin(k), crf.Inside(k)
		sum, top := 1-m[i][crf.Outside], 1-m[i][crf.Outside]
		j := i + 1
		for j < len(m) {
			p := 1 - m[j][crf.Outside]
			if p < join || p < alike*top || bestKind(&m[j]) != k || m[j][first] > m[j][further] ||
				p < sure && (d.Tokens[t.reader.Elements[j].Token].Class == detectors.Clitic || d.Word(int(t.reader.Elements[j].Token))[0] >= utf8.RuneSelf) {
				break
			}
			sum += p
			top = max(top, p)
			j++
		}
		if top >= enter {
			raw := sum / float32(j-i)
			t.names = append(t.names, Name{
				First: int(t.reader.Elements[i].Token), Last: int(t.reader.Elements[j-1].Token), Type: crf.Kinds[k], Kind: k,
				Raw: raw, Score: t.model.curves[k].At(raw),
			})
		} else {
			for ; i < j; i++ {
				t.keepBelow(i)
			}
		}
		i = j
	}
}

// keepBelow keeps word i, which is in no name, if it may be one all the same.
func (t *Tagger) keepBelow(i int) {
	v := &t.chain.Marginals[i]
	p := 1 - v[crf.Outside]
	if p < minBelow {
		return
	}
	k, token := bestKind(v), int(t.reader.Elements[i].Token)
	t.below = append(t.below, Name{First: token, Last: token, Type: crf.Kinds[k], Kind: k, Raw: p, Score: p})
}

// BelowThreshold returns the words that the last Tag found in no name, and that may be
// one all the same. The slice is valid until the next Tag.
func (t *Tagger) BelowThreshold() []Name { return t.below }

// bestKind returns the kind that is most likely.
func bestKind(m *crf.Vector) int {
	best, top := 0, float32(-1)
	for k := range crf.NumKinds {
		if p := m[crf.Begin(k)] + m[crf.Inside(k)]; p > top {
			best, top = k, p
		}
	}
	return best
}
