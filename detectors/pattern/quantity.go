package pattern

import (
	"strings"

	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/internal/wordhash"
)

// quantity says whether the words next to a number show that it is an amount, a
// count, a year or a time, and not a value that belongs to a person.
type quantity uint8

const (
	// notQuantity: nothing shows that it is one.
	notQuantity quantity = iota
	// likelyQuantity: it reads like one; a hotword right before it, or a question
	// for it, says otherwise.
	likelyQuantity
	// surelyQuantity: its unit or sign is next to it.
	surelyQuantity
)

// quantityContext judges a run of digits by the words next to it and by its form.
func (t *classifier) quantityContext() quantity {
	r := t.run
	if t.isUnitBeside() {
		return surelyQuantity
	}
	if q := t.timeContext(); q != notQuantity {
		return q
	}
	if r.Letters > 0 {
		return t.modelContext()
	}
	if r.Connectors > 0 {
		if q := t.decimalContext(); q != notQuantity {
			return q
		}
	}
	switch {
	case wellKnownNumbers.Has(wordhash.Bytes(t.code)):
		return likelyQuantity
	case r.Opens && r.Closes && !r.Scaled:
		return notQuantity
	case t.isYear(), r.Quantity && r.Len() <= 6 && (r.Scaled && (r.Len() < longExact || !t.isExact()) || t.isCounted()):
		return likelyQuantity
	}
	return notQuantity
}

// longExact is how many digits a number phrase has that is hardly an amount if it is exact: "two hundred and
// seventeen thousand four hundred and five".
const longExact = 5

// isExact reports whether a number phrase of three digits or more is not round to tens, and counts nothing.
func (t *classifier) isExact() bool {
	n := len(t.code)
	return t.run.Scaled && t.run.Words > 0 && n >= 3 && t.code[n-1] != '0' && !t.isCounted()
}

// isCounted reports whether the words next to a number phrase show that it counts
// something, "over 300", "450 tickets", or is money.
func (t *classifier) isCounted() bool {
	r, doc := t.run, t.doc
	if r.First > 0 {
		p := &doc.Tokens[r.First-1]
		if p.Is(d.Model) || approximations.Has(p.Hash) || limits.Has(p.Hash) || t.isRound() && p.Is(d.Function) &&
			!doc.WordIn(r.First-2, endingWords) { // "ending in": the end of a longer number, however round
			return true
		}
	}
	return r.Len() <= 5 && (t.near[d.HotMoney] < 20 || isPlural(doc, r.Last+1))
}

// isPlural reports whether token i is the plural of a thing that is counted.
func isPlural(doc *d.Document, i int) bool {
	if i >= len(doc.Tokens) {
		return false
	}
	t := &doc.Tokens[i]
	if t.Class != d.Lower || t.Bits&^(d.Measure|d.HasPhrase|d.IsHotword) != 0 || t.Len() <= 3 || t.Glued() {
		return false
	}
	w := doc.Word(i)
	return w[len(w)-1] == 's' && w[len(w)-2] != 's'
}

// isRound reports whether a written number is 100, 200, ... or 1000, 1500, ... .
func (t *classifier) isRound() bool {
	n := len(t.code)
	return n >= 3 && n <= 6 && t.code[n-1] == '0' && t.code[n-2] == '0' && t.code[0] != '0'
}

// isUnitBeside reports whether a currency, a percent sign, a unit of measure or a
// time of day is right next to the run. An amount has one there, a code has none.
func (t *classifier) isUnitBeside() bool {
	r, doc := t.run, t.doc
	if r.Len() > 9 {
		return false
	}
	if t.isCurrencyBefore() {
		return true
	}
	if !r.Quantity && !t.isRange() && !t.isTime() {
		return false
	}
	i := r.Last + 1
	if doc.IsMark(i, '-') {
		i++
	}
	return i < len(doc.Tokens) && (t.isUnit(i) || t.isUnitWithAdjective(i))
}

// isCurrencyBefore reports whether a currency comes right before the run: "$450", "USD
// 450".
func (t *classifier) isCurrencyBefore() bool {
	r := t.run
	if r.First == 0 {
		return false
	}
	p := &t.doc.Tokens[r.First-1]
	return isCurrencySign(t.doc, r.First-1) && (r.Quantity || r.Len() <= 6) || r.Quantity && p.Is(d.Currency) && p.Class == d.Upper
}

// isUnit reports whether token i is a unit of the run before it.
func (t *classifier) isUnit(i int) bool {
	p := &t.doc.Tokens[i]
	switch {
	case t.doc.IsMark(i, '%'), isCurrencySign(t.doc, i) && p.Glued(), p.Is(d.Scale | d.Currency | d.Clock):
		return true
	case p.Is(d.Measure):
		return !t.run.Opens || !t.run.Closes
	}
	return (p.Ch == 'a' || p.Ch == 'p') && p.Class == d.Letter && t.isTime() && clockAt(t.doc, i)
}

// isUnitWithAdjective reports whether one word and then a unit of the run are at token
// i: "200 free minutes", "450 us dollars".
func (t *classifier) isUnitWithAdjective(i int) bool {
	p := &t.doc.Tokens[i]
	if i+1 >= len(t.doc.Tokens) || !p.Class.IsWord() || p.Is(d.Function|d.StreetType|d.Measure) || p.Class == d.Letter && (p.Ch == 'a' || p.Ch == 'p') && t.isTime() {
		return false
	}
	q := &t.doc.Tokens[i+1]
	return q.Is(d.Currency) || q.Is(d.Measure) && t.run.Len() <= 5
}

// clockAt reports whether "a.m.", "p m" begins at token i.
func clockAt(doc *d.Document, i int) bool {
	j := i + 1
	if doc.IsMark(j, '.') {
		j++
	}
	return j < len(doc.Tokens) && doc.Tokens[j].Class == d.Letter && doc.Tokens[j].Ch == 'm'
}

func isCurrencySign(doc *d.Document, i int) bool {
	t := &doc.Tokens[i]
	if t.Class == d.Punct {
		return t.Ch == '$'
	}
	return t.Class == d.Other && strings.Contains("€£¥₹¢₩₽", doc.Raw(i))
}

// isRange reports whether the run is two small numbers with a dash: "15-20".
func (t *classifier) isRange() bool {
	r := t.run
	if r.Connectors != 1 || r.Letters > 0 || r.Digits > 6 {
		return false
	}
	for k, y := range t.doc.Symbols(r) {
		if y.Kind == d.Connector {
			return y.Ch == '-' && k <= 3 && r.Digits-k <= 3
		}
	}
	return false
}

// isTime reports whether the digits can be a time of day: an hour, or an hour and
// minutes.
func (t *classifier) isTime() bool {
	n := len(t.code)
	if n == 0 || n > 4 || t.run.Letters > 0 || !ids.AllDigits(t.code) {
		return false
	}
	if n <= 2 {
		return ids.Number(t.code) <= 24
	}
	return ids.Number(t.code[:n-2]) <= 24 && ids.Number(t.code[n-2:]) < 60
}

// isYear reports whether the digits are a year from 1900 to 2049 that was written
// as one number or said as one: "1985", "nineteen eighty five", "two thousand
// five".
func (t *classifier) isYear() bool {
	if len(t.code) != 4 || !ids.AllDigits(t.code) || t.run.Connectors > 0 {
		return false
	}
	if y := ids.Number(t.code); y < 1900 || y > 2049 {
		return false
	}
	symbols := t.doc.Symbols(t.run)
	if t.run.Quantity {
		return true
	}
	// Said in pairs: the first two digits are one word.
	return symbols[0].Group == symbols[1].Group && symbols[0].First == symbols[1].First && symbols[0].Kind == d.Spoken
}

// decimalContext judges digits with connectors: decimals, times, fractions, versions.
func (t *classifier) decimalContext() quantity {
	r := t.run
	symbols := t.doc.Symbols(r)
	last, mark := 0, byte(0)
	for k, y := range symbols {
		if y.Kind != d.Connector {
			continue
		}
		if mark != 0 && y.Ch != mark {
			return notQuantity
		}
		last, mark = k, y.Ch
	}
	switch n := r.Connectors; {
	case mark == ':' && n <= 2 && r.Digits <= 6 && last <= 5:
		return surelyQuantity
	case mark == '/' && n == 1 && r.Digits <= 4, mark == '.' && (n == 1 && isDecimalForm(symbols, last) || t.isVersion(n)):
		return likelyQuantity
	}
	return notQuantity
}

// isDecimalForm reports whether a run with a dot at position dot reads like a decimal:
// few digits, or few on both sides of the dot.
func isDecimalForm(symbols []d.Symbol, dot int) bool {
	places := len(symbols) - dot - 1
	return places <= 2 && len(symbols)-1 <= 8 || places <= 4 && dot <= 3 && !exchangeDot(symbols, dot)
}

// isVersion reports whether digits with dots are the number of a version, which a
// hotword says.
func (t *classifier) isVersion(dots int) bool {
	near := t.near[d.HotVersion]
	return near < 15 || near < 30 && dots == 2 && t.run.Digits <= 6
}

// exchangeDot reports whether "555.0134" reads like the two parts of a local
// telephone number.
func exchangeDot(symbols []d.Symbol, dot int) bool {
	return dot == 3 && len(symbols) == 8 && symbols[0].Ch >= '2'
}

// modelContext judges letters and digits together: names of models and forms
// ("401k", "MP3", "iPhone 15"), not codes.
func (t *classifier) modelContext() quantity {
	r := t.run
	digits, letters := ids.Count(t.code)
	n := digits + letters
	switch {
	case t.near[d.HotVersion] < 20:
		return likelyQuantity
	case r.First == r.Last:
		if n <= 4 && digits <= 3 && !(r.Opens && r.Closes && n == 4) || letters >= 4 && digits <= 3 && t.beginsWithWord() {
			return likelyQuantity
		}
	case r.Last == r.First+1 && letters == 1 && digits <= 3 && strings.IndexByte("kmgx", t.code[n-1]) >= 0, // "401 k"
		n <= 3 && !t.oneByOne():
		return likelyQuantity
	}
	return notQuantity
}

// beginsWithWord reports whether the code begins with an everyday word or a well-known
// abbreviation: "windows11".
func (t *classifier) beginsWithWord() bool {
	n := 0
	for n < len(t.code) && ids.IsLetter(t.code[n]) {
		n++
	}
	w := t.code[:n]
	return n > 2 && (common(w) >= 4 || knownAcronym(w))
}

// oneByOne reports whether three symbols or more were said one by one, and not as a
// size, "2 x 4", or with an article, "gave three a five".
func (t *classifier) oneByOne() bool {
	symbols := t.doc.Symbols(t.run)
	said := 0
	for k, y := range symbols {
		if y.Kind == d.Connector || k > 0 && y.First == y.Last && symbols[k-1].First == y.First { // of one word or number
			continue
		}
		if y.Ch == 'x' && t.run.Letters == 1 && k > 0 && k+1 < len(symbols) || y.Ch == 'a' && t.article(y) {
			return false
		}
		said++
	}
	return said >= 3
}

// areSingle reports whether every symbol is a group of its own, or of one that was doubled: "one zero double five",
// but not "ten ninety nine".
func (t *classifier) areSingle() bool {
	symbols := t.doc.Symbols(t.run)
	for k := 1; k < len(symbols); k++ {
		x, y := &symbols[k-1], &symbols[k]
		if x.Group == y.Group && y.Kind != d.Connector && x.Kind != d.Connector && !t.doc.Tokens[y.First].Is(d.Mult) {
			return false
		}
	}
	return true
}

// article reports whether a symbol of a short run is the word "a".
func (t *classifier) article(y d.Symbol) bool {
	tok := &t.doc.Tokens[y.First]
	return y.Kind == d.Written && len(t.code) <= 4 && tok.Class == d.Letter && !tok.UpperCase()
}
