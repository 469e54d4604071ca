// Package live keeps the graph of indirect identifiers of one partition while its calls go by: how
// many individuals used each n-gram, exact up to k, in bounded memory.
//
// It knows n-grams and individuals by keyed digests only. Changes can be undone until they are
// committed, and go to a compacted topic as small records, from which the graph is restored. It
// does not depend on Kafka.
package live

import (
	"cmp"
	"slices"

	"sotto/state/sealing"
)

// Options configure a Graph.
type Options struct {
	// K is how many individuals must use an n-gram for it to be safe; at least 2.
	K int
	// MaxGrams bounds the n-grams in memory. Beyond it, those that were used least recently and are
	// not safe are forgotten; they count anew when they are used again. If all are safe, further
	// n-grams are never safe.
	MaxGrams int
	// Partition is that of the topic. A record of another partition is refused.
	Partition int32
	// Scheme says what else the counts depend on, such as what an individual is. A graph with
	// another scheme is refused.
	Scheme string
}

// Graph is not safe for concurrent use.
type Graph struct {
	opts     Options
	ring     *sealing.Keyring
	versions []uint32 // of the ring, the sealing one first
	digester *sealing.Digester

	grams map[uint32]*keyed // by key version
	size  int
	// The digests of the individuals that use an n-gram are in a slot, K-1 each, with its age.
	ages  []uint64
	users []uint32
	free  []uint32
	// queue has the n-grams that are not safe in the order of their ages. An entry is stale if its
	// n-gram has another age by now. Those before head are gone.
	queue []queued
	head  int

	calls, next uint64
	headVersion uint32 // of the key that the head was written under; 0 for none
	// orphans are the records in the topic whose key is gone. Nothing finds them any more.
	orphans []orphan
	// sum is that of the digests of all n-grams in the topic, the orphans included.
	sum uint64

	// The open transaction.
	undo      []change
	saved     Savepoint // as of the last commit
	forgotten int
	popped    bool // head moved
	wrote     bool // Records was called

	restoring *restoring // until Restored
}

type orphan struct {
	at     id
	digest uint64
}

// keyed are the n-grams whose digests are under one key.
type keyed struct {
	safe map[uint64]struct{}
	open map[uint64]uint32 // slot
}

// id is an n-gram: the version of the key and the digest under it.
type id struct {
	version uint32
	digest  uint64
}

type queued struct {
	age uint64
	at  id
}

type kind uint8

const (
	absent kind = iota
	open        // fewer than K individuals use it
	safe
)

type entry struct {
	kind  kind
	age   uint64
	users []uint32
}

type change struct {
	at  id
	was entry
}

// New makes an empty graph with the keys of a ring.
func New(o Options, ring *sealing.Keyring) *Graph {
	g := &Graph{opts: o, grams: map[uint32]*keyed{}}
	g.UseKeys(ring)
	return g
}

// UseKeys changes the keys. It must not be called while a transaction has changes. What is known
// under a key that is gone is forgotten.
func (g *Graph) UseKeys(ring *sealing.Keyring) {
	if g.ring == ring {
		return
	}
	g.ring, g.versions, g.digester = ring, ring.Versions(), sealing.NewDigester(ring)
	for v, k := range g.grams {
		if !slices.Contains(g.versions, v) {
			g.abandon(v, k)
		}
	}
	for _, v := range g.versions {
		if g.grams[v] == nil {
			g.grams[v] = &keyed{map[uint64]struct{}{}, map[uint64]uint32{}}
		}
	}
}

// abandon makes orphans of the n-grams under a key.
func (g *Graph) abandon(version uint32, k *keyed) {
	for digest := range k.safe {
		at := id{version, digest}
		g.orphans = append(g.orphans, orphan{at, at.digestOf(entry{kind: safe})})
	}
	for digest, slot := range k.open {
		at := id{version, digest}
		g.orphans = append(g.orphans, orphan{at, at.digestOf(entry{open, g.ages[slot], g.usersOf(slot)})})
		g.free = append(g.free, slot)
	}
	g.size -= len(k.safe) + len(k.open)
	delete(g.grams, version)
}

// Ring is the keyring whose digests the graph takes.
func (g *Graph) Ring() *sealing.Keyring { return g.ring }

// Calls is how many calls were counted.
func (g *Graph) Calls() uint64 { return g.calls }

// CountCall counts a call.
func (g *Graph) CountCall() { g.calls++ }

// Sum is that of the digests of what the topic holds after the open transaction, without the head.
// Equal n-grams with equal users have equal digests.
func (g *Graph) Sum() uint64 {
	sum := g.sum
	if g.wrote {
		for _, o := range g.orphans[:min(orphansAtOnce, len(g.orphans))] {
			sum -= o.digest
		}
	}
	return sum
}

// Size is the number of n-grams in memory, and how many of them are safe.
func (g *Graph) Size() (grams, safe int) {
	for _, k := range g.grams {
		safe += len(k.safe)
	}
	return g.size, safe
}

// Forgotten is the number of n-grams that the open transaction made room with.
func (g *Graph) Forgotten() int { return g.forgotten }

// Safe reports whether at least K individuals were counted for an n-gram.
func (g *Graph) Safe(gram Gram) bool {
	_, e := g.find(gram)
	return e.kind == safe
}

// Link counts an individual for an n-gram. What was known of the n-gram under an older key moves to
// the sealing key.
func (g *Graph) Link(gram Gram, who Individual) {
	at, v := g.find(gram)
	k, newest := v.kind, id{g.versions[0], gram[0]}
	if k == absent && !g.makeRoom() {
		return
	}
	v.users = slices.Clone(v.users)
	counts := k == absent || k == open && !slices.ContainsFunc(v.users, func(u uint32) bool { return slices.Contains(who, u) })
	if !counts && at == newest {
		return
	}
	if at != newest && k != absent {
		g.change(at, entry{})
	}
	if counts {
		v.users = append(v.users, who[0])
		v.kind = open
	}
	if v.kind == safe || len(v.users) >= g.opts.K {
		g.change(newest, entry{kind: safe})
		return
	}
	v.age = g.next
	g.next++
	g.change(newest, v)
	g.queue = append(g.queue, queued{v.age, newest})
}

// find returns where an n-gram is, and where it would be if it is absent.
func (g *Graph) find(gram Gram) (id, entry) {
	for i, v := range g.versions {
		if e := g.get(id{v, gram[i]}); e.kind != absent {
			return id{v, gram[i]}, e
		}
	}
	return id{g.versions[0], gram[0]}, entry{}
}

// forgetAtOnce bounds what one new n-gram makes the graph forget, which is more than one only after
// MaxGrams was lowered. So a transaction stays small.
const forgetAtOnce = 4

// makeRoom forgets n-grams if there are too many. It reports whether one more may come.
func (g *Graph) makeRoom() bool {
	for n := 0; g.size >= g.opts.MaxGrams; {
		if n == forgetAtOnce {
			return true
		}
		if g.head == len(g.queue) {
			return n > 0
		}
		q := g.queue[g.head]
		g.head++
		g.popped = true
		if g.isCurrent(q) {
			g.change(q.at, entry{})
			g.forgotten++
			n++
		}
	}
	return true
}

func (g *Graph) isCurrent(q queued) bool {
	k := g.grams[q.at.version]
	if k == nil {
		return false // the key is gone
	}
	slot, ok := k.open[q.at.digest]
	return ok && g.ages[slot] == q.age
}

// get returns what is known of an n-gram. Its users are valid until the next change.
func (g *Graph) get(at id) entry {
	k := g.grams[at.version]
	if _, ok := k.safe[at.digest]; ok {
		return entry{kind: safe}
	}
	slot, ok := k.open[at.digest]
	if !ok {
		return entry{}
	}
	return entry{open, g.ages[slot], g.usersOf(slot)}
}

func (g *Graph) usersOf(slot uint32) []uint32 {
	users := g.slot(slot)
	if i := slices.Index(users, 0); i >= 0 {
		users = users[:i]
	}
	return users
}

func (g *Graph) slot(n uint32) []uint32 {
	w := uint32(g.opts.K - 1)
	return g.users[n*w : (n+1)*w : (n+1)*w]
}

func (g *Graph) change(at id, v entry) {
	was := g.get(at)
	was.users = slices.Clone(was.users)
	g.undo = append(g.undo, change{at, was})
	g.set(at, v)
}

func (g *Graph) set(at id, v entry) {
	k := g.grams[at.version]
	g.sum += at.digestOf(v) - at.digestOf(g.get(at))
	g.size -= len(k.safe) + len(k.open)
	slot, has := k.open[at.digest]
	if has && v.kind != open {
		delete(k.open, at.digest)
		g.free = append(g.free, slot)
	}
	if v.kind == safe {
		k.safe[at.digest] = struct{}{}
	} else {
		delete(k.safe, at.digest)
	}
	if v.kind == open {
		if !has {
			slot = g.takeSlot()
			k.open[at.digest] = slot
		}
		g.ages[slot] = v.age
		users := g.slot(slot)
		clear(users)
		copy(users, v.users)
	}
	g.size += len(k.safe) + len(k.open)
}

func (g *Graph) takeSlot() uint32 {
	if n := len(g.free); n > 0 {
		slot := g.free[n-1]
		g.free = g.free[:n-1]
		return slot
	}
	g.ages = append(g.ages, 0)
	g.users = append(g.users, make([]uint32, g.opts.K-1)...)
	return uint32(len(g.ages) - 1)
}

// Savepoint is a point of the open transaction.
type Savepoint struct {
	changes, queue int
	calls, next    uint64
}

// Savepoint returns the present point.
func (g *Graph) Savepoint() Savepoint {
	return Savepoint{len(g.undo), len(g.queue), g.calls, g.next}
}

// UndoTo undoes everything since a point of the open transaction.
func (g *Graph) UndoTo(s Savepoint) {
	for i := len(g.undo) - 1; i >= s.changes; i-- {
		g.set(g.undo[i].at, g.undo[i].was)
	}
	g.undo = g.undo[:s.changes]
	g.calls, g.next = s.calls, s.next
	if g.popped {
		g.sortQueue()
	} else {
		g.queue = g.queue[:s.queue]
	}
}

// Rollback undoes everything since the last commit.
func (g *Graph) Rollback() {
	g.UndoTo(g.saved)
	g.end()
}

// Commit makes the changes final. If there are any, their records must have been written.
func (g *Graph) Commit() {
	if g.wrote {
		if g.dirty() {
			g.headVersion = g.versions[0]
		}
		g.sum = g.Sum()
		g.orphans = g.orphans[min(orphansAtOnce, len(g.orphans)):]
	}
	if g.head > len(g.queue)/2 || len(g.queue)-g.head > 2*len(g.ages)+1024 {
		g.queue = slices.DeleteFunc(g.queue[g.head:], func(q queued) bool { return !g.isCurrent(q) })
		g.head = 0
	}
	g.end()
}

func (g *Graph) end() {
	clear(g.undo)
	g.undo, g.forgotten, g.popped, g.wrote = g.undo[:0], 0, false, false
	g.saved = g.Savepoint()
}

func (g *Graph) sortQueue() {
	g.queue, g.head = g.queue[:0], 0
	for version, k := range g.grams {
		for digest, slot := range k.open {
			g.queue = append(g.queue, queued{g.ages[slot], id{version, digest}})
		}
	}
	slices.SortFunc(g.queue, func(a, b queued) int { return cmp.Compare(a.age, b.age) })
}
