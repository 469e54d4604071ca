package schemas

import "strings"

// The limits of the words of an event that say where it belongs, in bytes. A clean event has no such
// word that is longer.
const (
	MaxTenant   = 64
	MaxContext  = 32
	MaxLanguage = 35 // of a tag of BCP 47
)

// IsWord reports whether a string looks like an identifier: 1 to max of A-Z, a-z, 0-9, "_", "-" and
// ".". Only such a string passes from a raw event to a clean one: anything else could be somebody's
// name or number.
func IsWord(s string, max int) bool {
	return s != "" && len(s) <= max && strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == ""
}
