package store

import (
	"context"
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
	r := s.run(ctx)
	s.record(r, who, action, callID)
	return r.err
}

func (s *Store) record(r *runner, who, action, callID string) {
	r.exec("INSERT INTO trail (at_ms, who, action, call_id) VALUES ($1,$2,$3,$4)", s.nowMS(), who, action, callID)
}

// Trail returns the latest entries, of one call if callID is not empty.
func (s *Store) Trail(ctx context.Context, callID string, limit int) ([]TrailEntry, error) {
	r := s.run(ctx)
	all := list(r, func(r row) (e TrailEntry) {
		var at int64
		r.read(&at, &e.Who, &e.Action, &e.CallID)
		e.At = time.UnixMilli(at).UTC()
		return e
	}, "SELECT at_ms, who, action, call_id FROM trail WHERE $1 IN ('', call_id) ORDER BY id DESC LIMIT $2", callID, limit)
	return all, r.err
}

// Erase removes a call, its text and all readings of it, and adds to the access log who did. The call is
// not taken over again from the audit topic, and the topic of readings gets tombstones.
func (s *Store) Erase(ctx context.Context, who, callID string) error {
	return s.changeAndForget(ctx, func(tx *runner) {
		if value[int](tx, `SELECT (SELECT count(*) FROM calls WHERE id = $1) +
			(SELECT count(*) FROM readings WHERE call_id = $1)`, callID) == 0 {
			tx.fail(ErrNotFound)
		}
		tx.exec("INSERT INTO tombstones SELECT call_id, kind, annotator FROM readings WHERE call_id = $1 ON CONFLICT DO NOTHING", callID)
		remove(tx, callID)
		tx.exec(`INSERT INTO erased VALUES ($1,$2,false)
			ON CONFLICT (id_hash) DO UPDATE SET at_ms = excluded.at_ms, sent = false`, hash(callID), s.nowMS())
		s.record(tx, who, "erased", callID)
	})
}

func remove(tx *runner, callID string) {
	tx.exec("DELETE FROM readings WHERE call_id = $1", callID)
	tx.exec("DELETE FROM calls WHERE id = $1", callID)
}

// Expire removes the texts of calls that arrived before a time, and the notes about them. Readings keep
// their places and infoTypes, so that figures stay. It returns how many calls expired.
func (s *Store) Expire(ctx context.Context, before time.Time) (n int64, err error) {
	at := before.UnixMilli()
	err = s.changeAndForget(ctx, func(tx *runner) {
		expireNotes(tx, at)
		tx.exec("DELETE FROM utterances WHERE call_id IN (SELECT id FROM calls WHERE added_ms < $1)", at)
		n = value[int64](tx, "SELECT count(*) FROM calls WHERE added_ms < $1 AND NOT expired", at)
		tx.exec("UPDATE calls SET expired = true WHERE added_ms < $1", at)
	})
	return n, err
}

// expireNotes removes the notes of expired calls, and old ones of calls whose text did not come.
func expireNotes(tx *runner, before int64) {
	for _, r := range list(tx, scanReading, selectReadings+`WHERE (body LIKE '%"notes":%' OR body LIKE '%"searched":%')
		AND (updated_ms < $1 OR call_id IN (SELECT id FROM calls WHERE added_ms < $1 AND added_ms <> $2))`, before, unseen) {
		if r.Notes+r.Searched == "" {
			continue
		}
		r.Notes, r.Searched = "", ""
		body, err := json.Marshal(&r)
		tx.fail(err)
		tx.exec("UPDATE readings SET revision = revision + 1, body = $1 WHERE call_id = $2 AND kind = $3 AND annotator = $4",
			string(body), r.CallID, r.Kind, r.Annotator)
	}
}

// ErrNoSession means that there is no such session, or that it has ended.
var ErrNoSession = errors.New("no session")

// Begin stores the session of who has logged in under a hash of its ID, and removes those that began before the
// lifetime.
func (s *Store) Begin(ctx context.Context, id, who string, lifetime time.Duration) error {
	r, now := s.run(ctx), s.nowMS()
	r.exec("DELETE FROM sessions WHERE began_ms <= $1", now-lifetime.Milliseconds())
	r.exec("INSERT INTO sessions VALUES ($1,$2,'',$3,$3)", hash("session "+id), who, now)
	return r.err
}

// Resume returns whose session it is, if it began within the lifetime and was seen within the idle time.
func (s *Store) Resume(ctx context.Context, id string, lifetime, idle time.Duration) (who string, err error) {
	r, now := s.run(ctx), s.nowMS()
	var seen int64
	if !r.scan([]any{&who, &seen}, "SELECT who, seen_ms FROM sessions WHERE id_hash = $1 AND began_ms > $2 AND seen_ms > $3",
		hash("session "+id), now-lifetime.Milliseconds(), now-idle.Milliseconds()) {
		r.fail(ErrNoSession)
	}
	// A write for each page would be slow.
	if now-seen > time.Minute.Milliseconds() {
		r.exec("UPDATE sessions SET seen_ms = $1 WHERE id_hash = $2", now, hash("session "+id))
	}
	return who, r.err
}

func (s *Store) EndSession(ctx context.Context, id string) error {
	r := s.run(ctx)
	r.exec("DELETE FROM sessions WHERE id_hash = $1", hash("session "+id))
	return r.err
}
