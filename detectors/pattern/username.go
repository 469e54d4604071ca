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
			addUserName(doc, i, end, d.ByExpectation, 0.6+float32(0.3*expected))
			i = alternative(doc, end)
		}
	}
	for k := range doc.Hotwords {
		h := &doc.Hotwords[k]
		if h.Hotword != d.HotUserName {
			continue
		}
		i, introduced := introduction(doc, tokenAfter(doc, h.End))
		if i >= len(doc.Tokens) || int(doc.Tokens[i].Start)-h.End > 40 {
			continue
		}
		if end := accountAt(doc, i, introduced); end > i {
			addUserName(doc, i, end, d.ByHotword|d.ByShape, 0.85)
		}
	}
}

// oneWord returns the token before which an answer ends whose words are to be written
// as one: "big red truck 77, all one word"; 0 when nothing says so.
func oneWord(doc *d.Document) int {
	for i := 1; i < len(doc.Tokens); i++ {
		if _, n := asOneWord.Longest(doc, i, nil); n == 0 {
			continue
		}
		for i > 0 && (doc.Tokens[i-1].Class == d.Punct || doc.Tokens[i-1].Is(d.Function|d.Copula) || doc.WordIn(i-1, beforeOneWord)) {
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
		if doc.WordIs(i, "or") {
			return answerStart(doc, i+1)
		}
		i++
	}
	return len(doc.Tokens)
}

// speaksOfYou reports whether what leads up to token i speaks to the other party, as no
// answer does: "you're welcome".
func speaksOfYou(doc *d.Document, i int) bool {
	for k := range i {
		if doc.WordIn(k, addressing) {
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
		case hedges.Has(t.Hash):
		case t.Is(d.IsHotword|d.HasPhrase|d.Capital) && t.Class != d.Alnum && doc.RunAt(i) < 0 && followed(doc, i):
		default:
			return i
		}
		i++
	}
	return i
}

// followed reports whether a copula or another hotword comes right after token i, so
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

// introduction steps over what is between a hotword and its value, and reports
// whether a copula or colon was there.
func introduction(doc *d.Document, i int) (next int, introduced bool) {
	for n := 0; n < 6 && i < len(doc.Tokens); n++ {
		t := &doc.Tokens[i]
		switch {
		case t.Is(d.Copula), t.Class == d.Clitic, t.Class == d.Punct && (t.Ch == ':' || t.Ch == '=' || t.Ch == '-' && !t.Glued()):
			introduced = true
		case isLeading(t):
		default:
			_, words := phraseBeforeValue.Longest(doc, i, nil)
			if words == 0 {
				return i, introduced
			}
			i += words - 1
		}
		i++
	}
	return i, introduced
}

// isLeading reports whether a token may be between a hotword and its value without
// a meaning of its own: "the username? well, that's ...".
func isLeading(t *d.Token) bool {
	if t.Class == d.Punct {
		switch t.Ch {
		case ',', '"', '\'', '#', '?':
			return true
		}
	}
	return t.Is(d.Filler) || beforeValue.Has(t.Hash)
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

// account is the name of an account that is being read from its beginning.
type account struct {
	doc *d.Document
	// sure says that a value must be here, so that even a common word is one.
	sure bool
	// first and end are its tokens so far. units counts what it consists of, words and
	// runs, symbols the characters of these.
	first, end, units, symbols int
	// plain says that the last unit is a word of letters, spelled that the first one
	// was spelled.
	plain, spelled bool
}

// accountAt reads the name of an account that begins at token i, and returns the
// token after it, or i when there is none.
func accountAt(doc *d.Document, i int, sure bool) int {
	a := account{doc: doc, sure: sure, first: i, end: i}
	for a.end < len(doc.Tokens) && a.end-i < maxLocal {
		k, joined := a.nextUnit()
		if k >= len(doc.Tokens) || !a.run(k, joined) && !a.word(k, joined) {
			break
		}
	}
	if a.symbols < 2 {
		return i
	}
	return a.end
}

// nextUnit steps over the connectors and hesitations after the last unit. It returns the
// token at which the next unit may begin, and reports whether the two are joined.
func (a *account) nextUnit() (k int, joined bool) {
	k = a.end
	if k == a.first {
		return k, false
	}
	joined = a.doc.Tokens[k].Glued()
	for k < len(a.doc.Tokens) && isJoiner(a.doc, k) {
		k++
		joined = true
	}
	for k < len(a.doc.Tokens) && a.doc.Tokens[k].Is(d.Filler) {
		k++
	}
	return k, joined
}

// run takes in the run that begins at token k, and reports whether one does.
func (a *account) run(k int, joined bool) bool {
	r := a.doc.RunAt(k)
	if r < 0 || a.doc.Runs[r].First != k {
		return false
	}
	run := &a.doc.Runs[r]
	if run.Len() == 1 && a.doc.Tokens[k].Class == d.Lower && !joined && a.units == 0 {
		return false
	}
	a.spelled = a.spelled || a.units == 0 && run.Letters > 1
	a.symbols += run.Len()
	a.end = run.Last + 1
	a.units++
	return true
}

// word takes in the word at token k, and reports whether it belongs to the name.
func (a *account) word(k int, joined bool) bool {
	t := &a.doc.Tokens[k]
	switch {
	case a.isCapital(k):
		a.end = k + 2 // "capital R Rosa" is Rosa.
		return true
	case t.Class == d.Punct && t.Ch == '@' && a.units == 0:
		a.end++
		return true
	case !isWordOrNumber(t):
		return false
	case a.units == 0 && !a.begins(k), a.units > 0 && !joined && !a.goesOnWith(k):
		return false
	}
	a.plain = t.Class != d.Alnum
	a.end = k + 1
	a.units++
	a.symbols += t.Len()
	return true
}

// isCapital reports whether "capital R" is at token k before a word with this
// letter, with which the name begins.
func (a *account) isCapital(k int) bool {
	doc := a.doc
	return a.units == 0 && doc.Tokens[k].Is(d.Capital) && k+2 < len(doc.Tokens) && doc.Tokens[k+1].Class == d.Letter &&
		doc.Tokens[k+2].Class.IsWord() && doc.Word(k + 2)[0] == doc.Word(k + 1)[0]
}

// begins reports whether the name may begin with the word at token k.
func (a *account) begins(k int) bool {
	doc, t := a.doc, &a.doc.Tokens[k]
	common := commonToken(doc, k)
	switch {
	case t.Is(d.Function | d.Copula | d.Backchannel | d.Correct):
		return false
	case nameToken(doc, k):
		return true
	case !a.sure:
		return t.Class == d.Alnum || common == 0
	}
	// A frequent word begins a sentence rather, unless nothing follows that is a word.
	return common < 8 || k+1 == len(doc.Tokens) || doc.Tokens[k+1].Class == d.Punct || isJoiner(doc, k+1) || doc.RunAt(k+1) >= 0
}

// goesOnWith reports whether the word at token k belongs to the name though nothing
// joins it to the last unit.
func (a *account) goesOnWith(k int) bool {
	if a.doc.Tokens[k].Is(notInAddress) {
		return false
	}
	return spelledBefore(a.doc, a.end) && !a.plain || a.sure && a.units == 1 && secondName(a.doc, k) ||
		a.spelled && clauseLeft(a.doc, k) <= 2
}

// clauseLeft counts the tokens from k to the end of the clause, up to 3; a small word
// counts as 3.
func clauseLeft(doc *d.Document, k int) int {
	n := 0
	for ; n < 3 && k < len(doc.Tokens) && doc.Tokens[k].Class != d.Punct; n++ {
		if doc.Tokens[k].Is(notInAddress) {
			return 3
		}
		k++
	}
	return n
}

// secondName reports whether the word at token k is a name that continues with a number
// or ends the text, as the second part of a user name does that lost its connector.
func secondName(doc *d.Document, k int) bool {
	if !nameToken(doc, k) && commonToken(doc, k) > 0 {
		return false
	}
	return k+1 >= len(doc.Tokens) || doc.Tokens[k+1].Class == d.Punct || doc.RunAt(k+1) >= 0
}

// isJoiner reports whether token k joins two parts of a user name.
func isJoiner(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	if k+1 >= len(doc.Tokens) {
		return false
	}
	if t.Class == d.Punct {
		return (t.Ch == '_' || t.Ch == '.' || t.Ch == '-' || t.Ch == '@') && t.Glued() && doc.Tokens[k+1].Glued()
	}
	return t.Is(d.Connect) && (t.Ch == '_' || t.Ch == '.' || t.Ch == '-' || t.Ch == '@')
}

// spelledBefore reports whether the unit that ends before token end was spelled or
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
