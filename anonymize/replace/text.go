package replace

import (
	"bytes"
	"regexp"
	"slices"
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
	var spare *Table
	if own := builtIn().pools[m.Type]; own != nil {
		spare = own.values
	}
	value := c.pickUnlike(pl.values, spare, "value", m.Text)
	last := us[len(us)-1]
	if len(us) == 1 && last.kind == unitSpelled {
		dst = appendSpelled(dst, m.Text[last.start:last.end], value)
	} else if m.Type == "US_STATE" && len(appendLetters(nil, m.Text)) == 2 { // its postal abbreviation
		dst = append(dst, stateCode(value)...)
	} else {
		dst = appendCased(dst, m.Text, value)
	}
	return append(dst, safeEnd(m.Text[last.end:])...), true
}

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
	r := addressRenderer{chooser: c, text: m.Text, start: len(dst)}
	dst = appendWords(dst, m.Text, r.appendWord)
	return dst, r.changed
}

// addressRenderer renders the words of an address.
type addressRenderer struct {
	chooser *chooser
	text    string
	start   int // of the surrogate
	// numbers counts the numbers so far, except for postal codes.
	numbers int
	// named means that the street has its name, changed that something was replaced.
	named, changed bool
}

// appendWord renders the word or the number at i and returns where the next one begins.
func (r *addressRenderer) appendWord(dst []byte, i int) (_ []byte, next int) {
	if end := postalEnd(r.text, i); end > 0 {
		return r.appendCode(dst, "postal", i, end), end
	}
	j := wordEnd(r.text, i)
	if len(r.text) >= i+3 && strings.EqualFold(r.text[i:i+3], "p.o") {
		j = i + 3
	}
	w := r.text[i:j]
	low := toLower(w)
	switch {
	case explanation(r.text, i) == 0 && (addressWords[low] || courtesy[low]):
		return append(dst, w...), j
	case ordinalNumber(low):
		n := 1 + r.chooser.number("ordinal", 99)
		r.changed = true
		return append(strconv.AppendUint(dst, n, 10), ordinalSuffix(int(n))...), j
	case strings.ContainsAny(w, "0123456789") || len(w) == 1 || isSaid(low):
		// A number with all its words.
		end := numberEnd(r.text, i)
		if isZIP(r.text, i, end) {
			return r.appendCode(dst, "postal", i, end), end
		}
		r.numbers++
		return r.appendCode(dst, string([]byte{'n', byte(r.numbers)}), i, end), end
	case !r.named:
		r.named, r.changed = true, true
		return appendCased(dst, w, r.chooser.pick(streets(), "street", w)), j
	}
	// A further word of the name.
	return dst[:r.start+len(bytes.TrimRight(dst[r.start:], " "))], j
}

func (r *addressRenderer) appendCode(dst []byte, label string, i, end int) []byte {
	r.changed = true
	// A number does not begin with 0, if it is one.
	houseNumber := func(c *chooser, out, _ []byte) {
		if len(out) < 5 && out[0] == '0' {
			out[0] = '1' + byte(c.number(label+" first", 9))
		}
	}
	dst, _ = renderCode(label, houseNumber, r.chooser, dst, r.text[i:end])
	return dst
}

// postalEnd is the end of a Canadian postal code that begins at i, written or said; 0 if none
// does.
func postalEnd(text string, i int) int {
	const form = "ldldld"
	for j := i; j < len(text); {
		switch {
		case nameByte(text[j]):
		case strings.IndexByte(" -,.", text[j]) >= 0:
			j++
			continue
		default:
			return 0
		}
		j = max(wordEnd(text, j), j+1+explanation(text, j))
		kinds := string(classes(shape(text[i:j])))
		switch {
		case kinds == form:
			return j
		case kinds == "" || !strings.HasPrefix(form, kinds):
			return 0
		}
	}
	return 0
}

// isZIP reports whether a number from i to end is a ZIP code: five digits, with nothing after
// them.
func isZIP(text string, i, end int) bool {
	return string(classes(shape(text[i:end]))) == "ddddd" && !strings.ContainsFunc(text[end:], func(r rune) bool { return r >= 0x80 || nameByte(byte(r)) })
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
		explained := explanation(text, i)
		if j == i || addressWords[w] && explained == 0 || !strings.ContainsAny(w, "0123456789") && len(w) != 1 && !isSaid(w) {
			return max(end, i-1, 0)
		}
		j += explained
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

// commas are two or more with nothing but spaces between them.
var commas = regexp.MustCompile(`[ ,]*,[ ]*,[ ,]*`)

// withoutLostCommas removes from what dst has after start the commas of words that were left out.
// ok is false if nothing but punctuation is there.
func withoutLostCommas(dst []byte, start int, original string) (_ []byte, ok bool) {
	if bytes.IndexByte(dst[start:], ',') >= 0 {
		text := commas.ReplaceAllStringFunc(string(dst[start:]), func(run string) string {
			if strings.Contains(original, run) {
				return run
			}
			return ", "
		})
		if strings.IndexByte(" ,", original[0]) < 0 {
			text = strings.TrimLeft(text, " ,")
		}
		if strings.IndexByte(" ,", original[len(original)-1]) < 0 {
			text = strings.TrimRight(text, " ,")
		}
		dst = append(dst[:start], text...)
	}
	return dst, slices.ContainsFunc(dst[start:], nameByte)
}
