package pattern

import d "sotto/detectors"

// addresses finds street addresses, post boxes, and postal codes behind a state.
func addresses(doc *d.Document) {
	asked := doc.Expected(d.StreetAddress) > 0
	named := asked || doc.HasHotword(d.HotAddress)
	end := 0
	if doc.Has(d.StreetType) {
		for i := range doc.Tokens {
			if i >= end && doc.Tokens[i].Is(d.StreetType) {
				if e := streetAt(doc, i, end, asked); e > 0 {
					end = e
				}
			}
		}
	}
	if doc.Has(d.AddressUnit) {
		for i := range doc.Tokens {
			if doc.Tokens[i].Is(d.AddressUnit) {
				unitAt(doc, i, named)
			}
		}
	}
	if doc.Has(d.State | d.Province) {
		for i := range doc.Tokens {
			if doc.Tokens[i].Is(d.State | d.Province) {
				codeAfterState(doc, i)
			}
		}
	}
	if named {
		introducedAddress(doc, asked)
	}
}

// maxStreetName bounds the words between the house number and "street".
const maxStreetName = 5

// streetAt reads the address whose street type is token i: a house number, the
// street's name, and what comes after. It begins at token from at the earliest.
func streetAt(doc *d.Document, i, from int, asked bool) int {
	first, names, number, sure := i, 0, false, true
	j := i - 1
	for ; j >= from && i-j <= maxStreetName+2; j-- {
		t := &doc.Tokens[j]
		if r := runAt(doc, j); r >= 0 && doc.Runs[r].Digits > 0 && names+ordinals(doc, j, i) > 0 && !doc.Runs[r].Claimed {
			if doc.Runs[r].Digits <= 12 {
				first, number = max(doc.Runs[r].First, from), true
			}
			break
		}
		if t.Class == d.Punct {
			if (t.Ch == '.' || t.Ch == '-' || t.Ch == '\'' || t.Ch == ',' && j > 0 && runAt(doc, j-1) >= 0) && names < maxStreetName {
				continue
			}
			break
		}
		if t.Class == d.Letter && runAt(doc, j) >= 0 {
			names++
			first = j
			continue
		}
		if names == maxStreetName || !isNamePart(doc, j) {
			break
		}
		names++
		first = j
		if commonToken(doc, j) > 0 && !nameToken(doc, j) {
			sure = false
		}
	}
	near := asked || hotBefore(doc, d.HotAddress, first, d.DefaultHotwordWindow)
	t := &doc.Tokens[i]
	cased := t.UpperCase() && i > 0 && doc.Tokens[i-1].UpperCase()
	switch {
	case names == 0 && (!number || ordinals(doc, first, i) == 0):
		return 0
	case number && (!t.Is(d.Ambiguous) || near || cased || sure && doc.Tokens[first].Class == d.Digits && doc.Tokens[first].Len() >= 2):
	case !number && !t.Is(d.Ambiguous) && (near || cased || sure && t.Bits&(d.Function|d.Title) == 0):
		first = max(first, i-3)
		for first < i && (doc.Tokens[first].Class == d.Punct || !near && !cased && commonToken(doc, first) > 0 && !nameToken(doc, first)) {
			first++
		}
		if first == i {
			return 0
		}
	case !number && near && cased:
		first = max(first, i-3)
	default:
		return 0
	}
	end := afterStreet(doc, i+1)
	e := d.ByStructure
	score := float32(0.9)
	if !number {
		e, score = d.ByShape|d.ByCue, 0.6
		if near {
			e, score = d.ByShape|d.ByHotword, 0.75
		}
	}
	addAddress(doc, first, end, e, score)
	return end
}

// ordinals counts the ordinals from token j on before token i, which name a street
// ("42 5th avenue", "5 th").
func ordinals(doc *d.Document, j, i int) int {
	n := 0
	for ; j < i; j++ {
		if doc.Tokens[j].Is(d.Ordinal) || isOrdinalEnding(doc, j) || doc.Tokens[j].Class == d.Alnum && endsOrdinal(doc.Word(j)) {
			n++
		}
	}
	return n
}

// endsOrdinal tells whether a token such as "42nd" is an ordinal.
func endsOrdinal(w []byte) bool {
	if len(w) < 3 || !isDigit(w[0]) {
		return false
	}
	switch string(w[len(w)-2:]) {
	case "st", "nd", "rd", "th":
		return allDigits(w[:len(w)-2])
	}
	return false
}

// isNamePart tells whether token j can be a word of a street's name.
func isNamePart(doc *d.Document, j int) bool {
	t := &doc.Tokens[j]
	if t.Is(d.Ordinal|d.Direction) || t.Class == d.Alnum && endsOrdinal(doc.Word(j)) || isOrdinalEnding(doc, j) && t.Len() == 2 {
		return true
	}
	if !t.Class.IsWord() {
		return false
	}
	return t.Bits&(d.Function|d.Copula|d.Currency|d.Measure|d.Filler|d.Back|d.NumWord|d.Clock) == 0
}

// afterStreet reads what may follow a street: a direction, a unit, a city with its
// state and postal code. It returns the token after the address.
func afterStreet(doc *d.Document, i int) int {
	end := i
	if i < len(doc.Tokens) && doc.Tokens[i].Class == d.Punct && doc.Tokens[i].Ch == '.' && i+1 < len(doc.Tokens) && doc.Tokens[i].Glued() {
		i++
	}
	if i < len(doc.Tokens) && doc.Tokens[i].Is(d.Direction) && doc.Tokens[i].Bits&d.Function == 0 {
		i++
		end = i
	}
	for n := 0; n < 3; n++ {
		k := nextWord(doc, i)
		if k < len(doc.Tokens) && doc.Tokens[k].Class == d.Punct && doc.Tokens[k].Ch == '#' && k+1 < len(doc.Tokens) && runAt(doc, k+1) >= 0 {
			i = doc.Runs[runAt(doc, k+1)].Last + 1
			end = i
			continue
		}
		if e := unitEnd(doc, k); e > 0 {
			i, end = e, e
			continue
		}
		break
	}
	if e := cityEnd(doc, end); e > end {
		end = e
	}
	return end
}

// unitEnd returns the token after "apartment 5 B" at token k; 0 when no unit is
// there.
func unitEnd(doc *d.Document, k int) int {
	if k >= len(doc.Tokens) || !doc.Tokens[k].Is(d.AddressUnit) {
		return 0
	}
	k++
	for k < len(doc.Tokens) && (doc.Tokens[k].Class == d.Punct && (doc.Tokens[k].Ch == '.' || doc.Tokens[k].Ch == '#') || doc.Tokens[k].Hash == hashNumber || doc.Tokens[k].Is(d.Filler)) {
		k++
	}
	if k >= len(doc.Tokens) {
		return 0
	}
	if r := runAt(doc, k); r >= 0 {
		return doc.Runs[r].Last + 1
	}
	if doc.Tokens[k].Class == d.Letter || doc.Tokens[k].Class == d.Alnum || doc.Tokens[k].Is(d.Ordinal) {
		return k + 1
	}
	return 0
}

// maxCity bounds the words between a street and its postal code.
const maxCity = 7

// cityEnd returns the token after the postal code that follows a city and a state
// from token i on; 0 when none follows.
func cityEnd(doc *d.Document, i int) int {
	state := false
	for n := 0; n < 2*maxCity && i < len(doc.Tokens); n++ {
		t := &doc.Tokens[i]
		if r := runAt(doc, i); r >= 0 && doc.Runs[r].First == i && (t.Class != d.Letter || doc.Runs[r].Len() > 1) {
			run := &doc.Runs[r]
			var buf [12]byte
			if run.Len() > len(buf) {
				return 0
			}
			code := appendCode(buf[:0], doc.Symbols(run))
			switch f := postalFit(code); {
			case f >= fitExact, f == fitShape && run.Letters == 0:
				return run.Last + 1
			case state && f == fitLoose && run.Letters == 0 && run.Digits >= 4:
				return run.Last + 1
			}
			return 0
		}
		switch {
		case t.Class == d.Punct && (t.Ch == ',' || t.Ch == '.' || t.Ch == '-' || t.Ch == '\''):
		case t.Is(d.State|d.Province) && (t.Bits&d.Function == 0 || t.Class == d.Upper):
			state = true
		case t.Is(d.IsHotword | d.HasPhrase):
			return 0
		case t.Class.IsWord() && t.Bits&(d.Function|d.Copula|d.Back|d.Filler) == 0, t.Is(d.Filler):
		default:
			return 0
		}
		i++
	}
	return 0
}

func addAddress(doc *d.Document, first, end int, e d.Evidence, score float32) {
	doc.Add(d.Finding{Start: int(doc.Tokens[first].Start), End: int(doc.Tokens[end-1].End), Type: d.StreetAddress, Value: codeOf(doc, first, end),
		Likelihood: d.LikelihoodOf(score), Score: score, Detector: "address", Evidence: e})
	claim(doc, first, end-1)
}

// unitAt reads a unit that stands alone ("apt 301") and a post box ("PO Box 12").
func unitAt(doc *d.Document, i int, named bool) {
	t := &doc.Tokens[i]
	first := i
	if t.Hash == hashBox {
		j := i - 1
		for n := 0; n < 4 && j >= 0 && (doc.Tokens[j].Class == d.Punct && doc.Tokens[j].Ch == '.' || doc.Tokens[j].Class == d.Letter || doc.Tokens[j].Hash == hashPO ||
			doc.Tokens[j].Hash == hashPost || doc.Tokens[j].Hash == hashOffice); n++ {
			j--
		}
		first = j + 1
		if first == i {
			return
		}
	} else if t.Is(d.Ambiguous) && !named {
		return
	}
	end := unitEnd(doc, i)
	if end == 0 {
		return
	}
	if e := cityEnd(doc, end); e > 0 {
		end = e
	}
	addAddress(doc, first, end, d.ByStructure, 0.75)
}

// codeAfterState reads the ZIP or postal code right behind the state at token i.
func codeAfterState(doc *d.Document, i int) {
	k := nextWord(doc, i+1)
	if k >= len(doc.Tokens) {
		return
	}
	r := runAt(doc, k)
	if r < 0 || doc.Runs[r].First != k || doc.Runs[r].Claimed {
		return
	}
	run := &doc.Runs[r]
	t := &doc.Tokens[i]
	if t.Is(d.Function) && t.Class != d.Upper || run.Len() > 9 {
		return
	}
	var buf [12]byte
	code := appendCode(buf[:0], doc.Symbols(run))
	f := postalFit(code)
	if f < fitShape && !(f == fitLoose && run.Letters == 0 && run.Digits >= 4 && run.Closes) {
		return
	}
	addAddress(doc, run.First, run.Last+1, d.ByShape|d.ByHotword, 0.8)
}

// maxIntroduced bounds the tokens of an address that only its hotword shows.
const maxIntroduced = 28

// introducedAddress reads the address that a hotword introduces ("my address is"),
// or that was asked for, where it holds a number or a street or a word that is no
// English.
func introducedAddress(doc *d.Document, asked bool) {
	for k := range doc.Hotwords {
		h := &doc.Hotwords[k]
		if h.Hotword != d.HotAddress {
			continue
		}
		i, introduced := introduction(doc, tokenAfter(doc, h.End))
		addressFrom(doc, i, introduced, d.ByHotword|d.ByCue, 0.7)
	}
	if asked {
		s := doc.Expected(d.StreetAddress)
		addressFrom(doc, answerStart(doc, 0), true, d.ByExpectation, 0.5+0.2*s)
	}
}

// addressFrom reads an address that begins at token i.
func addressFrom(doc *d.Document, i int, introduced bool, e d.Evidence, score float32) {
	first, end := i, i
	numbers, streets, strange, common := 0, 0, 0, 0
	for end < len(doc.Tokens) && end-first < maxIntroduced {
		t := &doc.Tokens[end]
		if r := runAt(doc, end); r >= 0 && doc.Runs[r].First == end && doc.Runs[r].Digits > 0 && doc.Runs[r].Len() <= 9 {
			if numbers > 0 && doc.Runs[r].Digits >= 7 && doc.Runs[r].Letters == 0 && doc.Runs[r].Digits != 9 {
				break
			}
			numbers++
			end = doc.Runs[r].Last + 1
			continue
		}
		switch {
		case t.Class == d.Punct && (t.Ch == ',' || t.Ch == '.' && end+1 < len(doc.Tokens) && (t.Glued() && doc.Tokens[end-1].Len() <= 4 && end > first) || t.Ch == '#' || t.Ch == '-' || t.Ch == '/' || t.Ch == '\''):
		case t.Is(d.StreetType|d.AddressUnit) && end > first:
			streets++
		case t.Is(d.Direction | d.Ordinal | d.Filler):
		case t.Is(d.State|d.Province|d.Country) && (t.Bits&d.Function == 0 || t.Class == d.Upper):
		case t.Is(d.Function | d.Copula | d.Back | d.Clock | d.Currency | d.Measure | d.Correct), t.Is(d.IsHotword) && !t.UpperCase(), !t.Class.IsWord() && t.Class != d.Alnum && t.Class != d.Digits:
			goto done
		case commonToken(doc, end) == 0 || nameToken(doc, end) || t.UpperCase() && end > first:
			strange++
		default:
			common++
			if common > 2+2*strange+numbers {
				goto done
			}
		}
		end++
	}
done:
	for end > first && (doc.Tokens[end-1].Class == d.Punct || doc.Tokens[end-1].Is(d.Filler)) {
		end--
	}
	switch {
	case end == first:
	case numbers > 0 && (streets > 0 || strange > 0), streets > 0 && strange+common > 0 && (introduced || strange > 0):
		addAddress(doc, first, end, e, score)
	case introduced && strange >= 2 && common <= strange && end-first >= 2:
		addAddress(doc, first, end, e, score-0.1)
	}
}
