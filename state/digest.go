package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
)

// DigestSize is the size of a digest of a Digester, in bytes.
const DigestSize = sha256.Size

// Digester computes keyed digests under the keys of a ring. Nobody without the keys can test a
// digest against a list of words or customers. It is not safe for concurrent use.
type Digester struct {
	ring *Keyring
	macs []hash.Hash
	in   []byte
	sum  [DigestSize]byte
}

// NewDigester returns a digester for the keys of a ring.
func NewDigester(k *Keyring) *Digester {
	d := &Digester{ring: k}
	for i := range k.keys {
		d.macs = append(d.macs, hmac.New(sha256.New, k.keys[i].digestKey))
	}
	return d
}

// Ring is the keyring that the digester belongs to.
func (d *Digester) Ring() *Keyring { return d.ring }

// Sum returns the digest of a purpose, which must not contain the byte 0, and data, under the nth
// key of Versions. It is valid until the next call.
func (d *Digester) Sum(n int, purpose string, data []byte) []byte {
	m := d.macs[n]
	m.Reset()
	d.in = append(append(append(d.in[:0], purpose...), 0), data...)
	m.Write(d.in)
	return m.Sum(d.sum[:0])
}
