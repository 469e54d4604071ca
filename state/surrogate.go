package state

import (
	"crypto/hkdf"
	"crypto/sha256"
)

// SeedSize is the size of the seed of a call's draws, in bytes.
const SeedSize = 32

// Seed is the seed of the call's draws, nil as long as there is none. It is
// secret. It is remembered, so that a call that is open when the keys are
// rotated goes on with the same surrogates. The slice must not be written to.
func (c *Call) Seed() []byte { return c.seed }

// SetSeed remembers the seed of the call's draws. One of another size than
// SeedSize is a programming error and is ignored.
func (c *Call) SetSeed(seed []byte) {
	if len(seed) == SeedSize {
		c.seed = append([]byte(nil), seed...)
	}
}

// LongestAlias is the longest form that is known of the entity with a number
// above 0, in lower case; empty when there is no such entity.
func (c *Call) LongestAlias(r Ref) string {
	if e := c.numbered(r); e != nil {
		return longestForm(e)
	}
	return ""
}

// OfSpeaker tells whether the entity with a number above 0 is an organization or
// product of a speaker.
func (c *Call) OfSpeaker(r Ref) bool {
	e := c.numbered(r)
	return e != nil && e.own
}

// numbered returns the entity with a number above 0, nil when there is none.
func (c *Call) numbered(r Ref) *entity {
	for i := range c.entities {
		if e := &c.entities[i]; r.N > 0 && int(e.num) == r.N && c.types[e.typ] == r.Type {
			return e
		}
	}
	return nil
}

// ReplacementKey is the key that replacements are drawn by, derived from the
// sealing key.
func (k *Keyring) ReplacementKey() ([]byte, error) {
	return hkdf.Key(sha256.New, k.keys[0].secret, nil, "sotto replace v1", keySize)
}
