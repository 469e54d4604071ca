// Package store keeps the calls and readings of sotto review, in a SQLite file for one process or in
// PostgreSQL for several.
//
// A change is on the disk before it is acknowledged, so that a kill loses nothing. Changes of all
// processes take turns, so that a call goes to no more people than need it.
package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

//go:embed schema.sql
var schema string

//go:embed upgrade2.sql
var upgrade2 string

// version of schema.sql. A store of a later version is refused, and an earlier one is upgraded.
const version = 2

// Options configure a Store.
type Options struct {
	// SecondPass is the share of calls that two annotators read, RedTeam that of the calls for the
	// red team. Both are decided by a hash of the call ID when a call arrives.
	SecondPass, RedTeam float64
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Store is safe for concurrent use.
type Store struct {
	pool *sql.DB
	opts Options
	// turn is the statement that waits for the turn of a change. SQLite needs none: a transaction
	// that writes waits when it begins.
	turn string
	// journal empties the journal of a file after texts were deleted; nil in PostgreSQL.
	journal *journal
	// exclusiveKey is that of the lock of Exclusive in PostgreSQL.
	exclusiveKey int64
}

// ErrNotFound means that there is no such call.
var ErrNotFound = errors.New("no such call")

// ErrConflict means that the reading has been changed since it was read.
var ErrConflict = errors.New("the reading has changed meanwhile")

// busyTime is how long a change waits for its turn in a SQLite file.
const busyTime = 10 * time.Second

// Open opens or creates a store in a SQLite file, which one process serves at a time. Only the user
// who runs the process can read the file.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// secure_delete overwrites what is erased; synchronous=FULL waits for the disk.
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTime.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	s := &Store{pool: db, opts: o}
	s.journal = &journal{db: db}
	s.journal.ctx, s.journal.cancel = context.WithCancel(context.Background())
	change := s.change
	if left, err := os.Stat(path + "-wal"); err == nil && left.Size() > 0 {
		change = s.changeAndForget // a process that was killed may have left a copy of deleted text
	}
	if err := change(ctx, migrateFile); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), s.Close())
	}
	return s, nil
}

func migrateFile(tx *runner) {
	change := schema
	switch have := value[int](tx, "PRAGMA user_version"); have {
	case version:
		return
	case 0:
	case 1:
		change = upgrade2
	default:
		tx.fail(wrongVersion(have))
	}
	tx.exec(change + fmt.Sprintf("PRAGMA user_version = %d;", version))
}

func wrongVersion(have int) error {
	return fmt.Errorf("the store has version %d and this program reads up to %d; use the program that wrote it", have, version)
}

func (s *Store) Close() error {
	if s.journal != nil {
		s.journal.close()
	}
	return s.pool.Close()
}

// Ping reports whether the store can be reached.
func (s *Store) Ping(ctx context.Context) error { return withoutValues(s.pool.PingContext(ctx)) }

// Exclusive runs f while no other process that serves the store runs an Exclusive. It waits for that,
// and returns what f returns. If the right to run is lost because the database cannot be reached, it
// cancels the context of f, and runs f again later.
func (s *Store) Exclusive(ctx context.Context, f func(context.Context) error) error {
	if s.journal != nil {
		return f(ctx) // one process serves a file
	}
	return exclusive(ctx, s.pool, s.exclusiveKey, f)
}

// changeAndForget is change for the deletion of texts: no copy of them stays behind, unless CopyLeft
// says so.
func (s *Store) changeAndForget(ctx context.Context, f func(tx *runner)) error {
	if err := s.change(ctx, f); err != nil || s.journal == nil {
		return err
	}
	return s.journal.empty(ctx)
}

// CopyLeft reports whether the journal of the file still has a copy of deleted text, because
// another program reads the file. It is emptied as soon as that ends.
func (s *Store) CopyLeft() bool { return s.journal != nil && s.journal.owed.Load() }

// change runs f in a transaction that writes. Transactions of all processes take turns, so that f
// sees what all before have written.
func (s *Store) change(ctx context.Context, f func(tx *runner)) error {
	tx, err := s.pool.BeginTx(ctx, nil)
	if err != nil {
		return withoutValues(err)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing
	r := &runner{ctx: ctx, on: tx}
	if s.turn != "" {
		r.exec(s.turn)
	}
	if r.err == nil {
		f(r)
	}
	if r.err != nil {
		return r.err
	}
	return withoutValues(tx.Commit())
}

func (s *Store) nowMS() int64 {
	if s.opts.Now != nil {
		return s.opts.Now().UnixMilli()
	}
	return time.Now().UnixMilli()
}
