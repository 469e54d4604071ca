package pattern

import (
	"slices"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

func runDates(doc *d.Document) {
	for i := range doc.Runs {
		if r := &doc.Runs[i]; !r.Claimed && r.Digits >= 2 {
			runDate(doc, r)
		}
	}
}

// maxPart is the most digits of a number in a date: a date without separators.
const maxPart = 8

// dateParts are the numbers of a run, separated by one kind of connector.
type dateParts struct {
	values, sizes [4]int
	// n is the position of the last part, and connector what is between them.
	n         int
	connector byte
}

// read reads the symbols of a run, up to a time of day after a date. It reports whether
// they are numbers with one kind of connector.
func (p *dateParts) read(symbols []d.Symbol) bool {
	for _, y := range symbols {
		switch {
		case y.Kind != d.Connector && p.n == 2 && p.isComplete():
			return true // a time of day follows
		case y.Kind != d.Connector:
			if p.sizes[p.n] == maxPart {
				return false
			}
			p.values[p.n] = 10*p.values[p.n] + int(y.Ch-'0')
			p.sizes[p.n]++
		case y.Ch == ':':
			return true
		case y.Ch != '/' && y.Ch != '-' && y.Ch != '.', p.connector != 0 && y.Ch != p.connector, p.n+1 == len(p.sizes):
			return false
		default:
			p.connector = y.Ch
			p.n++
		}
	}
	return true
}

// isComplete reports whether the third part ends a date, so that more digits are none of
// it.
func (p *dateParts) isComplete() bool {
	return p.sizes[2] == 4 || p.connector == '-' && p.sizes[0] == 4 && p.sizes[2] == 2
}

// runDate reads a run as a date: "03/14/1985", "1985-03-14".
func runDate(doc *d.Document, r *d.Run) {
	if r.Letters > 0 || r.Digits > 14 || r.Digits < 2 {
		return
	}
	var parts dateParts
	if !parts.read(doc.Symbols(r)) {
		return
	}
	if parts.n == 2 {
		y, m, day, ok := parts.date()
		if ok && (parts.connector != '.' || parts.sizes[2] == 4) && !(parts.connector == '-' && isNamedBefore(doc, r)) {
			addDate(doc, r.First, r.Last, dateValue(y, m, day))
		}
	}
}

// numericDate returns the date that a run says, which is known to be one, "" if it is not understood.
func numericDate(doc *d.Document, r *d.Run) string {
	var parts dateParts
	if r.Letters > 0 || r.Digits > 14 || !parts.read(doc.Symbols(r)) {
		return ""
	}
	if y, m, day, ok := parts.date(); parts.n == 2 && ok {
		return dateValue(y, m, day)
	}
	var buf [16]byte
	value, _ := compactDate(d.AppendDigits(buf[:0], doc.Symbols(r)))
	return value
}

// isNamedBefore reports whether what comes right before a run names it as something
// other than a date of birth: "my policy number is 50321".
func isNamedBefore(doc *d.Document, r *d.Run) bool {
	near := doc.Near(r.Start, r.End, 30, 0)
	return slices.ContainsFunc(d.NamedCodes(), func(named d.NamedCode) bool {
		return near[named.Hotword] < min(20, near[d.HotBirth]) && named.Row.Type != d.Numeric
	})
}

// date reads three numbers as a date, in the American order before the European
// where both are possible.
func (p *dateParts) date() (year, month, day int, ok bool) {
	a, b, c := p.values[0], p.values[1], p.values[2]
	switch {
	case p.sizes[0] == 4 && p.sizes[1] <= 2 && p.sizes[2] <= 2:
		return a, b, c, validDate(a, b, c)
	case p.sizes[0] <= 2 && p.sizes[1] <= 2 && (p.sizes[2] == 4 || p.sizes[2] == 2):
		y := fullYear(c)
		if validDate(y, a, b) {
			return y, a, b, true
		}
		return y, b, a, validDate(y, b, a)
	}
	return 0, 0, 0, false
}

// compactDate reads digits without separators as a date: month, day and a year of
// two or four digits, with leading zeros or without, or the year first.
func compactDate(code []byte) (string, bool) {
	n := len(code)
	if n == 8 && validDate(ids.Number(code[:4]), ids.Number(code[4:6]), ids.Number(code[6:])) {
		return dateValue(ids.Number(code[:4]), ids.Number(code[4:6]), ids.Number(code[6:])), true
	}
	for _, w := range [...]int{4, 2} {
		rest := n - w
		if rest < 2 || rest > 4 {
			continue
		}
		y := fullYear(ids.Number(code[rest:]))
		for m := 2; m >= 1; m-- {
			if rest-m < 1 || rest-m > 2 {
				continue
			}
			a, b := ids.Number(code[:m]), ids.Number(code[m:rest])
			if validDate(y, a, b) {
				return dateValue(y, a, b), true
			}
			if validDate(y, b, a) {
				return dateValue(y, b, a), true
			}
		}
	}
	return "", false
}
