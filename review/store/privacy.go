package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"
)

// TrailEntry is an entry of the audit trail.
type TrailEntry struct {
	At          time.Time
	Who, Action string
	CallID      string
}

// Record adds an entry to the audit trail. Action never contains text of a call.
func (s *Store) Record(ctx context.Context, who, action, callID string) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO trail (at_ms, who, action, call_id) VALUES (?,?,?,?)", s.nowMS(), who, action, callID)
	return err
}

// Trail returns the latest entries, of one call if callID is not empty.
func (s *Store) Trail(ctx context.Context, callID string, limit int) (out []TrailEntry, err error) {
	err = s.rows(ctx, func(r *sql.Rows) error {
		var e TrailEntry
		var at int64
		err := r.Scan(&at, &e.Who, &e.Action, &e.CallID)
		e.At = time.UnixMilli(at).UTC()
		out = append(out, e)
		return err
	}, "SELECT at_ms, who, action, call_id FROM trail WHERE ? IN ('', call_id) ORDER BY id DESC LIMIT ?", callID, limit)
	return out, err
}

// Erase removes a call, its text and all readings of it. The call is not taken over again from the
// audit topic, and the topic of readings gets tombstones.
func (s *Store) Erase(ctx context.Context, callID string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		var found int
		if err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM calls WHERE id = ?1) +
			(SELECT count(*) FROM readings WHERE call_id = ?1)`, callID).Scan(&found); err != nil {
			return err
		}
		if found == 0 {
			return ErrNotFound
		}
		for _, query := range []string{
			"INSERT OR REPLACE INTO tombstones SELECT call_id, kind, annotator FROM readings WHERE call_id = ?",
			"DELETE FROM readings WHERE call_id = ?",
			"DELETE FROM calls WHERE id = ?",
		} {
			if _, err := tx.ExecContext(ctx, query, callID); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO erased VALUES (?,?,0)", hash(callID), s.nowMS())
		return err
	})
}

// Expire removes the texts of calls that arrived before a time. Readings keep their places and
// infoTypes, so that figures stay; notes of the red team go. It returns how many calls expired.
func (s *Store) Expire(ctx context.Context, before time.Time) (n int64, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM utterances WHERE call_id IN (SELECT id FROM calls WHERE added_ms < ?)`, before.UnixMilli()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE readings SET revision = revision + 1, body = json_remove(body, '$.notes', '$.searched')
			WHERE call_id IN (SELECT id FROM calls WHERE added_ms < ? AND NOT expired)
			AND coalesce(json_extract(body, '$.notes'), json_extract(body, '$.searched')) IS NOT NULL`, before.UnixMilli()); err != nil {
			return err
		}
		r, err := tx.ExecContext(ctx, "UPDATE calls SET expired = 1 WHERE added_ms < ? AND NOT expired", before.UnixMilli())
		if err != nil {
			return err
		}
		n, err = r.RowsAffected()
		return err
	})
	return n, err
}

// Session is a person who has logged in.
type Session struct{ Who, Role string }

// ErrNoSession means that there is no such session, or that it has ended.
var ErrNoSession = errors.New("no session")

// Begin stores a session under a hash of its ID.
func (s *Store) Begin(ctx context.Context, id string, session Session) error {
	now := s.nowMS()
	_, err := s.db.ExecContext(ctx, "INSERT INTO sessions VALUES (?,?,?,?,?)", sessionHash(id), session.Who, session.Role, now, now)
	return err
}

// Resume returns a session that began within the lifetime and was seen within the idle time.
func (s *Store) Resume(ctx context.Context, id string, lifetime, idle time.Duration) (out Session, err error) {
	now := s.nowMS()
	var seen int64
	err = s.db.QueryRowContext(ctx, "SELECT who, role, seen_ms FROM sessions WHERE id_hash = ? AND began_ms > ? AND seen_ms > ?",
		sessionHash(id), now-lifetime.Milliseconds(), now-idle.Milliseconds()).Scan(&out.Who, &out.Role, &seen)
	if errors.Is(err, sql.ErrNoRows) {
		return out, ErrNoSession
	}
	// A write for each page would be slow.
	if err == nil && now-seen > time.Minute.Milliseconds() {
		_, err = s.db.ExecContext(ctx, "UPDATE sessions SET seen_ms = ? WHERE id_hash = ?", now, sessionHash(id))
	}
	return out, err
}

// EndSession ends a session.
func (s *Store) EndSession(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM sessions WHERE id_hash = ?", sessionHash(id))
	return err
}

func sessionHash(id string) []byte {
	sum := sha256.Sum256([]byte("session " + id))
	return sum[:]
}
