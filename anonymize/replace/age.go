package replace

import (
	"slices"
	"strconv"
	"strings"
)

// span is a range of ages, with both ends.
type span struct{ from, to int }

// ageClasses are small children, children, teenagers, adults and old people. An age is replaced by
// one of its class, so that a son does not turn seventy six.
var ageClasses = []span{{1, 4}, {5, 12}, {13, 17}, adults, {65, 89}}

var adults = span{18, 64}

// ageUnits are what an age is counted in other than years, with the ages that surrogates have.
var ageUnits = []struct {
	name string
	span
}{{"month", span{2, 23}}, {"week", span{2, 12}}, {"day", span{2, 13}}}

// ages counts the ages of the greatest class.
const ages = 47

// classOf returns the ages that may take the place of an age, adults where it is not understood.
func classOf(age string) span {
	for _, u := range ageUnits {
		if strings.Contains(toLower(age), u.name) {
			return u.span
		}
	}
	n := ageIn(age)
	for _, class := range ageClasses {
		if n >= 0 && n <= class.to {
			return class
		}
	}
	if n >= 0 {
		return ageClasses[len(ageClasses)-1]
	}
	return adults
}

// ageIn is the number of an age in digits or in words, -1 if there is none.
func ageIn(age string) int {
	n, found := 0, false
	for _, w := range strings.FieldsFunc(toLower(age), func(r rune) bool { return r < 0x80 && !nameByte(byte(r)) }) {
		if end := digitsEnd(w, 0); end > 0 {
			if v, err := strconv.Atoi(w[:end]); err == nil {
				return v
			}
			return -1
		}
		switch {
		case w == "hundred":
			n, found = 100*max(n, 1), true
		case slices.Contains(units, w):
			n, found = n+slices.Index(units, w), true
		case slices.Contains(teens, w):
			n, found = n+10+slices.Index(teens, w), true
		case slices.Contains(tens[2:], w):
			n, found = n+10*slices.Index(tens, w), true
		}
	}
	if !found {
		return -1
	}
	return n
}

// ageEnds are the words that may follow the number of an age; %s is the unit.
var ageEnds = []string{" %ss old", " %s old", "-%s-old", " %ss of age", " %ss"}

// ageEnd is the length of the words after the number of an age, such as " years old".
func ageEnd(low string) int {
	for _, unit := range []string{"year", "month", "week", "day"} {
		for _, end := range ageEnds {
			if end = strings.Replace(end, "%s", unit, 1); strings.HasSuffix(low, end) {
				return len(end)
			}
		}
	}
	if strings.HasSuffix(low, " yrs") {
		return len(" yrs")
	}
	return 0
}

// renderAge renders an age of the same class in digits or in words.
func renderAge(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	class := classOf(m.Text)
	age := class.from + int(c.number("age", uint64(class.to-class.from+1)))
	low := toLower(m.Text)
	if strings.ContainsAny(low, "0123456789") {
		dst = strconv.AppendInt(dst, int64(age), 10)
	} else {
		dst = appendCased(dst, m.Text, small(age))
	}
	return append(dst, m.Text[len(low)-ageEnd(low):]...), len(low) == len(m.Text)
}
