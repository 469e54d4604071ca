package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

// journal is what SQLite writes changes to before they enter the file. Only emptying it overwrites the
// copies of deleted rows in it, and that must wait for every reader of the file.
type journal struct {
	db *sql.DB
	// ctx ends the attempts of the background.
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	trying chan struct{} // closed when the background has emptied it; nil if nothing is owed
}

// Writers wait while an attempt waits for readers, so it is short, and there is time between two.
const (
	journalWait  = 500 * time.Millisecond
	journalPause = 2 * time.Second
)

func newJournal(db *sql.DB) *journal {
	j := &journal{db: db}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	return j
}

// empty moves the content of the journal into the file, where secure_delete has overwritten deleted
// rows. If a reader prevents that, attempts go on in the background.
func (j *journal) empty(ctx context.Context) error {
	busy, err := j.attempt(ctx)
	if busy {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.trying == nil {
			done := make(chan struct{})
			j.trying = done
			go j.keepTrying(done)
		}
	}
	return err
}

func (j *journal) keepTrying(done chan struct{}) {
	defer close(done)
	for {
		select {
		case <-j.ctx.Done():
			return
		case <-time.After(journalPause):
		}
		if busy, err := j.attempt(j.ctx); !busy && err == nil {
			j.mu.Lock()
			j.trying = nil
			j.mu.Unlock()
			return
		}
	}
}

func (j *journal) attempt(ctx context.Context) (busy bool, err error) {
	conn, err := j.db.Conn(ctx)
	if err != nil {
		return false, withoutValues(err)
	}
	r := runner{conn}
	wait := func(d time.Duration) error {
		return r.exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds()))
	}
	defer func() { err = errors.Join(err, wait(busyTime), withoutValues(conn.Close())) }()
	if err := wait(journalWait); err != nil {
		return false, err
	}
	var frames, moved int
	err = r.row(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").scan(&busy, &frames, &moved)
	return busy, err
}

func (j *journal) owed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.trying != nil
}

func (j *journal) close() {
	j.cancel()
	j.mu.Lock()
	trying := j.trying
	j.mu.Unlock()
	if trying != nil {
		<-trying
	}
}
