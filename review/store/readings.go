package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"sotto/review"
)

// Reading returns a person's reading of a call, or an empty one with revision 0.
func (s *Store) Reading(ctx context.Context, callID string, kind review.Kind, annotator string) (review.Reading, error) {
	return reading(ctx, s.db, callID, kind, annotator)
}

func reading(ctx context.Context, r runner, callID string, kind review.Kind, annotator string) (review.Reading, error) {
	stored, err := scanReading(r.row(ctx, selectReadings+"WHERE call_id = $1 AND kind = $2 AND annotator = $3", callID, kind, annotator).scan)
	if errors.Is(err, sql.ErrNoRows) {
		return review.Reading{CallID: callID, Kind: kind, Annotator: annotator, Spans: []review.Span{}}, nil
	}
	return stored, err
}

const selectReadings = "SELECT call_id, kind, annotator, revision, body FROM readings "

func scanReading(scan func(...any) error) (r review.Reading, err error) {
	var body []byte
	var key review.Reading
	if err = scan(&key.CallID, &key.Kind, &key.Annotator, &key.Revision, &body); err != nil {
		return r, err
	}
	err = json.Unmarshal(body, &r)
	r.CallID, r.Kind, r.Annotator, r.Revision = key.CallID, key.Kind, key.Annotator, key.Revision
	return r, err
}

func (s *Store) Readings(ctx context.Context, callID string) ([]review.Reading, error) {
	return list(ctx, s.db, scanReading, selectReadings+"WHERE call_id = $1 ORDER BY kind, annotator", callID)
}

// Save stores the next revision of a reading, which must have been made from the stored one, and
// returns it. The error of a reading that does not fit its call is a *BadReading; ErrSawRaw is that of a
// person who may not be the red team.
func (s *Store) Save(ctx context.Context, r review.Reading) (review.Reading, error) {
	err := s.change(ctx, func(tx runner) error {
		c, err := call(ctx, tx, r.CallID)
		if err != nil {
			return err
		}
		if err := r.Check(c); err != nil {
			return &BadReading{err}
		}
		if err := s.checkBarred(ctx, tx, r.CallID, r.Kind, r.Annotator); err != nil {
			return err
		}
		before, err := reading(ctx, tx, r.CallID, r.Kind, r.Annotator)
		if err != nil {
			return err
		}
		if before.Revision != r.Revision {
			return ErrConflict
		}
		r.Revision++
		r.UpdatedMS = s.nowMS()
		if err := addTime(ctx, tx, &r, &before); err != nil {
			return err
		}
		r.Pieces = c.Distinct(r.Spans)
		return put(ctx, tx, &r, 0)
	})
	return r, err
}

// maxPause is the longest time between two changes that counts as work.
const maxPause = 2 * time.Minute

// addTime adds to a reading how long the person has worked on it since they opened it or changed it last. When
// they opened a call that they were assigned is not known.
func addTime(ctx context.Context, tx runner, r, before *review.Reading) error {
	var opened int64
	if err := tx.row(ctx, "SELECT coalesce(max(at_ms), 0) FROM claims WHERE call_id = $1 AND kind = $2 AND annotator = $3 AND at_ms <= $4",
		r.CallID, r.Kind, r.Annotator, r.UpdatedMS).scan(&opened); err != nil {
		return err
	}
	r.ActiveMS = before.ActiveMS
	if since := max(before.UpdatedMS, opened); since > 0 {
		r.ActiveMS += min(max(0, r.UpdatedMS-since), maxPause.Milliseconds())
	}
	return nil
}

// BadReading is the error of a reading that does not fit its call.
type BadReading struct{ error }

// Take takes over changes from the topic, unless the store has later ones. It rebuilds the store
// from the topic, and carries the work of other replicas.
func (s *Store) Take(ctx context.Context, changes []Change, read ...Position) error {
	change := s.change
	if slices.ContainsFunc(changes, func(c Change) bool { return c.Erased || c.ErasedHash != nil }) {
		change = s.changeAndForget
	}
	return change(ctx, func(tx runner) error {
		for i := range changes {
			if err := s.take(ctx, tx, &changes[i]); err != nil {
				return err
			}
		}
		return advance(ctx, tx, read)
	})
}

func (s *Store) take(ctx context.Context, tx runner, c *Change) error {
	if c.ErasedHash != nil {
		return takeErasure(ctx, tx, c)
	}
	if c.Erased {
		err := tx.exec(ctx, "DELETE FROM readings WHERE call_id = $1 AND kind = $2 AND annotator = $3", c.CallID, c.Kind, c.Annotator)
		if err != nil {
			return err
		}
		return recount(ctx, tx, c.CallID)
	}
	var erased int
	if err := tx.row(ctx, "SELECT count(*) FROM erased WHERE id_hash = $1", hash(c.CallID)).scan(&erased); err != nil || erased > 0 {
		return err
	}
	have, err := reading(ctx, tx, c.CallID, c.Kind, c.Annotator)
	if err != nil {
		return err
	}
	if have.Revision > c.Revision {
		// Compaction keeps the last record. If the topic had the later revision, this one may now stand
		// behind it, so the later one is sent again.
		return tx.exec(ctx, "UPDATE readings SET sent = $1 WHERE call_id = $2 AND kind = $3 AND annotator = $4 AND sent > $1",
			c.Revision, c.CallID, c.Kind, c.Annotator)
	}
	if have.Revision == c.Revision {
		return nil
	}
	if c.Call != nil {
		if err := s.introduce(ctx, tx, c.Call); err != nil {
			return err
		}
	}
	return put(ctx, tx, &c.Reading, c.Revision)
}

// takeErasure removes a call that was erased elsewhere, or before the store was rebuilt.
func takeErasure(ctx context.Context, tx runner, c *Change) error {
	ids, err := list(ctx, tx, scanText, "SELECT id FROM calls UNION SELECT call_id FROM readings")
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !bytes.Equal(hash(id), c.ErasedHash) {
			continue
		}
		if err := remove(ctx, tx, id); err != nil {
			return err
		}
	}
	return tx.exec(ctx, "INSERT INTO erased VALUES ($1,$2,true) ON CONFLICT (id_hash) DO UPDATE SET sent = true", c.ErasedHash, c.UpdatedMS)
}

func put(ctx context.Context, tx runner, r *review.Reading, sent int64) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	unsure := 0
	for _, span := range r.Spans {
		if span.Unsure {
			unsure++
		}
	}
	err = tx.exec(ctx, `INSERT INTO readings (call_id, kind, annotator, revision, sent, done, score, body, updated_ms, unsure)
		VALUES ($1,$2,$3,$4,$5,$6,0,$7,$8,$9) ON CONFLICT (call_id, kind, annotator) DO UPDATE SET revision = excluded.revision,
		sent = CASE WHEN excluded.sent > readings.sent THEN excluded.sent ELSE readings.sent END, done = excluded.done,
		body = excluded.body, updated_ms = excluded.updated_ms, unsure = excluded.unsure`,
		r.CallID, r.Kind, r.Annotator, r.Revision, sent, r.Done, string(body), r.UpdatedMS, unsure)
	if err != nil {
		return err
	}
	return recount(ctx, tx, r.CallID)
}

// recount updates what the queue knows of the readings of a call.
func recount(ctx context.Context, tx runner, callID string) error {
	return tx.exec(ctx, `UPDATE calls SET
		annotations = (SELECT count(*) FROM readings WHERE call_id = calls.id AND kind = 'annotation' AND done),
		adjudicated = (SELECT count(*) FROM readings WHERE call_id = calls.id AND kind = 'adjudication' AND done),
		judged = (SELECT count(*) FROM readings WHERE call_id = calls.id AND kind = 'red-team' AND done),
		unsure = (SELECT coalesce(sum(unsure), 0) FROM readings WHERE call_id = calls.id AND kind = 'annotation')
		WHERE id = $1`, callID)
}

// Change is a change for the topic.
type Change struct {
	// Reading is the new revision, or only the key of a reading if it is Erased.
	review.Reading
	// Call is the call of the reading without its text, nil where it is not known.
	Call   *review.Call
	Erased bool
	// ErasedHash, if not nil, stands for the erasure of a call, by a hash of its ID, at UpdatedMS.
	ErasedHash []byte
}

// Unsent returns changes that the topic does not have yet.
func (s *Store) Unsent(ctx context.Context, limit int) ([]Change, error) {
	readings, err := list(ctx, s.db, scanReading, selectReadings+"WHERE sent < revision LIMIT $1", limit)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, r := range readings {
		c, err := scanCall(s.db.row(ctx, "SELECT "+callColumns+" FROM calls WHERE id = $1", r.CallID).scan)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			c = nil
		case err != nil:
			return nil, err
		}
		out = append(out, Change{Reading: r, Call: c})
	}
	tombstones, err := list(ctx, s.db, func(scan func(...any) error) (Change, error) {
		c := Change{Erased: true}
		return c, scan(&c.CallID, &c.Kind, &c.Annotator)
	}, "SELECT call_id, kind, annotator FROM tombstones LIMIT $1", limit)
	if err != nil {
		return nil, err
	}
	erased, err := list(ctx, s.db, func(scan func(...any) error) (c Change, err error) {
		err = scan(&c.ErasedHash, &c.UpdatedMS)
		return c, err
	}, "SELECT id_hash, at_ms FROM erased WHERE NOT sent LIMIT $1", limit)
	return slices.Concat(out, tombstones, erased), err
}

// MarkSent remembers that the topic has the changes.
func (s *Store) MarkSent(ctx context.Context, changes []Change) error {
	return s.change(ctx, func(tx runner) error {
		for _, c := range changes {
			var err error
			switch {
			case c.ErasedHash != nil:
				err = tx.exec(ctx, "UPDATE erased SET sent = true WHERE id_hash = $1", c.ErasedHash)
			case c.Erased:
				err = tx.exec(ctx, "DELETE FROM tombstones WHERE call_id = $1 AND kind = $2 AND annotator = $3", c.CallID, c.Kind, c.Annotator)
			default:
				err = tx.exec(ctx, "UPDATE readings SET sent = $1 WHERE call_id = $2 AND kind = $3 AND annotator = $4 AND sent < $1",
					c.Revision, c.CallID, c.Kind, c.Annotator)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Read returns calls with their readings that are done, those with at least one only, in the order
// of their IDs. Without texts it is faster, and includes calls whose texts have expired.
func (s *Store) Read(ctx context.Context, mode review.Mode, texts bool) ([]review.Read, error) {
	out, err := s.read(ctx, texts, "mode = $1 AND NOT (expired AND $2) AND annotations + adjudicated + judged > 0", mode, texts)
	for i := range out {
		if texts { // A reading from the topic may be one of another text.
			out[i].Readings = slices.DeleteFunc(out[i].Readings, func(r review.Reading) bool { return r.Check(out[i].Call) != nil })
		}
	}
	return out, err
}

// ReadTwice is Read for the calls that two or more annotators have read, with their texts.
func (s *Store) ReadTwice(ctx context.Context) ([]review.Read, error) {
	return s.read(ctx, true, "annotations > 1 AND NOT expired")
}

func (s *Store) read(ctx context.Context, texts bool, where string, args ...any) ([]review.Read, error) {
	calls, err := list(ctx, s.db, func(scan func(...any) error) (*review.Call, error) { return scanCall(scan) },
		"SELECT "+callColumns+" FROM calls WHERE "+where+" ORDER BY id", args...)
	if err != nil {
		return nil, err
	}
	readings, err := list(ctx, s.db, scanReading, selectReadings+"WHERE done ORDER BY call_id, kind, annotator")
	if err != nil {
		return nil, err
	}
	of := map[string][]review.Reading{}
	for _, r := range readings {
		of[r.CallID] = append(of[r.CallID], r)
	}
	out := make([]review.Read, len(calls))
	for i, c := range calls {
		if texts {
			if c, err = s.Call(ctx, c.ID); err != nil {
				return nil, err
			}
		}
		out[i] = review.Read{Call: c, Readings: of[c.ID]}
	}
	return out, nil
}

// Version grows with every change of a reading or of the set of calls.
func (s *Store) Version(ctx context.Context) (v int64, err error) {
	err = s.db.row(ctx, `SELECT (SELECT CAST(coalesce(sum(revision), 0) AS BIGINT) FROM readings) + (SELECT count(*) FROM calls) +
		(SELECT count(*) FROM erased) * 1000000007`).scan(&v)
	return v, err
}
