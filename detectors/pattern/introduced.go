package pattern

import d "sotto/detectors"

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
	first, end, street := i, i, 0
	numbers, streets, strange, plain := 0, 0, 0, 0
scan:
	for end < len(doc.Tokens) && end-i < maxIntroduced {
		t := &doc.Tokens[end]
		if r := doc.RunAt(end); r >= 0 && doc.Runs[r].First == end && doc.Runs[r].Digits > 0 {
			run := &doc.Runs[r]
			if numbers > 0 && isDecimal(doc, run) || run.Len() > 12 || numbers > 0 && run.Digits >= 7 && run.Letters == 0 && run.Digits != 9 || run.Joints >= 3 {
				break
			}
			if numbers == 0 && strange == 0 {
				// Words of everyday before the first number are not the address.
				first, plain = end, 0
			}
			numbers++
			end = run.Last + 1
			continue
		}
		switch {
		case t.Hash != 0 && (t.Hash == hashApproximately || t.Hash == hashAbout || t.Hash == hashAround || t.Hash == hashNearly || t.Hash == hashAlmost):
			break scan
		case t.Class == d.Punct && end > i && inAddress(doc, end):
		case t.Is(d.StreetType|d.AddressUnit) && end > i:
			streets++
			street = end + 1
		case t.Is(d.Direction | d.Ordinal | d.Filler):
		case isState(doc, end), t.Is(d.Country):
		case (t.Hash == hashNo || t.Hash == hashNumber) && doc.RunAt(end+1) >= 0, end > i && isBeside(doc, end):
		case t.Is(d.Function | d.Copula | d.Backchannel | d.Clock | d.Currency | d.Measure | d.Correct), t.Is(d.IsHotword) && !t.UpperCase(),
			!t.Class.IsWord() && t.Class != d.Alnum && t.Class != d.Digits:
			break scan
		case commonToken(doc, end) == 0 || nameToken(doc, end) || t.UpperCase() && end > i:
			strange++
		default:
			if plain++; plain > 2+2*strange+numbers {
				break scan
			}
		}
		end++
	}
	for end > first && (doc.Tokens[end-1].Class == d.Punct || doc.Tokens[end-1].Is(d.Filler)) {
		end--
	}
	if street <= first || street > end {
		street = end
	}
	switch {
	case end <= first:
	case numbers > 0 && streets > 0:
		addAddress(doc, first, street, end, e|d.ByStructure, score+0.1)
	case numbers > 0 && strange > 0, streets > 0 && strange+plain > 0 && (introduced || strange > 0),
		e&d.ByHotword != 0 && introduced && strange >= 2 && plain <= strange:
		addAddress(doc, first, end, end, e, score)
	}
}

// isDecimal tells whether a run is a written number with a decimal point.
func isDecimal(doc *d.Document, r *d.Run) bool {
	return r.Joints == 1 && r.Last == r.First+2 && doc.Tokens[r.First+1].Class == d.Punct && doc.Tokens[r.First+1].Ch == '.'
}

// isBeside tells whether token k says where an address is by what is beside it:
// "opposite the town hall", "near the mill".
func isBeside(doc *d.Document, k int) bool {
	switch string(doc.Word(k)) {
	case "near", "opp", "opposite", "behind", "beside":
		return true
	}
	return false
}

// inAddress tells whether the mark at token k may stand inside of an address.
func inAddress(doc *d.Document, k int) bool {
	switch doc.Tokens[k].Ch {
	case ',', '#', '-', '/', '\'':
		return true
	case '.':
		return k+1 < len(doc.Tokens) && doc.Tokens[k].Glued() && doc.Tokens[k-1].Len() <= 4
	}
	return false
}
