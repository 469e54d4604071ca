package risk

import "slices"

// Piece is one piece of personal information that was missed in a call.
type Piece struct {
	// Type is its infoType.
	Type string
	// Value is what can still be read of it.
	Value string
	// Partial tells that another part of it was masked.
	Partial bool
	// Speaker tells that it belongs to a speaker of the call rather than
	// being a topic; it matters for organizations and products.
	Speaker bool
	// Key, where it is given, decides sameness by itself: pieces of one type
	// and key are one, of different keys are not, and a piece with a key
	// never joins one without. An annotator forces or forbids a merge so.
	Key string
}

// Distinct is a piece of information with everything that was said of it.
type Distinct struct {
	// Piece is the mention that scores highest.
	Piece Piece
	// Mentions counts how often it was missed.
	Mentions int
	// Points is the highest score among the mentions.
	Points int
}

// Score gives a call its score: the sum over different missed pieces. Spelling
// variants of one piece count once, with the highest score that one of them
// has (section 4.2 of the paper).
func (t *Table) Score(missed []Piece) int {
	sum := 0
	for _, d := range t.Merge(missed) {
		sum += d.Points
	}
	return sum
}

// Merge puts mentions of the same piece of information together, in order of
// their first mention. A mention joins the piece whose fullest mention it is
// the same as; so "Jim" joins "Jim Halpert", and "Jim Beesly" stays apart from
// both.
func (t *Table) Merge(missed []Piece) []Distinct {
	values := make([]Value, len(missed))
	fullest := make([]int, len(missed)) // indices, fullest value first
	for i, p := range missed {
		values[i] = Normalize(p.Value)
		fullest[i] = i
	}
	slices.SortStableFunc(fullest, func(a, b int) int { return values[b].compareLength(values[a]) })

	type found struct {
		Distinct
		first int // index of the first mention
		value Value
	}
	var pieces []*found
	byType := make(map[string][]*found)
	for _, i := range fullest {
		p := missed[i]
		points := t.Points(p)
		same := byType[p.Type]
		at := slices.IndexFunc(same, func(f *found) bool { return samePiece(p, f.Piece, values[i], f.value) })
		if at < 0 {
			f := &found{Distinct: Distinct{Piece: p, Mentions: 1, Points: points}, first: i, value: values[i]}
			pieces = append(pieces, f)
			byType[p.Type] = append(same, f)
			continue
		}
		f := same[at]
		f.Mentions++
		f.first = min(f.first, i)
		if points > f.Points {
			f.Piece, f.Points = p, points
		}
	}
	slices.SortFunc(pieces, func(a, b *found) int { return a.first - b.first })
	out := make([]Distinct, len(pieces))
	for i, f := range pieces {
		out[i] = f.Distinct
	}
	return out
}

// samePiece compares two pieces of one infoType.
func samePiece(a, b Piece, av, bv Value) bool {
	if a.Key != "" || b.Key != "" {
		return a.Key == b.Key
	}
	return Same(a.Type, av, bv)
}
