package anonymize

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/anonymize/replace"
	"sotto/detectors/lookalike"
	"sotto/schemas"
)

// escapeLookAlikes escapes what looks like a tag or an annotation in a rendered text, except the
// tags of the entities, and moves the entities to where they then are. It looks at the whole
// text, since a surrogate may complete a look-alike that begins in the raw text.
func escapeLookAlikes(text string, entities []schemas.Entity) string {
	var buf [8]lookalike.Match
	matches := lookalike.AppendMatches(buf[:0], text)
	if len(matches) == 0 {
		return text
	}
	var marks []int // the code points before which a mark is inserted, in order
	bytes, points, tags := 0, 0, 0
	matches = slices.DeleteFunc(matches, func(m lookalike.Match) bool {
		points += utf8.RuneCountInString(text[bytes:m.Inside])
		bytes = m.Inside
		for tags < len(entities) && entities[tags].End <= points {
			tags++
		}
		if tags < len(entities) && entities[tags].Start == points-1 && isTag(text[bytes-1:], &entities[tags]) {
			return true
		}
		marks = append(marks, points)
		return false
	})
	before, within := 0, 0
	for i := range entities {
		e := &entities[i]
		for before < len(marks) && marks[before] <= e.Start {
			before++
		}
		within = max(before, within)
		for within < len(marks) && marks[within] < e.End {
			within++
		}
		e.Start, e.End = e.Start+before, e.End+within
	}
	return lookalike.EscapeAt(text, matches)
}

// isTag reports whether text begins with the tag of an entity, and not with a surrogate or with
// what was said.
func isTag(text string, e *schemas.Entity) bool {
	n := e.End - e.Start // a tag is ASCII
	if n > len(text) {
		return false
	}
	if text[:n] == replace.RedactMark {
		return true
	}
	number, ok := strings.CutPrefix(text[:n], "["+e.Type)
	number, closed := strings.CutSuffix(number, "]")
	return ok && closed && (number == "" || number[0] == '_' && strings.Trim(number[1:], "0123456789") == "")
}
