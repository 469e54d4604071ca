package state

import "strings"

// The scores by which the person that a mention means is chosen. Only their
// order matters.
const (
	scoreOwn   = 1000 // added: the speaker names himself and it is his name
	scoreForm  = 100  // it was called exactly so before
	scoreJoin  = 90   // the same letters, differently cut into words
	scorePart  = 60   // its words are part of a known form, or the reverse
	scoreSound = 30   // as scorePart, but some word only sounds alike
)

// findPerson returns the position of the person that the mention names, or -1.
func (c *Call) findPerson(m *Mention) int {
	whole := m.form()
	i := c.best(KindName, func(e *entity) int {
		s := personScore(e, m, whole)
		switch {
		case s == 0 || m.Speaker == 0 || e.owner == 0:
		case !m.Self && len(m.Words) > 1 && extends(e, m, whole) == s && c.namesakes(m):
			// Of two people of a name, the one who talks is not the one whose
			// last name is told now.
			return 0
		case m.Self && e.owner != m.Speaker:
			// Two people of the same name, told apart by who speaks.
			return 0
		case m.Other && e.owner == m.Speaker && (e.source == SourceLabel || c.appeared > 1):
			// Nobody asks for himself. Where all talk under one speaker ID, that
			// tells nothing.
			return 0
		case (m.Other || m.Addressed) && e.owner == m.Speaker:
			s = 1
		case m.Self:
			s += scoreOwn
		}
		return s
	})
	if i < 0 && m.Self && m.Speaker != 0 && m.Part != PartAny {
		// The other part of a name of which one part is known.
		i = c.best(KindName, func(e *entity) int {
			if e.owner == m.Speaker && len(e.aliases) == 1 && !strings.Contains(e.aliases[0], " ") && e.part != m.Part {
				return 1
			}
			return 0
		})
	}
	if i < 0 {
		// A name that was first met as a spelled word.
		i = c.best(KindCode, func(e *entity) int {
			if e.weak && strings.EqualFold(e.aliases[0], strings.ReplaceAll(whole, " ", "")) {
				return 1
			}
			return 0
		})
	}
	return i
}

func personScore(e *entity, m *Mention, whole string) int {
	top := 0
	for _, f := range e.aliases {
		if f == whole && !(m.Part == PartSurname && e.part == PartGiven) {
			return scoreForm
		}
		if s := nameScore(f, m); s > top {
			top = s
		}
		if top < scoreJoin && len(whole) > 3 && sameLetters(f, whole) {
			top = scoreJoin
		}
	}
	if top == 0 {
		top = extends(e, m, whole)
	}
	return top
}

// extends tells how well a mention that says more than is known of a person
// agrees with all that is known.
func extends(e *entity, m *Mention, whole string) int {
	longest := longestForm(e)
	if countWords(longest) >= len(m.Words) {
		return 0
	}
	var buf [6]string
	return within(splitWords(buf[:0], longest), whole, e.part)
}

// namesakes tells whether more than one person of the call has the first word
// of the mention in his name.
func (c *Call) namesakes(m *Mention) bool {
	n := 0
	for i := range c.entities {
		if e := &c.entities[i]; e.kind == KindName && nameScore(e.aliases[0], &Mention{Words: m.Words[:1]}) > 0 {
			n++
		}
	}
	return n > 1
}

// nameScore tells how well the words of a mention are part of a known form.
func nameScore(form string, m *Mention) int {
	if len(m.Words) > countWords(form) {
		return 0
	}
	return within(m.Words, form, m.Part)
}

// within tells how well all words stand in the form, in order.
func within(words []string, form string, part Part) int {
	var buf [6]string
	known := splitWords(buf[:0], form)
	score, k := scorePart, 0
	if part == PartSurname && len(words) == 1 && len(known) > 1 {
		k = 1
	}
	for _, w := range words {
		found := false
		for ; k < len(known) && !found; k++ {
			switch f := known[k]; {
			case w == f:
				found = true
			case len(words) > 1 && (len(w) == 1 && strings.HasPrefix(f, w) || len(f) == 1 && strings.HasPrefix(w, f)):
				found = true // an initial
			case soundAlike(w, f):
				found, score = true, scoreSound
			}
		}
		if !found {
			return 0
		}
		if part == PartGiven && len(words) == 1 && len(known) > 1 && k > 1 {
			return 0
		}
	}
	return score
}

// addFullName remembers "given surname" of entity i once the surname is
// learned of a person whose given name alone was known.
func (c *Call) addFullName(i int, surname string) bool {
	e := &c.entities[i]
	if e.part == PartSurname || strings.Contains(longestForm(e), " ") || e.aliases[0] == surname {
		return false
	}
	return c.addAlias(i, e.aliases[0]+" "+surname)
}

func longestForm(e *entity) string {
	at, n := "", 0
	for _, f := range e.aliases {
		if k := countWords(f); k > n {
			at, n = f, k
		}
	}
	return at
}

func countWords(s string) int { return strings.Count(s, " ") + 1 }

// splitWords appends the words of a form to dst.
func splitWords(dst []string, form string) []string {
	for form != "" {
		w, rest, _ := strings.Cut(form, " ")
		dst = append(dst, w)
		form = rest
	}
	return dst
}

// sameLetters tells whether two forms differ in spaces only.
func sameLetters(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && a[i] == ' ' {
			i++
		}
		for j < len(b) && b[j] == ' ' {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] {
			return false
		}
		i++
		j++
	}
}
