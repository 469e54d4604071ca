// Package store keeps the calls and readings of sotto review in a SQLite file.
//
// A change is on the disk before it is acknowledged, so that a kill loses nothing.
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

	"sotto/risk"
)

//go:embed schema.sql
var schema string

// version of schema.sql. A store of another version is refused.
const version = 1

// Options configure a Store.
type Options struct {
	// Table scores the readings; nil is Table 6.
	Table *risk.Table
	// SecondPass is the share of calls that two annotators read, RedTeam that of the calls for the
	// red team. Both are decided by a hash of the call ID when a call arrives.
	SecondPass, RedTeam float64
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Store is safe for concurrent use.
type Store struct {
	db   *sql.DB
	opts Options
}

// ErrNotFound means that there is no such call.
var ErrNotFound = errors.New("no such call")

// ErrConflict means that the reading has been changed since it was read.
var ErrConflict = errors.New("the reading has changed meanwhile")

// Open opens or creates a store. Only the user who runs the process can read the file.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	if o.Table == nil {
		o.Table = risk.Table6()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
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
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, opts: o}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}
	return s, nil
}

func (s *Store) migrate(ctx context.Context) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		var have int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
			return err
		}
		switch have {
		case version:
			return nil
		case 0:
			_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d;", version))
			return err
		}
		return fmt.Errorf("the store has version %d and this program reads %d; use the program that wrote it", have, version)
	})
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// change runs f in a transaction that writes.
func (s *Store) change(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Store) nowMS() int64 { return s.opts.Now().UnixMilli() }
