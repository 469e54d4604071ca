package mention

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/ner"
	"sotto/detectors/wordlist"
	"sotto/state/linking"
)

// Phrases before a name that say whose it is, and the kinship words that say so of a third person.
var (
	beforeOwn    = detectors.PhrasesOf[uint8](lists, "before the speaker's name")
	beforeAlso   = detectors.PhrasesOf[uint8](lists, "before another name of the speaker")
	beforeOthers = detectors.PhrasesOf[uint8](lists, "before the listener's name")
	beforeThirds = detectors.PhrasesOf[uint8](lists, "before a third person's name")
	confirming   = detectors.PhrasesOf[uint8](lists, "before a name that is confirmed")
	afterOwn     = lists.Set("after the speaker's name")
	addressing   = lists.Set("addressing words")
	aliasWords   = lists.Set("before another name of somebody")
	otherWords   = lists.Set("before another person of the name")
	// countingWords do so only right before the name: "there is a Hess", but not "a letter from Hess".
	countingWords = lists.Set("right before another person of the name")
	aboutNames    = lists.Set("words about names")
	beforeAsk     = lists.Set(`before "ask for"`)
	possessives   = lists.Set("possessives")
	maleWords     = lists.Set("male words")
	femaleWords   = lists.Set("female words")
	kinWords      = joined(lists, "male words", "female words", "kinship words")
)

func joined(f *wordlist.File, names ...string) wordlist.Set {
	var all []string
	for _, n := range names {
		all = append(all, f.Words(n)...)
	}
	return wordlist.NewSet(all...)
}

// talkOf reads what the words around a name say about the person.
func talkOf(d *detectors.Document, f *detectors.Finding) linking.Talk {
	var t linking.Talk
	first, last := d.TokenAt(f.Start), readWords(d, f, &t)
	before := readTitle(d, first, &t)
	i, comma := before, false
	for i > 0 && (d.Tokens[i-1].Is(detectors.Filler) || d.IsMark(i-1, ',')) {
		i--
		comma = comma || d.IsMark(i, ',')
	}
	if comma && i > 0 {
		readGender(&d.Tokens[i-1], &t) // "my wife, Ida"
	}
	start := i == 0 || d.Tokens[i-1].Class == detectors.Punct && !d.IsMark(i-1, ',')
	end := last >= len(d.Tokens) || d.Tokens[last].Class == detectors.Punct
	t.Starts, t.Ends = start, end
	t.Possessive = last < len(d.Tokens) && d.Tokens[last].Class == detectors.Clitic
	t.Asked = end && last < len(d.Tokens) && d.IsMark(last, '?')
	t.AboutName = hasNear(aboutNames, d, before-8, before) || hasNear(aboutNames, d, last, last+5)
	t.Kin = i > 1 && kinWords.Has(d.Tokens[i-1].Hash) && d.WordIs(i-2, "my")
	t.Also = endsWithin(beforeAlso, d, i)
	t.Alias, t.Another = hasWithin(aliasWords, d, i, 6), hasWithin(otherWords, d, i, 3) || hasWithin(countingWords, d, i, 1)
	t.Relative, t.Or = hasWithin(kinWords, d, i, 4), i > 0 && d.WordIs(i-1, "or")
	t.Back = tellsToAsk(d, i)
	t.Role = roleAt(d, f, i, last, comma, &t)
	return t
}

// readWords reads how usual the words of a name are, and returns the token behind it.
func readWords(d *detectors.Document, f *detectors.Finding, t *linking.Talk) (last int) {
	last = d.TokenAt(f.End)
	lexicon.Read(d)
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		e := entryOf(&d.Tokens[i])
		t.Given, t.Surname = max(t.Given, uint8(e.Given())), max(t.Surname, uint8(e.Surname()))
		t.Common = max(t.Common, uint8(e.Common()))
		last = i + 1
	}
	return last
}

// roleAt reads the part in the talk of a name, which is between two tokens. comma says that one is before it.
func roleAt(d *detectors.Document, f *detectors.Finding, i, last int, comma bool, t *linking.Talk) linking.Role {
	switch {
	case endsWithin(confirming, d, i), t.Asked && endsWithin(beforeOwn, d, i):
		return linking.RoleConfirmed
	case endsWithin(beforeOthers, d, i):
		return linking.RoleOther
	case isIntroduced(f, i), endsWithin(beforeOwn, d, i), last < len(d.Tokens) && afterOwn.Has(d.Tokens[last].Hash):
		return linking.RoleOwn
	case endsWithin(beforeThirds, d, i), i > 1 && kinWords.Has(d.Tokens[i-1].Hash) && possessives.Has(d.Tokens[i-2].Hash):
		return linking.RoleThird
	case i > 0 && addressing.Has(d.Tokens[i-1].Hash):
		return linking.RoleAddressed
	case t.Ends && comma && !t.Starts:
		return linking.RoleSetOff
	case t.Ends && t.Starts:
		return linking.RoleAlone
	}
	return linking.RoleNone
}

// tellsToAsk reports whether the words before token i tell whom to ask for: "call back and ask for Ida".
func tellsToAsk(d *detectors.Document, i int) bool {
	if i < 2 || !d.WordIs(i-1, "for") || !d.WordIs(i-2, "ask") {
		return false
	}
	return i == 2 || d.Tokens[i-3].Class == detectors.Punct || beforeAsk.Has(d.Tokens[i-3].Hash)
}

// IsGreetedAndCalling reports whether the word before a name is a greeting, and the one behind it says that the name is the speaker's, so
// that the name may be of two people.
func IsGreetedAndCalling(d *detectors.Document, f *detectors.Finding) bool {
	first, last := d.TokenAt(f.Start), d.TokenAt(f.End)
	return first > 0 && last < len(d.Tokens) && ner.IsGreeting(d, first-1) && afterOwn.Has(d.Tokens[last].Hash)
}

// isIntroduced reports whether the words before token i, if there are any, introduce the name of who speaks. That of a label or a
// participant needs no words.
func isIntroduced(f *detectors.Finding, i int) bool {
	return i > 0 && f.Type == detectors.PersonName && f.Hint&detectors.HintSelf != 0
}

// ReadGap reads what is between a name and the one before it in the event, which ends at a byte offset.
func ReadGap(d *detectors.Document, end int, f *detectors.Finding, t *linking.Talk) {
	const most = 60
	from, to := d.TokenAt(end), d.TokenAt(f.Start)
	t.Gap = uint8(min(to-from, most) + 1)
	for i := from; i < to && i < from+most; i++ {
		t.Joined = t.Joined || d.WordIs(i, "and") || d.WordIs(i, "or")
	}
}

// readTitle reads the title or the kinship word before the name at token i, and returns the token where these begin.
func readTitle(d *detectors.Document, i int, t *linking.Talk) int {
	k := i
	if k > 0 && d.IsMark(k-1, '.') {
		k--
	}
	if i < len(d.Tokens) && d.Tokens[i].Is(detectors.Title) { // within the finding
		k = i + 1
	}
	if k == 0 {
		return i
	}
	word := &d.Tokens[k-1]
	isTitle := word.Is(detectors.Title)
	readGender(word, t)
	if t.Titled = isTitle; isTitle {
		return min(i, k-1)
	}
	return i
}

// readGender reads what a word before a name says about the person.
func readGender(word *detectors.Token, t *linking.Talk) {
	switch {
	case maleWords.Has(word.Hash):
		t.Gender = linking.Male
	case femaleWords.Has(word.Hash):
		t.Gender = linking.Female
	}
}

func hasNear(s wordlist.Set, d *detectors.Document, from, to int) bool {
	for i := max(from, 0); i < min(to, len(d.Tokens)); i++ {
		if s.Has(d.Tokens[i].Hash) {
			return true
		}
	}
	return false
}

// hasWithin reports whether one of a few words before token i is in a set.
func hasWithin(s wordlist.Set, d *detectors.Document, i, few int) bool {
	return hasNear(s, d, i-few, i)
}

// endsWithin reports whether a phrase of up to five tokens ends right before token i.
func endsWithin(p *detectors.Phrases[uint8], d *detectors.Document, i int) bool {
	const most = 5
	for k := max(0, i-most); k < i; k++ {
		if _, n := p.Longest(d, k, nil); k+n == i && n > 0 {
			return true
		}
	}
	return false
}
