package replace

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"
	"strings"
)

// Table is a distribution of surrogates, the paper's pi: values with integer
// weights. It is immutable and safe for concurrent use.
type Table struct {
	values []string
	// upTo holds the sums of the weights up to and with each value.
	upTo     []uint64
	exemplar string
}

type weighted struct {
	value  string
	weight uint64
}

var errTable = errors.New("a table of surrogates needs values, and positive weights that sum to less than 2^53")

// newTable makes a table; values that are the same but for case count as the
// first of them. The exemplar is the most frequent value.
func newTable(rows []weighted) (*Table, error) {
	t := &Table{}
	at := map[string]int{}
	var weights []uint64
	for _, r := range rows {
		key := toLower(r.value)
		i, ok := at[key]
		if !ok {
			i = len(t.values)
			at[key] = i
			t.values = append(t.values, r.value)
			weights = append(weights, 0)
		}
		if r.value == "" || r.weight == 0 || r.weight >= 1<<53 {
			return nil, errTable
		}
		weights[i] += r.weight
	}
	top, sum := uint64(0), uint64(0)
	for i, w := range weights {
		if sum += w; sum >= 1<<53 {
			return nil, errTable
		}
		t.upTo = append(t.upTo, sum)
		if w > top {
			top, t.exemplar = w, t.values[i]
		}
	}
	if sum == 0 {
		return nil, errTable
	}
	return t, nil
}

// mustTable is for tables that are part of the program.
func mustTable(rows []weighted) *Table {
	t, err := newTable(rows)
	if err != nil {
		panic(err)
	}
	return t
}

func (t *Table) weight(i int) uint64 {
	if i == 0 {
		return t.upTo[0]
	}
	return t.upTo[i] - t.upTo[i-1]
}

// MinProbability is pi of the rarest value, at which equation (2) is greatest.
func (t *Table) MinProbability() float64 {
	least := uint64(math.MaxUint64)
	for i := range t.values {
		least = min(least, t.weight(i))
	}
	return float64(least) / float64(t.upTo[len(t.upTo)-1])
}

// has reports whether a value is in the table, in the case of the table.
func (t *Table) has(value string) bool { return slices.Contains(t.values, value) }

// draw draws the position of a value by the weights.
func (t *Table) draw(s *stream) int {
	r := s.below(t.upTo[len(t.upTo)-1])
	return sort.Search(len(t.upTo), func(i int) bool { return t.upTo[i] > r })
}

// nth draws by the weights without putting back, two values for each entity,
// and returns those of the n-th.
func (t *Table) nth(s *stream, n int) (first, second string) {
	taken := make([]uint64, (len(t.values)+63)/64)
	for k := 1; ; k++ {
		i := t.draw(s)
		for taken[i/64]&(1<<(i%64)) != 0 {
			i = t.draw(s)
		}
		taken[i/64] |= 1 << (i % 64)
		switch k {
		case 2*n - 1:
			first = t.values[i]
		case 2 * n:
			return first, t.values[i]
		}
	}
}

func (t *Table) twoDifferent(s *stream) (first, second string) {
	i := t.draw(s)
	j := i
	for len(t.values) > 1 && j == i {
		j = t.draw(s)
	}
	return t.values[i], t.values[j]
}

// words is the distribution of the words of a table's values.
func words(tables ...*Table) *Table {
	var rows []weighted
	for _, t := range tables {
		// Tables with different sums of weights count alike.
		scale := uint64(1)
		if len(tables) > 1 {
			scale = max(1, (1<<40)/t.upTo[len(t.upTo)-1])
		}
		for i, v := range t.values {
			for w := range strings.FieldsSeq(v) {
				rows = append(rows, weighted{w, t.weight(i) * scale})
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b weighted) int { return cmp.Compare(toLower(a.value), toLower(b.value)) })
	return mustTable(rows)
}
