package calls

import (
	"strings"
	"unicode"
)

// kinds are the kinds of transcripts, by their number in a comment "// kind N", which holds for the
// calls below it until the next one.
var kinds = map[string]string{"1": Typed, "2": Raw, "3": Commercial}

// The kinds of transcripts.
const (
	// Typed: as people type it, with capitals and punctuation.
	Typed = "typed"
	// Raw: recognizer output in lower case, without punctuation, with numbers as words.
	Raw = "raw"
	// Commercial: recognizer output that was formatted automatically.
	Commercial = "commercial"
)

// Counts says how much there is of what. The zero value is ready for Add.
type Counts struct {
	Calls, Turns, Labels int
	// ByType counts labels by infoType; the others count calls. A call without a comment on its kind
	// counts as Raw if it has no capital letter, and under "" otherwise.
	ByType, ByContext, ByKind map[string]int
}

func count(calls []markedCall) (n Counts) {
	n = Counts{ByType: map[string]int{}, ByContext: map[string]int{}, ByKind: map[string]int{}}
	for i := range calls {
		c := &calls[i]
		n.Calls++
		n.Turns += len(c.Utterances)
		n.ByContext[c.Context]++
		n.ByKind[c.transcriptKind()]++
		for _, u := range c.Utterances {
			n.Labels += len(u.Entities)
			for _, s := range u.Entities {
				n.ByType[s.Type]++
			}
		}
	}
	return n
}

// transcriptKind is the kind that a comment states, or that the text shows.
func (c *markedCall) transcriptKind() string {
	if c.kind != "" {
		return c.kind
	}
	for i := range c.Utterances {
		if strings.ContainsFunc(c.Utterances[i].Text, unicode.IsUpper) {
			return ""
		}
	}
	return Raw
}

// Add adds the counts of m.
func (n *Counts) Add(m Counts) {
	n.Calls += m.Calls
	n.Turns += m.Turns
	n.Labels += m.Labels
	add(&n.ByType, m.ByType)
	add(&n.ByContext, m.ByContext)
	add(&n.ByKind, m.ByKind)
}

func add(to *map[string]int, from map[string]int) {
	if *to == nil {
		*to = map[string]int{}
	}
	for k, v := range from {
		(*to)[k] += v
	}
}
