package risk

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"sotto/internal/texttable"
)

// HighScorers are the calls with more than MaxScore points. Without a direct identifier, they identify
// nobody unless their indirect ones compound, which those about the same person do (sections 4.3 and
// 4.4 of the paper).
type HighScorers struct {
	// Calls are in the order of their scores, the highest first.
	Calls []HighScorer `json:"calls"`
	// Kinds has each kind with its share among these calls.
	Kinds []HighKind `json:"kinds"`
}

// HighScorer is a call with more than MaxScore points.
type HighScorer struct {
	ID      string `json:"id"`
	Context string `json:"context,omitempty"`
	// Score is the mean over the annotators; everything else is of the reading with the most points.
	Score float64 `json:"score"`
	Kind  string  `json:"kind"`
	// SamePerson is the most points that two or more pieces about one person have together, 0 if no
	// person has two.
	SamePerson int `json:"same_person"`
	// Pieces are those with points, without their values.
	Pieces []HighPiece `json:"pieces"`
}

// HighPiece is a piece of a HighScorer.
type HighPiece struct {
	Type   string `json:"type"`
	Points int    `json:"points"`
	// Direct means that the piece alone has the points of a direct identifier.
	Direct bool   `json:"direct"`
	Person string `json:"person,omitempty"`
}

// The kinds of calls above the limit.
const (
	// HighDirect has a direct identifier.
	HighDirect = "direct"
	// HighSamePerson has indirect ones, of which two or more are about the same person.
	HighSamePerson = "same person"
	// HighDifferent has indirect ones, of which some are marked and no two as about the same person.
	HighDifferent = "different people"
	// HighNotMarked has indirect ones, and nobody said about whom any is.
	HighNotMarked = "not marked"
)

// HighKind is the share of a kind.
type HighKind struct {
	Kind string `json:"kind"`
	Proportion
}

// highScorers returns nil if no call has more than MaxScore points.
func highScorers(all []scored) *HighScorers {
	h := &HighScorers{}
	var weights []float64
	kinds := make(map[string][]float64)
	for _, s := range all {
		if s.score <= MaxScore {
			continue
		}
		c := s.high()
		h.Calls = append(h.Calls, c)
		weights = append(weights, s.weight)
		kinds[c.Kind] = append(kinds[c.Kind], s.weight)
	}
	if len(h.Calls) == 0 {
		return nil
	}
	slices.SortStableFunc(h.Calls, func(a, b HighScorer) int { return cmp.Compare(b.Score, a.Score) })
	for _, kind := range []string{HighDirect, HighSamePerson, HighDifferent, HighNotMarked} {
		h.Kinds = append(h.Kinds, HighKind{kind, proportion(kinds[kind], weights)})
	}
	return h
}

func (s *scored) high() HighScorer {
	c := HighScorer{ID: s.ID, Context: s.Context, Score: s.score}
	direct := false
	points, pieces := make(map[string]int), make(map[string]int)
	for _, d := range s.worst {
		if d.Points == 0 {
			continue
		}
		p := HighPiece{d.Piece.Type, d.Points, d.direct(), d.Piece.Person}
		c.Pieces = append(c.Pieces, p)
		direct = direct || p.Direct
		if p.Person == "" {
			continue
		}
		points[p.Person] += p.Points
		if pieces[p.Person]++; pieces[p.Person] > 1 {
			c.SamePerson = max(c.SamePerson, points[p.Person])
		}
	}
	switch {
	case direct:
		c.Kind = HighDirect
	case c.SamePerson > 0:
		c.Kind = HighSamePerson
	case len(points) == 0:
		c.Kind = HighNotMarked
	default:
		c.Kind = HighDifferent
	}
	return c
}

// Identifiers lists the direct or the indirect identifiers for people, with whom each is about:
// "ORGANIZATION_NAME (1), URL".
func (c *HighScorer) Identifiers(direct bool) string {
	var names []string
	for _, p := range c.Pieces {
		if p.Direct != direct {
			continue
		}
		name := p.Type
		if p.Person != "" {
			name = fmt.Sprintf("%s (%s)", name, p.Person)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// write writes the calls and the shares of their kinds for people, nothing where there are no calls.
func (h *HighScorers) write(w io.Writer) error {
	if h == nil {
		return nil
	}
	fmt.Fprintf(w, "\nCalls above %d; pieces with the same word in brackets are about one person\n", MaxScore)
	calls := texttable.New("Call", "Score", "Kind", "Same person", "Direct", "Indirect")
	for _, left := range []int{2, 4, 5} {
		calls.AlignLeft(left)
	}
	for i := range h.Calls {
		c := &h.Calls[i]
		calls.Row(c.ID, fmt.Sprintf("%.3g", c.Score), c.Kind, c.SamePerson, c.Identifiers(true), c.Identifiers(false))
	}
	if err := calls.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	kinds := texttable.New("Kind", "Calls", "Share", "95 % CI")
	for _, k := range h.Kinds {
		kinds.Row(k.Kind, k.Count, percent(k.Share), percents(k.CI))
	}
	return kinds.Write(w)
}
