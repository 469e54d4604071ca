package replace

import (
	"strconv"
	"strings"
	"sync"
)

// move is how the dates of a call are moved: all by the same years, and along the year so that the order stays. Dates in different
// forms, with or without their year, then agree.
type move struct {
	years int
	// later means that dates go towards the end of the year, the most at the part at of it, by the part by, and those at the
	// beginning by the part edge.
	later        bool
	at, by, edge float64
}

// maxYears bounds by how many years dates are moved.
const maxYears = 9

// moveOf returns the move of the dates of the call.
func moveOf(c *chooser) (m move) {
	var s stream
	first := *c
	first.again = 0 // all dates of the call have one move; one that it leaves where it is gets a tag
	first.open(&s, "move", true)
	m.years = 1 + int(s.below(maxYears))
	if s.below(2) == 0 {
		m.years = -m.years
	}
	m.later = s.below(2) == 0
	m.at, m.by, m.edge = 0.4+float64(0.2*s.unit()), 0.08+float64(0.12*s.unit()), 0.03+float64(0.03*s.unit())
	return m
}

// along moves a part of the year. It grows with its argument.
func (m *move) along(x float64) float64 {
	if !m.later {
		return 1 - (&move{later: true, at: 1 - m.at, by: m.by, edge: m.edge}).along(1-x)
	}
	if x < m.at {
		return m.edge + x*(m.at+m.by-m.edge)/m.at
	}
	return m.at + m.by + (x-m.at)*(1-m.at-m.by)/(1-m.at)
}

// daysBefore are the days of the year before each month.
var daysBefore = [...]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// of moves what was said of a date: 0 is what was not said, and stays. A month alone is moved by its middle, a day alone as in a month
// that is a year long.
func (m *move) of(year, month, day int) (_, _, _ int) {
	if year > 0 {
		year += m.years
	}
	switch {
	case month > 0:
		within := min(day, daysBefore[month]-daysBefore[month-1])
		if day == 0 {
			within = 15
		}
		to := int(m.along((float64(daysBefore[month-1]+within)-0.5)/365) * 365)
		month = 1
		for to >= daysBefore[month] {
			month++
		}
		if day > 0 {
			day = min(to-daysBefore[month-1]+1, 28)
		}
	case day > 0:
		day = 1 + int(m.along((float64(min(day, 31))-0.5)/31)*28)
	}
	return year, month, day
}

// moved is what takes the place of a date in the call: w with what the text says, moved.
func (w when) moved(c *chooser, text string) when {
	m := moveOf(c)
	year, month, day := m.of(readDate(text))
	for _, part := range []struct {
		to   *int
		said int
	}{{&w.year, year}, {&w.month, month}, {&w.day, day}} {
		if part.said > 0 {
			*part.to = part.said
		}
	}
	return w
}

// readDate returns the year, the month and the day that a text says, 0 for what it does not say.
func readDate(text string) (year, month, day int) {
	if numericDate.MatchString(text) {
		return readNumericDate(text)
	}
	for i := 0; i < len(text); {
		if !nameByte(text[i]) {
			i++
			continue
		}
		j := wordEnd(text, i)
		if k := strings.IndexByte(text[i:j], '-'); k > 0 {
			j = i + k
		}
		low := toLower(text[i:j])
		digits := digitsEnd(low, 0)
		number, isNumber := 0, digits > 0
		switch {
		case digits > 0:
			number, _ = strconv.Atoi(low[:min(digits, 4)])
		case indexPrefix(months, low) >= 0:
			month = 1 + indexPrefix(months, low)
		default:
			if isSaid(low) {
				j = numberWordsEnd(text, j)
			}
			number, isNumber = saidNumbers()[strings.ReplaceAll(toLower(text[i:j]), "-", " ")]
		}
		switch {
		case isNumber && number >= 1000:
			year = number
		case isNumber && number <= 31:
			day = number
		}
		i = j
	}
	return year, month, day
}

// readNumericDate is readDate of 3/14/1980, 1980-03-14 and the like.
func readNumericDate(text string) (year, month, day int) {
	var n [3]int
	groups := digitRuns.FindAllString(text, 4)
	switch {
	case len(groups) == 1 && len(groups[0]) == 8:
		groups = []string{text[:2], text[2:4], text[4:]}
	case len(groups) < 2 || len(groups) > 3:
		return 0, 0, 0
	}
	for k, g := range groups {
		n[k], _ = strconv.Atoi(g[:min(len(g), 4)])
	}
	switch {
	case len(groups[0]) == 4:
		year, month, day = n[0], n[1], n[2]
	case len(groups[1]) == 4: // 05/2027
		year, month = n[1], n[0]
	default:
		year, month, day = n[2], n[0], n[1]
	}
	if dayFirst(groups[0]) {
		month, day = day, month
	}
	switch {
	case year > 0 && year < 50:
		year += 2000
	case year > 0 && year < 100:
		year += 1900
	}
	if month > 12 || day > 31 {
		return year, 0, 0
	}
	return year, month, day
}

// dayFirst reports whether a number that begins a date is no month: 25/03/2024.
func dayFirst(number string) bool { return len(number) == 2 && number > "12" }

// saidNumbers are numbers and years as they are said.
var saidNumbers = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for n := range 100 {
		m[small(n)] = n
	}
	for n, w := range ordinals {
		m[w] = n
	}
	m["thirtieth"], m["thirty first"] = 30, 31
	for y := 1900; y < 2100; y++ {
		m[sayYear(y)] = y
		if y%100 >= 10 {
			m[small(y/100)+" "+small(y%100)] = y
		}
	}
	return m
})
