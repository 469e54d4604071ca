package state

import (
	"strings"

	"sotto/detectors"
)

// The scores by which a mention is linked. Only their order matters.
const (
	scoreOwn   = 1000 // added: speakers name themselves, and it is their name
	scoreFirst = 110  // what it was called first
	scoreExact = 100  // another alias
	scoreJoin  = 90   // the letters of an alias, differently divided into words
	scorePart  = 60   // words that are part of an alias, or the reverse
	scoreSound = 30   // as scorePart, but some word only sounds alike
	scoreGiven = 20   // a given name after a title, where nobody has it as the last name: "Miss Ida"
)

// linkByWords returns the position of the person that a mention names, or -1, by rules. They decide where nobody in
// particular speaks, since the model of pairs learned in talks; elsewhere it knows what they say.
func (c *Call) linkByWords(m *Mention) int {
	whole := m.alias()
	i := c.best(detectors.KindName, func(e *entity) int { return c.adjusted(e, m, whole, personScore(e, m, whole)) })
	if i < 0 {
		return c.otherPart(m)
	}
	return i
}

// otherPart returns the position of the person of whom only the first or the last name is known, if the other part of it is said now,
// by the speaker of the own name or in answer to a question, else -1.
func (c *Call) otherPart(m *Mention) int {
	if m.Speaker == 0 {
		return -1
	}
	if q := c.partAsked(m); q != nil {
		if i := c.askedAbout(q, m); i >= 0 {
			return i
		}
	}
	if m.Self && m.Part != PartAny {
		return c.best(detectors.KindName, func(e *entity) int {
			if e.Owner == m.Speaker && e.aliases.len() == 1 && e.lacks(m.Part) {
				return 1
			}
			return 0
		})
	}
	return -1
}

// lacks reports whether one part of a person's name may be all that is known.
func (e *entity) lacks(p Part) bool { return !strings.Contains(longestAlias(e), " ") && e.Part != p }

// partAsked returns the question for one part of a name that a mention answers, nil if there is none.
func (c *Call) partAsked(m *Mention) *Question {
	const soon = 2 // events
	if m.Place > 0 || m.Talk.Kin || m.Talk.Role == RoleThird || len(m.Words) > maxSurname {
		return nil
	}
	for i := len(c.questions) - 1; i >= 0; i-- {
		q := &c.questions[i]
		if q.Type == m.Type && q.FromEnd == 0 && q.Seq < m.Seq {
			if q.Part != PartAny && q.Asker != m.Speaker && m.Seq-q.Seq <= soon {
				return q
			}
			return nil
		}
	}
	return nil
}

// maxSurname bounds the words of a last name: "de la Cruz".
const maxSurname = 3

// askedAbout returns the position of the person of whose name a question asks for a part, as far as that is known: who answers, or
// who was mentioned last; else -1.
func (c *Call) askedAbout(q *Question, m *Mention) int {
	const near = 6 // events
	own, last := c.personOfSpeaker(m.Speaker), -1
	for i := range c.entities {
		e := &c.entities[i]
		if e.Kind != detectors.KindName || !e.isSaid() || e.Owner != 0 && (e.Owner == q.Asker || q.Whose == OfThird && e.Owner == m.Speaker) || m.Seq-e.Last/perEvent > near {
			continue
		}
		if last < 0 || e.Last >= c.entities[last].Last {
			last = i
		}
	}
	at := last
	if q.Whose == OfListener && own >= 0 || at < 0 && q.Whose != OfThird {
		at = own
	}
	if at < 0 || !c.entities[at].lacks(q.Part) {
		return -1
	}
	return at
}

// adjusted returns a person's score with respect to who speaks: 0 if the speaker cannot mean
// this person.
func (c *Call) adjusted(e *entity, m *Mention, whole string, score int) int {
	if score == 0 || m.Speaker == 0 || e.Owner == 0 {
		return score
	}
	if !m.Self && len(m.Words) > 1 && extends(e, m, whole) == score && c.hasNamesake(m) {
		// Of two people with one name, the one who talks is not the one whose last name is
		// given now.
		return 0
	}
	own := e.Owner == m.Speaker
	switch {
	case m.Self && !own:
		// Two people with the same name, distinguished by who speaks.
		return 0
	case m.Other && own && (e.Source == SourceLabel || c.appeared > 1):
		// Nobody asks for themselves. If all talk under one speaker ID, that says nothing.
		return 0
	case m.Other && own:
		return 1
	case m.Self:
		return score + scoreOwn
	}
	return score
}

func personScore(e *entity, m *Mention, whole string) int {
	top := 0
	for k := range e.aliases.len() {
		a := e.aliases.at(k)
		if a == whole && !(m.Part == PartSurname && e.Part == PartGiven) {
			if k == 0 {
				return scoreFirst
			}
			return scoreExact
		}
		if s := nameScore(a, m); s > top {
			top = s
		}
		if top < scoreJoin && len(whole) > 3 && sameLetters(a, whole) {
			top = scoreJoin
		}
		// A recognizer writes "Ida's" with an s at the end.
		plural := min(len(whole), len(a)) > 2 && (whole == a+"s" || a == whole+"s")
		if top == 0 && (plural || soundsDivided(whole, a) || soundsDivided(a, whole)) {
			top = scoreSound
		}
	}
	if top == 0 {
		top = extends(e, m, whole)
	}
	return top
}

// extends scores how well a mention that says more than is known of a person agrees with all
// that is known.
func extends(e *entity, m *Mention, whole string) int {
	longest := longestAlias(e)
	if countWords(longest) >= len(m.Words) {
		return 0
	}
	words, n := wordsOf(longest)
	return wordsWithin(words[:n], whole, e.Part)
}

// hasNamesake reports whether more than one person of the call has the first word of a
// mention in their name.
func (c *Call) hasNamesake(m *Mention) bool {
	n := 0
	for i := range c.entities {
		if e := &c.entities[i]; e.Kind == detectors.KindName && nameScore(e.aliases.at(0), &Mention{Words: m.Words[:1]}) > 0 {
			n++
		}
	}
	return n > 1
}

// nameScore scores how well the words of a mention are part of an alias.
func nameScore(alias string, m *Mention) int {
	if len(m.Words) > countWords(alias) {
		return 0
	}
	return wordsWithin(m.Words, alias, m.Part)
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
	case soundAlike(w, known):
		return scoreSound
	}
	return 0
}
