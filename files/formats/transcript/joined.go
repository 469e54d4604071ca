package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// JoinWords returns the words of a list as one text: with a space between two words, unless the
// second is punctuation that belongs to the one before it.
func JoinWords(words []string) string {
	var b strings.Builder
	for _, w := range words {
		w = strings.TrimSpace(w)
		if w == "" {
			continue
		}
		if b.Len() > 0 && !closes(w) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// closes reports whether a word is punctuation that follows a word without space.
func closes(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	return n == len(w) && (strings.ContainsRune(".,?!:;%)]}’”…", r) || unicode.Is(unicode.Pe, r))
}
