package pattern

import d "sotto/detectors"

// isSpokenTime tells whether the run is a time of day by the words around: "nine
// thirty in the morning", "by ten thirty", "tuesday at eleven fifteen".
func (t *typer) isSpokenTime() bool {
	r, doc := t.run, t.doc
	n := len(t.code)
	if n < 3 || n > 4 || r.Joints > 0 || !t.isTime() || t.code[0] == '0' || number(t.code[:n-2]) > 12 {
		return false
	}
	// The minutes were said as one number: "five thirty", not "five three zero".
	if s := doc.Symbols(r); s[n-1].Kind != d.Spoken || s[n-1].Group != s[n-2].Group {
		return false
	}
	if partOfDay(doc, r.Last+1) {
		return true
	}
	if number(t.code)%5 != 0 || r.First == 0 {
		return false
	}
	switch string(doc.Word(r.First - 1)) {
	case "by", "before", "until", "till", "around", "between":
		return true
	case "at":
		return r.First >= 2 && doc.Tokens[r.First-2].Is(d.Weekday)
	}
	return false
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
