package train

import (
	"sort"
	"strings"

	"sotto/corpus/gold"
	"sotto/detectors"
	"sotto/detectors/ner/internal/crf"
	"sotto/detectors/ner/internal/feature"
)

// span is a labelled span in bytes.
type span struct {
	start, end int
	kind       int
	also       crf.Set
}

// spansOf converts the labels of an utterance. The infoTypes of names come
// before others that overlap them.
func spansOf(u *gold.Utterance, dst []span) []span {
	offsets := make([]int, 0, len(u.Text)+1)
	for b := range u.Text {
		offsets = append(offsets, b)
	}
	offsets = append(offsets, len(u.Text))
	for _, e := range u.Entities {
		x := span{offsets[e.Start], offsets[e.End], kindOf(e.Type), also(e.Type)}
		if x.kind >= 0 && handle(u.Text, x.start) {
			x.kind, x.also = -1, crf.All
		}
		dst = append(dst, x)
	}
	sort.SliceStable(dst, func(a, b int) bool { return dst[a].kind >= 0 && dst[b].kind < 0 })
	return dst
}

// handle reports whether what begins at byte i is a handle or a hashtag, which some
// sets label as the name of whom it belongs to; it is found by its form.
func handle(text string, i int) bool {
	before := strings.TrimRight(text[:i], " ")
	return text[i] == '@' || text[i] == '#' || strings.HasSuffix(before, "@") || strings.HasSuffix(before, "#")
}

// allowed appends, for each element, the labels that it may have.
func allowed(d *detectors.Document, elements []feature.Element, spans []span, dst []crf.Set) []crf.Set {
	last := -1
	for i := range elements {
		t := &d.Tokens[elements[i].Token]
		set := crf.Set(1 << crf.Outside)
		in := -1
		for n := range spans {
			s := &spans[n]
			if int(t.Start) < s.end && int(t.End) > s.start {
				in = n
				break
			}
		}
		switch {
		case in < 0:
		case spans[in].kind < 0:
			set = spans[in].also
		case t.Class == detectors.Clitic && int(t.End) > spans[in].end:
		case in == last:
			set = 1 << crf.Inside(spans[in].kind)
		default:
			set = 1 << crf.Begin(spans[in].kind)
		}
		last = in
		dst = append(dst, set)
	}
	return dst
}

// kindAt returns the kind of an element whose labels are allowed, -1 for none
// and -2 where it is not known.
func kindAt(s crf.Set) int {
	if s&(s-1) != 0 {
		return -2
	}
	for y := range crf.Label(crf.NumLabels) {
		if s.Has(y) {
			return crf.KindOf(y)
		}
	}
	return -2
}
