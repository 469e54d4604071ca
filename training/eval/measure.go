package eval

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"sotto/internal/gold"
	"sotto/risk"
)

// Marks of a code point in a text. A code point lies in a scored span, or in a
// labelled span that is not scored, or in none.
const (
	outside = iota
	inScored
	inUnscored
)

// turn is an utterance with its masks, spread over its code points.
type turn struct {
	call  *gold.Conversation
	index int
	text  []rune
	gold  []gold.Span // scored ones, in the order of the text
	label []byte      // outside, inScored or inUnscored
	masks []Mask
	mask  []int32 // 1 + index into masks, 0 where nothing is masked
}

// content reports whether a code point says something: it is neither space nor
// punctuation. A span whose content is masked is wholly masked, though a comma
// or the space between two masks may stand.
func content(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) }

func newTurn(c *gold.Conversation, index int, masks []Mask, o *Options) *turn {
	u := &c.Utterances[index]
	t := &turn{call: c, index: index, text: []rune(u.Text), masks: masks}
	t.label = make([]byte, len(t.text))
	t.mask = make([]int32, len(t.text))
	for _, s := range u.Entities {
		if o.Scored(s.Type, string(t.text[s.Start:s.End])) {
			t.gold = append(t.gold, s)
			continue
		}
		for i := s.Start; i < s.End; i++ {
			t.label[i] = inUnscored
		}
	}
	slices.SortStableFunc(t.gold, func(a, b gold.Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	for _, s := range t.gold {
		for i := s.Start; i < s.End; i++ {
			t.label[i] = inScored
		}
	}
	for k, m := range masks {
		for i := max(m.Start, 0); i < min(m.End, len(t.text)); i++ {
			t.mask[i] = int32(k + 1)
		}
	}
	return t
}

// coverage says what masks did to a labelled span.
type coverage struct {
	chars, masked    int // code points
	content, visible int // code points that say something; those still to be read
	by               int // index of the mask that covers most of the content, -1 for none
	whole            bool
	masks            int    // that cover some of the content
	left             string // what can still be read, when not whole
}

func (u *turn) cover(s gold.Span) coverage {
	c := coverage{by: -1}
	// A span of nothing but punctuation counts all its code points.
	all := !slices.ContainsFunc(u.text[s.Start:s.End], content)
	most, run := 0, 0
	var previous int32
	var left strings.Builder
	for i := s.Start; i < s.End; i++ {
		r, m := u.text[i], u.mask[i]
		c.chars++
		if m != 0 {
			c.masked++
		}
		if !all && !content(r) {
			left.WriteByte(' ')
			continue
		}
		c.content++
		if m == 0 {
			c.visible++
			left.WriteRune(r)
			continue
		}
		left.WriteByte(' ')
		if m != previous {
			run, previous = 0, m
			c.masks++
		}
		if run++; run > most {
			most, c.by = run, int(m-1)
		}
	}
	c.whole = c.visible == 0
	if !c.whole {
		c.left = strings.Join(strings.Fields(left.String()), " ")
	}
	return c
}

// missed is the infoType under which the confusion table counts spans of which
// nothing was masked.
const missed = "(missed)"

func reportOn(c *gold.Conversation, masks [][]Mask, seen evidence, o *Options) *Report {
	r := newReport()
	r.Calls, r.Utterances = 1, len(c.Utterances)
	r.FullyAnonymizedCalls, r.FullyAnonymizedDirect = Share{1, 1}, Share{1, 1}
	var pieces []risk.Piece
	same := entityLinks{values: make(map[valueKey][]numberKey), numbers: make(map[numberKey][]valueKey)}
	for i := range c.Utterances {
		u := newTurn(c, i, masks[i], o)
		for _, s := range u.gold {
			cov := u.cover(s)
			r.span(u, s, cov)
			if o.Errors && cov.by >= 0 && u.masks[cov.by].Type != s.Type {
				r.tallied.wrongType(u, s, &u.masks[cov.by])
			}
			if cov.whole && cov.masks == 1 {
				same.mention(s.Type, string(u.text[s.Start:s.End]), u.masks[cov.by])
			}
			if cov.whole {
				continue
			}
			r.FullyAnonymizedCalls.Part = 0
			if e, ok := defaultTable.Lookup(s.Type); !ok || e.Direct() {
				r.FullyAnonymizedDirect.Part = 0
			}
			pieces = append(pieces, risk.Piece{Type: s.Type, Value: cov.left, Partial: cov.visible < cov.content, Speaker: s.OfSpeaker})
			if o.Errors {
				r.tallied.miss(u, s, cov)
			}
		}
		r.maskCounts(u)
		r.overMasking(u, o.Errors)
	}
	r.scores = []float64{float64(defaultTable.Score(pieces))}
	r.figures = seen.candidates.Figures(int64(len(c.Utterances)), seen.found)
	if o.weights != nil {
		r.estimates = []float64{o.weights.Risk(seen.candidates, int64(len(c.Utterances)), seen.found)}
	}
	r.SameEntitySameNumber, r.SharedNumbers = same.counts()
	if p := o.People[c.ID]; p != nil {
		r.persons(c, p, masks, o.Errors)
	}
	return r
}

func (r *Report) span(u *turn, s gold.Span, cov coverage) {
	t := r.typeReport(s.Type)
	t.Gold++
	t.RecallChars.add(Share{cov.masked, cov.chars})
	if cov.masks > 1 {
		t.Cut++
	}
	t.TypedRecall.Whole++
	as := missed
	if cov.by >= 0 {
		as = u.masks[cov.by].Type
	}
	r.confuse(s.Type, as, 1)
	if as == s.Type {
		r.TypesRight.add(Share{1, 1})
	} else if as != missed {
		r.TypesRight.add(Share{0, 1})
	}
	switch {
	case cov.whole:
		t.Masked++
		if as == s.Type {
			t.TypedRecall.Part++
		}
	case cov.visible < cov.content:
		t.Partial++
	}
}

// maskCounts counts the masks by infoType. Content inside of spans that
// are not scored is left out, and with it masks that hold nothing else.
func (r *Report) maskCounts(u *turn) {
	for k, m := range u.masks {
		var chars Share
		for i := max(m.Start, 0); i < min(m.End, len(u.text)); i++ {
			if !content(u.text[i]) || u.mask[i] != int32(k+1) || u.label[i] == inUnscored {
				continue
			}
			chars.Whole++
			if u.label[i] == inScored {
				chars.Part++
			}
		}
		if chars.Whole > 0 {
			t := r.typeReport(m.Type)
			t.Predicted++
			t.Precision.add(Share{min(chars.Part, 1), 1})
			t.PrecisionChars.add(chars)
			t.TypedPrecision.Whole++
			if slices.ContainsFunc(u.gold, func(s gold.Span) bool { return s.Type == m.Type && s.Start < m.End && m.Start < s.End }) {
				t.TypedPrecision.Part++
			}
		}
	}
}

// overMasking counts the tokens outside of every labelled span, and those of
// them of which a letter or digit was masked. A token is a run of characters
// between white space, without the punctuation around it, if it holds a letter or a
// digit; one that a labelled span touches is not counted.
func (r *Report) overMasking(u *turn, list bool) {
	var over []token
	for _, w := range tokens(u.text) {
		if slices.ContainsFunc(u.label[w.start:w.end], func(l byte) bool { return l != outside }) {
			r.keptToken(u, w)
			continue
		}
		r.OverMaskedTokens.Whole++
		for i := w.start; i < w.end; i++ {
			if u.mask[i] != 0 && alphanumeric(u.text[i]) {
				m := u.masks[u.mask[i]-1]
				r.OverMaskedTokens.Part++
				r.typeReport(m.Type).OverMaskedTokens++
				over = append(over, token{w.start, w.end, int(u.mask[i] - 1)})
				break
			}
		}
	}
	if list {
		r.tallied.over(u, over)
	}
}

// keptToken counts a token that lies in labelled spans which are not scored.
func (r *Report) keptToken(u *turn, w token) {
	masked := 0
	for i := w.start; i < w.end; i++ {
		if u.label[i] == inScored {
			return
		}
		if u.mask[i] != 0 && alphanumeric(u.text[i]) {
			masked = 1
		}
	}
	r.KeptTokens.add(Share{masked, 1})
}

// token is a word of a text; mask is the index of the mask that touches it.
type token struct{ start, end, mask int }

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func tokens(text []rune) []token {
	var out []token
	for i := 0; i < len(text); {
		if unicode.IsSpace(text[i]) {
			i++
			continue
		}
		first, last := -1, -1
		for ; i < len(text) && !unicode.IsSpace(text[i]); i++ {
			if alphanumeric(text[i]) {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		if first >= 0 {
			out = append(out, token{start: first, end: last + 1})
		}
	}
	return out
}
