package tagger

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/ner/sequence"
	"sotto/internal/gold"
	"sotto/training/corpus/noise"
)

// vary returns a conversation as it was written, in lower case, without punctuation, or both, and
// with other names.
func (t *trainer) vary(c *gold.Conversation) *gold.Conversation {
	list := []gold.Conversation{*c}
	if t.rng.IntN(10) < 7 {
		list[0] = t.pool.replace(c, t.rng)
	}
	switch n := t.rng.IntN(20); {
	case n < 8:
	case n < 11:
		list = gold.Lower(list)
	case n < 14:
		list = gold.Unpunct(gold.Lower(list))
	case n < 15:
		list = gold.Unpunct(list)
	default:
		profiles := noise.Profiles()
		list[0] = noise.Apply(list[0], t.rng.Uint64(), profiles[t.rng.IntN(len(profiles))])
	}
	return &list[0]
}

// perturb hides what is known of some words, so that the model does not rely on having seen a name
// or on lists that hold it: the names of callers often are in neither.
func (t *trainer) perturb() {
	for i := range t.reader.Elements {
		e := &t.reader.Elements[i]
		named := t.allowed[i]&(1<<sequence.Outside) == 0
		if n := t.rng.IntN(100); named && n < 22 || !named && n < 4 {
			e.Word = sequence.Unknown
		}
		rare := t.doc.Tokens[e.Token].Bits == 0 && e.Lexicon>>6&7 < 3
		if n := t.rng.IntN(100); named && rare && n < 12 {
			e.Lexicon, e.Place = 0, 0
		}
		if t.rng.IntN(100) < 10 {
			e.Gazetteer = 0
		}
		if n := t.rng.IntN(100); named && n < 8 {
			e.Class = 0
		} else if named && n < 16 {
			// Any word may be a name: a shop is called after a fruit, an app after a verb.
			e.Class = lexicon.Class(1 + t.rng.IntN(lexicon.NumClasses))
		}
		if t.rng.IntN(100) < 8 {
			e.Rule = 0
		}
	}
}

// pool holds names by kind and number of words, to be put in the place of others.
type pool [sequence.NumKinds][4][]string

// replaceable are the kinds whose values can stand for one another.
var replaceable = [sequence.NumKinds]bool{
	sequence.Person: true, sequence.Organization: true, sequence.Location: true, sequence.Product: true, sequence.Medical: true,
}

func newPool(sets []*set) *pool {
	type name struct {
		kind sequence.Kind
		text string
	}
	seen := map[name]bool{}
	p := new(pool)
	for _, s := range sets {
		for i := range s.train {
			for _, u := range s.train[i].Utterances {
				runes := []rune(u.Text)
				for _, e := range u.Entities {
					x := name{sequence.KindOfType(detectors.InfoType(e.Type)), string(runes[e.Start:e.End])}
					if n := len(strings.Fields(x.text)); n > 0 && n <= 4 && isReplaceable(&e, x.text) && !seen[x] {
						seen[x] = true
						p[x.kind][n-1] = append(p[x.kind][n-1], x.text)
					}
				}
			}
		}
	}
	return p
}

func (p *pool) empty() bool {
	for k := range p {
		for n := range p[k] {
			if len(p[k][n]) > 0 {
				return false
			}
		}
	}
	return true
}

// isReplaceable reports whether a labelled span is a name in letters that is not spelled.
func isReplaceable(e *gold.Span, name string) bool {
	if !replaceable[sequence.KindOfType(detectors.InfoType(e.Type))] || e.Type == string(detectors.USState) {
		return false
	}
	return nameLike(name)
}

// nameLike reports whether a text is words of letters, none of which is a single one.
func nameLike(name string) bool {
	for _, w := range strings.Fields(name) {
		letters := 0
		for _, r := range w {
			if unicode.IsLetter(r) {
				letters++
			} else if !strings.ContainsRune("'.-&,’", r) {
				return false
			}
		}
		if letters < 2 {
			return false
		}
	}
	return true
}

// replace puts other names into a copy of a conversation, the same one wherever a name occurs.
func (p *pool) replace(c *gold.Conversation, rng *rand.Rand) gold.Conversation {
	out := *c
	out.Utterances = slices.Clone(c.Utterances)
	others := map[string]string{}
	for i := range out.Utterances {
		p.replaceTurn(&out.Utterances[i], others, rng)
	}
	return out
}

func (p *pool) replaceTurn(u *gold.Utterance, others map[string]string, rng *rand.Rand) {
	text := []rune(u.Text)
	var b []rune
	spans := slices.Clone(u.Entities)
	at := 0
	for i := range spans {
		s := &spans[i]
		if s.Start < at {
			return // overlapping or unordered labels
		}
		b = append(b, text[at:s.Start]...)
		at = s.End
		name := p.other(s, string(text[s.Start:s.End]), others, rng)
		s.Start = len(b)
		b = append(b, []rune(name)...)
		s.End = len(b)
	}
	b = append(b, text[at:]...)
	u.Text, u.Entities = string(b), spans
}

// other returns the name that stands for another one in a conversation, often the name itself.
func (p *pool) other(s *gold.Span, name string, others map[string]string, rng *rand.Rand) string {
	k := sequence.KindOfType(detectors.InfoType(s.Type))
	n := len(strings.Fields(name))
	if n == 0 || n > 4 || len(p[k][n-1]) == 0 || !isReplaceable(s, name) {
		return name
	}
	key := string(rune(k)) + strings.ToLower(name)
	other, ok := others[key]
	if !ok {
		other = name
		if rng.IntN(3) > 0 {
			other = p[k][n-1][rng.IntN(len(p[k][n-1]))]
		}
		others[key] = other
	}
	lower := other == strings.ToLower(other)
	switch {
	case name == strings.ToLower(name):
		return strings.ToLower(other)
	case k == sequence.Person && lower:
		return name
	}
	return other
}
