package batch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/formats/transcript"
)

// sweep replaces, in texts that are not turns, the values that were masked in the call. The engine
// finds most of them there; what is left is inside something that it does not read as words, such
// as the path of a recording.
type sweep []sweptValue

type sweptValue struct {
	form *regexp.Regexp
	len  int
	with string
}

func newSweep(turns []*transcript.Turn, texts map[*transcript.Turn]maskedText) sweep {
	var s sweep
	seen := map[string]bool{}
	for _, t := range turns {
		if t == nil {
			continue
		}
		m := texts[t]
		for _, k := range m.masks {
			raw := m.raw[k.Start:k.End]
			if k.With == raw || seen[raw] || !distinctive(raw) {
				continue
			}
			seen[raw] = true
			words := strings.FieldsFunc(raw, isSeparator)
			for i := range words {
				words[i] = regexp.QuoteMeta(words[i])
			}
			s = append(s, sweptValue{
				regexp.MustCompile(`(?i)(^|[^\pL\pN])` + strings.Join(words, `[^\pL\pN]{0,3}`) + `($|[^\pL\pN])`), len(raw), k.With,
			})
		}
	}
	slices.SortStableFunc(s, func(a, b sweptValue) int { return cmp.Compare(b.len, a.len) })
	return s
}

func isSeparator(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// distinctive reports whether a value is hardly an ordinary word.
func distinctive(raw string) bool {
	first, _ := utf8.DecodeRuneInString(raw)
	return utf8.RuneCountInString(raw) >= 4 && strings.ContainsFunc(raw, func(r rune) bool { return !isSeparator(r) }) &&
		(unicode.IsUpper(first) || strings.ContainsAny(raw, "0123456789 @"))
}

// tag is what the sweep leaves alone.
var tag = regexp.MustCompile(`\[[A-Z0-9_]+\]`)

func (s sweep) text(text string) string {
	for i := range s {
		v := &s[i]
		if !v.form.MatchString(text) {
			continue
		}
		var b strings.Builder
		at := 0
		for _, t := range append(tag.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
			b.WriteString(v.form.ReplaceAllString(text[at:t[0]], "${1}"+strings.ReplaceAll(v.with, "$", "$$")+"${2}"))
			b.WriteString(text[t[0]:t[1]])
			at = t[1]
		}
		text = b.String()
	}
	return text
}
