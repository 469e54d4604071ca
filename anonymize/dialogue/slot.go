package dialogue

import (
	"slices"
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
	// maxMisheard is how many words an answer may have to be a name as a whole if its
	// first or last word is one: the others are what the recognizer made of the rest.
	maxMisheard = 3
	// commonWord is how common a word is that no name is made of, on the lexicon's
	// scale; likelyName is how often a word is a name that may be one all the same.
	commonWord = 11
	likelyName = 6
)

// FillSlots adds the findings that a turn contains because they were asked for, and
// gives numbers without a type the type that was asked for.
func FillSlots(d *detectors.Document, c *state.Call, turn Turn) {
	for i := range c.Questions() {
		q := &c.Questions()[i]
		if s := strength(c, turn, q); s > 0 {
			fillSlot(d, q, s)
			retype(d, q)
		}
	}
}

// retype makes a number without a type what was asked for. A part of a value, the
// first of several turns, has no form by which a detector could recognize it.
func retype(d *detectors.Document, q *state.Question) {
	infoType := detectors.InfoType(q.Type)
	if infoType == detectors.DateOfBirth {
		makeExpected(d, detectors.Date, infoType)
		return
	}
	if _, sure := fullLength(infoType); !sure && infoType != detectors.GenericID {
		return
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Type == detectors.Numeric && f.Evidence&detectors.ByHotword == 0 {
			f.Type = infoType
			f.Evidence |= detectors.ByExpectation
		}
	}
}

// fillSlot adds a whole turn, without what surrounds the answer, as the answer to an
// open question for a name: a recognizer that never heard a name writes down words
// that no detector can know. The fresher the question, the more the turn is trusted.
func fillSlot(d *detectors.Document, q *state.Question, strength float32) {
	infoType := detectors.InfoType(q.Type)
	if infoType != detectors.PersonName && infoType != detectors.OrganizationName {
		return
	}
	if q.Spell && strength >= 0.8 && addSounds(d, infoType) {
		return
	}
	i, j := answerWithin(d)
	if infoType == detectors.PersonName {
		makeExpected(d, detectors.SpelledWord, detectors.PersonName)
	}
	j = nameEnd(d, i, j)
	if addSpelledName(d, i, j) || i >= j || j-i > maxAnswer {
		return
	}
	s := shapeOf(d, i, j)
	f := answerFinding(d, i, j, infoType)
	if infoType == detectors.PersonName {
		if !isNameAnswer(d, i, j, s, strength) {
			return
		}
		if f.Hint = hints[q.Part]; q.Whose != state.OfThird {
			f.Hint |= detectors.HintSelf
		}
		// Fragments of up to three letters are one word.
		isLong := func(t detectors.Token) bool { return t.Class != detectors.Punct && t.Len() > 3 && !isFragment(&t) }
		if s.spelled && !slices.ContainsFunc(d.Tokens[i:j], isLong) {
			f.Value = joinLetters(d, i, j)
		}
	} else if !s.isOrganization(strength) {
		return
	}
	addAnswer(d, f)
}

// addSounds adds a turn that is words which sound like letters, and nothing but what may stand before an answer, as the answer to a
// question for a spelling: "sure, see you are are why". It reports whether the turn is that.
func addSounds(d *detectors.Document, infoType detectors.InfoType) bool {
	isSound := func(i int) bool {
		return d.Tokens[i].Class == detectors.Letter || d.Tokens[i].Is(detectors.LetterName|detectors.LetterSound) || d.WordIs(i, "oh")
	}
	first, last := len(d.Tokens), 0
	var letters []byte
	for i := len(d.Tokens) - 1; i >= 0; i-- {
		switch {
		case isSound(i) && (first > i+1 && len(letters) > 0 && d.Tokens[i+1].Class != detectors.Punct):
			return false
		case isSound(i):
			first, last = i, max(last, i)
			if letters = append(letters, d.Tokens[i].Ch); d.WordIs(i, "oh") {
				letters[len(letters)-1] = 'o'
			}
		case !surrounds(d, i, beforeAnswer.Has):
			return false
		}
	}
	if len(letters) < 3 {
		return false
	}
	slices.Reverse(letters)
	f := answerFinding(d, first, last+1, infoType)
	f.Value, f.Evidence = string(letters), f.Evidence|detectors.ByStructure // the words say nothing of a name
	addAnswer(d, f)
	return true
}

// addAnswer adds an answer, unless a finding of its type covers it, which is then expected.
func addAnswer(d *detectors.Document, f detectors.Finding) {
	for n := range d.Findings {
		if g := &d.Findings[n]; g.Type == f.Type && g.Start <= f.Start && g.End >= f.End {
			g.Evidence |= detectors.ByExpectation
			return
		}
	}
	d.Add(f)
}

// answerFinding returns the finding of tokens i to j-1 as an answer.
func answerFinding(d *detectors.Document, i, j int, t detectors.InfoType) detectors.Finding {
	return detectors.Finding{
		Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: t, Likelihood: detectors.Likely,
		Score: detectors.ScoreOf(detectors.Likely), Detector: "question", Evidence: detectors.ByExpectation,
	}
}

var hints = map[state.Part]detectors.Hint{state.PartGiven: detectors.HintGiven, state.PartSurname: detectors.HintSurname}

// answerWithin returns the tokens i to j-1 of a turn that are left without what leads
// up to an answer and what follows it.
func answerWithin(d *detectors.Document) (i, j int) {
	j = len(d.Tokens)
	for i < j && surrounds(d, i, beforeAnswer.Has) && !(d.Tokens[i].Class == detectors.Letter && i+1 < j && isFragment(&d.Tokens[i+1])) {
		i++
	}
	for j > i && surrounds(d, j-1, afterAnswer.Has) && d.Tokens[j-1].Class != detectors.Letter {
		j--
	}
	return i, j
}

// surrounds reports whether token i may stand beside an answer: a mark, a filler, or
// one of a set of words.
func surrounds(d *detectors.Document, i int, words func(hash uint64) bool) bool {
	t := &d.Tokens[i]
	return t.Class == detectors.Punct && t.Ch != '@' && t.Ch != '#' || t.Is(detectors.Filler) || words(t.Hash)
}

// addSpelledName adds a name for each part of an answer that says a name and then
// spells it, "Hess, H-E-S-S", and reports whether the answer is that. Both parts are
// then linked to one person.
func addSpelledName(d *detectors.Document, i, j int) bool {
	k := i
	for k < j && d.Tokens[k].Class.IsWord() && d.Tokens[k].Class != detectors.Letter {
		k++
	}
	end := k
	for k < j && d.Tokens[k].Class == detectors.Punct {
		k++
	}
	if end == i || end-i > maxNameAnswer || j-k < 3 || !isSpelling(d, k, j) {
		return false
	}
	d.Add(answerFinding(d, i, end, detectors.PersonName))
	spelled := answerFinding(d, k, j, detectors.PersonName)
	spelled.Value = joinLetters(d, k, j)
	d.Add(spelled)
	return true
}

// isSpelling reports whether tokens i to j-1 are nothing but letters and marks.
func isSpelling(d *detectors.Document, i, j int) bool {
	return !slices.ContainsFunc(d.Tokens[i:j], func(t detectors.Token) bool {
		return t.Class != detectors.Punct && t.Class != detectors.Letter && !t.Is(detectors.LetterName|detectors.Spelling)
	})
}

// nameEnd returns where an answer that is a name ends: before "but ...", "in ...".
func nameEnd(d *detectors.Document, i, j int) int {
	for k := i + 1; k < j; k++ {
		if afterName.Has(d.Tokens[k].Hash) {
			for k > i && d.Tokens[k-1].Class == detectors.Punct {
				k--
			}
			return k
		}
	}
	return j
}

// isFragment reports whether a token is a piece of something that is spelled.
func isFragment(t *detectors.Token) bool {
	switch t.Class {
	case detectors.Letter, detectors.Digits, detectors.Alnum:
		return true
	case detectors.Punct, detectors.Clitic, detectors.Other:
		return false
	default:
		return t.Len() <= 2 && !t.Is(detectors.Function) || t.Is(detectors.NumWord|detectors.Spelling|detectors.Mult)
	}
}

// shape counts what an answer consists of.
type shape struct {
	// tokens counts all but punctuation: grammar words, common everyday words, numbers,
	// and rare words, which are none of these. Single letters are in no group.
	tokens, grammar, common, numbers, rare int
	// sentences means that it contains a full stop or a comma.
	sentences bool
	// spelled means that it consists mostly of fragments.
	spelled bool
}

func shapeOf(d *detectors.Document, i, j int) shape {
	var s shape
	fragments := 0
	for ; i < j; i++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct || t.Class == detectors.Other {
			s.sentences = s.sentences || t.Glued() && (t.Ch == '.' || t.Ch == ',') && i+1 < j && !d.Tokens[i+1].Glued()
			continue
		}
		s.tokens++
		if isFragment(t) {
			fragments++
		}
		s.count(t)
	}
	s.spelled = s.tokens >= 3 && fragments*2 >= s.tokens || s.tokens == 2 && fragments == 2
	return s
}

func (s *shape) count(t *detectors.Token) {
	const number = detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Ordinal | detectors.Month
	switch {
	case t.Class == detectors.Digits, t.Class == detectors.Alnum, t.Is(number):
		s.numbers++
	case t.Class == detectors.Letter && t.Ch != 'i' && t.Ch != 'a', t.Is(detectors.Spelling | detectors.Mult):
	case t.Class == detectors.Clitic, t.Is(detectors.Function | detectors.Backchannel | detectors.Correct):
		s.grammar++
	default:
		if e := lexicon.LookupHash(t.Hash); e.Common() >= commonWord && e.Name() < likelyName {
			s.common++
		} else {
			s.rare++
		}
	}
}

func (s *shape) isOrganization(strength float32) bool {
	return strength == 1 && s.tokens <= 5 && s.grammar == 0 && s.rare > 0 && !s.sentences
}

// isNameAnswer reports whether tokens i to j-1 are a name because one was asked for.
func isNameAnswer(d *detectors.Document, i, j int, s shape, strength float32) bool {
	if s.spelled {
		// An answer that says which part of a name it gives, "last name", contains more than one value.
		namesPart := slices.ContainsFunc(d.Tokens[i:j], func(t detectors.Token) bool { return t.Hash == wordName })
		return !namesPart && strength >= 0.8 && s.grammar*2 <= s.tokens && s.numbers*3 <= s.tokens
	}
	if (s.tokens > maxMisheard || s.sentences) && containsName(d, i, j) {
		return false // the name that was found within more words is the answer
	}
	if s.sentences || s.numbers > 0 {
		return false
	}
	if strength == 1 && s.tokens <= maxMisheard && hasNameAtEdge(d, i, j) {
		return true
	}
	if s.tokens > maxNameAnswer || s.rare == 0 {
		return false
	}
	if strength == 1 {
		return s.grammar <= 1 && s.grammar*2 <= s.tokens && s.common <= s.rare
	}
	return s.grammar+s.common == 0 && allLikeNames(d, i, j)
}

// allLikeNames reports whether every word of tokens i to j-1 looks like a name.
func allLikeNames(d *detectors.Document, i, j int) bool {
	return !slices.ContainsFunc(d.Tokens[i:j], func(t detectors.Token) bool {
		e := lexicon.LookupHash(t.Hash)
		return t.Class != detectors.Punct && (!t.Class.IsWord() || e.Common() > 0 && e.Name() < e.Common())
	})
}

func containsName(d *detectors.Document, i, j int) bool {
	start, end := int(d.Tokens[i].Start), int(d.Tokens[j-1].End)
	return slices.ContainsFunc(d.Findings, func(f detectors.Finding) bool {
		return f.Type == detectors.PersonName && f.Start < end && f.End > start
	})
}

// hasNameAtEdge reports whether the tagger or a list found a name that begins or ends
// tokens i to j-1 and that no words introduce.
func hasNameAtEdge(d *detectors.Document, i, j int) bool {
	start, end := int(d.Tokens[i].Start), int(d.Tokens[j-1].End)
	if slices.ContainsFunc(d.Tokens[i:j], func(t detectors.Token) bool { return notInAnswer.Has(t.Hash) }) {
		return false
	}
	return slices.ContainsFunc(d.Findings, func(f detectors.Finding) bool {
		return f.Type == detectors.PersonName && f.Evidence&detectors.ByCue == 0 &&
			(f.Start == start && f.End <= end || f.End == end && f.Start >= start)
	})
}

// makeExpected makes the findings of a type those of one that was asked for.
func makeExpected(d *detectors.Document, from, to detectors.InfoType) {
	for n := range d.Findings {
		if f := &d.Findings[n]; f.Type == from {
			f.Type = to
			f.Evidence |= detectors.ByExpectation
		}
	}
}

func joinLetters(d *detectors.Document, i, j int) string {
	var b strings.Builder
	for ; i < j; i++ {
		if d.Tokens[i].Class.IsWord() {
			b.Write(d.Word(i))
		}
	}
	return b.String()
}
