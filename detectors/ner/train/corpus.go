package train

import (
	"math/rand/v2"
	"sort"
	"strings"
	"unicode"

	"sotto/corpus/gold"
	"sotto/detectors"
	"sotto/detectors/cue"
	"sotto/detectors/ner/internal/crf"
	"sotto/detectors/spoken"
	"sotto/internal/wordhash"
)

// Set is labelled conversations from one source.
type Set struct {
	Name          string
	Conversations []gold.Conversation
}

// example is one turn as the tagger meets it in a call.
type example struct {
	utterance *gold.Utterance
	role      detectors.Role
	expect    []detectors.Expectation
}

// corpus is the examples of one set.
type corpus struct {
	name         string
	train, check []example
}

// small is the number of turns up to which a set is learned from twice in a
// pass, each time varied in another way.
const small = 8000

func (c *corpus) repeats() int {
	if len(c.train) <= small {
		return 2
	}
	return 1
}

// checkShare is the share of conversations that are held out of training, to
// calibrate and to score.
const checkShare = 12 // one in 12

// newCorpus takes the turns of a set, with what was asked for before each.
func newCorpus(s Set) *corpus {
	c := &corpus{name: s.Name}
	for i := range s.Conversations {
		conversation := &s.Conversations[i]
		examples := turns(conversation)
		if wordhash.String(baseID(conversation.ID))%checkShare == 0 {
			c.check = append(c.check, examples...)
		} else {
			c.train = append(c.train, examples...)
		}
	}
	return c
}

// baseID is the identifier without the mark of a noisy copy, so that a
// conversation and its copies are held out together.
func baseID(id string) string { return strings.TrimSuffix(id, "-asr") }

// kindOf is the kind that a labelled infoType is learned as, -1 for none.
func kindOf(infoType string) int {
	for k, t := range crf.Kinds {
		if string(t) == infoType {
			return k
		}
	}
	if infoType == string(detectors.USState) {
		return 2
	}
	return -1
}

// also are the kinds that words within spans of other infoTypes may be taken
// for without harm.
func also(infoType string) crf.Set {
	outside := crf.Set(1 << crf.Outside)
	of := func(k int) crf.Set { return 1<<crf.Begin(k) | 1<<crf.Inside(k) }
	switch detectors.InfoType(infoType) {
	case detectors.StreetAddress:
		return outside | of(2)
	case detectors.UserName, detectors.EmailAddress, detectors.SpelledWord:
		return outside | of(0)
	case "OTHER":
		return crf.All
	}
	return outside
}

// asked is a question that is still open.
type asked struct {
	detectors.Expectation
	asker string
	turn  int
	done  bool
}

// turns replays the questions of a conversation as the engine does.
func turns(c *gold.Conversation) []example {
	var doc detectors.Document
	var open []asked
	var questions []cue.Question
	out := make([]example, 0, len(c.Utterances))
	for i := range c.Utterances {
		u := &c.Utterances[i]
		x := example{utterance: u, role: roleOf(u.Speaker)}
		for n := range open {
			q := &open[n]
			if s := strength(q, u.Speaker, i); s > 0 {
				e := q.Expectation
				e.Strength = s
				x.expect = append(x.expect, e)
			}
		}
		out = append(out, x)
		doc.Reset(u.Text)
		doc.Role = x.role
		spoken.Scan(&doc)
		questions, _ = cue.Questions(&doc, questions[:0])
		var next []asked
		for _, q := range questions {
			if !holds(u, q.Type) {
				next = append(next, asked{Expectation: detectors.Expectation{Type: q.Type, Spelled: q.Spelled, Part: q.Partial}, asker: u.Speaker, turn: i})
			}
		}
		if len(next) > 0 {
			open = next
			continue
		}
		for n := range open {
			if q := &open[n]; strength(q, u.Speaker, i) > 0 && holds(u, q.Type) {
				q.done = true
			}
		}
	}
	return out
}

func holds(u *gold.Utterance, t detectors.InfoType) bool {
	for _, e := range u.Entities {
		if e.Type == string(t) {
			return true
		}
	}
	return false
}

// strength says how much a question bears on a turn, as in the engine.
func strength(q *asked, speaker string, turn int) float32 {
	if q.done || q.asker == speaker {
		return 0
	}
	switch d := turn - q.turn; {
	case d <= 1:
		return 1
	case d == 2:
		return 0.8
	case d <= 4:
		return 0.6
	case d <= 6:
		return 0.4
	}
	return 0
}

func roleOf(speaker string) detectors.Role {
	switch strings.ToLower(speaker) {
	case "agent":
		return detectors.RoleAgent
	case "customer", "user":
		return detectors.RoleCustomer
	}
	return detectors.RoleUnknown
}

// pool holds names by kind and number of words, to be put in the place of others.
type pool [crf.NumKinds][4][]string

// newPool collects the names of the training part of all sets.
func newPool(sets []*corpus) *pool {
	seen := map[string]bool{}
	p := new(pool)
	for _, c := range sets {
		for i := range c.train {
			u := c.train[i].utterance
			runes := []rune(u.Text)
			for _, e := range u.Entities {
				k := kindOf(e.Type)
				if k < 0 || e.Type == string(detectors.USState) {
					continue
				}
				name := string(runes[e.Start:e.End])
				n := len(strings.Fields(name))
				if n == 0 || n > len(p[k]) || !nameLike(name) || seen[string(rune('0'+k))+name] {
					continue
				}
				seen[string(rune('0'+k))+name] = true
				p[k][n-1] = append(p[k][n-1], name)
			}
		}
	}
	for k := range p {
		for n := range p[k] {
			sort.Strings(p[k][n])
		}
	}
	return p
}

// nameLike reports whether a labelled span is a name in letters that is not
// spelled.
func nameLike(s string) bool {
	for _, w := range strings.Fields(s) {
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

// replace puts other names into a copy of an utterance.
func (p *pool) replace(u gold.Utterance, rng *rand.Rand) gold.Utterance {
	text := []rune(u.Text)
	var out []rune
	spans := append([]gold.Span(nil), u.Entities...)
	sort.Slice(spans, func(a, b int) bool { return spans[a].Start < spans[b].Start })
	at := 0
	for i := range spans {
		s := &spans[i]
		if s.Start < at {
			return u // spans overlap
		}
		out = append(out, text[at:s.Start]...)
		at = s.End
		name := text[s.Start:s.End]
		k := kindOf(s.Type)
		if words := strings.Fields(string(name)); k >= 0 && len(words) > 0 && len(words) <= 4 && nameLike(string(name)) && rng.IntN(3) > 0 {
			if choice := p[k][len(words)-1]; len(choice) > 0 {
				other := choice[rng.IntN(len(choice))]
				if string(name) == strings.ToLower(string(name)) {
					other = strings.ToLower(other)
				}
				name = []rune(other)
			}
		}
		s.Start = len(out)
		out = append(out, name...)
		s.End = len(out)
	}
	out = append(out, text[at:]...)
	u.Text, u.Entities = string(out), spans
	return u
}
