package noise

import (
	"slices"
	"strings"
)

func (n *noiser) disfluencies(t *turn) {
	for i := 0; i < len(t.words); i++ {
		switch {
		case !t.free(i):
		case n.mistake(n.Dropped):
			if t.words[i].label == nil && dropped[strings.ToLower(t.words[i].text)] && t.removable(i) {
				t.remove(i)
				i--
			}
		case n.mistake(n.Repeated):
			again := t.words[i]
			_, again.text, _ = affixes(again.text)
			t.words = slices.Insert(t.words, i, again)
			i++
		case n.mistake(n.Fillers):
			filler := wordsOf(n.pick(fillers))
			if i == 0 || n.Form != Unformatted {
				filler[len(filler)-1].text += ","
			}
			t.words = slices.Insert(t.words, i, filler...)
			i += len(filler)
		}
	}
}
