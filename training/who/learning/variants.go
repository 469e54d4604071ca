package learning

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"sotto/detectors"
	"sotto/state/linking"
)

// random is a number below n that depends on what is given.
func random(n int, of ...string) int {
	h := fnv.New32a()
	for _, s := range of {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return int(h.Sum32()>>7) % n
}

// misheard returns a call in which a quarter of the names are spelled otherwise. One of four calls is as it is without the encoder.
func (c *Example) misheard() *Example {
	d := *c
	d.Mentions = slices.Clone(c.Mentions)
	unread := random(4, c.ID, "read") == 0
	for i := range d.Mentions {
		m := &d.Mentions[i]
		if unread {
			m.Talk.Chances = linking.Chances{}
		}
		at := strconv.Itoa(i)
		if m.Kind != detectors.KindName || len(m.Words) == 0 || random(4, c.ID, m.Person, at) > 0 {
			continue
		}
		m.Words = slices.Clone(m.Words)
		k := random(len(m.Words), c.ID, "word", at)
		m.Words[k] = mishear(m.Words[k], random(1<<16, c.ID, m.Words[k], at))
		m.Words, m.Joined = strings.Fields(strings.Join(m.Words, " ")), ""
		m.Talk.Given, m.Talk.Surname = m.Talk.Given/2, m.Talk.Surname/2
	}
	return &d
}

// confusions are letters that recognizers take for each other.
var confusions = []string{"b p", "d t", "m n", "f v", "s z", "c k", "g k", "ph f", "ee ea", "ea ee", "ai ay", "ie y", "y ie", "ou o", "o ou", "oo u",
	"e i", "i e", "a e", "e a", "a o", "o a", "ll l", "tt t", "nn n", "l ll", "n nn", "h ", "th t", "sh ch", "ch sh", "w r", "r w", "rd r", "ck k", "qu kw"}

// mishear changes a word as a recognizer might.
func mishear(word string, r int) string {
	if len(word) < 3 {
		return word
	}
	if r%5 == 0 && len(word) > 5 { // in two words
		at := 2 + r/5%(len(word)-4)
		return word[:at] + " " + word[at:]
	}
	for k := range 2 + r%2 {
		for n := range confusions {
			from, to, _ := strings.Cut(confusions[(n+r/7+k*11)%len(confusions)], " ")
			if i := strings.Index(word, from); i >= 0 {
				word = word[:i] + to + word[i+len(from):]
				break
			}
		}
	}
	return word
}
