// Package sealing has the keys of a deployment, what derives from them (the keys of calls, of hashes
// of call IDs, of draws, digests and surrogates), and the sealed form of a state. It does not know
// what is in a state.
package sealing

import (
	"bufio"
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"sotto/internal/boundedfile"
)

// keySize is the size of a deployment key and of every key derived from it, in
// bytes.
const keySize = 32

// maxKeyFile bounds a file of keys, in bytes.
const maxKeyFile = 64 << 10

// Keyring is the deployment keys. The first one seals and hashes, and all of them open. To
// rotate the key, add the new one as the second line everywhere, then move it to the first
// line, and remove the old one when no call that it sealed is open any more. A Keyring is
// immutable and safe for concurrent use.
type Keyring struct {
	keys []deploymentKey
}

type deploymentKey struct {
	version uint32
	secret  []byte
	root    []byte // HKDF-Extract of the secret, from which all keys are expanded
	hashKey []byte // for call IDs
	drawKey []byte // for sampling
	// digestKey is for the graph of indirect identifiers.
	digestKey []byte
}

// LoadKeyring reads the keys from a file with one key a line, "version base64(32 bytes)". The
// first one seals. Empty lines and lines that start with # are skipped. A key without a version
// has version 1. Errors name the line and do not show its content.
func LoadKeyring(file string) (*Keyring, error) {
	data, err := boundedfile.Read(file, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("cannot read the state keys: %w", err)
	}
	k, err := ParseKeyring(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

// ParseKeyring is LoadKeyring for the contents of such a file.
func ParseKeyring(data []byte) (*Keyring, error) {
	k := &Keyring{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields := strings.Fields(text)
		version := uint64(1)
		if len(fields) == 2 {
			v, err := strconv.ParseUint(fields[0], 10, 32)
			if err != nil || v == 0 {
				return nil, fmt.Errorf("line %d: the version must be a number from 1 to 4294967295", line)
			}
			version = v
		} else if len(fields) != 1 {
			return nil, fmt.Errorf("line %d: want 'version key' with a key of 32 bytes in base64", line)
		}
		secret, err := base64.StdEncoding.DecodeString(fields[len(fields)-1])
		if err != nil || len(secret) != keySize {
			return nil, fmt.Errorf("line %d: the key must be 32 bytes in base64", line)
		}
		if bytes.Equal(secret, make([]byte, keySize)) {
			return nil, fmt.Errorf("line %d: the key is all zeros: make one with 'head -c 32 /dev/urandom | base64'", line)
		}
		if i := slices.IndexFunc(k.keys, func(other deploymentKey) bool { return bytes.Equal(other.secret, secret) }); i >= 0 {
			return nil, fmt.Errorf("line %d: version %d has the same key as version %d, so that nothing would be rotated", line, version, k.keys[i].version)
		}
		if slices.Contains(k.Versions(), uint32(version)) {
			return nil, fmt.Errorf("line %d: version %d occurs twice", line, version)
		}
		key, err := newDeploymentKey(uint32(version), secret)
		if err != nil {
			return nil, err
		}
		k.keys = append(k.keys, key)
	}
	if err := sc.Err(); err != nil {
		return nil, errors.New("a line is too long for a key")
	}
	if len(k.keys) == 0 {
		return nil, errors.New("contains no key: make one with 'head -c 32 /dev/urandom | base64'")
	}
	return k, nil
}

func newDeploymentKey(version uint32, secret []byte) (deploymentKey, error) {
	root, err := hkdf.Extract(sha256.New, secret, nil)
	if err != nil {
		return deploymentKey{}, err
	}
	d := deploymentKey{version: version, secret: secret, root: root}
	e := d.expander()
	d.hashKey, d.drawKey, d.digestKey = e.key(nil, "sotto call id v1"), e.key(nil, "sotto draw v1"), e.key(nil, "sotto indirect v1")
	return d, nil
}

// expander derives keys from a deployment key: HKDF-Expand of RFC 5869, for keys that are as long as
// its hash. It prepares the HMAC once, which takes most of the time of a single derivation. It is not
// safe for concurrent use.
type expander struct {
	mac  hash.Hash
	info []byte
}

func (d *deploymentKey) expander() *expander { return &expander{mac: hmac.New(sha256.New, d.root)} }

// key appends the key for a purpose to dst.
func (e *expander) key(dst []byte, info string) []byte {
	e.info = append(append(e.info[:0], info...), 1)
	e.mac.Reset()
	e.mac.Write(e.info)
	return e.mac.Sum(dst)
}

// Versions lists the versions of the keys, the sealing one first.
func (k *Keyring) Versions() []uint32 {
	v := make([]uint32, len(k.keys))
	for i := range k.keys {
		v[i] = k.keys[i].version
	}
	return v
}

// HashCallIDs returns the keyed hash of a call ID under each key, the sealing key first. A call
// that was open when the keys were rotated is known by the hash under an older one.
func (k *Keyring) HashCallIDs(callID string) []string {
	ids := make([]string, len(k.keys))
	for i := range k.keys {
		ids[i] = hex.EncodeToString(mac(k.keys[i].hashKey, callID)[:16])
	}
	return ids
}

// HashTenant returns the keyed hash of a tenant under the sealing key.
func (k *Keyring) HashTenant(tenant string) string {
	// No call ID begins with this byte, because call IDs are valid UTF-8.
	return hex.EncodeToString(mac(k.keys[0].hashKey, "\xff"+tenant)[:8])
}

// Draw returns a number in [0, 1) that is uniform over call IDs. It depends on the sealing key,
// the purpose and the call ID, and cannot be predicted without the key.
func (k *Keyring) Draw(purpose, callID string) float64 {
	return float64(binary.BigEndian.Uint64(mac(k.keys[0].drawKey, purpose+"\x00"+callID))>>11) / (1 << 53)
}

func mac(key []byte, message string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(message))
	return m.Sum(nil)
}

// ReplacementKey is the key of the draws of replacements. It derives from the sealing key.
func (k *Keyring) ReplacementKey() []byte { return k.keys[0].expander().key(nil, "sotto replace v1") }

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
