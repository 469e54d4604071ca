package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// TrailEntry is an entry of the access log.
type TrailEntry struct {
	At          time.Time
	Who, Action string
	CallID      string
}

// Record adds an entry to the access log. Action never contains text of a call.
func (s *Store) Record(ctx context.Context, who, action, callID string) error {
	return s.record(ctx, s.db, who, action, callID)
}

func (s *Store) record(ctx context.Context, r runner, who, action, callID string) error {
	return r.exec(ctx, "INSERT INTO trail (at_ms, who, action, call_id) VALUES ($1,$2,$3,$4)", s.nowMS(), who, action, callID)
}

// Trail returns the latest entries, of one call if callID is not empty.
func (s *Store) Trail(ctx context.Context, callID string, limit int) ([]TrailEntry, error) {
	return list(ctx, s.db, func(scan func(...any) error) (e TrailEntry, err error) {
		var at int64
		err = scan(&at, &e.Who, &e.Action, &e.CallID)
		e.At = time.UnixMilli(at).UTC()
		return e, err
	}, "SELECT at_ms, who, action, call_id FROM trail WHERE $1 IN ('', call_id) ORDER BY id DESC LIMIT $2", callID, limit)
}

// Erase removes a call, its text and all readings of it, and adds to the access log who did. The call is
// not taken over again from the audit topic, and the topic of readings gets tombstones.
func (s *Store) Erase(ctx context.Context, who, callID string) error {
	return s.changeAndForget(ctx, func(tx runner) error {
		var found int
		if err := tx.row(ctx, `SELECT (SELECT count(*) FROM calls WHERE id = $1) +
			(SELECT count(*) FROM readings WHERE call_id = $1)`, callID).scan(&found); err != nil {
			return err
		}
		if found == 0 {
			return ErrNotFound
		}
		err := tx.exec(ctx, "INSERT INTO tombstones SELECT call_id, kind, annotator FROM readings WHERE call_id = $1 ON CONFLICT DO NOTHING", callID)
		if err != nil {
			return err
		}
		if err := remove(ctx, tx, callID); err != nil {
			return err
		}
		if err := tx.exec(ctx, `INSERT INTO erased VALUES ($1,$2,false)
			ON CONFLICT (id_hash) DO UPDATE SET at_ms = excluded.at_ms, sent = false`, hash(callID), s.nowMS()); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "erased", callID)
	})
}

// remove removes a call, its text and all readings of it.
func remove(ctx context.Context, tx runner, callID string) error {
	if err := tx.exec(ctx, "DELETE FROM readings WHERE call_id = $1", callID); err != nil {
		return err
	}
	return tx.exec(ctx, "DELETE FROM calls WHERE id = $1", callID)
}

// Expire removes the texts of calls that arrived before a time, and the notes about them. Readings keep
// their places and infoTypes, so that figures stay. It returns how many calls expired.
func (s *Store) Expire(ctx context.Context, before time.Time) (n int64, err error) {
	at := before.UnixMilli()
	err = s.changeAndForget(ctx, func(tx runner) error {
		if err := expireNotes(ctx, tx, at); err != nil {
			return err
		}
		if err := tx.exec(ctx, "DELETE FROM utterances WHERE call_id IN (SELECT id FROM calls WHERE added_ms < $1)", at); err != nil {
			return err
		}
		if err := tx.row(ctx, "SELECT count(*) FROM calls WHERE added_ms < $1 AND NOT expired", at).scan(&n); err != nil {
			return err
		}
		return tx.exec(ctx, "UPDATE calls SET expired = true WHERE added_ms < $1", at)
	})
	return n, err
}

// expireNotes removes the notes of expired calls, and old ones of calls whose text did not come.
func expireNotes(ctx context.Context, tx runner, before int64) error {
	old, err := list(ctx, tx, scanReading, selectReadings+`WHERE (body LIKE '%"notes":%' OR body LIKE '%"searched":%')
		AND (updated_ms < $1 OR call_id IN (SELECT id FROM calls WHERE added_ms < $1 AND added_ms <> $2))`, before, unseen)
	if err != nil {
		return err
	}
	for _, r := range old {
		if r.Notes+r.Searched == "" {
			continue
		}
		r.Notes, r.Searched = "", ""
		body, err := json.Marshal(&r)
		if err != nil {
			return err
		}
		if err := tx.exec(ctx, "UPDATE readings SET revision = revision + 1, body = $1 WHERE call_id = $2 AND kind = $3 AND annotator = $4",
			string(body), r.CallID, r.Kind, r.Annotator); err != nil {
			return err
		}
	}
	return nil
}

// ErrNoSession means that there is no such session, or that it has ended.
var ErrNoSession = errors.New("no session")

// Begin stores the session of who has logged in under a hash of its ID, and removes those that began before the
// lifetime.
func (s *Store) Begin(ctx context.Context, id, who string, lifetime time.Duration) error {
	now := s.nowMS()
	if err := s.db.exec(ctx, "DELETE FROM sessions WHERE began_ms <= $1", now-lifetime.Milliseconds()); err != nil {
		return err
	}
	return s.db.exec(ctx, "INSERT INTO sessions VALUES ($1,$2,'',$3,$3)", hash("session "+id), who, now)
}

// Resume returns whose session it is, if it began within the lifetime and was seen within the idle time.
func (s *Store) Resume(ctx context.Context, id string, lifetime, idle time.Duration) (who string, err error) {
	now := s.nowMS()
	var seen int64
	err = s.db.row(ctx, "SELECT who, seen_ms FROM sessions WHERE id_hash = $1 AND began_ms > $2 AND seen_ms > $3",
		hash("session "+id), now-lifetime.Milliseconds(), now-idle.Milliseconds()).scan(&who, &seen)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrNoSession
	}
	// A write for each page would be slow.
	if err == nil && now-seen > time.Minute.Milliseconds() {
		err = s.db.exec(ctx, "UPDATE sessions SET seen_ms = $1 WHERE id_hash = $2", now, hash("session "+id))
	}
	return who, err
}

func (s *Store) EndSession(ctx context.Context, id string) error {
	return s.db.exec(ctx, "DELETE FROM sessions WHERE id_hash = $1", hash("session "+id))
}
