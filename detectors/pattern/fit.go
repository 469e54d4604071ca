package pattern

// fit tells how far a code can be a value of a type.
type fit uint8

const (
	// fitNone: it cannot be one.
	fitNone fit = iota
	// fitLoose: it could be a part of one, or one that was misheard.
	fitLoose
	// fitShape: it has the right length and kind of characters.
	fitShape
	// fitExact: it has a structure that few other codes have.
	fitExact
	// fitChecked: its check digits hold too.
	fitChecked
)
