package pattern

import (
	"time"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// daysIn are the most days that each month can have.
var daysIn = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// Years that a date in a conversation can have.
const (
	firstYear = 1900
	lastYear  = 2049
)

// validDate tells whether there is such a day. A year of 0 is not checked.
func validDate(year, month, day int) bool {
	if month < 1 || month > 12 || day < 1 || day > daysIn[month] {
		return false
	}
	if year == 0 {
		return true
	}
	return year >= firstYear && year <= lastYear && time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() == day
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

// monthDates finds the dates that have a month's name, or where a date of birth is
// meant an ordinal for it, and decides which of them are dates of birth. It claims
// the runs that it reads.
func monthDates(doc *d.Document) {
	// November is a letter where a postal code or another code is spelled.
	spelled := doc.Expected(d.StreetAddress) > 0 && doc.Expected(d.DateOfBirth) == 0
	if doc.Has(d.Month) {
		for i := range doc.Tokens {
			if !doc.Tokens[i].Is(d.Month) || spelled && doc.Tokens[i].Is(d.Spelling) {
				continue
			}
			if r := doc.RunAt(i); r < 0 || doc.Runs[r].Letters < 2 {
				monthDate(doc, i)
			}
		}
	}
	if doc.Has(d.Ordinal) && (doc.Expected(d.DateOfBirth) > 0 || doc.HasHotword(d.HotBirth)) {
		for i := range doc.Tokens {
			if doc.Tokens[i].Is(d.Ordinal) {
				ordinalDate(doc, i)
			}
		}
	}
}

// runDates reads the runs that are dates in digits.
func runDates(doc *d.Document) {
	for i := range doc.Runs {
		if r := &doc.Runs[i]; !r.Claimed && r.Digits >= 2 {
			runDate(doc, r)
		}
	}
}

// ordinalDate reads a date of birth whose month is the ordinal at token i: "15 of
// the 5th 1938", "23rd 5th 62".
func ordinalDate(doc *d.Document, i int) {
	month := int(doc.Tokens[i].Num)
	if month > 12 || i == 0 {
		return
	}
	j := i - 1
	for n := 0; n < 2 && j > 0 && (doc.Tokens[j].Hash == hashThe || doc.Tokens[j].Hash == hashOf); n++ {
		j--
	}
	day, first := dayEndingAt(doc, j)
	if day == 0 || !validDate(0, month, day) {
		return
	}
	last, year := i, 0
	if k := nextWord(doc, i+1); k < len(doc.Tokens) {
		if r := doc.RunAt(k); r >= 0 && doc.Runs[r].First == k && doc.Runs[r].Letters == 0 && doc.Runs[r].Digits <= 8 {
			var buf [16]byte
			year, _ = yearOf(d.AppendDigits(buf[:0], doc.Symbols(&doc.Runs[r])), true)
			last = doc.Runs[r].Last
		}
	}
	if birthContext(doc, int(doc.Tokens[first].Start), int(doc.Tokens[last].End)) != 0 {
		addDate(doc, first, last, dateValue(year, month, day), year > 0)
	}
}

// monthDate reads the date around the month's name at token i: "March 14th,
// 1985", "the fourteenth of March 85", "may four one thousand nine hundred".
func monthDate(doc *d.Document, i int) {
	month := int(doc.Tokens[i].Num)
	first, last := i, i
	day, year := 0, 0
	// What comes before: a day, with "of" or without.
	j := i - 1
	if j >= 0 && doc.Tokens[j].Class == d.Punct && doc.Tokens[j].Ch != '.' {
		j--
	}
	if j >= 0 && doc.Tokens[j].Hash == hashOf {
		j--
	}
	if j >= 0 {
		if n, from := dayEndingAt(doc, j); n > 0 {
			day, first = n, from
		}
	}
	// What comes after: a day and a year, or either.
	k := nextWord(doc, i+1)
	if k < len(doc.Tokens) && doc.Tokens[k].Hash == hashThe {
		k++
	}
	if day == 0 && k < len(doc.Tokens) {
		if n, y, end := dayYearRun(doc, k, month); n > 0 {
			addDate(doc, first, end, dateValue(y, month, n), y > 0)
			return
		}
		if n, next := dayAt(doc, k); n > 0 {
			day, last = n, next-1
			k = nextWord(doc, next)
		}
	}
	for k < len(doc.Tokens) && (doc.Tokens[k].Hash == hashOf || doc.Tokens[k].Hash == hashIn || doc.Tokens[k].Is(d.Filler)) {
		k++
	}
	if k < len(doc.Tokens) {
		if r := doc.RunAt(k); r >= 0 && (doc.Runs[r].First == k || doc.Runs[r].First <= last) && doc.Runs[r].Letters == 0 {
			var buf [16]byte
			code := d.AppendDigits(buf[:0], doc.Symbols(&doc.Runs[r]))
			if doc.Runs[r].First <= last && doc.Runs[r].First > i {
				// The day is the beginning of the same run.
				code = code[min(len(code), digitsBefore(doc, &doc.Runs[r], last)):]
			}
			if y, ok := yearOf(code, day > 0); ok {
				year, last = y, doc.Runs[r].Last
			}
		}
	}
	if day == 0 && year == 0 || day > 0 && !validDate(year, month, day) {
		return
	}
	addDate(doc, first, last, dateValue(year, month, day), day > 0 && year > 0)
}

// dayYearRun reads the run that begins at token k as a day and a year that were
// said without a pause. Where a date of birth is meant the run is its end even
// when it is not understood; y is then 0.
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
	if n, _ := dayAt(doc, k); n > 0 && len(code) > 4 && birthContext(doc, run.Start, run.End) != 0 {
		return n, 0, run.Last
	}
	return 0, 0, 0
}

// nextWord steps over a comma or full stop and hesitations.
func nextWord(doc *d.Document, i int) int {
	for n := 0; n < 3 && i < len(doc.Tokens); n++ {
		if t := &doc.Tokens[i]; t.Class == d.Punct && (t.Ch == ',' || t.Ch == '.' || t.Ch == '-' || t.Ch == '/') || t.Is(d.Filler) {
			i++
			continue
		}
		break
	}
	return i
}

// digitsBefore counts the digits of a run that tokens up to last said.
func digitsBefore(doc *d.Document, r *d.Run, last int) int {
	n := 0
	for _, y := range doc.Symbols(r) {
		if int(y.Last) <= last && y.Kind != d.Joint {
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
		j := k + 1
		if j < len(doc.Tokens) && doc.Tokens[j].Class == d.Punct && doc.Tokens[j].Ch == '-' {
			j++
		}
		if j < len(doc.Tokens) && doc.Tokens[j].Is(d.Ordinal) && doc.Tokens[j].Num < 10 {
			return int(t.Num) + int(doc.Tokens[j].Num), j + 1
		}
		if j < len(doc.Tokens) && doc.Tokens[j].Is(d.NumWord) && doc.Tokens[j].Num > 0 && int(t.Num)+int(doc.Tokens[j].Num) <= 31 {
			return int(t.Num) + int(doc.Tokens[j].Num), j + 1
		}
		return int(t.Num), k + 1
	case t.Is(d.Teen), t.Is(d.NumWord) && t.Num > 0:
		return int(t.Num), k + 1
	case t.Class == d.Digits && t.Len() <= 2:
		if n := ids.Number(doc.Word(k)); n >= 1 && n <= 31 {
			if k+1 < len(doc.Tokens) && doc.Tokens[k+1].Glued() && isOrdinalEnding(doc, k+1) {
				return n, k + 2
			}
			if k+1 < len(doc.Tokens) && isOrdinalEnding(doc, k+1) {
				return n, k + 2
			}
			return n, k + 1
		}
	}
	return 0, k
}

// isOrdinalEnding tells whether token k is "st", "nd", "rd" or "th".
func isOrdinalEnding(doc *d.Document, k int) bool {
	if k >= len(doc.Tokens) || doc.Tokens[k].Len() != 2 {
		return false
	}
	switch string(doc.Word(k)) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

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
		return y, y >= firstYear && y <= lastYear
	case 2:
		return fullYear(ids.Number(code)), afterDay
	}
	return 0, false
}

// dayAndYear parts digits that were said without a pause into a day and a year:
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
	var b [8]byte
	for _, v := range [...]struct{ at, n, w int }{{0, year, 4}, {4, month, 2}, {6, day, 2}} {
		for k := v.w - 1; k >= 0; k-- {
			b[v.at+k] = byte('0' + v.n%10)
			v.n /= 10
		}
	}
	return string(b[:])
}

// birthContext tells how strongly a date at start to end is one of birth: 0 not
// at all, else the evidence for it.
func birthContext(doc *d.Document, start, end int) d.Evidence {
	var e d.Evidence
	if doc.Expected(d.DateOfBirth) > 0 {
		e |= d.ByExpectation
	}
	near := doc.Near(start, end, doc.HotwordWindow, after)
	if near[d.HotBirth] < d.Far && near[d.HotBirth] <= near[d.HotDate] && near[d.HotBirth] <= near[d.HotExpiry] {
		e |= d.ByHotword
	}
	return e
}

// addDate adds the date of tokens first to last as one of birth or a plain one,
// and claims its runs.
func addDate(doc *d.Document, first, last int, value string, whole bool) {
	start, end := int(doc.Tokens[first].Start), int(doc.Tokens[last].End)
	f := d.Finding{Start: start, End: end, Type: d.Date, Value: value, Likelihood: d.Likely, Score: 0.75, Detector: "date", Evidence: d.ByShape | d.ByStructure}
	if e := birthContext(doc, start, end); e != 0 {
		f.Type, f.Evidence = d.DateOfBirth, d.ByStructure|d.ByShape|e
		f.Likelihood, f.Score = d.VeryLikely, 0.92
		if !whole {
			f.Score, f.Likelihood = 0.8, d.LikelihoodOf(0.8)
			f.Evidence |= d.Partial
		}
	}
	doc.Add(f)
	claim(doc, first, last)
}

// runDate reads a run as a date: "03/14/1985", "1985-03-14", "3.14.85", and where
// a date of birth is meant also "03 14 1985", "ten nineteen twenty oh four".
func runDate(doc *d.Document, r *d.Run) {
	if r.Letters > 0 || r.Digits > 14 || r.Digits < 2 {
		return
	}
	symbols := doc.Symbols(r)
	var parts [4][8]byte
	var sizes [4]int
	n, joint := 0, byte(0)
	for _, y := range symbols {
		if y.Kind == d.Joint {
			if y.Ch == ':' {
				break
			}
			if y.Ch != '/' && y.Ch != '-' && y.Ch != '.' || joint != 0 && y.Ch != joint || n == 3 {
				n = 9
				break
			}
			joint = y.Ch
			n++
			continue
		}
		if n == 2 && sizes[2] == 4 || n == 2 && joint == '-' && sizes[0] == 4 && sizes[2] == 2 {
			// A time of day follows.
			break
		}
		if sizes[n] == 8 {
			n = 9
			break
		}
		parts[n][sizes[n]] = y.Ch
		sizes[n]++
	}
	if n == 2 {
		if y, m, day, ok := dateOfParts(ids.Number(parts[0][:sizes[0]]), ids.Number(parts[1][:sizes[1]]), ids.Number(parts[2][:sizes[2]]), sizes); ok &&
			(joint != '.' || sizes[2] == 4 || birthContext(doc, r.Start, r.End) != 0) && !isNamedCode(doc, r, joint) {
			addDate(doc, r.First, r.Last, dateValue(y, m, day), true)
			return
		}
	}
	e := birthContext(doc, r.Start, r.End)
	if e == 0 || n > 3 || r.Last+1 < len(doc.Tokens) && doc.Tokens[r.Last+1].Is(d.Currency|d.Measure|d.Scale) {
		return
	}
	if n == 1 && sizes[0] <= 2 && sizes[1] <= 2 && validDate(0, ids.Number(parts[0][:sizes[0]]), ids.Number(parts[1][:sizes[1]])) {
		addDate(doc, r.First, r.Last, dateValue(0, ids.Number(parts[0][:sizes[0]]), ids.Number(parts[1][:sizes[1]])), false)
		return
	}
	near := doc.Near(r.Start, r.End, doc.HotwordWindow, after)
	if e&d.ByExpectation == 0 && closerThan(&near, d.HotBirth) || n == 0 && isNamedBefore(doc, r) {
		return
	}
	var buf [16]byte
	code := d.AppendDigits(buf[:0], symbols)
	if value, ok := compactDate(code); ok {
		addDate(doc, r.First, r.Last, value, true)
		return
	}
	// What was misheard is still the answer.
	if e&d.ByExpectation != 0 && len(code) >= 3 || len(code) == 4 && ids.Number(code) >= firstYear && ids.Number(code) <= lastYear || len(code) >= 5 && near[d.HotBirth] < 30 {
		score := float32(0.7)
		doc.Add(d.Finding{Start: r.Start, End: r.End, Type: d.DateOfBirth, Value: string(code), Likelihood: d.LikelihoodOf(score), Score: score,
			Detector: "date", Evidence: e | d.ByShape | d.Partial})
		r.Claimed = true
	}
}

// isNamedCode tells whether a run with hyphens is a code that was asked for or named rather
// than a date.
func isNamedCode(doc *d.Document, r *d.Run, joint byte) bool {
	return joint == '-' && isNamedBefore(doc, r)
}

// isNamedBefore tells whether what stands right before a run names it as something
// other than a date of birth: "my policy number is 50321".
func isNamedBefore(doc *d.Document, r *d.Run) bool {
	near := doc.Near(r.Start, r.End, 30, 0)
	for h := d.HotNone + 1; h < d.NumHotwords; h++ {
		if near[h] < 20 && hotwordType(h) != "" && hotwordType(h) != d.Numeric && near[h] < near[d.HotBirth] {
			return true
		}
	}
	return false
}

// closerThan tells whether a hotword of another type is nearer than h.
func closerThan(near *d.Near, h d.Hotword) bool {
	for o := d.HotNone + 1; o < d.NumHotwords; o++ {
		if o != h && near[o] < near[h] && hotwordType(o) != "" {
			return true
		}
	}
	return false
}

// dateOfParts reads three numbers as a date, in the American order before the
// European where both are possible.
func dateOfParts(a, b, c int, sizes [4]int) (year, month, day int, ok bool) {
	switch {
	case sizes[0] == 4 && sizes[1] <= 2 && sizes[2] <= 2:
		return a, b, c, validDate(a, b, c)
	case sizes[0] <= 2 && sizes[1] <= 2 && (sizes[2] == 4 || sizes[2] == 2):
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
