package pattern

import d "sotto/detectors"

// userNames finds names of accounts: what was asked for, and what a hotword
// such as "username" introduces. Written, spelled, or both in one: "my username is
// s h a n e K-O-H-N-K-E nine 8".
func userNames(doc *d.Document) {
	expected := doc.Expected(d.UserName)
	if expected > 0 {
		i := answerStart(doc, 0)
		if end := oneWord(doc); end > i && expected >= 0.5 {
			addUserName(doc, i, end, d.ByExpectation|d.ByHotword, 0.9)
			i = len(doc.Tokens)
		}
		if i < len(doc.Tokens) && speaksOfYou(doc, i) {
			i = len(doc.Tokens)
		}
		for i < len(doc.Tokens) {
			end := accountAt(doc, i, expected >= 0.5)
			if end == i {
				break
			}
			if end < len(doc.Tokens) && doc.Tokens[end].Ch == ':' && end == i+1 {
				break // who speaks: "Ann: it is ann77"
			}
			addUserName(doc, i, end, d.ByExpectation, 0.6+0.3*expected)
			i = alternative(doc, end)
		}
	}
	for k := range doc.Hotwords {
		h := &doc.Hotwords[k]
		if h.Hotword != d.HotUserName {
			continue
		}
		i := tokenAfter(doc, h.End)
		introduced := false
		i, introduced = introduction(doc, i)
		if i >= len(doc.Tokens) || int(doc.Tokens[i].Start)-h.End > 40 {
			continue
		}
		if end := accountAt(doc, i, introduced); end > i {
			addUserName(doc, i, end, d.ByHotword|d.ByShape, 0.85)
		}
	}
}

// oneWord returns the token before which an answer ends whose words are to be written
// as one: "big red truck 77, all one word"; 0 when nothing tells so.
func oneWord(doc *d.Document) int {
	for i := 1; i+1 < len(doc.Tokens); i++ {
		switch string(doc.Word(i)) {
		case "one", "single":
			if string(doc.Word(i+1)) != "word" {
				continue
			}
		case "no":
			if w := string(doc.Word(i + 1)); w != "spaces" && w != "space" {
				continue
			}
		default:
			continue
		}
		for i > 0 && (doc.Tokens[i-1].Class == d.Punct || doc.Tokens[i-1].Is(d.Function|d.Copula) || string(doc.Word(i-1)) == "all" || string(doc.Word(i-1)) == "in") {
			i--
		}
		return i
	}
	return 0
}

// alternative returns where another answer begins after one that ends before token
// i: "..., or maybe it's". Without one it is the end of the text.
func alternative(doc *d.Document, i int) int {
	for n := 0; n < 3 && i < len(doc.Tokens); n++ {
		if doc.Tokens[i].Hash == hashOr {
			return answerStart(doc, i+1)
		}
		i++
	}
	return len(doc.Tokens)
}

// speaksOfYou tells whether what leads up to token i speaks to the other one, as no
// answer does: "you're welcome".
func speaksOfYou(doc *d.Document, i int) bool {
	for k := range i {
		if h := doc.Tokens[k].Hash; h == hashYou || h == hashYour {
			return true
		}
	}
	return false
}

// answerStart returns the first token from i on that is not lead-in: "sure, it's",
// "yes", "my user name is".
func answerStart(doc *d.Document, i int) int {
	for i < len(doc.Tokens) {
		t := &doc.Tokens[i]
		switch {
		case t.Class == d.Punct && t.Ch != '@' && t.Ch != '#', t.Class == d.Clitic, t.Class == d.Other:
		case t.Is(d.Filler|d.Backchannel|d.Copula|d.Function|d.Correct) && doc.RunAt(i) < 0:
		case t.Hash == hashThink, t.Hash == hashMaybe, t.Hash == hashBelieve, t.Hash == hashProbably, t.Hash == hashGuess:
		case t.Is(d.IsHotword|d.HasPhrase|d.Capital) && t.Class != d.Alnum && doc.RunAt(i) < 0 && followed(doc, i):
		default:
			return i
		}
		i++
	}
	return i
}

// followed tells whether a copula or another hotword comes right after token i, so
// that it introduces the value and is not the value.
func followed(doc *d.Document, i int) bool {
	for n := 0; n < 3 && i+1 < len(doc.Tokens); n++ {
		i++
		t := &doc.Tokens[i]
		switch {
		case t.Is(d.Copula), t.Class == d.Punct && t.Ch == ':', t.Class == d.Clitic:
			return true
		case t.Is(d.IsHotword | d.Filler | d.Capital):
		default:
			return false
		}
	}
	return false
}

// introduction steps over what stands between a hotword and its value, and tells
// whether a copula or colon was there.
func introduction(doc *d.Document, i int) (next int, introduced bool) {
	for n := 0; n < 6 && i < len(doc.Tokens); n++ {
		t := &doc.Tokens[i]
		switch {
		case t.Is(d.Copula), t.Class == d.Clitic, t.Class == d.Punct && (t.Ch == ':' || t.Ch == '=' || t.Ch == '-' && !t.Glued()):
			introduced = true
		case t.Is(d.Filler), t.Class == d.Punct && (t.Ch == ',' || t.Ch == '"' || t.Ch == '\'' || t.Ch == '#'):
		case t.Hash == hashNumber, t.Hash == hashNo, t.Hash == hashWell, t.Hash == hashLike:
		case t.Class == d.Punct && t.Ch == '?', t.Hash == hashThat: // "Or the username? That's ..."
		case t.Hash == hashI && i+1 < len(doc.Tokens) && doc.Tokens[i+1].Hash == hashMean, t.Hash == hashYou && i+1 < len(doc.Tokens) && doc.Tokens[i+1].Hash == hashKnow:
			i++
		default:
			return i, introduced
		}
		i++
	}
	return i, introduced
}

// tokenAfter returns the first token at or after byte offset b.
func tokenAfter(doc *d.Document, b int) int {
	lo, hi := 0, len(doc.Tokens)
	for lo < hi {
		m := (lo + hi) / 2
		if int(doc.Tokens[m].Start) < b {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// accountAt reads the name of an account that begins at token i, and returns the
// token after it, or i when there is none. sure tells that a value must stand
// here, so that even a common word is one.
func accountAt(doc *d.Document, i int, sure bool) int {
	end, symbols, units := i, 0, 0
	plainWord, spelled := false, false
	for end < len(doc.Tokens) && end-i < maxLocal {
		k := end
		tied := k > i && doc.Tokens[k].Glued()
		// A connector, written or said, ties the next unit to this one.
		for k < len(doc.Tokens) && k > i && isTie(doc, k) {
			k++
			tied = true
		}
		for k < len(doc.Tokens) && k > i && doc.Tokens[k].Is(d.Filler) {
			k++
		}
		if k >= len(doc.Tokens) {
			break
		}
		if r := doc.RunAt(k); r >= 0 && doc.Runs[r].First == k && (doc.Runs[r].Len() > 1 || doc.Tokens[k].Class != d.Lower || tied || units > 0) {
			spelled = spelled || units == 0 && doc.Runs[r].Letters > 1
			symbols += doc.Runs[r].Len()
			end = doc.Runs[r].Last + 1
			units++
			continue
		}
		t := &doc.Tokens[k]
		if t.Is(d.Capital) && units == 0 && k+2 < len(doc.Tokens) && doc.Tokens[k+1].Class == d.Letter && doc.Tokens[k+2].Class.IsWord() && doc.Word(k + 2)[0] == doc.Word(k + 1)[0] {
			// "capital R Rosa" is Rosa.
			end = k + 2
			continue
		}
		word := t.Class.IsWord() || t.Class == d.Alnum || t.Class == d.Digits
		if t.Class == d.Punct && t.Ch == '@' && units == 0 {
			end++
			continue
		}
		if !word || units > 0 && !tied && !(t.Bits&stops == 0 && (spelledBefore(doc, end) && !plainWord || sure && units == 1 && secondName(doc, k) || spelled && clauseLeft(doc, k) <= 2)) {
			break
		}
		if units == 0 && (t.Bits&(d.Function|d.Copula|d.Backchannel|d.Correct) != 0 || !sure && t.Class != d.Alnum && commonToken(doc, k) > 0 && !nameToken(doc, k)) {
			break
		}
		if units == 0 && sure && commonToken(doc, k) >= 8 && !nameToken(doc, k) && k+1 < len(doc.Tokens) && doc.Tokens[k+1].Class != d.Punct && !isTie(doc, k+1) && doc.RunAt(k+1) < 0 {
			break
		}
		plainWord = t.Class != d.Alnum
		end = k + 1
		units++
		symbols += t.Len()
	}
	if symbols < 2 {
		return i
	}
	return end
}

// clauseLeft counts the tokens from k to the end of the clause, up to 3; a small word
// counts as 3.
func clauseLeft(doc *d.Document, k int) int {
	n := 0
	for ; n < 3 && k < len(doc.Tokens) && doc.Tokens[k].Class != d.Punct; n++ {
		if doc.Tokens[k].Is(stops) {
			return 3
		}
		k++
	}
	return n
}

// secondName tells whether the word at token k is a name that goes on with a number
// or ends the text, as the second part of a user name does that lost its connector.
func secondName(doc *d.Document, k int) bool {
	if !nameToken(doc, k) && commonToken(doc, k) > 0 {
		return false
	}
	return k+1 >= len(doc.Tokens) || doc.Tokens[k+1].Class == d.Punct || doc.RunAt(k+1) >= 0
}

// isTie tells whether token k joins two parts of a user name.
func isTie(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	if k+1 >= len(doc.Tokens) {
		return false
	}
	if t.Class == d.Punct {
		return (t.Ch == '_' || t.Ch == '.' || t.Ch == '-' || t.Ch == '@') && t.Glued() && doc.Tokens[k+1].Glued()
	}
	return t.Is(d.Connect) && (t.Ch == '_' || t.Ch == '.' || t.Ch == '-' || t.Ch == '@')
}

// spelledBefore tells whether the unit that ends before token end was spelled or
// counted, so that a word right after it may belong to it.
func spelledBefore(doc *d.Document, end int) bool {
	r := doc.RunAt(end - 1)
	return r >= 0 && doc.Runs[r].Letters > 0
}

func addUserName(doc *d.Document, first, end int, e d.Evidence, score float32) {
	doc.Add(d.Finding{Start: int(doc.Tokens[first].Start), End: int(doc.Tokens[end-1].End), Type: d.UserName, Value: codeOf(doc, first, end),
		Likelihood: d.LikelihoodOf(score), Score: score, Detector: "username", Evidence: e})
	claim(doc, first, end-1)
}

// claim marks the runs within tokens first to last as read.
func claim(doc *d.Document, first, last int) {
	for i := doc.RunFrom(first); i < len(doc.Runs) && doc.Runs[i].First <= last; i++ {
		if r := &doc.Runs[i]; r.First >= first && r.Last <= last {
			r.Claimed = true
		}
	}
}
