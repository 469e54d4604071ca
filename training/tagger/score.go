package tagger

import (
	"sotto/detectors/ner"
	"sotto/detectors/ner/sequence"
	"sotto/internal/gold"
)

// count is of words: right ones have the kind that they are labelled with, covered ones are masked
// as any kind.
type count struct{ right, covered, found, labelled int }

// point is a value that was found: its probability, and whether some word of it is labelled.
type point struct {
	raw   float32
	right bool
}

type result struct {
	words  [sequence.NumKinds]count
	points [sequence.NumKinds][]point
}

// Report is how a model does on conversations that were held out of its training.
type Report struct {
	// Sets count the turns of each set that were learned from, and that were held out.
	Sets []SetReport
	// Written and Lower are the words of held-out conversations by kind, as written and in lower
	// case without punctuation.
	Written, Lower [sequence.NumKinds]count
	// ErrorBefore and ErrorAfter are the expected calibration errors of values by kind, before
	// and after calibration, on the held-out half that the calibration did not see.
	// Values counts them.
	ErrorBefore, ErrorAfter [sequence.NumKinds]float64
	Values                  [sequence.NumKinds]int
}

// SetReport counts the turns of a set.
type SetReport struct {
	Name        string
	Turns, Held int
}

// Recall is the share of held-out words that are masked, by infoType and over all. InfoTypes of
// which nothing was held out are left out.
func (r *Report) Recall() (overall float64, byType map[string]float64) {
	byType = map[string]float64{}
	var covered, labelled int
	for k := sequence.Person; k < sequence.Quantity; k++ {
		c := r.Written[k]
		covered, labelled = covered+c.covered, labelled+c.labelled
		if c.labelled > 0 {
			byType[string(sequence.Types[k])] = float64(c.covered) / float64(c.labelled)
		}
	}
	return float64(covered) / float64(max(labelled, 1)), byType
}

// calibrate sets the curves of a model from held-out conversations, and reports.
func (t *trainer) calibrate(w *ner.Weights) (*Report, error) {
	r := &Report{}
	for _, s := range t.sets {
		held := 0
		for i := range s.check {
			held += len(s.check[i].Utterances)
		}
		r.Sets = append(r.Sets, SetReport{s.name, s.turns, held})
	}
	data, err := ner.Encode(w)
	if err != nil {
		return nil, err
	}
	model, err := ner.Decode(data)
	if err != nil {
		return nil, err
	}
	written, lower := t.score(model, func(c []gold.Conversation) []gold.Conversation { return c }),
		t.score(model, func(c []gold.Conversation) []gold.Conversation { return gold.Unpunct(gold.Lower(c)) })
	r.Written, r.Lower = written.words, lower.words
	for k := range w.Curves {
		points := append(written.points[k], lower.points[k]...)
		var halves [2][]point
		for i, p := range points {
			halves[i%2] = append(halves[i%2], p)
		}
		curve, identity := fit(halves[0]), ner.Identity()
		r.ErrorBefore[k], r.ErrorAfter[k] = calibrationError(halves[1], &identity), calibrationError(halves[1], &curve)
		r.Values[k] = len(points)
		w.Curves[k] = fit(points)
	}
	return r, nil
}

// score tags the held-out conversations, with the labels of earlier turns as their memory.
func (t *trainer) score(model *ner.Model, variant func([]gold.Conversation) []gold.Conversation) (r result) {
	thresholds, _ := ner.ThresholdsOf(ner.Balanced, false)
	tagger := ner.NewTagger(model, thresholds, nil)
	for _, s := range t.sets {
		for i := range s.check {
			c := variant(s.check[i : i+1])[0]
			t.eachTurn(&c, s.namesOnly, func(context *sequence.Context, turn *sequence.Turn) {
				tagger.Read(&t.doc)
				turn.Asked = tagger.Asked()
				tagger.Tag(&t.doc, context)
				r.add(t.allowed, tagger.Spans(&t.doc))
			})
		}
	}
	return r
}

// add counts the words of a turn and the values that were found in it.
func (r *result) add(allowed []sequence.LabelSet, spans []ner.Span) {
	found := make([]sequence.Kind, len(allowed))
	for _, s := range spans {
		right, known := false, true
		for i := s.First; i <= s.Last; i++ {
			if s.P >= ner.Threshold {
				found[i] = s.Kind
			}
			k, labelled := single(allowed[i])
			right = right || k != sequence.None && k != sequence.Quantity
			known = known && labelled
		}
		if known || right {
			r.points[s.Kind] = append(r.points[s.Kind], point{s.P, right})
		}
	}
	for i, set := range allowed {
		k, known := single(set)
		if !known {
			continue
		}
		if k != sequence.None {
			r.words[k].labelled++
		}
		if found[i] != sequence.None {
			r.words[found[i]].found++
			if k != sequence.None {
				r.words[k].covered++
			}
			if found[i] == k {
				r.words[k].right++
			}
		}
	}
}
