// Package ids knows the forms of code-like values: check digits, lengths,
// prefixes and alphabets of card numbers, bank accounts, national numbers,
// devices, vehicles and the like.
//
// A code is bytes in folded form: digits and lower-case letters, without
// separators. No function looks at the text around a code; that is the task of
// the pattern detector. Each function names the standard or the publication that
// it implements.
package ids

// Match says how well a code matches the form of a type of value.
type Match uint8

// The strengths of a match, the weakest first.
const (
	// None: it cannot be a value of the type.
	None Match = iota
	// Loose: it could be a part of a value, or a value that was misheard.
	Loose
	// Shape: it has the right length and kind of characters.
	Shape
	// Exact: it has a structure that few other codes have.
	Exact
	// Checked: its check digits hold too.
	Checked
)
