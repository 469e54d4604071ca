package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// quantity says whether the words beside a number show that it is an amount, a
// count, a year or a time, and not a value that belongs to a person.
type quantity uint8

const (
	// notQuantity: nothing shows that it is one.
	notQuantity quantity = iota
	// likelyQuantity: it reads like one; a hotword right before it, or a question
	// for it, says otherwise.
	likelyQuantity
	// surelyQuantity: its unit or sign stands beside it.
	surelyQuantity
)

// quantityContext judges a run of digits.
func (t *classifier) quantityContext() quantity {
	r, doc := t.run, t.doc
	if t.isUnitBeside() {
		return surelyQuantity
	}
	if q := t.timeContext(); q != notQuantity {
		return q
	}
	n := r.Len()
	if r.Joints > 0 && r.Letters == 0 {
		if q := t.decimalContext(); q != notQuantity {
			return q
		}
	}
	if r.Letters > 0 {
		return t.modelContext()
	}
	switch string(t.code) {
	case "911", "411", "311", "211", "511", "611", "711", "811", "999", "112", "360", "365", "101":
		return likelyQuantity
	}
	if r.Opens && r.Closes && !r.Scaled {
		return notQuantity
	}
	if t.isYear() {
		return likelyQuantity
	}
	if !r.Quantity || n > 6 {
		return notQuantity
	}
	if r.Scaled {
		return likelyQuantity
	}
	if r.First > 0 {
		p := &doc.Tokens[r.First-1]
		if p.Is(d.Model) || t.isRound() && p.Is(d.Function) && !endingIn(doc, r.First) {
			return likelyQuantity
		}
		switch p.Hash {
		case hashOver, hashUnder, hashAbout, hashAround, hashNearly, hashAlmost, hashApproximately, hashThan, hashLeast, hashUpto, hashEvery, hashPer:
			return likelyQuantity
		}
	}
	if n <= 5 && t.near[d.HotMoney] < 20 {
		return likelyQuantity
	}
	if n <= 5 && r.Last+1 < len(doc.Tokens) {
		p := &doc.Tokens[r.Last+1]
		if p.Class == d.Lower && p.Bits&^(d.Measure|d.HasPhrase|d.IsHotword) == 0 && p.Len() > 3 && p.Flags&d.SpaceBefore != 0 {
			if w := doc.Word(r.Last + 1); w[len(w)-1] == 's' && w[len(w)-2] != 's' {
				return likelyQuantity
			}
		}
	}
	return notQuantity
}

// endingIn tells whether "ending in" stands before token i: what follows is the end
// of a longer number, however round.
func endingIn(doc *d.Document, i int) bool {
	if i < 2 {
		return false
	}
	switch string(doc.Word(i - 2)) {
	case "ending", "ends", "end", "ended":
		return true
	}
	return false
}

// isRound tells whether a written number is 100, 200, ... or 1000, 1500, ... .
func (t *classifier) isRound() bool {
	n := len(t.code)
	return n >= 3 && n <= 6 && t.code[n-1] == '0' && t.code[n-2] == '0' && t.code[0] != '0'
}

// isUnitBeside tells whether a currency, a percent sign, a unit of measure or a
// time of day stands right beside the run, as it stands beside an amount and not
// beside a code.
func (t *classifier) isUnitBeside() bool {
	r, doc := t.run, t.doc
	if r.Len() > 9 {
		return false
	}
	if r.First > 0 {
		p := &doc.Tokens[r.First-1]
		if isCurrencySign(doc, r.First-1) && (r.Quantity || r.Len() <= 6) {
			return true
		}
		if p.Is(d.Currency) && p.Class == d.Upper && r.Quantity {
			return true
		}
	}
	if !r.Quantity && !t.isRange() && !t.isTime() {
		return false
	}
	i := r.Last + 1
	if i < len(doc.Tokens) && doc.Tokens[i].Class == d.Punct && doc.Tokens[i].Ch == '-' {
		i++
	}
	if i >= len(doc.Tokens) {
		return false
	}
	p := &doc.Tokens[i]
	switch {
	case p.Class == d.Punct && p.Ch == '%', isCurrencySign(doc, i) && p.Glued():
		return true
	case p.Is(d.Scale):
		return true
	case p.Is(d.Currency | d.Clock):
		return true
	case p.Is(d.Measure):
		return !r.Opens || !r.Closes
	case (p.Ch == 'a' || p.Ch == 'p') && p.Class == d.Letter && t.isTime():
		return clockAt(doc, i)
	}
	// "200 free minutes", "450 us dollars"
	if i+1 < len(doc.Tokens) && p.Class.IsWord() && p.Bits&(d.Function|d.StreetType) == 0 {
		q := &doc.Tokens[i+1]
		return q.Is(d.Currency) || q.Is(d.Measure) && r.Len() <= 5
	}
	return false
}

// clockAt tells whether "a.m.", "p m" begins at token i.
func clockAt(doc *d.Document, i int) bool {
	j := i + 1
	if j < len(doc.Tokens) && doc.Tokens[j].Class == d.Punct && doc.Tokens[j].Ch == '.' {
		j++
	}
	return j < len(doc.Tokens) && doc.Tokens[j].Class == d.Letter && doc.Tokens[j].Ch == 'm'
}

func isCurrencySign(doc *d.Document, i int) bool {
	t := &doc.Tokens[i]
	if t.Class == d.Punct {
		return t.Ch == '$'
	}
	if t.Class != d.Other {
		return false
	}
	switch doc.Raw(i) {
	case "€", "£", "¥", "₹", "¢", "₩", "₽":
		return true
	}
	return false
}

// isRange tells whether the run is two small numbers with a dash: "15-20".
func (t *classifier) isRange() bool {
	r := t.run
	if r.Joints != 1 || r.Letters > 0 || r.Digits > 6 {
		return false
	}
	for k, y := range t.doc.Symbols(r) {
		if y.Kind == d.Joint {
			return y.Ch == '-' && k <= 3 && r.Digits-k <= 3
		}
	}
	return false
}

// isTime tells whether the digits can be a time of day: an hour, or an hour and
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

// isYear tells whether the digits are a year from 1900 to 2049 that was written
// as one number or said as one: "1985", "nineteen eighty five", "two thousand
// five".
func (t *classifier) isYear() bool {
	if len(t.code) != 4 || !ids.AllDigits(t.code) || t.run.Joints > 0 {
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

// decimalContext judges digits with connectors: decimals, times, fractions.
func (t *classifier) decimalContext() quantity {
	r := t.run
	symbols := t.doc.Symbols(r)
	dots, colons, slashes, dashes, last := 0, 0, 0, 0, 0
	for k, y := range symbols {
		if y.Kind != d.Joint {
			continue
		}
		last = k
		switch y.Ch {
		case '.':
			dots++
		case ':':
			colons++
		case '/':
			slashes++
		case '-':
			dashes++
		}
	}
	tail := len(symbols) - last - 1
	switch {
	case dots == 1 && r.Joints == 1 && tail <= 2 && r.Len() <= 8:
		return likelyQuantity
	case dots == 1 && r.Joints == 1 && tail <= 4 && last <= 3 && !exchangeDot(symbols, last):
		return likelyQuantity
	case colons >= 1 && colons == r.Joints && colons <= 2 && r.Digits <= 6 && last <= 5:
		return surelyQuantity
	case slashes == 1 && r.Joints == 1 && r.Digits <= 4:
		return likelyQuantity
	case dots == 2 && r.Joints == 2 && r.Digits <= 6 && t.near[d.HotVersion] < 30:
		return likelyQuantity
	case t.near[d.HotVersion] < 15 && dots > 0 && dots == r.Joints:
		return likelyQuantity
	}
	return notQuantity
}

// exchangeDot tells whether "555.0134" reads like the two parts of a local
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
	if t.near[d.HotVersion] < 20 {
		return likelyQuantity
	}
	if r.First == r.Last {
		switch {
		case n <= 4 && digits <= 3 && letters >= 1 && !(r.Opens && r.Closes && n == 4):
			return likelyQuantity
		case letters >= 4 && digits <= 3:
			if w := t.wordBefore(t.code); len(w) > 2 && (common(w) >= 4 || knownAcronym(w)) {
				return likelyQuantity
			}
		}
		return notQuantity
	}
	// "401 k", "2 g", "50 m"
	if letters == 1 && ids.IsLetter(t.code[n-1]) && digits <= 3 && r.Last == r.First+1 {
		switch t.code[n-1] {
		case 'k', 'm', 'g', 'x':
			return likelyQuantity
		}
	}
	if n <= 3 && !t.oneByOne() {
		return likelyQuantity
	}
	return notQuantity
}

// oneByOne tells whether the symbols were said one by one, at least three of
// them, and not as a size, "2 x 4", or with an article, "gave three a five".
func (t *classifier) oneByOne() bool {
	symbols := t.doc.Symbols(t.run)
	said := 0
	for k, y := range symbols {
		if y.Kind == d.Joint || k > 0 && y.First == y.Last && symbols[k-1].First == y.First { // of one word or number
			continue
		}
		if y.Ch == 'x' && t.run.Letters == 1 && k > 0 && k+1 < len(symbols) || y.Ch == 'a' && t.article(y) {
			return false
		}
		said++
	}
	return said >= 3
}

// article tells whether a symbol of a short run is the word "a".
func (t *classifier) article(y d.Symbol) bool {
	tok := &t.doc.Tokens[y.First]
	return y.Kind == d.Written && len(t.code) <= 4 && tok.Class == d.Letter && !tok.UpperCase()
}

// wordBefore returns the letters that a code begins with.
func (t *classifier) wordBefore(code []byte) []byte {
	i := 0
	for i < len(code) && ids.IsLetter(code[i]) {
		i++
	}
	return code[:i]
}
