package sealing

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Version 1 of the sealed form:
//
//	byte 0       format version
//	bytes 1-4    version of the deployment key, big endian
//	bytes 5-16   nonce
//	the rest     AES-256-GCM of the body
//
// The key derives from the deployment key and the call ID (HKDF-SHA256, RFC 5869). The call ID
// and the first five bytes are authenticated, so a record cannot be moved to another call or
// declared to have another version.
//
// Version 2 is the same for a body with staged events. A release that knows only version 1
// would lose them, so it stops instead. A body without staged events is sealed as version 1.
const (
	plainVersion  = 1
	formatVersion = 2
	// oldestFormat is the oldest version that is still read: the one before the current.
	oldestFormat = 1
	headerSize   = 5
)

// Errors of Open. None of them shows anything of the state.
var (
	// ErrFormat: the state was sealed by a later release, or by one too old.
	ErrFormat = errors.New("the state has a format version that this release cannot read")
	// ErrUnknownKey: the key that sealed the state is not in the key file.
	ErrUnknownKey = errors.New("the state was sealed with a key that is not in the key file")
	// ErrNotAuthentic: wrong key of the right version, or a damaged record.
	ErrNotAuthentic = errors.New("the state cannot be opened: wrong key or damaged record")
)

// Sealer seals the states of one call. It is safe for concurrent use. It keeps the derived
// key, since deriving it takes longer than sealing a state.
type Sealer struct {
	ring   *Keyring
	callID string
	aead   cipher.AEAD // of the sealing key
}

// Sealer returns the sealer for a call.
func (k *Keyring) Sealer(callID string) (*Sealer, error) {
	a, err := newAEAD(k.keys[0].expander().key(nil, stateInfo+callID))
	return &Sealer{k, callID, a}, err
}

// Seal encrypts body and appends the sealed form to dst.
func (s *Sealer) Seal(dst, body []byte) []byte { return s.seal(dst, body, plainVersion) }

// SealStaged is Seal for a body with staged events.
func (s *Sealer) SealStaged(dst, body []byte) []byte { return s.seal(dst, body, formatVersion) }

func (s *Sealer) seal(dst, body []byte, version byte) []byte {
	head := len(dst)
	dst = append(dst, version)
	dst = binary.BigEndian.AppendUint32(dst, s.ring.keys[0].version)
	ad := append(append(make([]byte, 0, headerSize+len(s.callID)), dst[head:]...), s.callID...)
	return s.aead.Seal(dst, nil, body, ad)
}

// HasStaged reports whether a sealed state contains staged events.
func HasStaged(sealed []byte) bool { return len(sealed) > 0 && sealed[0] == formatVersion }

// Open returns the body that was sealed for the call. The error is ErrFormat, ErrUnknownKey or
// ErrNotAuthentic, with the versions if they help.
func (k *Keyring) Open(callID string, sealed []byte) ([]byte, error) {
	return k.Opener().Open(nil, callID, sealed)
}

// Opener opens many states. It keeps memory between them, so it is not safe for concurrent use.
type Opener struct {
	ring      *Keyring
	expanders []*expander // by the place of the key, nil before the first use
	key, ad   []byte
}

// Opener returns an opener for the keys.
func (k *Keyring) Opener() *Opener {
	return &Opener{ring: k, expanders: make([]*expander, len(k.keys))}
}

// Open is Keyring.Open that appends the body to dst, which must not overlap sealed.
func (o *Opener) Open(dst []byte, callID string, sealed []byte) ([]byte, error) {
	if len(sealed) < headerSize {
		return nil, ErrNotAuthentic
	}
	if v := sealed[0]; v < oldestFormat || v > formatVersion {
		return nil, fmt.Errorf("%w: version %d, while %d to %d are known; run the release that wrote it, or a later one",
			ErrFormat, v, oldestFormat, formatVersion)
	}
	version := binary.BigEndian.Uint32(sealed[1:headerSize])
	i := slices.IndexFunc(o.ring.keys, func(d deploymentKey) bool { return d.version == version })
	if i < 0 {
		return nil, fmt.Errorf("%w: version %d; add that key to the file, after the first line", ErrUnknownKey, version)
	}
	if o.expanders[i] == nil {
		o.expanders[i] = o.ring.keys[i].expander()
	}
	o.key = o.expanders[i].key(o.key[:0], stateInfo+callID)
	a, err := newAEAD(o.key)
	if err != nil {
		return nil, err
	}
	o.ad = append(append(o.ad[:0], sealed[:headerSize]...), callID...)
	body, err := a.Open(dst, nil, sealed[headerSize:], o.ad)
	if err != nil {
		return nil, fmt.Errorf("%w (key version %d)", ErrNotAuthentic, version)
	}
	return body, nil
}

// stateInfo and the call ID are the purpose of the key of a call.
const stateInfo = "sotto state v1\x00"

// newAEAD returns a cipher that puts a random nonce before what it seals, which is the only use of
// GCM that FIPS 140-3 allows a program.
func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Ring is the keyring that the sealer belongs to.
func (s *Sealer) Ring() *Keyring { return s.ring }
