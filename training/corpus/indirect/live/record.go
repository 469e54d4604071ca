package live

import (
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"sotto/state/sealing"
)

// A record of the topic is an n-gram or the head. The key of an n-gram is the version of the
// deployment key and the digest; the value is its kind, for an open one also its age and the
// digests of its users, and a MAC. The head has the key headKey; it says how many calls were
// counted. It is written with every change, so it is the last one of a transaction's records.
const (
	headKey  = "graph"
	headKind = 3
	gramKey  = 12 // bytes
	macSize  = 8
)

// Errors of Restore and Restored, besides sealing.ErrUnknownKey. None shows anything of a record.
var (
	ErrDamaged = errors.New("a record of the graph of indirect identifiers is damaged, or from another partition or a later release")
	ErrScheme  = errors.New("the graph of indirect identifiers was made with other settings")
	ErrLost    = errors.New("the graph of indirect identifiers is not complete")
)

// orphansAtOnce bounds the tombstones for orphans in one transaction.
const orphansAtOnce = 1000

// dirty reports whether the head must be written.
func (g *Graph) dirty() bool {
	return len(g.undo) > 0 || g.calls != g.saved.calls || g.headVersion != 0 && g.headVersion != g.versions[0]
}

// NeedsRecords reports whether a transaction has anything to write, even if no call has ended: the
// sealing key has changed, or a key is gone.
func (g *Graph) NeedsRecords() bool { return g.dirty() || len(g.orphans) > 0 }

// Records calls put for each record that the open transaction must write. A nil value is a
// tombstone.
func (g *Graph) Records(put func(key, value []byte)) {
	g.wrote = true
	seen := map[id]bool{}
	for i := range g.undo {
		if at := g.undo[i].at; !seen[at] {
			seen[at] = true
			key := at.key()
			put(key, g.encode(at, key))
		}
	}
	for _, o := range g.orphans[:min(orphansAtOnce, len(g.orphans))] {
		put(o.at.key(), nil)
	}
	if g.dirty() {
		put([]byte(headKey), g.encodeHead())
	}
}

func (at id) key() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(make([]byte, 0, gramKey), at.version), at.digest)
}

func (g *Graph) encode(at id, key []byte) []byte {
	v := g.get(at)
	if v.kind == absent {
		return nil
	}
	b := v.append(nil)
	return append(b, g.mac(at.version, key, b)...)
}

func (v *entry) append(b []byte) []byte {
	b = append(b, byte(v.kind))
	if v.kind == open {
		b = binary.AppendUvarint(b, v.age)
		for _, u := range v.users {
			b = binary.BigEndian.AppendUint32(b, u)
		}
	}
	return b
}

// digestOf is the digest of a record without its MAC, 0 for none.
func (at id) digestOf(v entry) uint64 {
	if v.kind == absent {
		return 0
	}
	var room [64]byte
	return at.digestOfBody(v.append(room[:0]))
}

func (at id) digestOfBody(body []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	sum := (offset ^ uint64(at.version)) * prime
	sum = (sum ^ at.digest) * prime
	for _, b := range body {
		sum = (sum ^ uint64(b)) * prime
	}
	return sum
}

func (g *Graph) encodeHead() []byte {
	b := binary.BigEndian.AppendUint32([]byte{headKind}, g.versions[0])
	b = binary.AppendUvarint(b, g.calls)
	b = binary.AppendUvarint(b, g.next)
	b = append(b, g.opts.Scheme...)
	return append(b, g.mac(g.versions[0], []byte(headKey), b)...)
}

// mac authenticates a record and its partition.
func (g *Graph) mac(version uint32, key, body []byte) []byte {
	data := binary.BigEndian.AppendUint32(nil, uint32(g.opts.Partition))
	data = append(append(data, byte(len(key))), key...)
	return g.digester.Sum(slices.Index(g.versions, version), "record", append(data, body...))[:macSize]
}

func (g *Graph) open(version uint32, key, value []byte) ([]byte, error) {
	n := len(value) - macSize
	if n < 1 || !hmac.Equal(value[n:], g.mac(version, key, value[:n])) {
		return nil, ErrDamaged
	}
	return value[:n], nil
}

// restoring is what Restore has read besides n-grams.
type restoring struct {
	head    []byte
	orphans map[id]uint64 // with their digests
}

// Restore takes a record of the topic; value is nil for a tombstone. Records must come in the order
// of the topic, and before any other use of the graph.
func (g *Graph) Restore(key, value []byte) error {
	if g.restoring == nil {
		g.restoring = &restoring{orphans: map[id]uint64{}}
	}
	r := g.restoring
	switch {
	case string(key) == headKey:
		r.head = slices.Clone(value)
		return nil
	case len(key) != gramKey:
		return ErrDamaged
	}
	at := id{binary.BigEndian.Uint32(key), binary.BigEndian.Uint64(key[4:])}
	if !slices.Contains(g.versions, at.version) {
		if delete(r.orphans, at); value != nil {
			r.orphans[at] = at.digestOfBody(value[:max(0, len(value)-macSize)])
		}
		return nil
	}
	if value == nil {
		g.set(at, entry{})
		return nil
	}
	body, err := g.open(at.version, key, value)
	if err != nil {
		return err
	}
	v, err := g.decode(body)
	if err != nil {
		return err
	}
	g.set(at, v)
	return nil
}

func (g *Graph) decode(body []byte) (entry, error) {
	switch kind(body[0]) {
	case safe:
		return entry{kind: safe}, nil
	case open:
	default:
		return entry{}, ErrDamaged
	}
	age, n := binary.Uvarint(body[1:])
	users := body[1+max(n, 0):]
	if n <= 0 || len(users) == 0 || len(users)%4 != 0 || len(users)/4 >= g.opts.K {
		return entry{}, ErrDamaged
	}
	v := entry{kind: open, age: age}
	for ; len(users) > 0; users = users[4:] {
		v.users = append(v.users, binary.BigEndian.Uint32(users))
	}
	return v, nil
}

// Restored ends a restore. calls is how many calls the graph must have counted, -1 if that is not
// known. An empty topic is an empty graph.
func (g *Graph) Restored(calls int64) error {
	r := g.restoring
	g.restoring = nil
	if r != nil {
		if err := g.restoreHead(r.head); err != nil {
			return err
		}
		for at, digest := range r.orphans {
			g.orphans = append(g.orphans, orphan{at, digest})
			g.sum += digest
		}
	}
	if calls >= 0 && g.calls < uint64(calls) {
		return fmt.Errorf("%w: %d of %d calls are counted", ErrLost, g.calls, calls)
	}
	g.sortQueue()
	g.end()
	return nil
}

func (g *Graph) restoreHead(head []byte) error {
	if head == nil {
		if g.size > 0 {
			return fmt.Errorf("%w: its head is missing", ErrLost)
		}
		return nil
	}
	if len(head) < 5 || head[0] != headKind {
		return ErrDamaged
	}
	version := binary.BigEndian.Uint32(head[1:])
	if !slices.Contains(g.versions, version) {
		return fmt.Errorf("%w: version %d; add that key to the file, after the first line", sealing.ErrUnknownKey, version)
	}
	body, err := g.open(version, []byte(headKey), head)
	if err != nil {
		return err
	}
	body = body[5:]
	calls, n := binary.Uvarint(body)
	next, m := binary.Uvarint(body[max(n, 0):])
	if n <= 0 || m <= 0 {
		return ErrDamaged
	}
	if scheme := string(body[n+m:]); scheme != g.opts.Scheme {
		return fmt.Errorf("%w: it has %s, and the settings say %s", ErrScheme, scheme, g.opts.Scheme)
	}
	g.calls, g.next, g.headVersion = calls, next, version
	return nil
}
