// Package replace renders what stands in a clean text where something personal
// stood.
package replace

import "strconv"

// Strategy renders replacements. A Strategy is immutable and safe for
// concurrent use, and its result depends on its arguments alone.
type Strategy interface {
	// Name is the strategy's name in events and settings.
	Name() string
	// Append appends to dst what replaces the n-th entity of an infoType in its
	// call; n is 0 for an entity that has no number.
	Append(dst []byte, infoType string, n int) []byte
}

// TypedNumbered replaces an entity by its infoType and number, [SSN_1], and one
// without number by its infoType, [SSN].
type TypedNumbered struct{}

// Name returns "typed-numbered".
func (TypedNumbered) Name() string { return "typed-numbered" }

// Append appends the tag to dst.
func (TypedNumbered) Append(dst []byte, infoType string, n int) []byte {
	dst = append(dst, '[')
	dst = append(dst, infoType...)
	if n > 0 {
		dst = append(dst, '_')
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, ']')
}
