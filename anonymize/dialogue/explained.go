package dialogue

import (
	"slices"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/state"
)

// How often a word must be a name, on the lexicon's scale, to be one that is explained, and one that a person is: "I'm a Cook".
const (
	explainedName = 4
	personIs      = 5
)

const (
	// explanationLength bounds the tokens of an explanation: "like the price of something".
	explanationLength = 8
	// maxExplanations bounds the explanations of a turn that are looked at.
	maxExplanations = 16
)

// FindExplained adds names that are ordinary words and that people explain as such: "Brown, like the colour", "like the colour,
// Brown" and "now I'm a Cook", where a name was asked for or the turn speaks of one. A name of the turn that its explanation says
// again is added, too: "Price, like the price of something".
func FindExplained(d *detectors.Document, c *state.Call, turn Turn) {
	surname := speaksOfSurname(d)
	asked, spelled := asksForName(c, turn)
	if spelled && addSounds(d, detectors.PersonName) {
		return
	}
	named := surname || asked
	explained := 0
	for i := range d.Tokens {
		if n := explains(d, i); n > 0 && explained < maxExplanations {
			explained++
			if named {
				addBeforeExplanation(d, i)
				addBehindExplanation(d, i, i+n)
			}
			addExplainedAgain(d, i+n)
		}
		if surname && isOne(d, i) {
			addName(d, i+2)
		}
	}
	for _, f := range d.Findings {
		addSpelledAgain(d, &f)
	}
}

// addSpelledAgain adds the words behind a name that spell it, as a recognizer writes the names of letters: "Curt, that's see you are
// tea". One letter may be another one than in the name, as it was heard.
func addSpelledAgain(d *detectors.Document, f *detectors.Finding) {
	first, i := d.TokenAt(f.Start), d.TokenAt(f.End)
	if f.Type != detectors.PersonName || first+1 != i {
		return
	}
	name := d.Word(first)
	for end := i + maxBeforeSpelling; i < len(d.Tokens) && i < end && (d.Tokens[i].Class == detectors.Punct || d.Tokens[i].Class == detectors.Clitic || beforeAnswer.Has(d.Tokens[i].Hash) || d.Tokens[i].Is(detectors.Filler)); {
		i++
	}
	begin, last, same, right := i, i, 0, 0
	var letters []byte
	for ; i < len(d.Tokens) && len(letters) < len(name); i++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct && len(letters) > 0 {
			continue
		}
		if t.Class != detectors.Letter && !t.Is(detectors.LetterName|detectors.LetterSound) {
			break
		}
		letters = append(letters, t.Ch)
		if t.Ch == name[len(letters)-1] { // what follows the last such letter may be another sentence
			same, last, right = same+1, i, len(letters)
		}
	}
	if same >= 3 && same >= len(name)-1 {
		spelled := answerFinding(d, begin, last+1, detectors.PersonName)
		spelled.Value = string(letters[:right])
		addAnswer(d, spelled)
	}
}

// maxBeforeSpelling bounds the tokens between a name and its spelling: ", that's spelled".
const maxBeforeSpelling = 4

// asksForName reports whether the turn before asked for a name, and whether for its spelling.
func asksForName(c *state.Call, turn Turn) (asks, spelled bool) {
	for i := range c.Questions() {
		q := &c.Questions()[i]
		ago, isNear := turn.ago(q.Seq, q.TimeMS)
		if q.Type == string(detectors.PersonName) && isNear && ago == 1 && q.Asker != turn.Speaker {
			asks, spelled = true, spelled || q.Spell
		}
	}
	return asks, spelled
}

// speaksOfSurname reports whether a turn speaks of last names, or of a marriage, by which people get another one.
func speaksOfSurname(d *detectors.Document) bool {
	for i := range d.Tokens {
		if surnameWords.Has(d.Tokens[i].Hash) || d.Tokens[i].Hash == wordName && i > 0 && surnameKinds.Has(d.Tokens[i-1].Hash) {
			return true
		}
	}
	return false
}

// explains returns how many tokens from i on lead to an explanation, 0 if none do.
func explains(d *detectors.Document, i int) int {
	switch {
	case d.WordIs(i, "like"):
		return 1
	case d.WordIs(i, "as") && d.WordIs(i+1, "in"), d.WordIs(i, "same") && d.WordIs(i+1, "as"):
		return 2
	}
	return 0
}

// isOne reports whether tokens i and i+1 say that somebody is one of what follows, and that may be a name.
func isOne(d *detectors.Document, i int) bool {
	if !beingWords.Has(d.Tokens[i].Hash) || !d.WordIs(i+1, "a") && !d.WordIs(i+1, "an") || !isNameLike(d, i+2, personIs) {
		return false
	}
	return i+3 == len(d.Tokens) || !d.Tokens[i+3].Class.IsWord() || d.Tokens[i+3].Is(detectors.Function|detectors.Backchannel)
}

// isNameLike reports whether token i is a word that is a name so often.
func isNameLike(d *detectors.Document, i, least int) bool {
	return i >= 0 && i < len(d.Tokens) && d.Tokens[i].Class.IsWord() && d.Tokens[i].Class != detectors.Letter && !d.Tokens[i].Is(detectors.Function|detectors.Filler|detectors.Backchannel) &&
		lexicon.LookupHash(d.Tokens[i].Hash).Name() >= least
}

// addBeforeExplanation adds the word before the explanation that begins with token i: "Brown, like the colour".
func addBeforeExplanation(d *detectors.Document, i int) {
	k := i - 1
	for k >= 0 && d.Tokens[k].Class == detectors.Punct {
		k--
	}
	if isNameLike(d, k, explainedName) {
		addName(d, k)
	}
}

// addBehindExplanation adds the word that the explanation from token i on leads to, at the end of the turn or between marks: "like the
// colour, Brown", "like the color brown". Its first words are those that lead to the answer.
func addBehindExplanation(d *detectors.Document, begin, i int) {
	words := 0
	for k := i; k < len(d.Tokens) && k < i+explanationLength; k++ {
		if d.Tokens[k].Class.IsWord() {
			words++
			continue
		}
		if words > 1 && isNameLike(d, k+1, explainedName) && (k+2 == len(d.Tokens) || !d.Tokens[k+2].Class.IsWord()) {
			addName(d, k+1)
		}
		return
	}
	if last := len(d.Tokens) - 1; words == 3 && last < i+explanationLength && !slices.ContainsFunc(d.Tokens[:begin], func(t detectors.Token) bool {
		return t.Class != detectors.Punct && !t.Is(detectors.Filler) && !beforeAnswer.Has(t.Hash)
	}) && isNameLike(d, last, explainedName) {
		addName(d, last)
	}
}

// addExplainedAgain adds the words of the explanation from token i on that are a name of the turn.
func addExplainedAgain(d *detectors.Document, i int) {
	for k := i; k < len(d.Tokens) && k < i+explanationLength && d.Tokens[k].Ch != '.'; k++ {
		if d.Tokens[k].Is(detectors.Function) || !d.Tokens[k].Class.IsWord() || d.Tokens[k].Class == detectors.Letter {
			continue
		}
		isName := func(f detectors.Finding) bool {
			t := d.TokenAt(f.Start)
			return f.Type == detectors.PersonName && t < len(d.Tokens) && d.Tokens[t].Hash == d.Tokens[k].Hash && int(d.Tokens[t].End) == f.End
		}
		if slices.ContainsFunc(d.Findings, isName) {
			addName(d, k)
		}
	}
}

// addName adds token i as a last name.
func addName(d *detectors.Document, i int) {
	f := answerFinding(d, i, i+1, detectors.PersonName)
	f.Hint = detectors.HintSurname
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

// addAnswer adds an answer, unless a finding of its type covers it.
func addAnswer(d *detectors.Document, f detectors.Finding) {
	for n := range d.Findings {
		if g := &d.Findings[n]; g.Type == f.Type && g.Start <= f.Start && g.End >= f.End {
			return
		}
	}
	d.Add(f)
}

// answerFinding returns the finding of tokens i to j-1 as an answer.
func answerFinding(d *detectors.Document, i, j int, t detectors.InfoType) detectors.Finding {
	return detectors.Finding{
		Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: t, Likelihood: detectors.Likely,
		Score: detectors.ScoreOf(detectors.Likely), Detector: "question", Evidence: detectors.ByCue,
	}
}

// surrounds reports whether token i may stand beside an answer: a mark, a filler, or
// one of a set of words.
func surrounds(d *detectors.Document, i int, words func(hash uint64) bool) bool {
	t := &d.Tokens[i]
	return t.Class == detectors.Punct && t.Ch != '@' && t.Ch != '#' || t.Is(detectors.Filler) || words(t.Hash)
}
