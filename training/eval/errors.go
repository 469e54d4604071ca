package eval

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sotto/internal/gold"
)

// ErrorKind says what went wrong.
type ErrorKind string

// The kinds of errors, the worst first.
const (
	Miss        ErrorKind = "miss"
	PartialMiss ErrorKind = "partial"
	OverMask    ErrorKind = "over-mask"
	// WrongType is a span that is masked, for the most part, with another infoType than its label.
	WrongType ErrorKind = "type"
	// Split is a person who has several tags, Merged a tag that several persons have.
	Split  ErrorKind = "split"
	Merged ErrorKind = "merged"
)

var kinds = []ErrorKind{Miss, PartialMiss, OverMask, WrongType, Split, Merged}

// ErrorGroup holds all errors of one kind and infoType about one text. It
// quotes labelled conversations.
type ErrorGroup struct {
	ErrorKey
	Count int `json:"count"`
	// Examples are the first places, at most examplesKept.
	Examples []Example `json:"examples"`
}

// ErrorKey is what the errors of a group have in common.
type ErrorKey struct {
	Kind ErrorKind `json:"kind"`
	// Type is the infoType of the label, or of the mask for OverMask.
	Type string `json:"type"`
	// Text is what was missed, or the tokens masked without need, in lower
	// case; for PartialMiss and WrongType, the whole span; for Split and Merged, who or which tag it is, and in which
	// utterances it has which tags or persons.
	Text string `json:"text"`
	// Left is what could still be read of a PartialMiss.
	Left string `json:"left,omitempty"`
	// As is the infoType of the mask, for WrongType.
	As string `json:"as,omitempty"`
	// Detector is whose mask it was, for OverMask and WrongType.
	Detector string `json:"detector,omitempty"`
}

// Example is a place where an error happened.
type Example struct {
	Conversation string `json:"conversation"`
	Line         int    `json:"line"`      // in its file, from 1
	Utterance    int    `json:"utterance"` // from 1
	Speaker      string `json:"speaker"`
	// Context is the text around, with the span in question between « and »
	// and other masked text between { and }; Split and Merged quote nothing.
	Context string `json:"context,omitempty"`
}

const (
	examplesKept = 3
	contextWidth = 60 // code points on each side
)

type errorTally map[ErrorKey]*ErrorGroup

func (e errorTally) add(f errorTally) {
	for k, g := range f {
		have := e[k]
		if have == nil {
			have = &ErrorGroup{ErrorKey: k} // of its own: f is added to other sums, too
			e[k] = have
		}
		have.Count += g.Count
		have.Examples = append(have.Examples, g.Examples[:min(len(g.Examples), examplesKept-len(have.Examples))]...)
	}
}

func (e errorTally) record(k ErrorKey, x Example) {
	g := e[k]
	if g == nil {
		g = &ErrorGroup{ErrorKey: k}
		e[k] = g
	}
	g.Count++
	if len(g.Examples) < examplesKept {
		g.Examples = append(g.Examples, x)
	}
}

func (e errorTally) miss(u *turn, s gold.Span, cov coverage) {
	k := ErrorKey{Kind: Miss, Type: s.Type, Text: lower(u.text[s.Start:s.End])}
	if cov.visible < cov.content {
		k.Kind, k.Left = PartialMiss, strings.ToLower(cov.left)
	}
	e.record(k, u.example(s.Start, s.End))
}

// wrongType records a span that is masked with another infoType.
func (e errorTally) wrongType(u *turn, s gold.Span, m *Mask) {
	k := ErrorKey{Kind: WrongType, Type: s.Type, Text: lower(u.text[s.Start:s.End]), As: m.Type, Detector: m.Detector}
	e.record(k, u.example(s.Start, s.End))
}

// over records the tokens masked without need, those of one mask together.
func (e errorTally) over(u *turn, tokens []token) {
	for len(tokens) > 0 {
		n := 1
		for n < len(tokens) && tokens[n].mask == tokens[0].mask {
			n++
		}
		words := make([]string, n)
		for i, w := range tokens[:n] {
			words[i] = lower(u.text[w.start:w.end])
		}
		m := u.masks[tokens[0].mask]
		k := ErrorKey{Kind: OverMask, Type: m.Type, Text: strings.Join(words, " "), Detector: m.Detector}
		e.record(k, u.example(tokens[0].start, tokens[n-1].end))
		tokens = tokens[n:]
	}
}

func lower(text []rune) string { return strings.ToLower(string(text)) }

func (u *turn) example(start, end int) Example {
	return Example{
		Conversation: u.call.ID, Line: u.call.Line, Utterance: u.index + 1,
		Speaker: u.call.Utterances[u.index].Speaker, Context: u.excerpt(start, end),
	}
}

func (u *turn) excerpt(start, end int) string {
	from, to := max(0, start-contextWidth), min(len(u.text), end+contextWidth)
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	for i := from; i < to; i++ {
		inside := i >= start && i < end
		starts := u.mask[i] != 0 && (i == from || i == end || u.mask[i] != u.mask[i-1])
		if i == start {
			b.WriteString("«")
		} else if starts && !inside {
			b.WriteString("{")
		}
		r := u.text[i]
		if unicode.IsControl(r) {
			r = ' '
		}
		b.WriteRune(r)
		ends := u.mask[i] != 0 && (i+1 == to || i+1 == start || u.mask[i] != u.mask[i+1])
		if i+1 == end {
			b.WriteString("»")
		} else if ends && !inside {
			b.WriteString("}")
		}
	}
	if to < len(u.text) {
		b.WriteString("…")
	}
	return b.String()
}

func (e errorTally) groups() []ErrorGroup {
	perType := make(map[ErrorKey]int)
	of := func(g *ErrorGroup) ErrorKey { return ErrorKey{Kind: g.Kind, Type: g.Type} }
	for _, g := range e {
		perType[of(g)] += g.Count
	}
	sorted := slices.SortedFunc(maps.Values(e), func(a, b *ErrorGroup) int {
		return cmp.Or(
			slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind),
			perType[of(b)]-perType[of(a)],
			strings.Compare(a.Type, b.Type),
			b.Count-a.Count,
			strings.Compare(a.Text, b.Text),
			strings.Compare(a.Left, b.Left),
			strings.Compare(a.As, b.As),
			strings.Compare(a.Detector, b.Detector),
		)
	})
	out := make([]ErrorGroup, len(sorted))
	for i, g := range sorted {
		out[i] = *g
	}
	return out
}
