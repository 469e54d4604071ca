package noise

import (
	"slices"
	"strings"
	"unicode"

	"sotto/detectors/lexicon"
	"sotto/internal/wordhash"
)

// homophones puts words in the place of others that sound alike: any word, and letters within
// spelled values.
func (n *noiser) homophones(t *turn) {
	for i := range t.words {
		if !t.free(i) {
			continue
		}
		before, core, after := affixes(t.words[i].text)
		others := homophones[strings.ToLower(core)]
		if spelledIn(t, i) {
			others = letters[strings.ToLower(core)]
		}
		if len(others) > 0 && n.mistake(n.Homophones) {
			t.words[i].text = before + recase(n.pick(others), core) + after
		}
	}
	n.spokenZeros(t)
}

// spelledIn reports whether word i is a letter next to another letter with the same label.
func spelledIn(t *turn, i int) bool {
	letter := func(k int) bool {
		return k >= 0 && k < len(t.words) && t.words[k].label == t.words[i].label && len(plain(t.words[k].text)) == 1 &&
			onlyLetters(plain(t.words[k].text))
	}
	return t.words[i].label != nil && letter(i) && (letter(i-1) || letter(i+1))
}

func (n *noiser) spokenZeros(t *turn) {
	for i := range t.words {
		if t.words[i].label == nil || !t.free(i) {
			continue
		}
		before, core, after := affixes(t.words[i].text)
		other := map[string]string{"oh": "zero", "zero": "oh", "o": "oh"}[strings.ToLower(core)]
		if other != "" && !spelledIn(t, i) && n.chance(n.OhForZero) {
			t.words[i].text = before + recase(other, core) + after
		}
	}
}

// names are the infoTypes whose values recognizers often do not know.
var names = []string{"PERSON_NAME", "ORGANIZATION_NAME", "LOCATION", "STREET_ADDRESS", "PRODUCT", "MEDICAL_TERM"}

func (n *noiser) misheard(t *turn) {
	for i := range t.words {
		w := &t.words[i]
		before, core, after := affixes(w.text)
		if !w.is(names...) || !onlyLetters(core) || len(core) < 4 || saidAsNumber(core) {
			continue
		}
		rate, word := n.Misheard, strings.ToLower(core)
		if e := lexicon.LookupHash(wordhash.String(word)); e.Common() >= commonWord || e.Name() >= commonName {
			rate /= 5
		}
		if n.mistake(rate) {
			w.text = before + recase(n.respell(word), core) + after
		}
	}
}

// commonWord and commonName are the levels of the lexicon from which a recognizer knows a word or a
// name well.
const (
	commonWord = 4
	commonName = 7
)

func saidAsNumber(core string) bool {
	core = strings.ToLower(core)
	_, cardinal := cardinalOf[core]
	_, ordinal := ordinalOf[core]
	return cardinal || ordinal || slices.Contains([]string{"hundred", "thousand", "double", "triple"}, core)
}

// respell changes a word at one to three places, so that it sounds much the same.
func (n *noiser) respell(word string) string {
	for range 1 + n.rng.IntN(3) {
		type choice struct {
			at int
			*respelling
		}
		var choices []choice
		for k := range respellings {
			r := &respellings[k]
			for at := 0; at+len(r.from) <= len(word); at++ {
				// Longer spellings are heard as a whole: they come up more often.
				if word[at:at+len(r.from)] == r.from {
					for range len(r.from) * len(r.from) {
						choices = append(choices, choice{at, r})
					}
				}
			}
		}
		if len(choices) == 0 {
			return word
		}
		c := choices[n.rng.IntN(len(choices))]
		word = word[:c.at] + n.pick(c.to) + word[c.at+len(c.from):]
	}
	return word
}

func (n *noiser) compounds(t *turn) {
	t.rewrite(func(i int) (int, []string) {
		if !t.free(i) {
			return 1, nil
		}
		if pieces := n.split(&t.words[i]); pieces != nil {
			return 1, pieces
		}
		if fused := n.fuse(t, i); fused != "" {
			return 2, []string{fused}
		}
		return 1, nil
	})
}

// split returns the parts of a compound or of a long name, nil to leave it whole.
func (n *noiser) split(w *word) []string {
	before, core, after := affixes(w.text)
	pieces := slices.Clone(parts[strings.ToLower(core)])
	if pieces == nil {
		pieces = n.syllables(w, core)
	}
	if pieces == nil || !n.mistake(n.Split) {
		return nil
	}
	for i := range pieces {
		pieces[i] = recase(pieces[i], core)
	}
	return between(before, pieces, after)
}

// syllables cuts a rare name of six letters or more in two before a consonant.
func (n *noiser) syllables(w *word, core string) []string {
	if !w.is(names...) || len(core) < 6 || !onlyLetters(core) || saidAsNumber(core) {
		return nil
	}
	name := []rune(strings.ToLower(core))
	var cuts []int
	for i := 2; i+3 <= len(name); i++ {
		if isVowel(name[i-1]) && !isVowel(name[i]) && unicode.IsLetter(name[i]) {
			cuts = append(cuts, i)
		}
	}
	if len(cuts) == 0 {
		return nil
	}
	cut := cuts[n.rng.IntN(len(cuts))]
	return []string{string(name[:cut]), string(name[cut:])}
}

func isVowel(r rune) bool { return strings.ContainsRune("aeiouy", r) }

// fuse returns one word for word i and the next, for the parts of a compound, or for two short words of
// a name; "" to leave them.
func (n *noiser) fuse(t *turn, i int) string {
	if i+1 >= len(t.words) || t.words[i].label != t.words[i+1].label || !t.free(i+1) {
		return ""
	}
	before, first, end := affixes(t.words[i].text)
	start, second, after := affixes(t.words[i+1].text)
	if end+start != "" || !onlyLetters(first) || !onlyLetters(second) {
		return ""
	}
	fused := whole[strings.ToLower(first)+" "+strings.ToLower(second)]
	if w := &t.words[i]; fused == "" && w.is(names...) &&
		len(first) > 2 && len(second) > 2 && len(first)+len(second) <= 12 && !saidAsNumber(first) && !saidAsNumber(second) {
		fused = strings.ToLower(first + second)
	}
	if fused == "" || !n.mistake(n.Fused) {
		return ""
	}
	return before + recase(fused, first) + after
}
