package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// maxPiece is the most letters of a word that is a piece of a code.
const maxPiece = 5

// codes finds codes of which a recogniser or typist parted the letters from the
// digits, so that the letters look like a short word: "DR-163853", "gte 564", "sd
// 02 kjd", "12 ab 24".
func codes(doc *d.Document) {
	if wholeCode(doc) {
		return
	}
	interleavedCodes(doc)
	for i := 0; i < len(doc.Runs); i++ {
		r := &doc.Runs[i]
		if r.Claimed || r.Digits == 0 || r.Len() > 24 {
			continue
		}
		i = codeAround(doc, i)
	}
}

// maxWhole bounds the tokens of a text that is nothing but a code.
const maxWhole = 9

// wholeCode finds a text that is nothing but short groups of letters and of digits in
// turn: "mn 6 sd 7", "as 12 rt".
func wholeCode(doc *d.Document) bool {
	end := len(doc.Tokens)
	for end > 0 && doc.Tokens[end-1].Class == d.Punct {
		end--
	}
	if end < 3 || end > maxWhole {
		return false
	}
	digits, letters, groups, small := 0, 0, 0, 0
	wasDigits := false
	for i := range end {
		t := &doc.Tokens[i]
		isDigits := t.Class == d.Digits
		switch {
		case t.Is(d.Filler) || t.Class == d.Punct && t.Ch == '-':
			continue
		case t.Is(d.NumWord) && t.Hash != hashOh:
			isDigits = true
			digits++
		case isDigits && t.Len() <= 4:
			digits += t.Len()
		case t.Class.IsWord() && t.Len() <= 3 && t.Bits&(d.Backchannel|d.Copula|d.Clock|d.Currency|d.Measure|d.IsHotword|d.Month) == 0:
			letters += t.Len()
			if t.Is(d.Function) && t.Class != d.Letter {
				small++
			}
		default:
			return false
		}
		if groups > 0 && isDigits == wasDigits && !t.Is(d.NumWord) {
			return false
		}
		wasDigits = isDigits
		groups++
	}
	if groups < 3 || digits < 2 || letters < 2 || digits+letters < 5 || small > 1 || small > 0 && groups < 4 {
		return false
	}
	doc.Add(d.Finding{Start: int(doc.Tokens[0].Start), End: int(doc.Tokens[end-1].End), Type: d.GenericID, Value: plainCode(doc, 0, end),
		Likelihood: d.Possible, Score: 0.55, Detector: "code", Evidence: d.ByShape})
	claim(doc, 0, end-1)
	return true
}

// codeAround reads the code around run i, and returns the last run of it.
func codeAround(doc *d.Document, i int) int {
	r := &doc.Runs[i]
	named := doc.Expected(d.GenericID) > 0
	if !named {
		near := doc.Near(r.Start, r.End, 60, 0)
		named = near[d.HotAccount] < d.Far || near[d.HotPlate] < d.Far || near[d.HotMedicalRecord] < d.Far || near[d.HotSecret] < 20
	}
	named = named || numberIs(doc, pieceBefore(doc, r.First))
	first, last, pieces := r.First, r.Last, 0
	digits, symbols := r.Digits, r.Len()
	if k := pieceBefore(doc, first); k >= 0 && isPiece(doc, k, k+1 < first, named) {
		symbols += doc.Tokens[k].Len()
		first = k
		pieces++
	} else if named && first > 0 && doc.Tokens[first-1].Hash == hashA && r.Digits >= 3 && !isModelYear(doc, r) {
		// The letter A before digits reads like the article.
		first--
		symbols++
		pieces++
	}
	j := i
	for last+1 < len(doc.Tokens) && pieces < 6 {
		k := last + 1
		joined := false
		if doc.Tokens[k].Class == d.Punct && doc.Tokens[k].Ch == '-' && k+1 < len(doc.Tokens) {
			joined = true
			k++
		}
		if doc.RunAt(k) >= 0 && j+1 < len(doc.Runs) && doc.Runs[j+1].First == k && pieces > 0 && !doc.Runs[j+1].Claimed && !joined && last > r.Last {
			j++
			symbols += doc.Runs[j].Len()
			digits += doc.Runs[j].Digits
			last = doc.Runs[j].Last
			continue
		}
		if !isPiece(doc, k, joined, named) || doc.Tokens[k].Len() > 4 {
			break
		}
		symbols += doc.Tokens[k].Len()
		last = k
		pieces++
	}
	if pieces == 0 || symbols < 4 || !named && r.Quantity && r.Digits < 3 && r.First == first+2 && doc.Tokens[r.First].Glued() || digits < 2 && !(named && symbols >= 5) || !named && (digits < 3 && symbols < 6) {
		return i
	}
	e, score := d.ByShape, float32(0.55)
	if named {
		e, score = d.ByShape|d.ByHotword, 0.8
		if s := doc.Expected(d.GenericID); s > 0 {
			e, score = d.ByShape|d.ByExpectation|d.ByStructure, 0.6+0.2*s
		}
	}
	kind, value := d.GenericID, plainCode(doc, first, last+1)
	if named {
		start, stop := int(doc.Tokens[first].Start), int(doc.Tokens[last].End)
		t := classifier{doc: doc, run: r, code: []byte(value), near: doc.Near(start, stop, doc.HotwordWindow, after)}
		if c := t.byHotword(notQuantity); c.match > ids.Loose {
			kind = c.kind
		}
	}
	doc.Add(d.Finding{Start: int(doc.Tokens[first].Start), End: int(doc.Tokens[last].End), Type: kind, Value: value,
		Likelihood: d.LikelihoodOf(score), Score: score, Detector: "code", Evidence: e})
	claim(doc, first, last)
	return j
}

// isModelYear tells whether a run is a year before a word: "a 2015 Toyota".
func isModelYear(doc *d.Document, r *d.Run) bool {
	var buf [4]byte
	if r.Len() != 4 || r.Letters > 0 || r.Last+1 >= len(doc.Tokens) || !doc.Tokens[r.Last+1].Class.IsWord() {
		return false
	}
	y := ids.Number(appendCode(buf[:0], doc.Symbols(r)))
	return y >= firstYear && y <= lastYear
}

// minLetterCode is how many letters a code has that has no digit.
const minLetterCode = 6

// letterCodes finds codes of capitals only, "AQTEKWBEJJ", that are all of the text, or
// that an account or the like is said to be.
func letterCodes(doc *d.Document) {
	last := len(doc.Tokens)
	for last > 0 && doc.Tokens[last-1].Class == d.Punct {
		last--
	}
	for i := range doc.Tokens {
		t := &doc.Tokens[i]
		if t.Class != d.Upper || t.Len() < minLetterCode || t.Bits != 0 || lexiconEntry(doc, i) != 0 || doc.RunAt(i) >= 0 {
			continue
		}
		e, score := d.ByShape, float32(0.5)
		switch {
		case last == 1:
		case i > 0 && (doc.Tokens[i-1].Is(d.Copula) || doc.Tokens[i-1].Ch == ':') && hotBefore(doc, d.HotAccount, i, 20):
			e, score = d.ByShape|d.ByHotword, 0.75
		default:
			continue
		}
		doc.Add(d.Finding{Start: int(t.Start), End: int(t.End), Type: d.GenericID, Value: plainCode(doc, i, i+1),
			Likelihood: d.LikelihoodOf(score), Score: score, Detector: "code", Evidence: e})
	}
}

// numberIs tells whether "number is" stands before token k.
func numberIs(doc *d.Document, k int) bool {
	if k < 2 || !doc.Tokens[k-1].Is(d.Copula) {
		return false
	}
	h := doc.Tokens[k-2].Hash
	return h == hashNumber || h == hashNo || h == hashCode
}

// pieceBefore returns the token before token first, or the one before a hyphen
// that stands there, written or said; -1 when there is none.
func pieceBefore(doc *d.Document, first int) int {
	k := first - 1
	if k >= 0 && isDash(&doc.Tokens[k]) {
		k--
	}
	return k
}

func isDash(t *d.Token) bool {
	return t.Ch == '-' && (t.Class == d.Punct || t.Is(d.Connect) && t.Bits&(d.Function|d.Measure) == 0) || t.Ch == '/' && t.Is(d.Connect) && t.Class != d.Punct
}

// isPiece tells whether the word at token k can be letters of a code. joined says
// that a hyphen ties it to digits, named that a code is asked for or named.
func isPiece(doc *d.Document, k int, joined, named bool) bool {
	t := &doc.Tokens[k]
	n := t.Len()
	if !t.Class.IsWord() || n < 2 || n > maxPiece || doc.RunAt(k) >= 0 {
		return false
	}
	if knownAcronym(doc.Word(k)) && !named {
		return false
	}
	if joined && (t.Class == d.Upper || n <= 3 && named) {
		return true
	}
	const free = d.State | d.Province | d.TopLevel | d.MailHost | d.Direction | d.StreetType
	switch {
	case t.Bits&^(free|d.LetterName|d.Spelling|d.HasPhrase) != 0 || t.Bits&free != 0 && !named || t.Is(d.StreetType|d.Direction) && !joined:
		return false
	case t.Class == d.Upper:
		return n <= 4 && (named || commonToken(doc, k) == 0)
	case t.Class == d.Cap && !named:
		return false
	}
	c := commonToken(doc, k)
	if nameToken(doc, k) && !joined && n > 3 {
		return false
	}
	introduced := named && k > 0 && (doc.Tokens[k-1].Is(d.Copula|d.IsHotword) || doc.Tokens[k-1].Hash == hashNumber || doc.Tokens[k-1].Hash == hashNo)
	return c == 0 && (n <= 4 || vowels(doc.Word(k)) <= 1) || n >= 4 && isOdd(doc, k) || named && n <= 3 && (c <= 4 || introduced)
}

func vowels(w []byte) int {
	n := 0
	for _, c := range w {
		switch c {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			n++
		}
	}
	return n
}

// plainCode is the letters and digits of the tokens.
func plainCode(doc *d.Document, first, end int) string {
	var buf [64]byte
	b := buf[:0]
	for i := first; i < end && len(b) < 60; {
		if r := doc.RunAt(i); r >= 0 && doc.Runs[r].First == i {
			b = d.AppendCode(b, doc.Symbols(&doc.Runs[r]))
			i = doc.Runs[r].Last + 1
			continue
		}
		if doc.Tokens[i].Class != d.Punct && !isDash(&doc.Tokens[i]) {
			b = append(b, doc.Word(i)...)
		}
		i++
	}
	return string(b)
}
