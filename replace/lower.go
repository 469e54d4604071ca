package replace

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// toLower is strings.ToLower, but a letter whose lower-case form has another length in bytes stays as it
// is ("Ⱥ", "İ"): positions in the result are positions in s.
func toLower(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}
