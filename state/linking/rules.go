package linking

import "strings"

// The scores by which the rules link a mention. Only their order matters.
const (
	scoreOwn   = 1000 // added: speakers name themselves, and it is their name
	scoreFirst = 110  // what it was called first
	scoreExact = 100  // another alias
	scoreJoin  = 90   // the letters of an alias, differently divided into words
	scorePart  = 60   // words that are part of an alias, or the reverse
	scoreSound = 30   // as scorePart, but some word only sounds alike
	scoreGiven = 20   // a given name after a title, where nobody has it as the last name: "Miss Ida"
)

// ByRules returns the position of the person with the highest score by the rules, or -1: of equal ones, the one who became known last,
// since a conversation is about what was mentioned last. Only persons are looked at who are among those that among accepts.
func ByRules(m *Mention, people People, among func(*Person) bool) int {
	at, top := -1, 0
	for i := range people.Len() {
		p := people.Person(i)
		if p == nil || !among(p) {
			continue
		}
		if s := adjusted(people, p, m, personScore(p, m)); s > 0 && s >= top {
			at, top = i, s
		}
	}
	return at
}

// adjusted returns a person's score with respect to who speaks: 0 if the speaker cannot mean
// this person.
func adjusted(people People, e *Person, m *Mention, score int) int {
	if score == 0 || m.Speaker == 0 || e.Owner == 0 {
		return score
	}
	if !m.Self && len(m.Words) > 1 && extends(e, m) == score && hasNamesake(people, m) {
		// Of two people with one name, the one who talks is not the one whose last name is
		// given now.
		return 0
	}
	own := e.Owner == m.Speaker
	switch {
	case m.Self && !own:
		// Two people with the same name, distinguished by who speaks.
		return 0
	case m.Other && own && (e.Source == SourceLabel || people.Speakers() > 1):
		// Nobody asks for themselves. If all talk under one speaker ID, that says nothing.
		return 0
	case m.Other && own:
		return 1
	case m.Self:
		return score + scoreOwn
	}
	return score
}

// personScore scores how well a mention agrees with the names of a person.
func personScore(e *Person, m *Mention) int {
	top, whole := 0, m.Alias
	for k := range e.Aliases.Len() {
		a := e.Aliases.At(k)
		if a == whole && !(m.Part == PartSurname && e.Part == PartGiven) {
			if k == 0 {
				return scoreFirst
			}
			return scoreExact
		}
		if s := nameScore(a, m.Words, m.Part); s > top {
			top = s
		}
		if top < scoreJoin && len(whole) > 3 && SameLetters(a, whole) {
			top = scoreJoin
		}
		// A recognizer writes "Ida's" with an s at the end.
		plural := min(len(whole), len(a)) > 2 && (whole == a+"s" || a == whole+"s")
		if top == 0 && (plural || soundsDivided(whole, a) || soundsDivided(a, whole)) {
			top = scoreSound
		}
	}
	if top == 0 {
		top = extends(e, m)
	}
	return top
}

// extends scores how well a mention that says more than is known of a person agrees with all
// that is known.
func extends(e *Person, m *Mention) int {
	longest := e.Aliases.Longest()
	if countWords(longest) >= len(m.Words) {
		return 0
	}
	words, n := wordsOf(longest)
	return wordsWithin(words[:n], m.Alias, e.Part)
}

// hasNamesake reports whether more than one person of the call has the first word of a
// mention in their name.
func hasNamesake(people People, m *Mention) bool {
	n := 0
	for i := range people.Len() {
		if e := people.Person(i); e != nil && nameScore(e.Aliases.At(0), m.Words[:1], PartAny) > 0 {
			n++
		}
	}
	return n > 1
}

// nameScore scores how well the words of a mention are part of an alias.
func nameScore(alias string, words []string, part Part) int {
	if len(words) > countWords(alias) {
		return 0
	}
	return wordsWithin(words, alias, part)
}

// wordsWithin scores how well all words are contained in an alias, in order.
func wordsWithin(words []string, alias string, part Part) int {
	all, n := wordsOf(alias)
	known := all[:n]
	score, k := scorePart, 0
	if part == PartSurname && len(words) == 1 && len(known) > 1 {
		k = 1
	}
	for _, w := range words {
		match := 0
		for ; k < len(known) && match == 0; k++ {
			match = wordScore(w, known[k], len(words) > 1)
		}
		if match == 0 && part == PartSurname && len(words) == 1 && len(known) > 1 && w == known[0] {
			return scoreGiven
		}
		if match == 0 || part == PartGiven && len(words) == 1 && len(known) > 1 && k > 1 {
			return 0
		}
		score = min(score, match)
	}
	return score
}

// wordScore scores how well a word agrees with one of an alias. Beside other words, an
// initial is enough.
func wordScore(w, known string, beside bool) int {
	switch {
	case w == known, beside && (len(w) == 1 && strings.HasPrefix(known, w) || len(known) == 1 && strings.HasPrefix(w, known)):
		return scorePart
	case SoundAlike(w, known):
		return scoreSound
	}
	return 0
}

// OtherPart returns the position of the person mentioned last if that is not known to be a speaker, one part of the name is known and
// a mention is the other, or -1: "T-A-R-N, first name Ida".
func OtherPart(m *Mention, people People) int {
	if m.Part == PartAny || !m.Talk.AboutName || m.Talk.Titled || m.Talk.Kin || m.meansAnother() {
		return -1
	}
	last := -1
	for i := range people.Len() {
		if e := people.Person(i); e != nil && e.IsSaid() && (last < 0 || e.Last >= people.Person(last).Last) {
			last = i
		}
	}
	if last < 0 {
		return -1
	}
	e := people.Person(last)
	if e.Owner != 0 || e.Ago(m) > justNow || !e.Lacks(m.Part) {
		return -1
	}
	return last
}
