package live

import (
	"encoding/binary"

	"sotto/state/sealing"
)

// Gram has the digests of an n-gram under each key of a ring, the sealing one first.
type Gram []uint64

// Individual has the digests of an individual under each key of a ring, the sealing one first. Two
// individuals with equal digests count as one, which marks too much and never too little.
type Individual []uint32

// Hasher computes digests. It is not safe for concurrent use.
type Hasher struct {
	d    *sealing.Digester
	keys int
}

// NewHasher makes a hasher with the keys of a ring, which must be that of the graph.
func NewHasher(ring *sealing.Keyring) *Hasher {
	return &Hasher{sealing.NewDigester(ring), len(ring.Versions())}
}

// Ring is the keyring of the digests.
func (h *Hasher) Ring() *sealing.Keyring { return h.d.Ring() }

// Gram returns the digests of an n-gram.
func (h *Hasher) Gram(text string) Gram {
	g := make(Gram, h.keys)
	for i := range g {
		g[i] = binary.BigEndian.Uint64(h.d.Sum(i, "gram", []byte(text)))
	}
	return g
}

// Individual returns the digests of an individual. None of them is 0.
func (h *Hasher) Individual(name string) Individual {
	w := make(Individual, h.keys)
	for i := range w {
		w[i] = max(1, binary.BigEndian.Uint32(h.d.Sum(i, "individual", []byte(name))))
	}
	return w
}
