package eval

import (
	"strings"
	"unicode"
)

// This file holds the span evaluation of microsoft/presidio-research
// (presidio_evaluator/evaluation/span_evaluator.py at 7622dec, August 2025,
// MIT licence; docs/span_evaluation.md describes it), written from scratch:
//
//   - Labels and masks become tags of tokens, without regard to where one
//     span ends and the next of its type begins. A run of tokens with one tag
//     is a span; its skip words (spanSkipWords) do not count, and a span of
//     nothing else does not exist. Spans of one type with nothing but skip
//     words between them are one.
//   - A labelled span is compared with all predicted spans that overlap it,
//     those of one type together. Its type is found when the intersection
//     over union, in code points from the first to the last word that counts,
//     reaches the threshold for the predicted spans of that type.
//   - Each overlapping type counts as one prediction, each predicted span that
//     overlaps no label as one more. Precision is found by predicted, recall
//     found by labelled; F weighs recall twice (beta = 2).
//   - This is done with the types, and again with all types taken as one
//     ("PII"), which is the figure that the authors publish as overall.
//
// Two things differ. Their tokens come from spaCy; ours are words with
// punctuation at either end cut off, which the skip words drop again anyway.
// And where their code looks up the words between two spans it confuses
// positions in the sentence with positions in the corpus, so that from the
// second sentence on any two successive spans of a type are merged; we do what
// their documentation says.

// DefaultIoU is the threshold that presidio-research uses by default.
const DefaultIoU = 0.9

const (
	spanBeta   = 2.0
	genericPII = "PII"
)

// SpanReport is the result of the span evaluation.
type SpanReport struct {
	IoU float64 `json:"iou_threshold"`
	// Generic takes all infoTypes for one; Typed adds up ByType.
	Generic SpanScore            `json:"generic"`
	Typed   SpanScore            `json:"typed"`
	ByType  map[string]SpanScore `json:"by_type"`
}

// SpanScore holds precision, recall and F2 of spans. FBeta is nil where
// precision or recall is not defined or both are 0.
type SpanScore struct {
	Annotated int      `json:"annotated"`
	Predicted int      `json:"predicted"`
	Precision Share    `json:"precision"`
	Recall    Share    `json:"recall"`
	FBeta     *float64 `json:"f2"`
}

type spanCounts struct{ found, predicted, annotated int }

func (c *spanCounts) add(d spanCounts) {
	c.found += d.found
	c.predicted += d.predicted
	c.annotated += d.annotated
}

func (c spanCounts) score() SpanScore {
	s := SpanScore{
		Annotated: c.annotated, Predicted: c.predicted,
		Precision: Share{c.found, c.predicted}, Recall: Share{c.found, c.annotated},
	}
	if c.found > 0 {
		p, r := s.Precision.Value(), s.Recall.Value()
		f := (1 + spanBeta*spanBeta) * p * r / (spanBeta*spanBeta*p + r)
		s.FBeta = &f
	}
	return s
}

type spanTally struct {
	byType  map[string]*spanCounts
	generic spanCounts
}

func newSpanTally() *spanTally { return &spanTally{byType: make(map[string]*spanCounts)} }

func (t *spanTally) of(infoType string) *spanCounts { return at(t.byType, infoType) }

func (t *spanTally) add(u *spanTally) {
	for k, c := range u.byType {
		t.of(k).add(*c)
	}
	t.generic.add(u.generic)
}

func (t *spanTally) report(o *Options) SpanReport {
	r := SpanReport{IoU: o.IoU, Generic: t.generic.score(), ByType: make(map[string]SpanScore)}
	var typed spanCounts
	for k, c := range t.byType {
		r.ByType[k] = c.score()
		typed.add(*c)
	}
	r.Typed = typed.score()
	return r
}

// utterance compares the labels and masks of one utterance.
func (t *spanTally) utterance(u *turn, o *Options) {
	if len(u.gold) == 0 && len(u.masks) == 0 {
		return
	}
	words := spanTokens(u.text)
	annotation, prediction := u.tags(words)
	compareSpans(spansOf(words, annotation), spansOf(words, prediction), o.IoU, t.of)
	generic := func(tags []string) []string {
		for i := range tags {
			if tags[i] != "" {
				tags[i] = genericPII
			}
		}
		return tags
	}
	compareSpans(spansOf(words, generic(annotation)), spansOf(words, generic(prediction)), o.IoU,
		func(string) *spanCounts { return &t.generic })
}

// spanToken is a token in lower case; skip means that it never counts.
type spanToken struct {
	start, end int
	skip       bool
}

// spanTokens cuts a text at white space, and punctuation off both ends of the
// words, a mark for itself; a possessive 's becomes a token too.
func spanTokens(text []rune) []spanToken {
	var out []spanToken
	emit := func(start, end int) {
		if start < end {
			_, skip := spanSkipWords[strings.ToLower(string(text[start:end]))]
			out = append(out, spanToken{start, end, skip})
		}
	}
	for i := 0; i < len(text); {
		if unicode.IsSpace(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && !unicode.IsSpace(text[i]) {
			i++
		}
		end := i
		for start < end && punctuation(text[start]) {
			emit(start, start+1)
			start++
		}
		tail := end
		for tail > start && punctuation(text[tail-1]) {
			tail--
		}
		word := tail
		if tail-start > 2 && (text[tail-1] == 's' || text[tail-1] == 'S') && (text[tail-2] == '\'' || text[tail-2] == '’') {
			word = tail - 2
		}
		emit(start, word)
		emit(word, tail)
		for ; tail < end; tail++ {
			emit(tail, tail+1)
		}
	}
	return out
}

// punctuation is what string.punctuation of Python holds, and its Unicode
// relatives.
func punctuation(r rune) bool { return unicode.IsPunct(r) || strings.ContainsRune("$+<=>^`|~", r) }

// tags gives each token the type of the label and of the mask that touch it,
// "" for none. Tokens in labelled spans that are not scored have neither.
func (u *turn) tags(words []spanToken) (annotation, prediction []string) {
	annotation, prediction = make([]string, len(words)), make([]string, len(words))
	g := 0
	for i, w := range words {
		for g < len(u.gold) && u.gold[g].End <= w.start {
			g++
		}
		if g < len(u.gold) && u.gold[g].Start < w.end {
			annotation[i] = u.gold[g].Type
		}
		unscoredOnly := true
		for k := w.start; k < w.end; k++ {
			if u.mask[k] != 0 && prediction[i] == "" {
				prediction[i] = u.masks[u.mask[k]-1].Type
			}
			unscoredOnly = unscoredOnly && u.label[k] == inUnscored
		}
		if unscoredOnly {
			prediction[i] = ""
		}
	}
	return annotation, prediction
}

// tagSpan is a run of tokens with one tag. start and end are the first and
// last code points of the tokens that count, end exclusive.
type tagSpan struct {
	infoType             string
	tokenStart, tokenEnd int
	start, end           int
}

func spansOf(words []spanToken, tags []string) []tagSpan {
	var spans []tagSpan
	for i := 0; i < len(words); {
		s := tagSpan{infoType: tags[i], tokenStart: i, start: -1}
		for ; i < len(words) && tags[i] == s.infoType; i++ {
			if !words[i].skip {
				if s.start < 0 {
					s.start = words[i].start
				}
				s.end = words[i].end
			}
		}
		s.tokenEnd = i
		if s.infoType == "" || s.start < 0 {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].infoType == s.infoType && onlySkipped(words[spans[n-1].tokenEnd:s.tokenStart]) {
			spans[n-1].tokenEnd, spans[n-1].end = s.tokenEnd, s.end
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

func onlySkipped(words []spanToken) bool {
	for _, w := range words {
		if !w.skip {
			return false
		}
	}
	return true
}

// compareSpans counts into what of returns for an infoType.
func compareSpans(annotated, predicted []tagSpan, threshold float64, of func(string) *spanCounts) {
	overlapped := make([]bool, len(predicted))
	for _, a := range annotated {
		of(a.infoType).annotated++
		var overlapping []tagSpan
		for i, p := range predicted {
			if iou(a, p) > 0 {
				overlapped[i] = true
				overlapping = append(overlapping, p)
			}
		}
		for i, p := range overlapping {
			group := []tagSpan{p}
			first := true
			for k, q := range overlapping {
				if k == i || q.infoType != p.infoType {
					continue
				}
				if k < i {
					first = false
					break
				}
				group = append(group, q)
			}
			if !first {
				continue
			}
			together := iou(a, p)
			if len(overlapping) > 1 {
				together = combinedIoU(a, group)
			}
			of(p.infoType).predicted++
			if p.infoType == a.infoType && together >= threshold {
				of(a.infoType).found++
			}
		}
	}
	for i, p := range predicted {
		if !overlapped[i] {
			of(p.infoType).predicted++
		}
	}
}

func iou(a, b tagSpan) float64 {
	both := min(a.end, b.end) - max(a.start, b.start)
	if both <= 0 {
		return 0
	}
	return float64(both) / float64(max(a.end, b.end)-min(a.start, b.start))
}

// combinedIoU is the intersection over union of a label with several predicted
// spans. As in the original, the label and the first prediction count one
// position more at their end, and further predictions one more at their start
// in place of their last: it bridges the space between words.
func combinedIoU(a tagSpan, predicted []tagSpan) float64 {
	low, high := a.start, a.end
	for _, p := range predicted {
		low, high = min(low, p.start-1), max(high, p.end)
	}
	inPrediction := make([]bool, high-low+1)
	for i, p := range predicted {
		from, to := p.start, p.end
		if i > 0 {
			from, to = from-1, to-1
		}
		for k := from; k <= to; k++ {
			inPrediction[k-low] = true
		}
	}
	both, either := 0, 0
	for k, in := range inPrediction {
		inLabel := k+low >= a.start && k+low <= a.end
		if in && inLabel {
			both++
		}
		if in || inLabel {
			either++
		}
	}
	return float64(both) / float64(either)
}
