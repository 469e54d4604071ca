package partition

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"sotto/state/sealing"
)

// Transcript holds a call's clean events until it ends, so that they can be
// masked again with everything learned during the call. It belongs to the call's
// worker. Each transaction writes what it adds as one or a few records with keys
// of their own (chunkKey) to the state topic, and never rewrites them. When the
// call ends, they get tombstones.
type Transcript struct {
	events [][]byte // as of the last commit, encoded
	bytes  int
	chunks uint32 // in the state topic

	// The open transaction.
	added   [][]byte
	grown   int    // bytes of added
	written uint32 // chunks that it writes
	digest  uint32 // of these
	Closing bool   // the call ends in it, and the transcript with it
}

func newTranscript(chunks uint32, events [][]byte) Transcript {
	t := Transcript{events: events, chunks: chunks}
	for _, e := range events {
		t.bytes += len(e)
	}
	return t
}

func (t *Transcript) begin() {
	t.added, t.grown, t.written, t.digest, t.Closing = nil, 0, 0, 0, false
}

func (t *Transcript) commit() {
	if t.Closing {
		*t = Transcript{}
		return
	}
	t.events = append(t.events, t.added...)
	t.bytes += t.grown
	t.chunks += t.written
	t.begin()
}

// Keep keeps an event if there is room for it.
func (t *Transcript) Keep(event []byte, room int) {
	if t.bytes+t.grown+len(event) <= room {
		t.added = append(t.added, event)
		t.grown += len(event)
	}
}

func (t *Transcript) changed() bool { return len(t.added) > 0 || t.Closing && t.chunks > 0 }

// All returns the events, those of the open transaction last.
func (t *Transcript) All() [][]byte { return slices.Concat(t.events, t.added) }

// Write passes on what the transaction adds to the transcript of a call, as records of about so
// many bytes for the state topic, or tombstones for all of them.
func (t *Transcript) Write(id string, keys *sealing.Keyring, most int, put func(key, value []byte)) error {
	if t.Closing {
		for n := range t.chunks {
			put(chunkKey(id, n), nil)
		}
		return nil
	}
	for from := 0; from < len(t.added); {
		to, size := from, 0
		for to < len(t.added) && (to == from || size+len(t.added[to]) <= most) {
			size += len(t.added[to])
			to++
		}
		key := chunkKey(id, t.chunks+t.written)
		sealed, err := sealChunk(keys, key, t.added[from:to])
		if err != nil {
			return err
		}
		put(key, sealed)
		t.written++
		t.digest += digest(sealed)
		from = to
	}
	return nil
}

// chunkMark begins the key of a chunk. No call ID begins with it, because call IDs
// are valid UTF-8.
const chunkMark = 0xff

func chunkKey(id string, n uint32) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{chunkMark}, n), id...)
}

func ParseChunkKey(key string) (id string, n uint32, ok bool) {
	if len(key) < 5 || key[0] != chunkMark {
		return "", 0, false
	}
	return key[5:], binary.BigEndian.Uint32([]byte(key[1:5])), true
}

// claimMark begins what stands for a call ID in the key of a claim. A former release takes a claim
// for a chunk of a call without a state, and leaves it alone.
const claimMark = "\xffclaim/"

// Claim returns a record by which a group claims a partition of the state topic.
func Claim(keys *sealing.Keyring, group string) (key, value []byte, err error) {
	key = chunkKey(claimMark+group, 0)
	value, err = sealChunk(keys, key, [][]byte{[]byte(group)})
	return key, value, err
}

// ParseClaimKey returns the group that claims a partition by a record with this key.
func ParseClaimKey(key string) (group string, ok bool) {
	id, _, ok := ParseChunkKey(key)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(id, claimMark)
}

// ChunkBytes is about the maximum size of a chunk.
const ChunkBytes = 512 << 10

type chunkBody struct {
	Events [][]byte `cbor:"16,keyasint"`
}

func sealChunk(keys *sealing.Keyring, key []byte, events [][]byte) ([]byte, error) {
	sealer, err := keys.Sealer(string(key))
	if err != nil {
		return nil, err
	}
	body, err := stateEncoding.Marshal(chunkBody{events})
	if err != nil {
		return nil, err
	}
	return sealer.Seal(nil, body), nil
}

var errChunk = errors.New("the sealed record does not contain a transcript")

func openChunk(keys *sealing.Keyring, key string, sealed []byte) ([][]byte, error) {
	body, err := keys.Open(key, sealed)
	if err != nil {
		return nil, err
	}
	var b chunkBody
	if err := cbor.Unmarshal(body, &b); err != nil || len(b.Events) == 0 {
		return nil, errChunk
	}
	return b.Events, nil
}
