package pattern

import d "sotto/detectors"

// A code that was typed or recognized with a space wherever letters and digits meet
// reads like prose and quantities: "a 2 cs 51", "fg 5 er 7", "axe 458". Two things
// distinguish it from prose: groups of letters and of digits alternate, and the text is
// nothing else or names a code right before it.

// interleaved is such a stretch of tokens.
type interleaved struct {
	end            int
	groups         int
	digits, letter int
	// small counts the groups that are words of grammar, measures those that are
	// units of measure, foreign those that are not English.
	small, measures, foreign int
}

// interleavedCodes finds the codes of groups in turn.
func interleavedCodes(doc *d.Document) {
	if !doc.HasClass(d.Digits) {
		return
	}
	for k := range doc.Hotwords {
		if h := &doc.Hotwords[k]; h.Hotword == d.HotAccount {
			i := introducedCode(doc, tokenAfter(doc, h.End))
			if g := groupsFrom(doc, i); g.isNamed() {
				addInterleaved(doc, i, g.end, d.ByShape|d.ByHotword, 0.8)
			}
		}
	}
	end := len(doc.Tokens)
	for end > 0 && doc.Tokens[end-1].Class == d.Punct {
		end--
	}
	if endsWithGroups(doc, end) || doc.Role == d.RoleAgent {
		return
	}
	i := 0
	for i < end && (doc.Tokens[i].Class == d.Punct || isCodeLead(doc, i)) {
		i++
	}
	if g := groupsFrom(doc, i); g.end == end && g.isWhole(doc, i) {
		addInterleaved(doc, i, g.end, d.ByShape, 0.6)
	}
}

// endsWithGroups finds the code that ends the text before token end, after "the number
// is" or "and", and reports whether there is one.
func endsWithGroups(doc *d.Document, end int) bool {
	for i := 1; i < end; i++ {
		least, digits := 2, 4
		switch t := &doc.Tokens[i-1]; {
		case doc.WordIs(i-1, "number"), numberIs(doc, i):
		case t.Is(d.Copula):
			digits = 5
		case doc.WordIs(i-1, "and"):
			least = 4
		default:
			continue
		}
		if g := groupsFrom(doc, i); g.end == end && g.groups >= least &&
			(digits == 4 && g.isNamed() || least == 2 && g.isPair(doc, i, digits)) {
			addInterleaved(doc, i, g.end, d.ByShape|d.ByCue, 0.7)
			return true
		}
	}
	return false
}

func addInterleaved(doc *d.Document, first, end int, e d.Evidence, score float32) {
	for i := first; i < end; i++ {
		if r := doc.RunAt(i); r >= 0 && doc.Runs[r].Claimed {
			return
		}
	}
	doc.Add(d.Finding{Start: int(doc.Tokens[first].Start), End: int(doc.Tokens[end-1].End), Type: d.GenericID, Value: plainCode(doc, first, end),
		Likelihood: d.LikelihoodOf(score), Score: score, Detector: "code", Evidence: e})
	claim(doc, first, end-1)
}

// introducedCode returns the token after "number is" and the like at token i.
func introducedCode(doc *d.Document, i int) int {
	for i < len(doc.Tokens) && (doc.Tokens[i].Class == d.Punct || doc.Tokens[i].Is(d.Copula|d.Filler) || doc.WordIn(i, codeWords)) {
		i++
	}
	return i
}

// isCodeLead reports whether token i may come before a code that is the whole text.
func isCodeLead(doc *d.Document, i int) bool {
	t := &doc.Tokens[i]
	return t.Is(d.Backchannel|d.Copula|d.Correct) || beforeWholeCode.Has(t.Hash)
}

const (
	// maxLetters is the most letters of a group, maxUnpronounceable of one that can
	// hardly be said as a word. maxGroupDigits is its most digits.
	maxLetters         = 3
	maxUnpronounceable = 5
	maxGroupDigits     = 12
)

// groupsFrom reads groups in turn from token i on.
func groupsFrom(doc *d.Document, i int) (g interleaved) {
	wasDigits := false
	g.end = i
	for ; i < len(doc.Tokens) && g.groups < 8; i++ {
		t := &doc.Tokens[i]
		isDigits := t.Class == d.Digits
		switch {
		case g.groups > 0 && isDigits == wasDigits:
			return g
		case isDigits && t.Len() <= maxGroupDigits:
			g.digits += t.Len()
		case !isDigits && isGroup(doc, i):
			g.letter += t.Len()
			switch {
			case t.Class == d.Letter:
			case t.Is(d.Function):
				g.small++
			case t.Is(d.Measure):
				g.measures++
			case commonToken(doc, i) == 0:
				g.foreign++
			}
		default:
			return g
		}
		wasDigits = isDigits
		g.groups++
		g.end = i + 1
	}
	return g
}

// isGroup reports whether token i can be a group of letters.
func isGroup(doc *d.Document, i int) bool {
	t := &doc.Tokens[i]
	return t.Class.IsWord() && (t.Len() <= maxLetters || t.Len() <= maxUnpronounceable && isUnpronounceable(doc, i)) && t.Bits&(d.Backchannel|d.Copula|d.Clock|d.Currency|d.Month|d.IsHotword|d.NumWord|d.AddressUnit) == 0 &&
		!(isOrdinalEnding(doc, i) && t.Len() == 2)
}

// isUnpronounceable reports whether the word at token i is hardly one: not a name, almost
// never used in English, and with one vowel at most.
func isUnpronounceable(doc *d.Document, i int) bool {
	return commonToken(doc, i) <= 6 && vowels(doc.Word(i)) <= 1 && !nameToken(doc, i)
}

// isCode reports whether there is enough of letters and digits in turn.
func (g *interleaved) isCode() bool {
	return g.digits >= 2 && g.letter >= 2 && g.digits+g.letter >= 5 && g.measures < 2
}

// isNamed reports whether the groups are a code whose name comes before them.
func (g *interleaved) isNamed() bool {
	return g.isCode() && (g.groups >= 4 && g.small <= 1 || g.groups == 3 && g.small+g.measures <= 1)
}

// isWhole reports whether the groups are a code because the text from token first on
// is nothing else.
func (g *interleaved) isWhole(doc *d.Document, first int) bool {
	t := doc.Tokens
	switch {
	case g.groups >= 4:
		return g.isCode() && g.small <= 1 && g.small+g.measures < g.groups/2+g.foreign
	case g.groups == 3 && t[first].Class == d.Digits:
		return g.isCode() && g.foreign == 1
	case g.groups == 3:
		return g.isCode() && g.measures == 0 && (g.small == 0 || g.small == 1 && g.foreign > 0) && !t[first+2].Is(d.StreetType)
	case g.groups != 2:
		return false
	}
	if t[first].Class == d.Digits {
		return g.digits >= 5 && t[first+1].Class == d.Letter
	}
	return g.isPair(doc, first, 5)
}

// isPair reports whether the groups are letters and then digits, "er 5647", that are a
// code if the text is nothing else. A letter or a small word needs at least so many
// digits.
func (g *interleaved) isPair(doc *d.Document, first, digits int) bool {
	t := &doc.Tokens[first]
	switch {
	case g.groups != 2 || t.Class == d.Digits:
		return false
	case t.Class == d.Letter, g.small == 1 && t.Len() == 2:
		return g.digits >= digits
	}
	// A quantity would be said of what comes after it, and is often round.
	return t.Bits&^(d.HasPhrase|d.State|d.TopLevel|d.Homophone|d.LetterName|d.Spelling|d.StreetType|d.Ambiguous) == 0 && g.digits >= 3 &&
		(!endsRound(doc.Word(first+1)) || t.Len() > 2 && isUnpronounceable(doc, first))
}

// endsRound reports whether digits end with two zeros.
func endsRound(digits []byte) bool {
	return digits[len(digits)-1] == '0' && digits[len(digits)-2] == '0'
}
