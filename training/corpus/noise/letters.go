package noise

import (
	"strings"
	"unicode"
)

func (n *noiser) spelling(t *turn) {
	t.rewrite(func(i int) (int, []string) {
		run, words := spelledRun(t, i)
		if words == 0 || !n.chance(n.Spelling) {
			return words, nil
		}
		before, _, _ := affixes(t.words[i].text)
		_, _, after := affixes(t.words[i+words-1].text)
		return words, between(before, n.spell(run), strings.TrimPrefix(after, ".")) // the mark of the last letter
	})
}

// spelledRun finds two or more letters from word i on that stand alone, or that hyphens or periods
// separate. Outside of labels only the latter count: "a" and "i" are words.
func spelledRun(t *turn, i int) (run []string, words int) {
	first := t.words[i].label
	for k := i; k < len(t.words) && t.words[k].label == first && (k == i || !t.words[k].glued); k++ {
		l := spelledLetters(t.words[k].text)
		if l == nil || first == nil && len(l) == 1 {
			break
		}
		run = append(run, l...)
		words++
		if k+1 < len(t.words) && t.words[k+1].glued {
			break
		}
	}
	if len(run) < 2 {
		return nil, 0
	}
	return run, words
}

// spelledLetters returns the letters of "A", "A.", "A-B-C" or "A.B.C.".
func spelledLetters(text string) (out []string) {
	_, core, _ := affixes(text)
	for part := range strings.FieldsFuncSeq(core, func(r rune) bool { return r == '-' || r == '.' }) {
		r := []rune(part)
		if len(r) != 1 || !unicode.IsLetter(r[0]) {
			return nil
		}
		out = append(out, part)
	}
	return out
}

func (n *noiser) spell(run []string) []string {
	upper := strings.Fields(strings.ToUpper(strings.Join(run, " ")))
	switch n.rng.IntN(8) {
	case 0, 1:
		return []string{strings.Join(upper, "-")}
	case 2:
		return upper
	case 3:
		return strings.Fields(strings.ToLower(strings.Join(run, " ")))
	case 4:
		return strings.Fields(strings.Join(upper, ". ") + ".")
	case 5:
		return strings.Fields(strings.Join(upper, ", "))
	case 6:
		return []string{strings.Join(upper, "")}
	}
	// A part in one piece: "SIZ E M".
	cut := 1 + n.rng.IntN(len(upper))
	return append([]string{strings.Join(upper[:cut], "")}, upper[cut:]...)
}
