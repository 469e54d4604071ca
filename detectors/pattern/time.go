package pattern

import (
	"bytes"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// Times adds the times of day: "9:45", "9 a.m.", "half past nine", "nine thirty in the morning", "at seven". It is
// no part of Find, whose findings the tagger reads: hardly anybody masks times.
func Times(doc *d.Document) {
	for i := 0; i < len(doc.Tokens); i++ {
		end := timeAt(doc, i)
		if end == 0 {
			continue
		}
		add(doc, i, end, d.Finding{Type: d.Time, Score: 0.75, Detector: "time", Evidence: d.ByShape})
		i = end - 1
	}
}

// timeAt returns the token behind the time of day that begins at token i, 0 if none does.
func timeAt(doc *d.Document, i int) (end int) {
	if doc.WordIn(i, namedTimes) || doc.Tokens[i].Class == d.Alnum && gluedTime(doc.Word(i)) {
		return i + 1
	}
	if end := relativeTime(doc, i); end > 0 {
		return withPartOfDay(doc, end)
	}
	hour, k, colon := clock(doc, i)
	if _, behind := smallNumber(doc, i-1); k == 0 || behind > 0 && !colon { // the end of a number
		return 0
	}
	if end := withPartOfDay(doc, k); end > k || colon {
		return end
	}
	whole := k-i == 1 // no minutes
	ends := k == len(doc.Tokens) || doc.Tokens[k].Class == d.Punct || doc.Tokens[k].Is(d.Function)
	if hour >= 1 && hour <= 12 && doc.WordIn(i-1, beforeTime) && (!whole || ends) {
		return k
	}
	return 0
}

// gluedTime reports whether a word is "9am" or "930pm".
func gluedTime(w []byte) bool {
	digits, isTime := bytes.CutSuffix(w, []byte("am"))
	if !isTime {
		digits, isTime = bytes.CutSuffix(w, []byte("pm"))
	}
	return isTime && len(digits) > 0 && len(digits) <= 4 && len(bytes.Trim(digits, "0123456789")) == 0
}

// clock reads an hour and its minutes, if there are any: "9:45", "9.45", "945", "9", "nine forty five". colon reports
// whether its form alone makes it a time. The token behind it is 0 if there is none.
func clock(doc *d.Document, i int) (hour, end int, colon bool) {
	hour, end = smallNumber(doc, i)
	if end == 0 || hour > 2459 {
		return 0, 0, false
	}
	if hour >= 100 {
		return hour / 100, end, false // "945 am"
	}
	if hour > 24 {
		return 0, 0, false
	}
	if m := end; m+1 < len(doc.Tokens) && (doc.Tokens[m].Ch == ':' || doc.Tokens[m].Ch == '.') && doc.Tokens[m].Glued() && doc.Tokens[m+1].Glued() {
		if minutes, next := smallNumber(doc, m+1); next > 0 && minutes < 60 && doc.Tokens[m+1].Len() == 2 {
			return hour, next, doc.Tokens[m].Ch == ':'
		}
		return hour, end, false
	}
	m := end
	if doc.WordIs(m, "oh") {
		m++
	}
	if minutes, next := smallNumber(doc, m); next > 0 && minutes < 60 && (minutes > 9 || m > end) {
		end = next
	}
	return hour, end, false
}

// smallNumber reads a number below ten thousand in digits, or one below a hundred in words, at token i.
func smallNumber(doc *d.Document, i int) (n, end int) {
	if i < 0 || i >= len(doc.Tokens) {
		return 0, 0
	}
	t := &doc.Tokens[i]
	switch {
	case t.Class == d.Digits && t.Len() <= 4:
		return ids.Number(doc.Word(i)), i + 1
	case t.Is(d.Tens):
		if i+1 < len(doc.Tokens) && doc.Tokens[i+1].Is(d.NumWord) && doc.Tokens[i+1].Num > 0 {
			return int(t.Num + doc.Tokens[i+1].Num), i + 2
		}
		return int(t.Num), i + 1
	case t.Is(d.NumWord | d.Teen):
		return int(t.Num), i + 1
	}
	return 0, 0
}

// relativeTime returns the token behind "half past nine" or "ten minutes to 8", 0 if none begins at token i.
func relativeTime(doc *d.Document, i int) (end int) {
	k := i + 1
	if !doc.WordIs(i, "half") && !doc.WordIs(i, "quarter") {
		n, next := smallNumber(doc, i)
		if next == 0 || n > 59 {
			return 0
		}
		if k = next; doc.WordIs(k, "minutes") {
			k++
		}
	}
	if !doc.WordIn(k, besideHour) {
		return 0
	}
	if doc.WordIn(k+1, namedTimes) {
		return k + 2
	}
	hour, next := smallNumber(doc, k+1)
	if next == 0 || hour == 0 || hour > 12 || doc.WordIs(k, "to") && k == i+1 && !doc.WordIs(i, "quarter") {
		return 0 // "two to three" is a range
	}
	return next
}

// withPartOfDay returns the token behind "a.m.", "pm", "o'clock" or "in the morning" at token i, or else i.
func withPartOfDay(doc *d.Document, i int) int {
	if end := partOfDayEnd(doc, i); end > 0 {
		return end
	}
	switch {
	case doc.WordIs(i, "am"), doc.WordIs(i, "pm"):
		return i + 1
	case doc.WordIs(i, "a"), doc.WordIs(i, "p"):
		k := i + 1
		if k < len(doc.Tokens) && doc.Tokens[k].Ch == '.' {
			k++
		}
		if doc.WordIs(k, "m") {
			return k + 1
		}
	}
	return i
}

// timeContext judges a run by whether it is a time of day that was said: an hour and
// its minutes as a number of their own, "nine thirty", not "nine three zero". A part of
// the day after it proves it, "in the morning"; a word such as "by" before it makes it
// likely.
func (t *classifier) timeContext() quantity {
	r, doc := t.run, t.doc
	n := len(t.code)
	if n < 3 || n > 4 || r.Connectors > 0 || !t.isTime() || t.code[0] == '0' || ids.Number(t.code[:n-2]) > 12 {
		return notQuantity
	}
	s := doc.Symbols(r)
	if s[n-1].Kind != d.Spoken || s[n-2].Group != s[n-1].Group || s[n-2].First == s[n-3].First {
		return notQuantity
	}
	if partOfDayEnd(doc, r.Last+1) > 0 {
		return surelyQuantity
	}
	if ids.Number(t.code)%5 != 0 {
		return notQuantity
	}
	if doc.WordIn(r.First-1, beforeTime) {
		return likelyQuantity
	}
	return notQuantity
}

// partOfDayEnd returns the token behind "in the morning", "tonight" or the like at token i, 0 if none
// begins there.
func partOfDayEnd(doc *d.Document, i int) int {
	if doc.WordIs(i, "in") {
		i++
	}
	if doc.WordIs(i, "the") {
		i++
	}
	if doc.WordIn(i, partsOfDay) {
		return i + 1
	}
	return 0
}
