package indirect

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// store keeps the n-grams that do not fit into memory in a file. It is made for one pass, and goes
// when the graph is closed.
type store struct {
	db  *bbolt.DB
	dir string
	k   int
}

var bucket = []byte("n-grams")

// mergeBatch is how many n-grams one transaction of the store writes.
const mergeBatch = 100_000

func newStore(dir string, k int) (*store, error) {
	dir, err := os.MkdirTemp(dir, "sotto-graph-") // mode 0700
	if err != nil {
		return nil, err
	}
	// Nothing outlives the pass, so nothing needs to be on the disk for certain.
	db, err := bbolt.Open(filepath.Join(dir, "graph"), 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	if err == nil {
		err = db.Update(func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket(bucket)
			return err
		})
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &store{db, dir, k}, nil
}

func (s *store) close() error {
	return errors.Join(s.db.Close(), os.RemoveAll(s.dir))
}

// merge adds entries in the order of their n-grams, so that neighbours are written together.
func (s *store) merge(grams []string, get func(string) entry) error {
	for len(grams) > 0 {
		n := min(mergeBatch, len(grams))
		err := s.db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucket)
			b.FillPercent = 0.8
			for _, gram := range grams[:n] {
				e := get(gram)
				if old := b.Get([]byte(gram)); old != nil {
					known, err := s.decode(old)
					if err != nil {
						return err
					}
					known.merge(e)
					e = known
				}
				if err := b.Put([]byte(gram), e.encode()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		grams = grams[n:]
	}
	return nil
}

func (s *store) each(fn func(string, entry) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(gram, value []byte) error {
			e, err := s.decode(value)
			if err != nil {
				return err
			}
			return fn(string(gram), e)
		})
	})
}

// encode writes the count, the number of users, and the digests unless the n-gram is safe.
func (e *entry) encode() []byte {
	b := binary.AppendUvarint(nil, e.count)
	b = append(b, e.users)
	if !e.safe() {
		for _, d := range e.digests[:e.users] {
			b = binary.BigEndian.AppendUint64(b, d)
		}
	}
	return b
}

var errStore = errors.New("the store on disk is damaged")

func (s *store) decode(b []byte) (entry, error) {
	count, n := binary.Uvarint(b)
	if n <= 0 || n >= len(b) || int(b[n]) > s.k {
		return entry{}, errStore
	}
	e := entry{count: count, users: b[n], digests: make([]uint64, s.k-1)}
	if e.safe() {
		return e, nil
	}
	if b = b[n+1:]; len(b) != 8*int(e.users) {
		return entry{}, errStore
	}
	for i := range int(e.users) {
		e.digests[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	return e, nil
}
