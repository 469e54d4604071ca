package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// journal is what SQLite writes changes to before they enter the file. Only emptying it overwrites the
// copies of deleted rows in it, and that must wait for every reader of the file.
type journal struct {
	db *sql.DB
	// ctx ends the attempts of the background.
	ctx      context.Context
	cancel   context.CancelFunc
	attempts sync.WaitGroup
	owed     atomic.Bool // the background has still to empty it
}

// Writers wait while an attempt waits for readers, so it is short, and there is time between two.
const (
	journalWait  = 500 * time.Millisecond
	journalPause = 2 * time.Second
)

// empty moves the content of the journal into the file, where secure_delete has overwritten deleted
// rows. If a reader prevents that, attempts go on in the background.
func (j *journal) empty(ctx context.Context) error {
	busy, err := j.attempt(ctx)
	if busy && j.owed.CompareAndSwap(false, true) {
		j.attempts.Go(j.keepTrying)
	}
	return err
}

func (j *journal) keepTrying() {
	for {
		select {
		case <-j.ctx.Done():
			return
		case <-time.After(journalPause):
		}
		if busy, err := j.attempt(j.ctx); !busy && err == nil {
			j.owed.Store(false)
			return
		}
	}
}

func (j *journal) attempt(ctx context.Context) (busy bool, err error) {
	conn, err := j.db.Conn(ctx)
	if err != nil {
		return false, withoutValues(err)
	}
	wait := func(d time.Duration) error {
		r := runner{ctx: ctx, on: conn}
		r.exec(fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds()))
		return r.err
	}
	defer func() { err = errors.Join(err, wait(busyTime), withoutValues(conn.Close())) }()
	if err := wait(journalWait); err != nil {
		return false, err
	}
	var frames, moved int
	r := runner{ctx: ctx, on: conn}
	r.scan([]any{&busy, &frames, &moved}, "PRAGMA wal_checkpoint(TRUNCATE)")
	return busy, r.err
}

func (j *journal) close() {
	j.cancel()
	j.attempts.Wait()
}
