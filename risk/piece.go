package risk

import (
	"cmp"
	"maps"
	"slices"

	"sotto/detectors"
	"sotto/state"
)

// Piece is one piece of personal information that was missed in a call. Its JSON says nothing of its value.
type Piece struct {
	// Type is its infoType.
	Type string `json:"type"`
	// Value is what can still be read of it.
	Value string `json:"-"`
	// Partial means that another part of it was masked.
	Partial bool `json:"partial,omitempty"`
	// Speaker means that it belongs to a speaker of the call and is not just a topic. It matters
	// for organizations and products.
	Speaker bool `json:"speaker,omitempty"`
	// Key, if given, alone decides which pieces are one: those with the same infoType and key
	// are, those with different keys are not, and a piece with a key never joins one without.
	// This is how an annotator forces or forbids a merge.
	Key string `json:"-"`
	// Person, if given, says whom the piece is about, by a word of the annotator: pieces of a call with
	// the same one are about the same person.
	Person string `json:"person,omitempty"`
}

// Distinct is a piece of information with all its mentions.
type Distinct struct {
	// Piece is the mention that scores highest.
	Piece Piece
	// Mentions counts how often it was missed.
	Mentions int
	// Points is the highest score among the mentions.
	Points int
}

// direct reports whether the piece alone has the points of a direct identifier, as a part of a name has not.
func (d Distinct) direct() bool { return d.Points >= detectors.DirectScore }

// Score returns the score of a call: the sum over distinct missed pieces. Spelling
// variants of one piece count once, with the highest score that one of them
// has (section 4.2 of the paper).
func (t *Table) Score(missed []Piece) int {
	sum := 0
	for _, d := range t.Merge(missed) {
		sum += d.Points
	}
	return sum
}

// Merge combines mentions of the same piece of information, in the order of their first mention:
// those with one Key, and of the others those that the engine would link to one entity if the
// fullest mention came first. So "Jim" joins "Jim Halpert", and "Jim Beesly" stays apart from
// both.
func (t *Table) Merge(missed []Piece) []Distinct {
	values := make([]Value, len(missed))
	fullest := make([]int, len(missed)) // indices, fullest value first
	for i, p := range missed {
		values[i] = Normalize(p.Value)
		fullest[i] = i
	}
	slices.SortStableFunc(fullest, func(a, b int) int { return values[b].compareLength(values[a]) })

	type identity struct {
		ref      state.Ref
		infoType string
		key      string
	}
	type found struct {
		Distinct
		first int // index of the first mention
	}
	pieces := make(map[identity]*found)
	call := state.NewCall()
	for _, i := range fullest {
		p := missed[i]
		var id identity
		switch {
		case p.Key != "":
			id = identity{infoType: p.Type, key: p.Key}
		case values[i].Empty():
			id = identity{infoType: p.Type}
		default:
			id.ref = call.LinkOrCreate(mention(p.Type, values[i]), len(missed))
			if id.ref.N == 0 {
				// Beyond what the engine remembers of a call.
				id = identity{infoType: p.Type, key: values[i].String()}
			}
		}
		points := t.Points(p)
		f := pieces[id]
		if f == nil {
			f = &found{Distinct: Distinct{Piece: p, Points: points}, first: i}
			pieces[id] = f
		}
		f.Mentions++
		f.first = min(f.first, i)
		person := cmp.Or(f.Piece.Person, p.Person)
		if points > f.Points {
			f.Piece, f.Points = p, points
		}
		f.Piece.Person = person
	}
	sorted := slices.SortedFunc(maps.Values(pieces), func(a, b *found) int { return a.first - b.first })
	out := make([]Distinct, len(sorted))
	for i, f := range sorted {
		out[i] = f.Distinct
	}
	return out
}
