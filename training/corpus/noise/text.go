package noise

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/internal/gold"
)

// affixes separates the punctuation around a text from its core. Symbols that belong to a number, an
// address or a tag stay in the core. If there is nothing else, all is core.
func affixes(text string) (before, core, after string) {
	core = strings.TrimLeftFunc(text, gold.Formatting)
	before = text[:len(text)-len(core)]
	trimmed := strings.TrimRightFunc(core, gold.Formatting)
	after = core[len(trimmed):]
	if trimmed == "" {
		return "", text, ""
	}
	return before, trimmed, after
}

// between puts before in front of the first text and after behind the last one, if there are any.
func between(before string, texts []string, after string) []string {
	if len(texts) > 0 {
		texts[0] = before + texts[0]
		texts[len(texts)-1] += after
	}
	return texts
}

func plain(text string) string {
	_, core, _ := affixes(text)
	return strings.ToLower(core)
}

// recase writes a text in the case of another one: in capitals, with a first capital, or as it is.
func recase(text, as string) string {
	first, size := utf8.DecodeRuneInString(as)
	switch {
	case !unicode.IsUpper(first):
		return text
	case len(as) > size && strings.ToUpper(as) == as:
		return strings.ToUpper(text)
	}
	return Capitalize(text)
}

// Capitalize makes the first letter a capital.
func Capitalize(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 || r == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(r)) + text[size:]
}

// onlyLetters reports whether a text is letters and, within it, apostrophes.
func onlyLetters(text string) bool {
	for _, r := range text {
		if !unicode.IsLetter(r) && r != '\'' && r != '’' {
			return false
		}
	}
	return text != ""
}

func hasDigit(text string) bool { return strings.ContainsFunc(text, isDigit) }

// isDigit reports whether a code point is a digit that can be said. Other digits count as letters.
func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// inWord reports whether a code point is part of a word that is not said digit by digit.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) && !isDigit(r) || r == '\'' || r == '’'
}
