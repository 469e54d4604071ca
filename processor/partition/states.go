package partition

import (
	"bytes"
	"maps"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"sotto/internal/pieces"
	"sotto/state/sealing"
)

// States are the latest records of a partition of the state topic, by key.
type States struct {
	Read int // read in all, without claims
	// Claims are the groups that claim the partition, in the order of their claims.
	Claims []string
	states map[string][]byte
	// chunks are the numbers and values of the chunks of each call's transcript.
	chunks map[string]map[uint32][]byte
}

// NewStates has room for the states of about so many calls.
func NewStates(calls int) *States {
	return &States{states: make(map[string][]byte, calls), chunks: map[string]map[uint32][]byte{}}
}

// Add takes the next record. If that says that a call has expired, it returns the
// call.
func (r *States) Add(recordKey, value []byte) (id string, expired bool) {
	key := string(recordKey)
	if group, ok := ParseClaimKey(key); ok {
		r.Claims = slices.DeleteFunc(r.Claims, func(g string) bool { return g == group })
		if value != nil {
			r.Claims = append(r.Claims, group)
		}
		return "", false
	}
	r.Read++
	if id, n, ok := ParseChunkKey(key); ok {
		switch chunks := r.chunks[id]; {
		case value == nil:
			delete(chunks, n)
		case chunks == nil:
			r.chunks[id] = map[uint32][]byte{n: bytes.Clone(value)}
		default:
			chunks[n] = bytes.Clone(value)
		}
		return "", false
	}
	if value == nil {
		delete(r.states, key)
		return key, true
	}
	// The value is a slice of the fetched batch; without a copy it would keep the whole batch in
	// memory.
	r.states[key] = bytes.Clone(value)
	return "", false
}

// Open adds the calls to a partition, and forgets the records. All of them must
// open, also those that nothing needs any more.
func (r *States) Open(keys *sealing.Keyring, p *Partition) error {
	p.calls.Grow(len(r.states)) // a map that grows would leave its garbage
	o := stateOpener{keys: keys.Opener(), vault: p.Vault}
	for id, sealed := range r.states {
		events, chunks, err := openTranscript(keys, id, r.chunks[id])
		if err != nil {
			return err
		}
		c, err := o.open(id, sealed, newTranscript(chunks, events))
		if err != nil {
			return err
		}
		c.stateDigest = digest(sealed)
		for _, chunk := range r.chunks[id] {
			c.textDigest += digest(chunk)
		}
		p.sum += c.digests()
		p.restoreCall(c)
		delete(r.states, id)
		delete(r.chunks, id)
	}
	for id, chunks := range r.chunks { // of calls without a state
		if _, _, err := openTranscript(keys, id, chunks); err != nil {
			return err
		}
	}
	return nil
}

// stateOpener opens the records of one partition. Its buffers serve all of them.
type stateOpener struct {
	keys             *sealing.Opener
	vault            *Vault
	restored         restoreRoom
	body, compressed []byte
}

// open makes a call of its record. The call is dormant, unless an event of it is staged.
func (o *stateOpener) open(id string, sealed []byte, text Transcript) (c *Call, err error) {
	if o.body, err = o.keys.Open(o.body[:0], id, sealed); err != nil {
		return nil, err
	}
	meta, body, err := splitState(o.body)
	if err != nil {
		return nil, err
	}
	if text.chunks > 0 {
		if body, err = withTranscript(body, text); err != nil {
			return nil, err
		}
	}
	meta.shareNames()
	o.compressed = o.vault.dictionary.Encode(o.compressed, body)
	c = o.restored.call()
	c.ID, c.Meta, c.StateBytes = id, meta, int32(len(sealed))
	c.sealed = o.restored.Keep(o.vault.seal(o.restored.Room(len(o.compressed)+o.vault.aead.Overhead()), id, o.compressed))
	if sealing.HasStaged(sealed) {
		if c.awake, err = o.vault.open(c); err != nil {
			return nil, err
		}
		c.sealed = nil
	}
	return c, nil
}

func withTranscript(body []byte, text Transcript) ([]byte, error) {
	var b dormantBody
	if err := cbor.Unmarshal(body, &b); err != nil {
		return nil, errNoState
	}
	b.Chunks, b.Events = text.chunks, text.events
	return stateEncoding.Marshal(&b)
}

// restoreRoom gives the restored calls of a partition memory in larger pieces. Between
// the garbage of a restore, single objects would leave many pages half empty. A piece
// is freed with the last of its calls, so all of them never take more than after the
// restore.
type restoreRoom struct {
	pieces.Pieces
	calls []Call
}

const callsPerPiece = 64

func (r *restoreRoom) call() *Call {
	if len(r.calls) == 0 {
		r.calls = make([]Call, callsPerPiece)
	}
	c := &r.calls[0]
	r.calls = r.calls[1:]
	return c
}

// openTranscript opens the chunks of a call's transcript. It returns its events in
// their order, and the number that the next chunk gets.
func openTranscript(keys *sealing.Keyring, id string, chunks map[uint32][]byte) (events [][]byte, next uint32, err error) {
	if len(chunks) == 0 { // the iterator would need memory for each call
		return nil, 0, nil
	}
	for _, n := range slices.Sorted(maps.Keys(chunks)) {
		added, err := openChunk(keys, string(chunkKey(id, n)), chunks[n])
		if err != nil {
			return nil, 0, err
		}
		events, next = append(events, added...), n+1
	}
	return events, next, nil
}
