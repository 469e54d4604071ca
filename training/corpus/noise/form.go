package noise

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (n *noiser) form(t *turn) {
	if t.kept != nil || len(t.words) == 0 {
		return
	}
	n.apostrophes(t)
	switch n.Form {
	case Unformatted:
		unformat(t)
	case Formatted:
		if !t.formatted {
			n.addMarks(t)
		}
		n.loseMarks(t)
		n.capitals(t)
	}
}

func (n *noiser) apostrophes(t *turn) {
	for i := range t.words {
		text := t.words[i].text
		at := strings.IndexAny(text, "'’")
		if at > 0 && strings.ContainsFunc(text[at:], unicode.IsLetter) && n.chance(n.LostApostrophes) {
			_, size := utf8.DecodeRuneInString(text[at:])
			t.words[i].text = text[:at] + text[at+size:]
		}
	}
}

// unformat writes a turn in lower case without punctuation. Hyphens and slashes separate words.
func unformat(t *turn) {
	for i := 0; i < len(t.words); i++ {
		w := &t.words[i]
		pieces := unformatted(w.text)
		switch {
		case len(pieces) > 0:
			// A word that began or ended with a mark is a word of its own now, but for an ending such
			// as 's.
			if w.glued && !startsEnding(w.text) {
				w.glued = false
			}
			t.replace(i, i+1, pieces...)
			i += len(pieces) - 1
		case t.removable(i):
			t.remove(i)
			i--
		}
	}
}

// startsEnding reports whether a text continues the word before it, as "'s" does.
func startsEnding(text string) bool {
	r := []rune(text)
	return len(r) > 1 && (r[0] == '\'' || r[0] == '’') && unicode.IsLetter(r[1]) || len(r) > 0 && unicode.IsLetter(r[0])
}

var (
	wordOrSymbol = regexp.MustCompile(`[\pL\pN\pM'’]+|[&%@+]`)
	// atNoLetter is an apostrophe that no letter follows.
	atNoLetter = regexp.MustCompile(`'+([^\pL]|$)`)
)

// unformatted returns the words of a text without marks, in lower case. Apostrophes before letters
// stay.
func unformatted(text string) (words []string) {
	for _, w := range wordOrSymbol.FindAllString(text, -1) {
		if symbol := symbolWords[rune(w[0])]; symbol != "" {
			words = append(words, symbol)
			continue
		}
		w = atNoLetter.ReplaceAllString(strings.ReplaceAll(w, "’", "'"), "$1")
		if w != "" {
			words = append(words, strings.Map(unicode.ToLower, w))
		}
	}
	return words
}

// minSentence is the number of words after which a formatter may begin a new sentence.
const minSentence = 5

// addMarks writes capitals and punctuation as a formatter adds them to plain words.
func (n *noiser) addMarks(t *turn) {
	begin := 0
	for i := 0; i < len(t.words); i++ {
		w := &t.words[i]
		core := plain(w.text)
		if isNamePart(w, core) || capitalized[core] || core == "i" || strings.HasPrefix(core, "i'") {
			w.text = Capitalize(w.text)
		}
		if i-begin >= minSentence && w.label == nil && sentences[core] && t.free(i) && n.chance(0.4) {
			w.text = Capitalize(w.text)
			if before, ok := strings.CutSuffix(t.words[i-1].text, ","); ok && before != "" {
				t.words[i-1].text = before
			}
			t.words = slices.Insert(t.words, i, word{text: sentenceEnd(t.words[begin:i]), glued: true})
			i++
			begin = i
		}
	}
	t.words[0].text = Capitalize(t.words[0].text)
	if !strings.HasSuffix(t.words[len(t.words)-1].text, ".") {
		t.words = append(t.words, word{text: sentenceEnd(t.words[begin:]), glued: true})
	}
	if len(t.words) > 3 && t.free(0) && t.words[0].label == nil && openings[plain(t.words[0].text)] && n.chance(0.7) {
		t.words[0].text += ","
	}
}

// isNamePart reports whether a word begins with a capital letter because it belongs to a name.
func isNamePart(w *word, core string) bool {
	return w.is("PERSON_NAME", "ORGANIZATION_NAME", "LOCATION", "US_STATE", "STREET_ADDRESS", "PRODUCT") &&
		!saidAsNumber(core) && !dropped[core]
}

// sentenceEnd returns the mark for the end of a sentence.
func sentenceEnd(sentence []word) string {
	for i := range sentence {
		switch first := plain(sentence[i].text); {
		case questions[first]:
			return "?"
		case !openings[first] && first != "and" && first != "so":
			return "."
		}
	}
	return "."
}

func (n *noiser) loseMarks(t *turn) {
	for i := 0; i < len(t.words); i++ {
		w := &t.words[i]
		before, core, after := affixes(w.text)
		switch {
		case strings.Trim(w.text, ".,?!") == "":
			if w.label == nil && n.chance(n.LostMarks) && t.removable(i) {
				t.remove(i)
				i--
			}
		case after != "" && n.chance(n.LostMarks):
			w.text = before + core
		case after == "" && t.free(i) && i+1 < len(t.words) && n.chance(n.StrayMarks):
			mark := word{text: n.pick([]string{",", ".", "."}), glued: true}
			t.words = slices.Insert(t.words, i+1, mark)
			i++
			if next := &t.words[i+1]; mark.text == "." && next.label == nil {
				next.text = Capitalize(next.text)
			}
		}
	}
}

func (n *noiser) capitals(t *turn) {
	for i := range t.words {
		w := &t.words[i]
		r, size := utf8.DecodeRuneInString(w.text)
		switch {
		case w.label != nil && unicode.IsUpper(r) && i > 0:
			if n.chance(n.LostCapitals) && !strings.ContainsFunc(w.text[size:], unicode.IsUpper) {
				w.text = strings.ToLower(w.text)
			}
		case unicode.IsLower(r) && len(w.text) > 3 && !strings.ContainsAny(w.text, "@/") && n.chance(n.StrayCapitals):
			w.text = Capitalize(w.text)
		}
	}
}
