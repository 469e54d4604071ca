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
		"can speaking here fine great account got just listed put down use mine his her their our they he she on for goes by husband wife " +
		"son daughter mother father mom dad brother sister boss manager friend partner spouse know work at employed working employer company")
	// trailWords may stand after it.
	trailWords = wordSet("please thanks thank you yes okay ok sir madam ma'am maam speaking here is that it correct right yeah um uh and")
)

// talkWords make of a name in a short turn something other than the answer.
var talkWords = wordSet("ask call tell told who what when where why how think mean need want guess maybe not no wait about from with for to " +
	"sorry see said says say spoke talk looking waiting again already later me him them us don't didn't")

// answer adds the whole of a turn, without what leads up to it, as the answer
// to an open question for a name, because a recogniser that never heard of a
// name writes down words that no detector can know. strength tells how fresh the
// question is: a turn right after it is believed more.
func (t *turn) answer(d *detectors.Document, q *state.Question, strength float32) {
	infoType := detectors.InfoType(q.Type)
	if infoType != detectors.PersonName && infoType != detectors.OrganizationName {
		return
	}
	i, j := t.core(d)
	if infoType == detectors.PersonName {
		spelledNames(d)
	}
	j = clauseEnd(d, i, j)
	if spelledAgain(d, i, j) {
		return
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
	}
	if !ok {
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
		if c.spelled && allFragments(d, i, j) {
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
	// tokens counts all but punctuation: plain those that carry grammar, common
	// everyday words, numbers, and rare words that are none of these.
	tokens, plain, common, numbers, rare int
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
			c.sentences = c.sentences || t.Glued() && (t.Ch == '.' || t.Ch == ',') && i+1 < j && !d.Tokens[i+1].Glued()
			continue
		}
		c.tokens++
		if fragment(d, i) {
			fragments++
		}
		switch {
		case t.Class == detectors.Digits, t.Class == detectors.Alnum,
			t.Is(detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Ordinal | detectors.Month):
			c.numbers++
		case t.Class == detectors.Letter && t.Ch != 'i' && t.Ch != 'a', t.Is(detectors.Spelling | detectors.Mult):
		case t.Class == detectors.Clitic || t.Is(detectors.Function|detectors.Backchannel|detectors.Correct):
			c.plain++
		default:
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
	case strength == 1 && c.tokens <= maxMisheard && c.numbers == 0 && !c.sentences && nameAtEdge(d, i, j):
		return true
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

// maxMisheard is how many words an answer may have to be all name when its first
// or last is one: the others are what the recogniser made of the rest.
const maxMisheard = 3

// nameAtEdge tells whether the tagger or a list found a name that begins or ends
// a stretch of text and that no words introduce.
func nameAtEdge(d *detectors.Document, i, j int) bool {
	start, end := int(d.Tokens[i].Start), int(d.Tokens[j-1].End)
	for k := i; k < j; k++ {
		if talkWords[string(d.Word(k))] {
			return false
		}
	}
	for n := range d.Findings {
		f := &d.Findings[n]
		if f.Type == detectors.PersonName && f.Evidence&detectors.ByCue == 0 && (f.Start == start && f.End <= end || f.End == end && f.Start >= start) {
			return true
		}
	}
	return false
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

// allFragments tells whether a stretch holds nothing but fragments, of up to three
// letters, so that it is one word.
func allFragments(d *detectors.Document, i, j int) bool {
	for ; i < j; i++ {
		if d.Tokens[i].Class != detectors.Punct && d.Tokens[i].Len() > 3 && !fragment(d, i) {
			return false
		}
	}
	return true
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
