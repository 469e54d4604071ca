package state

import "strings"

// maxLanguage bounds the language codes that a state contains.
const maxLanguage = 8

// Language returns the code of the language of the last turn that said in which language it
// is, "" for English.
func (c *Call) Language() string { return c.language }

// SetLanguage sets the language of the last turn.
func (c *Call) SetLanguage(code string) {
	if c.language != code {
		c.language = code
		c.others++
	}
}

// Withheld returns the code of the language because of which the call must not be released,
// "" if there is none.
func (c *Call) Withheld() string { return c.withheld }

// Withhold notes that the call must not be released because of a turn in another language. The
// first such language is kept.
func (c *Call) Withhold(code string) {
	if c.withheld == "" {
		c.withheld = code
		c.others++
	}
}

// isLanguage reports whether a string may be a language code: a few letters.
func isLanguage(s string) bool {
	return len(s) <= maxLanguage && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}
