package processor

import (
	"bytes"
	"slices"

	"github.com/fxamacker/cbor/v2"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/state"
)

// stateRecords are the latest records of a partition of the state topic, by key.
type stateRecords struct {
	records int // read in all
	states  map[string][]byte
	// chunks are the numbers and values of the chunks of each call's transcript.
	chunks map[string]map[uint32][]byte
}

// newStateRecords has room for the states of about so many calls.
func newStateRecords(calls int) *stateRecords {
	return &stateRecords{states: make(map[string][]byte, calls), chunks: map[string]map[uint32][]byte{}}
}

// add takes the next record. If that says that a call has expired, it returns the
// call.
func (r *stateRecords) add(rec *kgo.Record) (id string, expired bool) {
	r.records++
	key := string(rec.Key)
	if id, n, ok := parseChunkKey(key); ok {
		if rec.Value == nil {
			delete(r.chunks[id], n)
			return "", false
		}
		if r.chunks[id] == nil {
			r.chunks[id] = map[uint32][]byte{}
		}
		r.chunks[id][n] = bytes.Clone(rec.Value)
		return "", false
	}
	if rec.Value == nil {
		delete(r.states, key)
		return key, true
	}
	// The value is a slice of the fetched batch; without a copy it would keep the whole batch in memory.
	r.states[key] = bytes.Clone(rec.Value)
	return "", false
}

// open adds the calls to a partition, and forgets the records. All of them must
// open, also those that nothing needs any more.
func (r *stateRecords) open(keys *state.Keyring, p *partition) error {
	p.calls = make(map[string]*call, len(r.states)) // one that grows would leave its garbage
	o := stateOpener{keys: keys.Opener(), vault: p.vault}
	for id, sealed := range r.states {
		events, chunks, err := openTranscript(keys, id, r.chunks[id])
		if err != nil {
			return err
		}
		c, err := o.open(id, sealed, newTranscript(chunks, events))
		if err != nil {
			return err
		}
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
	keys             *state.Opener
	vault            *vault
	restored         restoreRoom
	body, compressed []byte
}

// open makes a call of its record. The call is dormant, unless something of it is deferred.
func (o *stateOpener) open(id string, sealed []byte, text transcript) (c *call, err error) {
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
	o.compressed = o.vault.compress(o.compressed, body)
	c = o.restored.call()
	c.id, c.meta, c.stateBytes = id, meta, int32(len(sealed))
	c.sealed = o.restored.keep(o.vault.seal(o.restored.room(len(o.compressed)+o.vault.overhead()), id, o.compressed))
	if state.HasDeferred(sealed) {
		if c.awake, err = o.vault.open(c); err != nil {
			return nil, err
		}
		c.sealed = nil
	}
	return c, nil
}

// withTranscript adds a transcript to an encoded dormantBody.
func withTranscript(body []byte, text transcript) ([]byte, error) {
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
	pieces
	calls []call
}

const callsPerPiece = 64

func (r *restoreRoom) call() *call {
	if len(r.calls) == 0 {
		r.calls = make([]call, callsPerPiece)
	}
	c := &r.calls[0]
	r.calls = r.calls[1:]
	return c
}

// openTranscript opens the chunks of a call's transcript. It returns its events in
// their order, and the number that the next chunk gets.
func openTranscript(keys *state.Keyring, id string, chunks map[uint32][]byte) (events [][]byte, next uint32, err error) {
	numbers := make([]uint32, 0, len(chunks))
	for n := range chunks {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		added, err := openChunk(keys, string(chunkKey(id, n)), chunks[n])
		if err != nil {
			return nil, 0, err
		}
		events, next = append(events, added...), n+1
	}
	return events, next, nil
}
