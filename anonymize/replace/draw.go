package replace

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strings"

	"sotto/state"
)

// Seed is what all draws of one call derive from. It is secret: with it the draws can be predicted.
type Seed [state.SeedSize]byte

// stream is an endless sequence of draws: chacha8rand (https://c2sp.org/chacha8rand),
// whose output is fixed by its specification, keyed by HMAC-SHA256.
type stream struct{ rand.ChaCha8 }

// newStream returns the stream of a seed under a name. Different names give
// independent streams.
func newStream(s *stream, seed *Seed, name []byte) {
	s.Seed(mac(seed, name))
}

// mac is HMAC-SHA256 (RFC 2104) without the allocations of crypto/hmac.
func mac(key *Seed, message []byte) Seed {
	var inner [sha256.BlockSize + 192]byte
	var outer [sha256.BlockSize + sha256.Size]byte
	for i := range sha256.BlockSize {
		var k byte
		if i < len(key) {
			k = key[i]
		}
		inner[i], outer[i] = k^0x36, k^0x5c
	}
	sum := sha256.Sum256(append(inner[:sha256.BlockSize], message...))
	copy(outer[sha256.BlockSize:], sum[:])
	return sha256.Sum256(outer[:])
}

// below draws a number under n, each as likely (Lemire, "Fast random integer
// generation in an interval", 2019). n must not be 0.
func (s *stream) below(n uint64) uint64 {
	hi, lo := bits.Mul64(s.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(s.Uint64(), n)
		}
	}
	return hi
}

func (s *stream) unit() float64 { return float64(s.Uint64()>>11) / (1 << 53) }

// chooser makes the choices of one replacement. What it chooses under a label
// does not depend on what else was chosen, so that a part of a value is
// replaced by the same part of the value's replacement.
type chooser struct {
	seed *Seed
	// name is what the streams' names begin with.
	name []byte
	// entity is the number of the entity where choices are coherent, else 0.
	entity int
	// fixed means that the exemplars are wanted.
	fixed bool
	// again counts the choices that gave the original value.
	again byte
	// taken reports which words coherent choices leave out, nil for none.
	taken func(word string) bool
}

const (
	byMention = iota + 1
	byEntity
	byValue
	byClass
	forKeeping
)

func mentionName(kind byte, m *Mention) []byte {
	name := make([]byte, 0, 96)
	name = append(name, kind)
	name = binary.BigEndian.AppendUint64(name, uint64(m.Seq))
	return binary.BigEndian.AppendUint32(name, uint32(m.Pos))
}

// coherent chooses the same for each mention of an entity. An entity without a
// number is known by what was said.
func coherent(seed *Seed, m *Mention) *chooser {
	name := make([]byte, 0, 96)
	if m.N <= 0 {
		name = append(append(append(name, byValue), m.Type...), 0)
		return &chooser{seed: seed, entity: 1, name: append(appendLetters(name, m.Text), 0)}
	}
	name = append(append(append(name, byEntity), m.Type...), 0)
	return &chooser{seed: seed, entity: m.N, name: name}
}

// appendLetters appends the letters and digits of a text in lower case.
func appendLetters(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case 'A' <= b && b <= 'Z':
			dst = append(dst, b|0x20)
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b >= 0x80:
			dst = append(dst, b)
		}
	}
	return dst
}

// open returns the stream of a label. numbered means that the entities of a call share it, each
// with its own place in it.
func (c *chooser) open(s *stream, label string, numbered bool) {
	n := len(c.name)
	name := append(c.name, label...)
	if !numbered {
		name = binary.BigEndian.AppendUint32(append(name, 0), uint32(c.entity))
	}
	if c.again > 0 {
		name = append(name, 0xff, c.again)
	}
	newStream(s, c.seed, name)
	c.name = name[:n]
}

func (c *chooser) number(label string, n uint64) uint64 {
	var s stream
	c.open(&s, label, false)
	return s.below(n)
}

// pickUnlike is pick, but if a small table has nothing else than own, the choice is from spare,
// which may be nil.
func (c *chooser) pickUnlike(t, spare *Table, label, own string) string {
	v := c.pick(t, label, own)
	if spare != nil && c.entity > 0 && !c.fixed && strings.EqualFold(v, own) {
		return c.pick(spare, label, own)
	}
	return v
}

// pick chooses from a table. Coherent choices of different entities of a call
// differ as long as the table has enough, and are not own, whatever its case.
func (c *chooser) pick(t *Table, label, own string) string {
	if c.fixed {
		return t.exemplar
	}
	var s stream
	if c.entity == 0 {
		c.open(&s, label, false)
		return t.values[t.draw(&s)]
	}
	var first, second string
	if 4*c.entity > len(t.values) {
		// Too many for each to have its own.
		c.open(&s, label, false)
		first, second = t.twoDifferent(&s)
	} else {
		c.open(&s, label, true)
		first, second = t.nth(&s, c.entity)
	}
	for range maxTaken {
		for _, v := range []string{first, second} {
			if !strings.EqualFold(v, own) && (c.taken == nil || !c.taken(toLower(v))) {
				return v
			}
		}
		if c.taken == nil {
			break
		}
		first, second = t.twoDifferent(&s)
	}
	if strings.EqualFold(first, own) {
		return second
	}
	return first
}

// maxTaken bounds the draws for a value that nobody else has: a table may have none.
const maxTaken = 32
