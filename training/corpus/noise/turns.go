package noise

import (
	"slices"
	"strings"
)

// minCut is the number of words from which a turn is cut.
const minCut = 6

// turns cuts turns and gives turns or their edges to others.
func (n *noiser) turns(turns []turn) []turn {
	speakers := speakersOf(turns)
	var out []turn
	for i := range turns {
		out = append(out, n.cut(turns[i], speakers)...)
	}
	if len(speakers) < 2 {
		return out
	}
	for i := range out[:max(len(out)-1, 0)] {
		if out[i].speaker != out[i+1].speaker && n.chance(n.Shifted) {
			n.shift(&out[i], &out[i+1])
		}
	}
	for i := range out {
		if n.chance(n.WrongSpeaker) {
			out[i].speaker = n.other(speakers, out[i].speaker)
		}
	}
	return out
}

func speakersOf(turns []turn) (speakers []string) {
	for i := range turns {
		if !slices.Contains(speakers, turns[i].speaker) {
			speakers = append(speakers, turns[i].speaker)
		}
	}
	return speakers
}

// other returns another speaker; there must be one.
func (n *noiser) other(speakers []string, than string) string {
	i := n.rng.IntN(len(speakers) - 1)
	if speakers[i] == than {
		i = len(speakers) - 1
	}
	return speakers[i]
}

// cut makes two turns of one, with or without a word of the other side between them.
func (n *noiser) cut(t turn, speakers []string) []turn {
	if len(t.words) < minCut || !n.chance(n.Cut) {
		return []turn{t}
	}
	at := n.cutPlace(&t)
	if at == 0 {
		return []turn{t}
	}
	first, second := t, t
	first.words, second.words = slices.Clone(t.words[:at]), slices.Clone(t.words[at:])
	if n.Form == Formatted && n.chance(0.5) {
		if _, _, after := affixes(first.words[at-1].text); after == "" {
			first.words = append(first.words, word{text: ".", glued: true})
		}
		second.words[0].text = Capitalize(second.words[0].text)
	}
	if len(speakers) < 2 || !n.chance(n.Interrupted) {
		return []turn{first, second}
	}
	between := turn{speaker: n.other(speakers, t.speaker), words: wordsOf(n.pick(backchannel))}
	return []turn{first, between, second}
}

// cutPlace returns the index of a word before which a turn can be cut, 0 for none. It takes a written
// number apart if it cuts there.
func (n *noiser) cutPlace(t *turn) int {
	inValue := n.chance(0.5)
	var places []int
	for i := range t.words {
		w := &t.words[i]
		if i > 0 && !w.glued && (!inValue || w.label != nil && w.label == t.words[i-1].label) {
			places = append(places, i)
		}
		if inValue && w.label != nil && strings.ContainsRune(strings.Trim(w.text, "-"), '-') && hasDigit(w.text) {
			places = append(places, -i-1) // within the word
		}
	}
	if len(places) == 0 {
		return 0
	}
	at := places[n.rng.IntN(len(places))]
	if at > 0 {
		return at
	}
	i := -at - 1
	text := t.words[i].text
	hyphen := strings.IndexByte(text[1:], '-') + 1
	t.replace(i, i+1, text[:hyphen], text[hyphen+1:])
	return i + 1
}

// shift moves a word or two across the border of two turns. Both keep at least one word.
func (n *noiser) shift(a, b *turn) {
	k := 1 + n.rng.IntN(2)
	if n.chance(0.5) {
		if len(a.words) > k && !a.words[len(a.words)-k].glued && len(b.words) > 0 {
			b.words = slices.Concat(a.words[len(a.words)-k:], b.words)
			a.words = slices.Clone(a.words[:len(a.words)-k])
		}
		return
	}
	if len(b.words) > k && !b.words[k].glued && len(a.words) > 0 {
		a.words = slices.Concat(a.words, b.words[:k])
		b.words = slices.Clone(b.words[k:])
	}
}
