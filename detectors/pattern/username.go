package pattern

import (
	"strings"

	d "sotto/detectors"
)

// userNames finds the names of accounts that were asked for, or that a hotword such as "username"
// introduces, written, spelled, or both in one: "my username is s h a n e K-O-H-N-K-E nine 8".
func userNames(doc *d.Document) {
	if s := doc.Expected(d.UserName); s > 0 && !doc.IsMark(1, ':') { // not who speaks: "Ann: it is ann77"
		userName(doc, introduced(doc, 0), d.ByExpectation, 0.6+float32(0.3*s))
	}
	for k := range doc.Hotwords {
		if h := &doc.Hotwords[k]; h.Hotword == d.HotUserName {
			first := introduced(doc, doc.TokenAt(h.End))
			if first < len(doc.Tokens) && int(doc.Tokens[first].Start)-h.End <= 40 {
				userName(doc, first, d.ByHotword|d.ByShape, 0.85)
			}
		}
	}
}

// userName adds the name of an account that begins at token first, if one does.
func userName(doc *d.Document, first int, e d.Evidence, score float32) {
	end := accountEnd(doc, first)
	if end == first {
		return
	}
	addClaimed(doc, first, end, d.Finding{Type: d.UserName, Value: codeOf(doc, first, end), Score: score, Detector: "username", Evidence: e})
}

// introduced returns the token at which the value of a hotword begins, behind what stands between
// them from token i on.
func introduced(doc *d.Document, i int) int {
	for n := 0; n < 6 && i < len(doc.Tokens); n++ {
		if !isLeading(&doc.Tokens[i]) {
			_, words := phraseBeforeValue.Longest(doc, i, nil)
			if words == 0 {
				return i
			}
			i += words - 1
		}
		i++
	}
	return i
}

// isLeading reports whether a token may be between a hotword and its value without
// a meaning of its own: "the username? well, that's ...".
func isLeading(t *d.Token) bool {
	if t.Class == d.Punct {
		return strings.IndexByte(`,"'#?:=`, t.Ch) >= 0 || t.Ch == '-' && !t.Glued()
	}
	return t.Class == d.Clitic || t.Is(d.Copula|d.Filler) || beforeValue.Has(t.Hash)
}

// accountEnd returns the token after the name of an account that begins at token first, first
// when none does.
func accountEnd(doc *d.Document, first int) int {
	end, spelled := first, false
	for end < len(doc.Tokens) && end-first < maxLocal {
		k := end
		joined := end > first && doc.Tokens[end].Glued()
		for end > first && isJoiner(doc, k) {
			k++
			joined = true
		}
		t := &doc.Tokens[k]
		switch r := doc.RunAt(k); {
		case r >= 0 && doc.Runs[r].First == k && (doc.Runs[r].Len() > 1 || joined):
			spelled = spelled || k == first && doc.Runs[r].Letters > 1
			end = doc.Runs[r].Last + 1
		case isWordOrNumber(t) && (joined || k == first && beginsAccount(doc, k) || spelled && clauseLeft(doc, k) <= 2):
			end = k + 1
		default:
			return end
		}
	}
	return end
}

// beginsAccount reports whether the word at token k is rather the name of an account than a part
// of the sentence.
func beginsAccount(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	if t.Len() < 2 || t.Is(d.Function|d.Copula|d.Backchannel|d.Correct) {
		return false
	}
	return t.Class == d.Alnum || nameToken(doc, k) || commonToken(doc, k) == 0
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

// isJoiner reports whether token k joins two parts of a user name.
func isJoiner(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	if k+1 >= len(doc.Tokens) || t.Ch != '_' && t.Ch != '.' && t.Ch != '-' && t.Ch != '@' {
		return false
	}
	if t.Class == d.Punct {
		return t.Glued() && doc.Tokens[k+1].Glued()
	}
	return t.Is(d.Connect)
}

// add adds the finding of tokens first to end, of the likelihood of its score.
func add(doc *d.Document, first, end int, f d.Finding) {
	f.Start, f.End, f.Likelihood = int(doc.Tokens[first].Start), int(doc.Tokens[end-1].End), d.LikelihoodOf(f.Score)
	doc.Add(f)
}

// addClaimed is add for what the runs within the tokens belong to.
func addClaimed(doc *d.Document, first, end int, f d.Finding) {
	add(doc, first, end, f)
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
