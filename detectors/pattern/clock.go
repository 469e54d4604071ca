package pattern

import d "sotto/detectors"

// harmOfTime judges a run by whether it is a time of day that was said: an hour and
// its minutes as a number of their own, "nine thirty", not "nine three zero". A part of
// the day behind it proves it, "in the morning"; a word such as "by" before it makes it
// likely.
func (t *typer) harmOfTime() harm {
	r, doc := t.run, t.doc
	n := len(t.code)
	if n < 3 || n > 4 || r.Joints > 0 || !t.isTime() || t.code[0] == '0' || number(t.code[:n-2]) > 12 {
		return harmful
	}
	s := doc.Symbols(r)
	if s[n-1].Kind != d.Spoken || s[n-2].Group != s[n-1].Group || s[n-2].First == s[n-3].First {
		return harmful
	}
	if partOfDay(doc, r.Last+1) {
		return surelyHarmless
	}
	if number(t.code)%5 != 0 || r.First == 0 {
		return harmful
	}
	switch string(doc.Word(r.First - 1)) {
	case "at", "by", "around", "till", "until", "before", "after", "between":
		return likelyHarmless
	}
	return harmful
}

// partOfDay tells whether "in the morning", "tonight" or the like begins at
// token i.
func partOfDay(doc *d.Document, i int) bool {
	if i < len(doc.Tokens) && string(doc.Word(i)) == "in" {
		i++
	}
	if i < len(doc.Tokens) && string(doc.Word(i)) == "the" {
		i++
	}
	if i >= len(doc.Tokens) {
		return false
	}
	switch string(doc.Word(i)) {
	case "morning", "afternoon", "evening", "tonight", "night", "o'clock", "sharp":
		return true
	}
	return false
}
