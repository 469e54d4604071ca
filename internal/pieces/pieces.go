// Package pieces gives many small values memory in larger pieces.
package pieces

// Pieces gives out memory. A piece is freed with the last of its values. The zero value is ready
// for use. Not safe for concurrent use.
type Pieces struct{ free []byte }

const (
	// Size is that of a piece.
	Size = 32 << 10
	// Large is the size from which a value gets memory of its own.
	Large = Size / 8
)

// Room returns an empty buffer for a value of about n bytes. It is valid until the next call of
// Room, unless Keep is called.
func (p *Pieces) Room(n int) []byte {
	if n >= Large {
		return make([]byte, 0, n)
	}
	if n > len(p.free) {
		p.free = make([]byte, Size)
	}
	return p.free[:0]
}

// Keep reserves the memory of a value that was appended to the last Room, and returns the value.
func (p *Pieces) Keep(value []byte) []byte {
	if len(p.free) > 0 && cap(value) > 0 && &value[:1][0] == &p.free[0] { // it is in the piece
		p.free = p.free[len(value):]
	}
	return value[:len(value):len(value)]
}
