package train

import (
	"fmt"
	"strings"

	"sotto/corpus/gold"
	"sotto/detectors/ner"
	"sotto/detectors/ner/internal/crf"
)

// checkLimit bounds the held-out turns of each set that a pass is scored on.
const checkLimit = 1500

// counts are of words: right ones have the kind that they are labelled with.
type counts struct{ right, found, labelled int }

// Score is how well words are found, by kind, as written and in lower case.
type Score [2][crf.NumKinds]counts

func (c counts) f1() float64 {
	if c.found+c.labelled == 0 {
		return 0
	}
	return 2 * float64(c.right) / float64(c.found+c.labelled)
}

// String gives the F1 of words in per cent, in lower case after the stroke.
func (s Score) String() string {
	var b strings.Builder
	b.WriteString("F1 of words held out")
	for k, t := range crf.Kinds {
		fmt.Fprintf(&b, " %s %.1f/%.1f", strings.ToLower(strings.Split(string(t), "_")[0]), 100*s[0][k].f1(), 100*s[1][k].f1())
	}
	return b.String()
}

// score tags held-out turns with the weights as they are.
func (t *trainer) score(limit int) (s Score) {
	shift := 32 - t.Bits
	for _, c := range t.sets {
		for n := range min(limit, len(c.check)) {
			x := &c.check[n]
			for variant := range 2 {
				u := *x.utterance
				if variant == 1 {
					u = rewrite(u, gold.Lower)
				}
				t.prepare(&u, x)
				words := len(t.reader.Elements)
				if words == 0 {
					continue
				}
				t.chain.Reset(words)
				for i := range words {
					v := &t.chain.Scores[i]
					*v = crf.Vector{}
					for _, f := range t.reader.Features(i) {
						for k, w := range &t.weights[f>>shift] {
							v[1+k] += w
						}
					}
				}
				t.chain.Run(t.factors, nil, nil)
				t.compare(&s[variant])
			}
		}
	}
	return s
}

// compare counts the words of the most likely labels, each on its own.
func (t *trainer) compare(c *[crf.NumKinds]counts) {
	for i, set := range t.allowed {
		gold := kindAt(set)
		best, top := -1, t.chain.Marginals[i][crf.Outside]
		for k := range crf.NumKinds {
			if p := t.chain.Marginals[i][crf.Begin(k)] + t.chain.Marginals[i][crf.Inside(k)]; p > top {
				best, top = k, p
			}
		}
		if gold == -2 {
			continue
		}
		if gold >= 0 {
			c[gold].labelled++
		}
		if best >= 0 {
			c[best].found++
			if best == gold {
				c[best].right++
			}
		}
	}
}

// Report is how a model does on conversations that were held out of its
// training.
type Report struct {
	// Turns and Held count the turns of each set that were learned from, and that
	// were held out.
	Sets []SetReport
	// Words is by word and by kind.
	Words Score
	// ErrorBefore and ErrorAfter are the expected calibration errors of names by
	// kind, before and after calibration, on a half of what was held out that the
	// calibration did not see. Names counts them.
	ErrorBefore, ErrorAfter [crf.NumKinds]float64
	Names                   [crf.NumKinds]int
}

// SetReport counts the turns of a set.
type SetReport struct {
	Name        string
	Turns, Held int
}

// calibrate sets the curves of a model from held-out turns, and reports.
func (t *trainer) calibrate(w *ner.Weights) (*Report, error) {
	r := &Report{Words: t.score(1 << 30)}
	for _, c := range t.sets {
		r.Sets = append(r.Sets, SetReport{c.name, len(c.train), len(c.check)})
	}
	data, err := ner.Encode(w)
	if err != nil {
		return nil, err
	}
	model, err := ner.Decode(data)
	if err != nil {
		return nil, err
	}
	points := t.collect(model)
	for k := range points {
		var halves [2][]point
		for i, p := range points[k] {
			halves[i%2] = append(halves[i%2], p)
		}
		curve := fit(halves[0])
		identity := ner.Identity()
		r.ErrorBefore[k], r.ErrorAfter[k] = calibrationError(halves[1], &identity), calibrationError(halves[1], &curve)
		r.Names[k] = len(points[k])
		w.Curves[k] = fit(points[k])
	}
	return r, nil
}
