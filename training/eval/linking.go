package eval

import (
	"slices"

	"sotto/risk"
)

// entityLinks are the numbers that each value of a call got, and the values that each number
// stands for. Only mentions count that one mask covers completely: what was missed, or divided,
// has no number that could be compared.
type entityLinks struct {
	values  map[valueKey][]numberKey
	numbers map[numberKey][]valueKey
}

// valueKey is a labelled value in the normal form of risk.Normalize, so that
// dictated and written digits, cases and spellings of one value are one.
type valueKey struct{ infoType, value string }

type numberKey struct {
	infoType string
	id       int
}

func (s *entityLinks) mention(infoType, text string, m Mask) {
	value := risk.Normalize(text)
	if value.Empty() {
		return
	}
	v, n := valueKey{infoType, value.String()}, numberKey{m.Type, m.ID}
	s.values[v] = append(s.values[v], n)
	s.numbers[n] = append(s.numbers[n], v)
}

// counts returns the share of the values said more than once that got one number each time, and the
// share of the numbers that stand for values that are not equivalent by risk.Equivalent.
func (s *entityLinks) counts() (oneNumber, shared Share) {
	for _, got := range s.values {
		if len(got) < 2 {
			continue
		}
		oneNumber.Whole++
		if got[0].id != 0 && !slices.ContainsFunc(got, func(n numberKey) bool { return n != got[0] }) {
			oneNumber.Part++
		}
	}
	for n, values := range s.numbers {
		if n.id == 0 {
			continue
		}
		shared.Whole++
		first := risk.Normalize(values[0].value)
		if slices.ContainsFunc(values, func(v valueKey) bool {
			return v != values[0] && !risk.Equivalent(v.infoType, first, risk.Normalize(v.value))
		}) {
			shared.Part++
		}
	}
	return oneNumber, shared
}
