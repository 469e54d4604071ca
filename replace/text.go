package replace

import (
	"strconv"
	"strings"
)

// renderValue renders a value of the infoTypes whose values are words: places,
// organizations, products, terms, and those learned from a corpus.
func renderValue(pl *pool, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	us := unitsOf(m.Text)
	if len(us) == 0 {
		return dst, false
	}
	value := c.pick(pl.values, "value", m.Text)
	last := us[len(us)-1]
	if len(us) == 1 && last.kind == unitSpelled {
		dst = appendSpelled(dst, m.Text[last.start:last.end], value)
	} else if m.Type == "US_STATE" && abbreviated(m.Text) {
		dst = append(dst, stateCode(value)...)
	} else {
		dst = appendCased(dst, m.Text, value)
	}
	return append(dst, safeEnd(m.Text[last.end:])...), true
}

// abbreviated reports whether a state is written by two letters.
func abbreviated(text string) bool {
	return len(appendLetters(nil, text)) == 2
}

// renderWords replaces word by word.
func renderWords(table *Table, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	us := unitsOf(m.Text)
	if len(us) == 0 {
		return dst, false
	}
	at := 0
	var label [8]byte
	for i, u := range us {
		dst = append(dst, safeMarks(m.Text[at:u.start])...)
		at = u.end
		value := c.pick(table, string(append(label[:0], 'w', byte(i), byte(i>>8))), "")
		if u.kind == unitInitial && len(us) > 1 {
			value = value[:1]
		}
		dst = appendUnit(dst, m.Text, u, value)
	}
	return append(dst, safeEnd(m.Text[at:])...), true
}

// renderAddress renders a street address, or a part of one: numbers and postal
// codes character by character, the name of the street by another name. Words
// for kinds of streets and parts of houses stay.
func renderAddress(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	start := len(dst)
	text := m.Text
	named, changed := false, false
	number := 0
	for i := 0; i < len(text); {
		if !nameByte(text[i]) {
			dst = append(dst, safeMarks(text[i:i+1])...)
			i++
			continue
		}
		j := wordEnd(text, i)
		if len(text) >= i+3 && strings.EqualFold(text[i:i+3], "p.o") {
			j = i + 3
		}
		w := text[i:j]
		low := toLower(w)
		switch {
		case addressWords[low] || courtesy[low]:
			dst = append(dst, w...)
		case ordinalNumber(low):
			n := 1 + c.number("ordinal", 99)
			dst = append(strconv.AppendUint(dst, n, 10), ordinalSuffix(int(n))...)
			changed = true
		case strings.ContainsAny(w, "0123456789") || len(w) == 1 || isSaid(low):
			// A number with all its words.
			end := numberEnd(text, i)
			number++
			dst, _ = renderCode(houseNumber(string([]byte{'n', byte(number)})), c, dst, text[i:end])
			changed, j = true, end
		case !named:
			dst = appendCased(dst, w, c.pick(streets(), "street", w))
			named, changed = true, true
		default:
			// A further word of the name.
			for len(dst) > start && dst[len(dst)-1] == ' ' {
				dst = dst[:len(dst)-1]
			}
		}
		i = j
	}
	return dst, changed
}

// houseNumber makes a number that does not begin with 0, if it is one.
func houseNumber(label string) maker {
	return func(c *chooser, kinds []byte) []byte {
		out := characters(c, label, kinds)
		if len(out) < 5 && out[0] == '0' {
			out[0] = '1' + byte(c.number(label+" first", 9))
		}
		return out
	}
}

// ordinalNumber reports whether a word is an ordinal in digits, "5th".
func ordinalNumber(low string) bool {
	digits := strings.TrimRight(low, "abcdefghijklmnopqrstuvwxyz")
	switch low[len(digits):] {
	case "st", "nd", "rd", "th":
		return digits != "" && strings.Trim(digits, "0123456789") == ""
	}
	return false
}

// isSaid reports whether a word says a number and nothing else.
func isSaid(low string) bool {
	a, ok := sayings[low]
	return ok && a.class == digit && (a.style != pending || low == "oh")
}

// numberEnd is the end of the words and digits that say a number from i on.
func numberEnd(text string, i int) int {
	end := i
	for i < len(text) {
		j := wordEnd(text, i)
		w := toLower(text[i:j])
		if j == i || addressWords[w] || !strings.ContainsAny(w, "0123456789") && len(w) != 1 && !isSaid(w) {
			return max(end, i-1, 0)
		}
		end = j
		if j >= len(text) || text[j] != ' ' && text[j] != '-' {
			return end
		}
		if next := toLower(text[j+1 : wordEnd(text, j+1)]); addressWords[next] || !isSaid(next) && !strings.ContainsAny(next, "0123456789") {
			return end
		}
		i = j + 1
	}
	return end
}
