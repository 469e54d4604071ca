package replace

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The years that surrogates have.
const (
	firstYear = 1935
	years     = 70
)

// when is the surrogate of a date and time.
type when struct{ year, month, day, weekday, hour, minute int }

func chooseWhen(c *chooser) when {
	n := func(label string, below uint64) int { return int(c.number(label, below)) }
	return when{
		year: firstYear + n("year", years), month: 1 + n("month", 12), day: 1 + n("day", 28), weekday: n("weekday", 7),
		hour: 1 + n("hour", 12), minute: n("minute", 60),
	}
}

// renderDate renders a date in the form of the original: the same parts in the same order, in digits or in words. Dates of a call are
// moved, so that their order stays; one of birth is drawn for itself, and says nothing of the original.
func renderDate(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	w := chooseWhen(c)
	if m.Type == "DATE" && c.entity > 0 && !c.fixed {
		w = w.moved(c, m.Text)
	}
	if out, ok := appendNumericDate(dst, m.Text, w); ok {
		return out, true
	}
	return appendTimeWords(dst, m.Text, c, w, false)
}

func renderTime(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	return appendTimeWords(dst, m.Text, c, chooseWhen(c), true)
}

var (
	numericDate = regexp.MustCompile(`^[0-9/\-. ]*$`)
	digitRuns   = regexp.MustCompile(`[0-9]+`)
)

// appendNumericDate renders 3/14/1980, 1980-03-14 and the like.
func appendNumericDate(dst []byte, text string, w when) ([]byte, bool) {
	if !numericDate.MatchString(text) {
		return dst, false
	}
	groups := digitRuns.FindAllStringIndex(text, -1)
	length := func(k int) int { return groups[k][1] - groups[k][0] }
	var values []int
	switch {
	case len(groups) == 3 && length(0) == 4:
		values = []int{w.year, w.month, w.day}
	case len(groups) == 3 && dayFirst(text[groups[0][0]:groups[0][1]]):
		values = []int{w.day, w.month, w.year}
	case len(groups) == 3:
		values = []int{w.month, w.day, w.year}
	case len(groups) == 2 && length(1) == 4:
		values = []int{w.month, w.year}
	case len(groups) == 2 && dayFirst(text[groups[0][0]:groups[0][1]]):
		values = []int{w.day, w.month}
	case len(groups) == 2:
		values = []int{w.month, w.day}
	case len(groups) == 1 && length(0) == 8:
		values = []int{w.month*1_000_000 + w.day*10_000 + w.year}
	default:
		return dst, false
	}
	at := 0
	for k, g := range groups {
		dst = append(dst, text[at:g[0]]...)
		dst = appendPadded(dst, values[k], length(k), length(k) > 1 && text[g[0]] == '0' || length(k) != 2)
		at = g[1]
	}
	return append(dst, text[at:]...), true
}

// appendPadded writes the last digits of a number, filled up by zeros if so
// asked or if the number has more digits.
func appendPadded(dst []byte, n, digits int, pad bool) []byte {
	s := strconv.Itoa(n)
	if len(s) > digits && digits > 1 {
		s = s[len(s)-digits:]
	}
	if pad && len(s) < digits {
		dst = append(dst, strings.Repeat("0", digits-len(s))...)
	}
	return append(dst, s...)
}

// appendTimeWords renders a date or a time word by word.
func appendTimeWords(dst []byte, text string, c *chooser, w when, clock bool) ([]byte, bool) {
	r := timeRenderer{when: w, chooser: c, text: text, clock: clock}
	start := len(dst)
	dst = appendWords(dst, text, r.appendWord)
	// Without the space before words that were left out.
	return dst[:start+len(bytes.TrimRight(dst[start:], " "))], r.changed
}

// timeRenderer renders the words of a date or, with clock, of a time of day.
type timeRenderer struct {
	when
	chooser *chooser
	text    string
	clock   bool
	// numbers counts the numbers so far.
	numbers int
	// saidYear means that the year was said in words, changed that something was replaced.
	saidYear, changed bool
}

// appendWord renders the word at i and returns where the next one begins.
func (r *timeRenderer) appendWord(dst []byte, i int) (_ []byte, next int) {
	text, j := r.text, wordEnd(r.text, i)
	if k := strings.IndexByte(text[i:j], '-'); k > 0 {
		j = i + k
	}
	raw := text[i:j]
	low := toLower(raw)
	digits, word := digitsEnd(text[:j], i)-i, r.word(low)
	switch {
	case digits > 0:
		dst = r.appendDigits(dst, digits, low[digits:])
		r.numbers++
	case word != "":
		dst = appendCased(dst, raw, word)
	case isSaid(low):
		j = numberWordsEnd(text, j)
		dst = r.appendSaid(dst, raw, text[i:j])
		r.numbers++
	case timeWords[low]:
		return append(dst, raw...), j
	default:
		// What is not understood is left out, with the space after it.
		if j < len(text) && text[j] == ' ' {
			j++
		}
		return dst, j
	}
	r.changed = true
	return dst, j
}

func digitsEnd(text string, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}

// word returns what takes the place of a word that is no number; "" for none.
func (r *timeRenderer) word(low string) string {
	pick := func(label string, list []string) string { return list[r.chooser.number(label, uint64(len(list)))] }
	switch {
	case indexPrefix(months, low) >= 0:
		return like(months[r.month-1], low)
	case indexPrefix(weekdays, low) >= 0:
		return like(weekdays[r.weekday], low)
	case slices.Contains(dayParts, low):
		return pick("part", dayParts)
	case slices.Contains(nearDays, low):
		return pick("near", nearDays)
	case low == "am" || low == "pm":
		return pick("half", []string{"am", "pm"})
	case low == "a" || low == "p":
		return pick("half", []string{"a", "p"})
	case low == "m":
		return low
	case isOrdinal(low):
		return ordinals[r.day]
	}
	return ""
}

// appendSaid renders a number in words, of which raw is the first: an ordinal, an hour, a
// minute, a year or a day.
func (r *timeRenderer) appendSaid(dst []byte, raw, number string) []byte {
	words := len(strings.Fields(strings.ReplaceAll(number, "-", " ")))
	minute := small(max(r.minute, 10))
	switch {
	case endsOrdinal(number):
		return appendCased(dst, raw, ordinals[r.day])
	case r.clock && r.numbers == 0:
		dst = appendCased(dst, raw, small(r.hour))
		if words > 1 {
			dst = appendCased(append(dst, ' '), raw, minute)
		}
		return dst
	case r.clock:
		return appendCased(dst, raw, minute)
	case words > 1 && !r.saidYear && slices.Contains(centuries, toLower(raw)):
		r.saidYear = true
		return appendCased(dst, raw, sayYear(r.year))
	}
	return appendCased(dst, raw, small(r.day))
}

// appendDigits renders n digits within words: an hour, a minute, a day or a year, with what is written at it.
func (r *timeRenderer) appendDigits(dst []byte, n int, suffix string) []byte {
	switch {
	case r.clock && (r.numbers == 0 || n != 2):
		dst = strconv.AppendInt(dst, int64(r.hour), 10)
	case r.clock:
		dst = appendPadded(dst, r.minute, 2, true)
	case n >= 4:
		dst = strconv.AppendInt(dst, int64(r.year), 10)
		if suffix == "s" {
			dst = append(dst, 's')
		}
		return dst
	default:
		dst = strconv.AppendInt(dst, int64(r.day), 10)
	}
	switch suffix {
	case "st", "nd", "rd", "th":
		dst = append(dst, ordinalSuffix(r.day)...)
	case "am", "pm", "a", "p":
		dst = append(dst, suffix...)
	}
	return dst
}

func indexPrefix(list []string, w string) int {
	for i, full := range list {
		if w == full || len(w) >= 3 && len(w) <= 4 && strings.HasPrefix(full, w) {
			return i
		}
	}
	return -1
}

// like abbreviates a word when the original is abbreviated.
func like(full, original string) string {
	if len(original) <= 4 && !slices.Contains(months, original) {
		return full[:3]
	}
	return full
}

func isOrdinal(w string) bool { return slices.Contains(ordinals[1:], w) || w == "thirtieth" }

func endsOrdinal(s string) bool {
	f := strings.FieldsFunc(toLower(s), func(r rune) bool { return r == ' ' || r == '-' })
	return len(f) > 0 && isOrdinal(f[len(f)-1])
}

// numberWordsEnd is the end of the number words that follow from j on.
func numberWordsEnd(text string, j int) int {
	for j+1 < len(text) && (text[j] == ' ' || text[j] == '-') {
		k := wordEnd(text, j+1)
		w := toLower(text[j+1 : k])
		for part := range strings.SplitSeq(w, "-") {
			if isOrdinal(part) {
				return k
			}
			if !isSaid(part) {
				return j
			}
		}
		j = k
	}
	return j
}

// small says a number under 100.
func small(n int) string {
	if n < 10 {
		return units[n]
	}
	return sayDigits([]byte(strconv.Itoa(n)), "zero")
}

func sayYear(y int) string {
	if y >= 2000 {
		if y%100 == 0 {
			return "two thousand"
		}
		return "two thousand " + small(y%100)
	}
	if y%100 < 10 {
		return small(y/100) + " oh " + units[y%100]
	}
	return small(y/100) + " " + small(y%100)
}
