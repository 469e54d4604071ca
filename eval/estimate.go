package eval

import (
	"sotto/detectors"
	"sotto/risk/estimate"
	"sotto/schemas"
)

// cleanText is an utterance as it goes out: the text with a tag for each mask, and
// where each code point of it comes from.
type cleanText struct {
	text  string
	masks []schemas.Entity
	// from is the raw position of each code point, -1 within a tag.
	from []int
}

// clean replaces the masks of an utterance as the stream does.
func (u *turn) clean() cleanText {
	var c cleanText
	var text []rune
	put := func(r rune, from int) {
		text = append(text, r)
		c.from = append(c.from, from)
	}
	var before int32
	for i, r := range u.text {
		m := u.mask[i]
		if m == 0 {
			put(r, i)
		} else if m != before {
			e := schemas.Entity{Start: len(text), Type: u.masks[m-1].Type, ID: u.masks[m-1].ID}
			for _, r := range "[" + e.Type + "_1]" {
				put(r, -1)
			}
			e.End = len(text)
			c.masks = append(c.masks, e)
		}
		before = m
	}
	c.text = string(text)
	return c
}

// estimator estimates the risk of one call as the stream does.
type estimator struct {
	doc        detectors.Document
	candidates estimate.CandidateSet
	seen       map[numbered]bool
	found      estimate.Found
}

type numbered struct {
	infoType string
	id       int
}

func (e *estimator) look(t *turn, subthreshold []detectors.SubthresholdFinding) {
	c := t.clean()
	e.candidates, _ = e.candidates.Observe(&e.doc, c.text, c.masks, subthreshold)
	for _, m := range c.masks {
		k := numbered{m.Type, m.ID}
		if m.ID == 0 || e.seen[k] {
			continue
		}
		if e.seen == nil {
			e.seen = map[numbered]bool{}
		}
		e.seen[k] = true
		e.found.Add(m.Type, 1)
	}
}

func (e *estimator) risk(w *estimate.Weights, utterances int) float64 {
	return w.Risk(e.candidates, int64(utterances), e.found)
}
