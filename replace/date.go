package replace

import (
	"strconv"
	"strings"
)

// The years and ages that surrogates have.
const (
	firstYear = 1935
	years     = 70
	firstAge  = 18
	ages      = 70
)

var (
	months   = strings.Fields("january february march april may june july august september october november december")
	weekdays = strings.Fields("monday tuesday wednesday thursday friday saturday sunday")
	dayParts = strings.Fields("morning afternoon evening night noon midnight")
	nearDays = strings.Fields("today tomorrow yesterday tonight")
	// timeWords stay: they tell no time by themselves.
	timeWords = set("the of and in on at day date year month week weekend next last this coming o'clock oclock past to half quarter minutes " +
		"hours from a an in")
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

// renderDate renders a date in the form of the original: the same parts in the
// same order, in digits or in words.
func renderDate(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	w := chooseWhen(c)
	if out, ok := appendNumericDate(dst, m.Text, w); ok {
		return out, true
	}
	return appendTimeWords(dst, m.Text, c, w, false)
}

// renderTime renders a time of day.
func renderTime(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	return appendTimeWords(dst, m.Text, c, chooseWhen(c), true)
}

// appendNumericDate renders 3/14/1980, 1980-03-14 and the like.
func appendNumericDate(dst []byte, text string, w when) ([]byte, bool) {
	var groups [][2]int
	for i := 0; i < len(text); {
		switch b := text[i]; {
		case '0' <= b && b <= '9':
			j := i
			for j < len(text) && '0' <= text[j] && text[j] <= '9' {
				j++
			}
			groups = append(groups, [2]int{i, j})
			i = j
		case strings.IndexByte("/-. ", b) >= 0:
			i++
		default:
			return dst, false
		}
	}
	length := func(k int) int { return groups[k][1] - groups[k][0] }
	var values []int
	switch {
	case len(groups) == 3 && length(0) == 4:
		values = []int{w.year, w.month, w.day}
	case len(groups) == 3:
		values = []int{w.month, w.day, w.year}
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
	if pad && digits > 1 {
		for range digits - len(s) {
			dst = append(dst, '0')
		}
	}
	return append(dst, s...)
}

// appendTimeWords renders a date or a time word by word.
func appendTimeWords(dst []byte, text string, c *chooser, w when, clock bool) ([]byte, bool) {
	start, changed, numbers := len(dst), false, 0
	saidYear := false
	for i := 0; i < len(text); {
		if !nameByte(text[i]) {
			dst = append(dst, safeMarks(text[i:i+1])...)
			i++
			continue
		}
		j := wordEnd(text, i)
		if k := strings.IndexByte(text[i:j], '-'); k > 0 {
			j = i + k
		}
		raw := text[i:j]
		low := strings.ToLower(raw)
		at := len(dst)
		switch {
		case text[i] >= '0' && text[i] <= '9':
			k := i
			for k < j && '0' <= text[k] && text[k] <= '9' {
				k++
			}
			dst = appendTimeDigits(dst, k-i, strings.ToLower(text[k:j]), w, clock, numbers)
			numbers++
		case indexPrefix(months, low) >= 0:
			dst = appendCased(dst, raw, like(months[w.month-1], low))
		case indexPrefix(weekdays, low) >= 0:
			dst = appendCased(dst, raw, like(weekdays[w.weekday], low))
		case in(dayParts, low):
			dst = appendCased(dst, raw, dayParts[c.number("part", uint64(len(dayParts)))])
		case in(nearDays, low):
			dst = appendCased(dst, raw, nearDays[c.number("near", uint64(len(nearDays)))])
		case low == "am" || low == "pm" || low == "a" || low == "p" || low == "m":
			if low == "am" || low == "pm" {
				low = []string{"am", "pm"}[c.number("half", 2)]
			} else if low != "m" {
				low = []string{"a", "p"}[c.number("half", 2)]
			}
			dst = appendCased(dst, raw, low)
		case isOrdinal(low):
			dst = appendCased(dst, raw, ordinals[w.day])
		case isSaid(low):
			end := numberWordsEnd(text, j)
			words := len(strings.Fields(strings.ReplaceAll(text[i:end], "-", " ")))
			switch {
			case endsOrdinal(text[i:end]):
				dst = appendCased(dst, raw, ordinals[w.day])
			case clock && numbers == 0:
				dst = appendCased(dst, raw, small(w.hour))
				if words > 1 {
					dst = append(append(dst, ' '), appendCased(nil, raw, small(max(w.minute, 10)))...)
				}
			case clock:
				dst = appendCased(dst, raw, small(max(w.minute, 10)))
			case words > 1 && !saidYear && (low == "nineteen" || low == "twenty" || low == "two" || low == "eighteen"):
				dst = appendCased(dst, raw, sayYear(w.year))
				saidYear = true
			default:
				dst = appendCased(dst, raw, small(w.day))
			}
			numbers++
			j = end
		case timeWords[low]:
			dst = append(dst, raw...)
			i = j
			continue
		default:
			// What is not understood is left out, with the space after it.
			if i = j; i < len(text) && text[i] == ' ' {
				i++
			}
			continue
		}
		changed = changed || len(dst) > at
		i = j
	}
	// The space before words that were left out.
	for len(dst) > start && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst, changed
}

// appendTimeDigits renders digits within words: an hour, a minute, a day or a
// year, with what is written at it.
func appendTimeDigits(dst []byte, n int, suffix string, w when, clock bool, numbers int) []byte {
	switch {
	case clock && (numbers == 0 || n != 2):
		dst = strconv.AppendInt(dst, int64(w.hour), 10)
	case clock:
		dst = appendPadded(dst, w.minute, 2, true)
	case n >= 4:
		dst = strconv.AppendInt(dst, int64(w.year), 10)
		if suffix == "s" {
			dst = append(dst, 's')
		}
		return dst
	default:
		dst = strconv.AppendInt(dst, int64(w.day), 10)
	}
	switch suffix {
	case "st", "nd", "rd", "th":
		dst = append(dst, ordinalSuffix(w.day)...)
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

func in(list []string, w string) bool { return indexOf(list, w) >= 0 }

func indexOf(list []string, w string) int {
	for i, x := range list {
		if x == w {
			return i
		}
	}
	return -1
}

// like abbreviates a word when the original is abbreviated.
func like(full, original string) string {
	if len(original) <= 4 && !in(months, original) {
		return full[:3]
	}
	return full
}

func isOrdinal(w string) bool { return in(ordinals[1:], w) || w == "thirtieth" }

func endsOrdinal(s string) bool {
	f := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '-' })
	return len(f) > 0 && isOrdinal(f[len(f)-1])
}

// numberWordsEnd is the end of the number words that follow from j on.
func numberWordsEnd(text string, j int) int {
	for j+1 < len(text) && (text[j] == ' ' || text[j] == '-') {
		k := wordEnd(text, j+1)
		w := strings.ToLower(text[j+1 : k])
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

// ageEnds are what follows the number of an age.
var ageEnds = []string{" years old", " year old", "-year-old", " years of age", " years", " yrs", ""}

// renderAge renders an age in digits or in words.
func renderAge(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	age := firstAge + int(c.number("age", ages))
	low := strings.ToLower(m.Text)
	for _, end := range ageEnds {
		if !strings.HasSuffix(low, end) {
			continue
		}
		if strings.ContainsAny(low, "0123456789") {
			dst = strconv.AppendInt(dst, int64(age), 10)
		} else {
			dst = appendCased(dst, m.Text, small(age))
		}
		return append(dst, m.Text[len(low)-len(end):]...), len(low) == len(m.Text)
	}
	return dst, false
}
