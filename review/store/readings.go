package store

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"sotto/review"
)

// Reading returns a person's reading of a call, or an empty one with revision 0.
func (s *Store) Reading(ctx context.Context, callID string, kind review.Kind, annotator string) (review.Reading, error) {
	r := s.run(ctx)
	stored := reading(r, callID, kind, annotator)
	return stored, r.err
}

func reading(r *runner, callID string, kind review.Kind, annotator string) review.Reading {
	stored, ok := one(r, scanReading, selectReadings+"WHERE call_id = $1 AND kind = $2 AND annotator = $3", callID, kind, annotator)
	if !ok {
		return review.Reading{CallID: callID, Kind: kind, Annotator: annotator, Spans: []review.Span{}}
	}
	return stored
}

const selectReadings = "SELECT call_id, kind, annotator, revision, body FROM readings "

func scanReading(r row) (stored review.Reading) {
	var body []byte
	var key review.Reading
	r.read(&key.CallID, &key.Kind, &key.Annotator, &key.Revision, &body)
	r.fail(json.Unmarshal(body, &stored))
	stored.CallID, stored.Kind, stored.Annotator, stored.Revision = key.CallID, key.Kind, key.Annotator, key.Revision
	return stored
}

func (s *Store) Readings(ctx context.Context, callID string) ([]review.Reading, error) {
	r := s.run(ctx)
	all := list(r, scanReading, selectReadings+"WHERE call_id = $1 ORDER BY kind, annotator", callID)
	return all, r.err
}

// Save stores the next revision of a reading, which must have been made from the stored one, and
// returns it. The error of a reading that does not fit its call is a *BadReading; ErrSawRaw is that of a
// person who may not be the red team.
func (s *Store) Save(ctx context.Context, r review.Reading) (review.Reading, error) {
	err := s.change(ctx, func(tx *runner) {
		c := call(tx, r.CallID)
		if tx.err != nil {
			return
		}
		if err := r.Check(c); err != nil {
			tx.fail(&BadReading{err})
		}
		checkBarred(tx, r.CallID, r.Kind, r.Annotator)
		before := reading(tx, r.CallID, r.Kind, r.Annotator)
		if before.Revision != r.Revision {
			tx.fail(ErrConflict)
		}
		if tx.err != nil {
			return
		}
		r.Revision++
		r.UpdatedMS = s.nowMS()
		addTime(tx, &r, &before)
		r.Pieces = c.Distinct(r.Spans)
		put(tx, &r, 0)
	})
	return r, err
}

// maxPause is the longest time between two changes that counts as work.
const maxPause = 2 * time.Minute

// addTime adds to a reading how long the person has worked on it since they opened it or changed it last. When
// they opened a call that they were assigned is not known.
func addTime(tx *runner, r, before *review.Reading) {
	opened := value[int64](tx, "SELECT coalesce(max(at_ms), 0) FROM claims WHERE call_id = $1 AND kind = $2 AND annotator = $3 AND at_ms <= $4",
		r.CallID, r.Kind, r.Annotator, r.UpdatedMS)
	r.ActiveMS = before.ActiveMS
	if since := max(before.UpdatedMS, opened); since > 0 {
		r.ActiveMS += min(max(0, r.UpdatedMS-since), maxPause.Milliseconds())
	}
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
	return change(ctx, func(tx *runner) {
		for i := range changes {
			s.take(tx, &changes[i])
		}
		advance(tx, read)
	})
}

func (s *Store) take(tx *runner, c *Change) {
	switch {
	case c.ErasedHash != nil:
		takeErasure(tx, c)
		return
	case c.Erased:
		tx.exec("DELETE FROM readings WHERE call_id = $1 AND kind = $2 AND annotator = $3", c.CallID, c.Kind, c.Annotator)
		recount(tx, c.CallID)
		return
	case value[int](tx, "SELECT count(*) FROM erased WHERE id_hash = $1", hash(c.CallID)) > 0:
		return
	}
	switch have := reading(tx, c.CallID, c.Kind, c.Annotator); {
	case have.Revision > c.Revision:
		// Compaction keeps the last record. If the topic had the later revision, this one may now stand
		// behind it, so the later one is sent again.
		tx.exec("UPDATE readings SET sent = $1 WHERE call_id = $2 AND kind = $3 AND annotator = $4 AND sent > $1",
			c.Revision, c.CallID, c.Kind, c.Annotator)
	case have.Revision < c.Revision:
		if c.Call != nil {
			// Only its readings tell of it: its text is gone, or has not arrived yet.
			c.Call.ID = storableText(c.Call.ID)
			s.insert(tx, c.Call, unseen, false, "NOTHING")
		}
		put(tx, &c.Reading, c.Revision)
	}
}

// takeErasure removes a call that was erased elsewhere, or before the store was rebuilt.
func takeErasure(tx *runner, c *Change) {
	for _, id := range list(tx, scanText, "SELECT id FROM calls UNION SELECT call_id FROM readings") {
		if bytes.Equal(hash(id), c.ErasedHash) {
			remove(tx, id)
		}
	}
	tx.exec("INSERT INTO erased VALUES ($1,$2,true) ON CONFLICT (id_hash) DO UPDATE SET sent = true", c.ErasedHash, c.UpdatedMS)
}

func put(tx *runner, r *review.Reading, sent int64) {
	body, err := json.Marshal(r)
	tx.fail(err)
	unsure := 0
	for _, span := range r.Spans {
		if span.Unsure {
			unsure++
		}
	}
	tx.exec(`INSERT INTO readings (call_id, kind, annotator, revision, sent, done, score, body, updated_ms, unsure)
		VALUES ($1,$2,$3,$4,$5,$6,0,$7,$8,$9) ON CONFLICT (call_id, kind, annotator) DO UPDATE SET revision = excluded.revision,
		sent = CASE WHEN excluded.sent > readings.sent THEN excluded.sent ELSE readings.sent END, done = excluded.done,
		body = excluded.body, updated_ms = excluded.updated_ms, unsure = excluded.unsure`,
		r.CallID, r.Kind, r.Annotator, r.Revision, sent, r.Done, string(body), r.UpdatedMS, unsure)
	recount(tx, r.CallID)
}

func recount(tx *runner, callID string) {
	tx.exec(`UPDATE calls SET
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
	r := s.run(ctx)
	var out []Change
	for _, stored := range list(r, scanReading, selectReadings+"WHERE sent < revision LIMIT $1", limit) {
		c, _ := one(r, scanCall, "SELECT "+callColumns+" FROM calls WHERE id = $1", stored.CallID)
		out = append(out, Change{Reading: stored, Call: c})
	}
	tombstones := list(r, func(r row) Change {
		c := Change{Erased: true}
		r.read(&c.CallID, &c.Kind, &c.Annotator)
		return c
	}, "SELECT call_id, kind, annotator FROM tombstones LIMIT $1", limit)
	erased := list(r, func(r row) (c Change) {
		r.read(&c.ErasedHash, &c.UpdatedMS)
		return c
	}, "SELECT id_hash, at_ms FROM erased WHERE NOT sent LIMIT $1", limit)
	return slices.Concat(out, tombstones, erased), r.err
}

// MarkSent remembers that the topic has the changes.
func (s *Store) MarkSent(ctx context.Context, changes []Change) error {
	return s.change(ctx, func(tx *runner) {
		for _, c := range changes {
			switch {
			case c.ErasedHash != nil:
				tx.exec("UPDATE erased SET sent = true WHERE id_hash = $1", c.ErasedHash)
			case c.Erased:
				tx.exec("DELETE FROM tombstones WHERE call_id = $1 AND kind = $2 AND annotator = $3", c.CallID, c.Kind, c.Annotator)
			default:
				tx.exec("UPDATE readings SET sent = $1 WHERE call_id = $2 AND kind = $3 AND annotator = $4 AND sent < $1",
					c.Revision, c.CallID, c.Kind, c.Annotator)
			}
		}
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
	r := s.run(ctx)
	calls := list(r, scanCall, "SELECT "+callColumns+" FROM calls WHERE "+where+" ORDER BY id", args...)
	of := map[string][]review.Reading{}
	for _, stored := range list(r, scanReading, selectReadings+"WHERE done ORDER BY call_id, kind, annotator") {
		of[stored.CallID] = append(of[stored.CallID], stored)
	}
	out := make([]review.Read, len(calls))
	for i, c := range calls {
		out[i] = review.Read{Call: c, Readings: of[c.ID]}
		if texts {
			out[i].Call = call(r, c.ID)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return out, nil
}

// Version grows with every change of a reading or of the set of calls.
func (s *Store) Version(ctx context.Context) (int64, error) {
	r := s.run(ctx)
	version := value[int64](r, `SELECT (SELECT CAST(coalesce(sum(revision), 0) AS BIGINT) FROM readings) + (SELECT count(*) FROM calls) +
		(SELECT count(*) FROM erased) * 1000000007`)
	return version, r.err
}
