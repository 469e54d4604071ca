package indirect

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sotto/internal/texttable"
)

// Report has the figures of the paper's section 6 for one corpus.
type Report struct {
	K           int      `json:"k"`
	Individuals int      `json:"individuals"`
	Words       uint64   `json:"words"`
	Grams       []ByN    `json:"grams"`
	PerPerson   []Spread `json:"identifiers_per_individual"`
}

// ByN are the figures of the n-grams of one length.
type ByN struct {
	N int `json:"n"`
	// Distinct counts the different n-grams, and Identifiers those of fewer than k individuals.
	Distinct    uint64 `json:"distinct"`
	Identifiers uint64 `json:"identifiers"`
	// Occurrences and those of identifiers count repetitions.
	Occurrences           uint64 `json:"occurrences"`
	IdentifierOccurrences uint64 `json:"identifier_occurrences"`
}

// Spread is how many identifiers of one length individuals have. An individual without any counts.
type Spread struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Median int     `json:"median"`
	P95    int     `json:"p95"`
	Max    int     `json:"max"`
	// WithAny is the share of individuals that have at least one.
	WithAny float64 `json:"with_any"`
}

// Report counts, and writes the blacklist: a header, then one n-gram a line. It says what only one
// individual says, so it is as secret as the corpus.
func (g *Graph) Report(blacklist io.Writer) (*Report, error) {
	out := bufio.NewWriterSize(blacklist, 1<<16)
	fmt.Fprintf(out, header+"\n", g.opts.K, g.opts.N)
	r := &Report{K: g.opts.K, Individuals: len(g.people), Words: g.words}
	mine := make([]map[uint64]int, g.opts.N)
	for n := range g.opts.N {
		r.Grams = append(r.Grams, ByN{N: n + 1})
		mine[n] = map[uint64]int{}
	}
	for _, gram := range slices.Sorted(maps.Keys(g.index)) {
		i, n := g.index[gram], strings.Count(gram, " ")
		b, count := &r.Grams[n], uint64(g.counts[i])
		b.Distinct++
		b.Occurrences += count
		if g.safe(i) {
			continue
		}
		b.Identifiers++
		b.IdentifierOccurrences += count
		for _, d := range g.slots(i)[:g.users[i]] {
			mine[n][d]++
		}
		fmt.Fprintln(out, gram)
	}
	for n := range mine {
		r.PerPerson = append(r.PerPerson, spread(n+1, mine[n], len(g.people)))
	}
	return r, out.Flush() // the first error of any write
}

func spread(n int, counts map[uint64]int, people int) Spread {
	s := Spread{N: n}
	if people == 0 {
		return s
	}
	all := make([]int, 0, people)
	sum := 0
	for _, c := range counts {
		all = append(all, c)
		sum += c
	}
	s.WithAny = float64(len(all)) / float64(people)
	for len(all) < people {
		all = append(all, 0)
	}
	slices.Sort(all)
	s.Mean = float64(sum) / float64(people)
	s.Median, s.P95, s.Max = all[(people-1)/2], all[(people-1)*95/100], all[people-1]
	return s
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%d individuals, %d words. An n-gram that fewer than %d of them use\nis an indirect identifier.\n\n", r.Individuals, r.Words, r.K)
	grams := texttable.New("n", "distinct", "identifiers", "share of distinct", "share of occurrences")
	people := texttable.New("n", "mean", "median", "p95", "max", "individuals with any")
	for i, g := range r.Grams {
		s := r.PerPerson[i]
		grams.Row(g.N, g.Distinct, g.Identifiers,
			percent(g.Identifiers, g.Distinct), percent(g.IdentifierOccurrences, g.Occurrences))
		people.Row(g.N, fmt.Sprintf("%.1f", s.Mean), s.Median, s.P95, s.Max, fmt.Sprintf("%.1f %%", 100*s.WithAny))
	}
	if err := grams.Write(w); err != nil {
		return err
	}
	fmt.Fprint(w, "\nIdentifiers of each individual:\n\n")
	return people.Write(w)
}

func percent(part, whole uint64) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(1, whole)))
}
