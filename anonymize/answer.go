package anonymize

import (
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/state"
)

const (
	// maxNameAnswer bounds the words of an answer that is a name, maxAnswer the
	// tokens of any answer that is masked as a whole.
	maxNameAnswer = 4
	maxAnswer     = 30
)

var (
	// leadWords may stand before the answer and are no part of it.
	leadWords = wordSet("it its it's is was would be 's 'd 'll yes yeah yep yup ok okay sure no um uh er ah oh well so hi hello and my name " +
		"please certainly thanks thank you that that's sorry under the of course i am i'm 'm im this alright right absolutely definitely " +
		"email e-mail mail address postcode postal zip code number birthday date birth user username login id full first last surname will " +
		"can speaking here fine great account got just listed put down use mine his her their our they he she on for goes by husband wife son daughter mother father mom dad brother sister boss manager friend " +
		"partner spouse know work at employed working employer company")
	// trailWords may stand after it.
	trailWords = wordSet("please thanks thank you yes okay ok sir madam ma'am maam speaking here is that it correct right yeah um uh and")
)

// answer adds the whole of a turn, without what leads up to it, as the answer
// to an open question, because a recogniser that never heard of a name or a
// postal code writes down words that no detector can know. strength tells how
// fresh the question is: a turn right after it is believed more.
func (t *turn) answer(d *detectors.Document, q *state.Question, strength float32) {
	infoType := detectors.InfoType(q.Type)
	i, j := t.core(d)
	if infoType == detectors.PersonName {
		spelledNames(d)
	}
	switch infoType {
	case detectors.PersonName, detectors.OrganizationName:
		j = clauseEnd(d, i, j)
		if spelledAgain(d, i, j) {
			return
		}
	default:
		i, j = valuePart(d, i, j)
	}
	if i >= j || j-i > maxAnswer {
		return
	}
	c := shapeOf(d, i, j)
	var ok bool
	switch infoType {
	case detectors.PersonName:
		ok = nameAnswer(d, i, j, c, strength)
	case detectors.OrganizationName:
		ok = strength == 1 && c.tokens <= 5 && c.plain == 0 && c.rare > 0 && !c.sentences
	case detectors.StreetAddress:
		ok = c.codes > 0 && c.plain*3 <= c.tokens+c.codes || c.spelled && strength == 1
	case detectors.DateOfBirth:
		ok = c.numbers > 0 && (c.plain*3 <= c.tokens || strength == 1 && c.plain*2 <= c.tokens)
	case detectors.UserName, detectors.EmailAddress:
		ok = (c.codes > 0 || c.spelled || c.joints > 0 || c.tokens == 1 && c.rare > 0) && c.plain*4 <= c.tokens
	}
	if !ok || infoType != detectors.PersonName && covered(d, i, j) {
		return
	}
	f := detectors.Finding{
		Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: infoType, Likelihood: detectors.Likely,
		Score: detectors.ScoreOf(detectors.Likely), Detector: "question", Evidence: detectors.ByExpectation,
	}
	if infoType == detectors.PersonName {
		f.Hint = detectors.HintSelf
		switch q.Part {
		case state.PartGiven:
			f.Hint |= detectors.HintGiven
		case state.PartSurname:
			f.Hint |= detectors.HintSurname
		}
		if c.spelled {
			f.Value = joined(d, i, j)
		}
	}
	for n := range d.Findings {
		if g := &d.Findings[n]; g.Type == infoType && g.Start <= f.Start && g.End >= f.End {
			g.Evidence |= detectors.ByExpectation
			return
		}
	}
	d.Add(f)
}

// core returns the tokens of a turn without what leads up to an answer and what
// follows it.
func (t *turn) core(d *detectors.Document) (i, j int) {
	j = len(d.Tokens)
	for i < j && skipped(d, i, leadWords) && !(d.Tokens[i].Class == detectors.Letter && i+1 < j && fragment(d, i+1)) {
		i++
	}
	for j > i && skipped(d, j-1, trailWords) && !(d.Tokens[j-1].Class == detectors.Letter) {
		j--
	}
	return i, j
}

// covered tells whether most of an answer was found already, so that its parts
// are better told apart.
func covered(d *detectors.Document, i, j int) bool {
	all, found := 0, 0
	for ; i < j; i++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			continue
		}
		all++
		for n := range d.Findings {
			if f := &d.Findings[n]; f.Start <= int(t.Start) && f.End >= int(t.End) {
				found++
				break
			}
		}
	}
	return found*10 >= all*7
}

// spelledAgain makes a name of each part of an answer that says a name and then
// spells it, "Hess, H-E-S-S", so that both are found to be one.
func spelledAgain(d *detectors.Document, i, j int) bool {
	k := i
	for k < j && d.Tokens[k].Class.IsWord() && d.Tokens[k].Class != detectors.Letter {
		k++
	}
	first := k
	for k < j && d.Tokens[k].Class == detectors.Punct {
		k++
	}
	if first == i || first-i > maxNameAnswer || j-k < 3 {
		return false
	}
	for n := k; n < j; n++ {
		if t := &d.Tokens[n]; t.Class != detectors.Punct && t.Class != detectors.Letter && !t.Is(detectors.LetterName|detectors.Spelling) {
			return false
		}
	}
	for _, part := range [2][2]int{{i, first}, {k, j}} {
		f := detectors.Finding{
			Start: int(d.Tokens[part[0]].Start), End: int(d.Tokens[part[1]-1].End), Type: detectors.PersonName, Likelihood: detectors.Likely,
			Score: detectors.ScoreOf(detectors.Likely), Detector: "question", Evidence: detectors.ByExpectation,
		}
		if part[0] == k {
			f.Value = joined(d, k, j)
		}
		d.Add(f)
	}
	return true
}

// clauseEnd cuts an answer that is a name before "but ...", "in ...".
func clauseEnd(d *detectors.Document, i, j int) int {
	for k := i + 1; k < j; k++ {
		switch string(d.Word(k)) {
		case "but", "in", "though", "however":
			for k > i && d.Tokens[k-1].Class == detectors.Punct {
				k--
			}
			return k
		}
	}
	return j
}

// valuePart cuts an answer that holds a code down to the part that can be the
// value: after "is" or "at" before the code, and not beyond "and my ...".
func valuePart(d *detectors.Document, i, j int) (int, int) {
	first := i
	for first < j && !valueToken(d, first) {
		first++
	}
	if first == j {
		return i, j
	}
	for k := i; k < first; k++ {
		t := &d.Tokens[k]
		if t.Is(detectors.Copula|detectors.IsHotword|detectors.Prepos) || placeWord(string(d.Word(k))) ||
			t.Class == detectors.Punct && t.Ch != '@' && t.Ch != '#' {
			i = k + 1
		}
	}
	for k := first + 1; k+1 < j; k++ {
		next := string(d.Word(k + 1))
		switch string(d.Word(k)) {
		case "and", "but":
			if next == "my" || next == "the" || next == "i" || next == "his" || next == "her" || next == "that" || next == "it" {
				j = k
			}
		case "that", "in", "my", "i", "zip", "postal":
			if next == "'s" || next == "is" || next == "code" || d.Tokens[k].Len() == 2 && d.Tokens[k+1].Class != detectors.Letter && !valueToken(d, k+1) {
				j = k
			}
		case ".":
			if !d.Tokens[k+1].Glued() && d.Tokens[k+1].Class != detectors.Letter && d.Tokens[k-1].Class != detectors.Letter {
				j = k
			}
		}
	}
	for j > i && (d.Tokens[j-1].Class == detectors.Punct || d.Tokens[j-1].Is(detectors.Function) && d.Tokens[j-1].Class != detectors.Letter) {
		j--
	}
	return i, j
}

// valueToken tells whether a token belongs to a code or a date for sure.
func valueToken(d *detectors.Document, i int) bool {
	t := &d.Tokens[i]
	switch t.Class {
	case detectors.Digits, detectors.Alnum:
		return true
	case detectors.Letter:
		return t.Ch != 'i' && t.Ch != 'a'
	}
	return t.Is(detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Ordinal | detectors.Month | detectors.Mult | detectors.Spelling)
}

func placeWord(w string) bool {
	switch w {
	case "at", "on", "to", "live", "located", "born", "moved", "was":
		return true
	}
	return false
}

func skipped(d *detectors.Document, i int, words map[string]bool) bool {
	t := &d.Tokens[i]
	return t.Class == detectors.Punct && t.Ch != '@' && t.Ch != '#' || t.Is(detectors.Filler) || words[string(d.Word(i))]
}

// fragment tells whether token i is a piece of something spelled.
func fragment(d *detectors.Document, i int) bool {
	switch t := &d.Tokens[i]; t.Class {
	case detectors.Letter, detectors.Digits, detectors.Alnum:
		return true
	case detectors.Punct, detectors.Clitic, detectors.Other:
		return false
	default:
		return t.Len() <= 2 && !t.Is(detectors.Function) || t.Is(detectors.NumWord|detectors.Spelling|detectors.Mult)
	}
}

// shape counts what a stretch of text is made of.
type shape struct {
	// tokens counts all but punctuation; plain those that carry grammar;
	// common everyday words; rare words that are neither.
	tokens, plain, common, rare int
	// codes counts digits, single letters and what stands for them; numbers
	// those of them that are numbers, months and ordinals; joints words as
	// "dot" and "at".
	codes, numbers, joints int
	// sentences tells that it holds a full stop or a comma.
	sentences bool
	// spelled tells that it is mostly fragments.
	spelled bool
}

func shapeOf(d *detectors.Document, i, j int) shape {
	var c shape
	fragments := 0
	for ; i < j; i++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct || t.Class == detectors.Other {
			if t.Ch == '?' || !t.Glued() {
				continue
			}
			c.sentences = c.sentences || (t.Ch == '.' || t.Ch == ',') && i+1 < j && !d.Tokens[i+1].Glued()
			if t.Ch == '@' || t.Ch == '_' {
				c.joints++
			}
			continue
		}
		c.tokens++
		if fragment(d, i) {
			fragments++
		}
		number := t.Class == detectors.Digits || t.Class == detectors.Alnum ||
			t.Is(detectors.NumWord|detectors.Teen|detectors.Tens|detectors.Ordinal|detectors.Month)
		switch {
		case number:
			c.numbers++
			c.codes++
		case t.Class == detectors.Letter && t.Ch != 'i' && t.Ch != 'a' || t.Is(detectors.Spelling|detectors.Mult):
			c.codes++
		case t.Class == detectors.Clitic || t.Is(detectors.Function|detectors.Back|detectors.Correct):
			c.plain++
		default:
			if t.Is(detectors.Connect) {
				c.joints++
			}
			if e := lexicon.LookupHash(t.Hash); e.Common() >= 11 && e.Name() < 6 {
				c.common++
			} else {
				c.rare++
			}
		}
	}
	c.spelled = c.tokens >= 3 && fragments*2 >= c.tokens || c.tokens == 2 && fragments == 2
	return c
}

// nameAnswer tells whether tokens i to j are a name because one was asked for.
func nameAnswer(d *detectors.Document, i, j int, c shape, strength float32) bool {
	for n := range d.Findings {
		// A name that was found within more words is the answer.
		f := &d.Findings[n]
		if f.Type == detectors.PersonName && (c.tokens > 3 || c.sentences) && !c.spelled &&
			f.Start < int(d.Tokens[j-1].End) && f.End > int(d.Tokens[i].Start) {
			return false
		}
	}
	switch {
	case c.spelled && namesPart(d, i, j):
		return false
	case c.spelled:
		return strength >= 0.8 && c.plain*2 <= c.tokens && c.numbers*3 <= c.tokens
	case c.tokens > maxNameAnswer || c.sentences || c.rare == 0 || c.numbers > 0:
		return false
	case strength == 1:
		return c.plain <= 1 && c.plain*2 <= c.tokens && c.common <= c.rare
	}
	// Some turns later, every word must look like a name.
	if c.plain+c.common > 0 {
		return false
	}
	for ; i < j; i++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			continue
		}
		if e := lexicon.LookupHash(t.Hash); !t.Class.IsWord() || e.Common() > 0 && e.Name() < e.Common() {
			return false
		}
	}
	return true
}

// namesPart tells whether an answer says which part of a name it gives, "last
// name", so that it is more than one value.
func namesPart(d *detectors.Document, i, j int) bool {
	for ; i < j; i++ {
		if string(d.Word(i)) == "name" {
			return true
		}
	}
	return false
}

// spelledNames makes names of the spelled words in the answer to a question for
// a name.
func spelledNames(d *detectors.Document) {
	for n := range d.Findings {
		if f := &d.Findings[n]; f.Type == detectors.SpelledWord {
			f.Type = detectors.PersonName
			f.Evidence |= detectors.ByExpectation
		}
	}
}

// joined returns the letters of a stretch as one word.
func joined(d *detectors.Document, i, j int) string {
	var b strings.Builder
	for ; i < j; i++ {
		if d.Tokens[i].Class.IsWord() {
			b.Write(d.Word(i))
		}
	}
	return b.String()
}
