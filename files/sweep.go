package files

import (
	"context"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/files/formats/transcript"
)

// sweep replaces, in texts that are not turns, the values that were masked in the call. The engine
// finds most of them there; what is left is inside something that it does not read as words, such
// as the path of a recording.
//
// Its values are in the order of what they say, so that a place of a text is compared with all of them at once.
type sweep []sweptValue

type sweptValue struct {
	said []rune
	// ends are the places in said, in order, where a word ends and something may stand in between.
	ends []int
	with string
}

func newSweep(turns []textRun, texts map[*transcript.Turn]maskedText) sweep {
	var s sweep
	seen := map[string]bool{}
	for i := range turns {
		if turns[i].turn == nil {
			continue
		}
		m := texts[turns[i].turn]
		for _, k := range m.masks {
			raw := m.raw[k.Start:k.End]
			if k.With == raw || seen[raw] || !distinctive(raw) {
				continue
			}
			seen[raw] = true
			s = append(s, newSweptValue(raw, k.With))
		}
	}
	slices.SortStableFunc(s, func(a, b sweptValue) int { return slices.Compare(a.said, b.said) })
	return s
}

func newSweptValue(raw, with string) sweptValue {
	v := sweptValue{with: with}
	for word := range strings.FieldsFuncSeq(raw, isSeparator) {
		for _, r := range word {
			v.said = append(v.said, unicode.ToLower(r))
		}
		v.ends = append(v.ends, len(v.said))
	}
	return v
}

func isSeparator(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// distinctive reports whether a value is hardly an ordinary word.
func distinctive(raw string) bool {
	first, _ := utf8.DecodeRuneInString(raw)
	return utf8.RuneCountInString(raw) >= 4 && strings.ContainsFunc(raw, func(r rune) bool { return !isSeparator(r) }) &&
		(unicode.IsUpper(first) || strings.ContainsAny(raw, "0123456789 @"))
}

// maxSeparators is how many runes may stand between two words of a value.
const maxSeparators = 3

// text replaces the values in a text, the longest where there are several. Tags stay as they are.
func (s sweep) text(ctx context.Context, text string) (string, error) {
	found, err := s.find(ctx, text)
	if err != nil || len(found) == 0 {
		return text, err
	}
	var b strings.Builder
	done := 0
	for _, m := range found {
		b.WriteString(text[done:m.Start])
		b.WriteString(m.With)
		done = m.End
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// masks returns the masks of a text with those of the values that stand between them.
func (s sweep) masks(ctx context.Context, m maskedText) (all []transcript.Mask, err error) {
	at := 0
	for i := 0; i <= len(m.masks); i++ {
		end := len(m.raw)
		if i < len(m.masks) {
			end = m.masks[i].Start
		}
		found, err := s.find(ctx, m.raw[at:end])
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			all = append(all, transcript.Mask{Start: at + f.Start, End: at + f.End, With: f.With})
		}
		if i < len(m.masks) {
			all = append(all, m.masks[i])
			at = m.masks[i].End
		}
	}
	return all, nil
}

// find returns where values are in a text, in order.
func (s sweep) find(ctx context.Context, text string) (found []transcript.Mask, err error) {
	before := ' '
	for at := 0; len(s) > 0 && at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if end := tagEnd(text[at:]); end > 0 {
			before, at = ']', at+end
			continue
		}
		if isSeparator(before) && !isSeparator(r) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if v, length := s.longest(text[at:]); v != nil {
				found = append(found, transcript.Mask{Start: at, End: at + length, With: v.with})
				before, _ = utf8.DecodeLastRuneInString(text[:at+length])
				at += length
				continue
			}
		}
		before, at = r, at+n
	}
	return found, nil
}

// tagEnd returns how long the tag is that a text begins with, 0 if it begins with none.
func tagEnd(text string) int {
	if text[0] != '[' {
		return 0
	}
	n := 1 + len(text[1:]) - len(strings.TrimLeft(text[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))
	if n == 1 || n == len(text) || text[n] != ']' {
		return 0
	}
	return n + 1
}

// longest returns the longest value that a text begins with and that ends where a word ends, and how many bytes it has there.
func (s sweep) longest(text string) (found *sweptValue, length int) {
	said, separators := 0, 0
	var gaps []int // the places in what was said where something stands in between
	for at, r := range text {
		if isSeparator(r) {
			if separators++; separators > maxSeparators || tagEnd(text[at:]) > 0 {
				break
			}
			continue
		}
		if separators > 0 {
			gaps, separators = append(gaps, said), 0
		}
		end := at + utf8.RuneLen(r)
		r = unicode.ToLower(r)
		from := sort.Search(len(s), func(i int) bool { return said < len(s[i].said) && s[i].said[said] >= r })
		s = s[from:]
		s = s[:sort.Search(len(s), func(i int) bool { return said >= len(s[i].said) || s[i].said[said] > r })]
		if len(s) == 0 {
			break
		}
		said++
		if next, _ := utf8.DecodeRuneInString(text[end:]); end < len(text) && !isSeparator(next) {
			continue
		}
		for i := 0; i < len(s) && len(s[i].said) == said; i++ {
			if s[i].hasGaps(gaps) {
				found, length = &s[i], end
				break
			}
		}
	}
	return found, length
}

// hasGaps reports whether words of the value end at all of these places.
func (v *sweptValue) hasGaps(at []int) bool {
	i := 0
	for _, end := range v.ends {
		if i < len(at) && at[i] == end {
			i++
		}
	}
	return i == len(at)
}
