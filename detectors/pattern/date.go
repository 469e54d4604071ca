package pattern

import (
	"fmt"
	"strings"
	"time"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// Years that a date in a conversation can have.
const (
	firstYear = 1900
	lastYear  = 2049
)

func isYear(y int) bool { return y >= firstYear && y <= lastYear }

// validDate reports whether there is such a day, in some year for a year of 0.
func validDate(year, month, day int) bool {
	if year == 0 {
		year = 2000 // with a 29th of February
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return isYear(year) && int(date.Month()) == month && date.Day() == day
}

// fullYear makes a year of two digits one of four: 85 is 1985 and 04 is 2004.
func fullYear(y int) int {
	switch {
	case y >= 100:
		return y
	case y <= 29:
		return 2000 + y
	}
	return 1900 + y
}

// monthDates finds the dates that have a month's name. It claims the runs that it reads.
func monthDates(doc *d.Document) {
	if !doc.Has(d.Month) {
		return
	}
	for i := range doc.Tokens {
		if !doc.Tokens[i].Is(d.Month) {
			continue
		}
		if r := doc.RunAt(i); r >= 0 && doc.Runs[r].Letters >= 2 {
			continue // "November" is a letter
		}
		if first, last, value := dateAround(doc, i); value != "" {
			addDate(doc, first, last, value)
		}
	}
}

// dateAround reads the date around the month's name at token i: "March 14th,
// 1985", "the fourteenth of March 85", "may four one thousand nine hundred". value is "" if there is none.
func dateAround(doc *d.Document, i int) (first, last int, value string) {
	month := int(doc.Tokens[i].Num)
	last = i
	var day int
	day, first = dayBefore(doc, i)
	k := nextWord(doc, i+1)
	if doc.WordIs(k, "the") {
		k++
	}
	if day == 0 && k < len(doc.Tokens) {
		if n, y, end := dayYearRun(doc, k, month); n > 0 {
			return first, end, dateValue(y, month, n)
		}
		if n, next := dayAt(doc, k); n > 0 {
			day, last = n, next-1
			k = nextWord(doc, next)
		}
	}
	year, end := yearAfter(doc, k, i, last, day > 0)
	if year > 0 {
		last = end
	}
	if day == 0 && year == 0 || day > 0 && !validDate(year, month, day) {
		return first, last, ""
	}
	return first, last, dateValue(year, month, day)
}

// DateIn returns the canonical form, year, month and day in digits, of what is known to be one date between two byte offsets.
// It is "" for what is not understood, or has parts beside a date.
func DateIn(doc *d.Document, start, end int) string {
	number := -1
	for i := doc.TokenAt(start); i < len(doc.Tokens) && int(doc.Tokens[i].Start) < end; i++ {
		if doc.Tokens[i].Is(d.Month) {
			first, last, value := dateAround(doc, i)
			if int(doc.Tokens[first].Start) < start || int(doc.Tokens[last].End) > end {
				return ""
			}
			return value
		}
		switch n := doc.RunAt(i); {
		case n < 0:
		case number >= 0 && n != number:
			return ""
		default:
			number = n
		}
	}
	if number < 0 || doc.Runs[number].Start < start || doc.Runs[number].End > end {
		return ""
	}
	return numericDate(doc, &doc.Runs[number])
}

// dayBefore reads the day that comes before the month at token i, with "of" or
// without. It returns the day and its first token; 0 and i when there is none.
func dayBefore(doc *d.Document, i int) (day, first int) {
	j := i - 1
	if j >= 0 && doc.Tokens[j].Class == d.Punct && doc.Tokens[j].Ch != '.' {
		j--
	}
	if doc.WordIs(j, "of") {
		j--
	}
	if j >= 0 {
		if n, from := dayEndingAt(doc, j); n > 0 {
			return n, from
		}
	}
	return 0, i
}

// yearAfter reads the year after the month at token i and a day that ends with token
// last, from token k on. It returns the year and its last token; 0 when there is none.
func yearAfter(doc *d.Document, k, i, last int, hasDay bool) (year, end int) {
	for k < len(doc.Tokens) && (doc.WordIs(k, "of") || doc.WordIs(k, "in") || doc.Tokens[k].Is(d.Filler)) {
		k++
	}
	r := doc.RunAt(k)
	if r < 0 {
		return 0, 0
	}
	run := &doc.Runs[r]
	if run.First != k && run.First > last || run.Letters > 0 {
		return 0, 0
	}
	var buf [16]byte
	code := d.AppendDigits(buf[:0], doc.Symbols(run))
	if run.First <= last && run.First > i {
		// The day is the beginning of the same run.
		code = code[min(len(code), digitsBefore(doc, run, last)):]
	}
	if y, ok := yearOf(code, hasDay); ok {
		return y, run.Last
	}
	return 0, 0
}

// dayYearRun reads the run that begins at token k as a day and a year that were
// said without a pause.
func dayYearRun(doc *d.Document, k, month int) (day, year, end int) {
	r := doc.RunAt(k)
	if r < 0 || doc.Runs[r].First != k || doc.Runs[r].Letters > 0 || doc.Runs[r].Digits < 3 {
		return 0, 0, 0
	}
	run := &doc.Runs[r]
	var buf [16]byte
	if run.Digits > len(buf) {
		return 0, 0, 0
	}
	code := d.AppendDigits(buf[:0], doc.Symbols(run))
	if n, y, ok := dayAndYear(code); ok && validDate(y, month, n) {
		return n, y, run.Last
	}
	return 0, 0, 0
}

// nextWord steps over a comma or full stop and hesitations.
func nextWord(doc *d.Document, i int) int {
	for n := 0; n < 3 && i < len(doc.Tokens); n++ {
		t := &doc.Tokens[i]
		if !t.Is(d.Filler) && (t.Class != d.Punct || strings.IndexByte(",.-/", t.Ch) < 0) {
			break
		}
		i++
	}
	return i
}

// digitsBefore counts the digits of a run that tokens up to last said.
func digitsBefore(doc *d.Document, r *d.Run, last int) int {
	n := 0
	for _, y := range doc.Symbols(r) {
		if int(y.Last) <= last && y.Kind != d.Connector {
			n++
		}
	}
	return n
}

// dayAt reads a day of the month at token k, and returns the token after it:
// "14", "14th", "fourteenth", "twenty first", "four".
func dayAt(doc *d.Document, k int) (day, next int) {
	t := &doc.Tokens[k]
	switch {
	case t.Is(d.Ordinal):
		return int(t.Num), k + 1
	case t.Is(d.Tens) && t.Num <= 30:
		units, next := unitsAt(doc, k+1, int(t.Num))
		return int(t.Num) + units, next
	case t.Is(d.Teen), t.Is(d.NumWord) && t.Num > 0:
		return int(t.Num), k + 1
	case t.Class == d.Digits && t.Len() <= 2:
		n := ids.Number(doc.Word(k))
		switch {
		case n < 1 || n > 31:
		case isOrdinalEnding(doc, k+1):
			return n, k + 2
		default:
			return n, k + 1
		}
	}
	return 0, k
}

// unitsAt reads the units of a day whose tens come before token k, "first" or "one" with
// a hyphen before it or without. It returns them and the token after them; 0 and k when
// there are none.
func unitsAt(doc *d.Document, k, tens int) (units, next int) {
	j := k
	if doc.IsMark(j, '-') {
		j++
	}
	if j < len(doc.Tokens) {
		t := &doc.Tokens[j]
		if n := int(t.Num); t.Is(d.Ordinal) && n < 10 || t.Is(d.NumWord) && n > 0 && tens+n <= 31 {
			return n, j + 1
		}
	}
	return 0, k
}

// isOrdinalEnding reports whether token k is "st", "nd", "rd" or "th".
func isOrdinalEnding(doc *d.Document, k int) bool { return doc.WordIn(k, ordinalEndings) }

// dayEndingAt reads a day of the month that ends with token j, and returns the
// token it begins at.
func dayEndingAt(doc *d.Document, j int) (day, first int) {
	if isOrdinalEnding(doc, j) && j > 0 && doc.Tokens[j-1].Class == d.Digits {
		j--
	}
	first = j
	if j > 0 && doc.Tokens[j-1].Is(d.Tens) && (doc.Tokens[j].Is(d.Ordinal) || doc.Tokens[j].Is(d.NumWord)) && doc.Tokens[j].Num < 10 {
		first = j - 1
	} else if j > 1 && doc.Tokens[j].Is(d.Ordinal) && doc.Tokens[j-1].Class == d.Punct && doc.Tokens[j-1].Ch == '-' && doc.Tokens[j-2].Is(d.Tens) {
		first = j - 2
	}
	day, _ = dayAt(doc, first)
	return day, first
}

// yearOf reads a year of two or four digits. One of two is only read after a day.
func yearOf(code []byte, afterDay bool) (int, bool) {
	switch len(code) {
	case 4:
		y := ids.Number(code)
		return y, isYear(y)
	case 2:
		return fullYear(ids.Number(code)), afterDay
	}
	return 0, false
}

// dayAndYear splits digits that were said without a pause into a day and a year:
// "41946" is the 4th of a month in 1946, "1485" the 14th in 1985.
func dayAndYear(code []byte) (day, year int, ok bool) {
	for _, n := range [...]int{4, 2} {
		if d := len(code) - n; d == 1 || d == 2 {
			day = ids.Number(code[:d])
			if y, ok := yearOf(code[d:], true); ok && day >= 1 && day <= 31 {
				return day, y, true
			}
		}
	}
	return 0, 0, false
}

// dateValue is the canonical form: year, month and day, 0 for what was not said.
func dateValue(year, month, day int) string {
	return fmt.Sprintf("%04d%02d%02d", year, month, day)
}

// addDate adds the date of tokens first to last, and claims its runs.
func addDate(doc *d.Document, first, last int, value string) {
	addClaimed(doc, first, last+1, d.Finding{Type: d.Date, Value: value, Score: 0.75, Detector: "date", Evidence: d.ByShape | d.ByStructure})
}
