package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"

	"sotto/review"
	"sotto/schemas"
)

// Position is how far a partition of a topic has been read.
type Position struct {
	Topic     string
	Partition int32
	Next      int64
}

// AddEvents takes over events of sampled calls, and remembers in the same transaction how far the
// topic has been read, so that each event counts once.
func (s *Store) AddEvents(ctx context.Context, events []*schemas.AuditEvent, read ...Position) error {
	return s.change(ctx, func(tx runner) error {
		for _, e := range events {
			c := review.Call{ID: e.CallID, Mode: review.Missed}
			c.AddEvent(e)
			if err := s.add(ctx, tx, &c, e.Type == schemas.End); err != nil {
				return err
			}
		}
		return advance(ctx, tx, read)
	})
}

func advance(ctx context.Context, tx runner, read []Position) error {
	for _, p := range read {
		if err := tx.exec(ctx, "INSERT INTO positions VALUES ($1,$2,$3) ON CONFLICT (topic, partition) DO UPDATE SET next = excluded.next",
			p.Topic, p.Partition, p.Next); err != nil {
			return err
		}
	}
	return nil
}

func hash(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// Add adds whole calls. A call that the store has keeps its readings; equal utterances change
// nothing.
func (s *Store) Add(ctx context.Context, calls []review.Call) error {
	return s.change(ctx, func(tx runner) error {
		for i := range calls {
			if err := s.add(ctx, tx, &calls[i], true); err != nil {
				return err
			}
		}
		return nil
	})
}

// unseen is added_ms of a call whose text has not arrived. It counts as expired until then.
const unseen = 0

func (s *Store) add(ctx context.Context, tx runner, c *review.Call, ended bool) error {
	// The hash must be that of the ID as it is stored.
	c.ID = storableText(c.ID)
	var gone int
	if err := tx.row(ctx, `SELECT (SELECT count(*) FROM erased WHERE id_hash = $1) +
		(SELECT count(*) FROM calls WHERE id = $2 AND expired AND added_ms <> $3)`, hash(c.ID), c.ID, unseen).scan(&gone); err != nil || gone > 0 {
		return err
	}
	if err := s.insert(ctx, tx, c, s.nowMS(), ended, `UPDATE SET
			rate = CASE WHEN excluded.rate > calls.rate THEN excluded.rate ELSE calls.rate END,
			estimated = coalesce(excluded.estimated, calls.estimated),
			missing = CASE WHEN excluded.missing > calls.missing THEN excluded.missing ELSE calls.missing END,
			ended = calls.ended OR excluded.ended, policy = excluded.policy,
			reason = CASE WHEN excluded.reason = '' THEN calls.reason ELSE excluded.reason END,
			added_ms = CASE WHEN calls.expired THEN excluded.added_ms ELSE calls.added_ms END, expired = excluded.expired`); err != nil {
		return err
	}
	if err := recount(ctx, tx, c.ID); err != nil {
		return err
	}
	for _, u := range c.Utterances {
		masks, err := json.Marshal(u.Masks)
		if err != nil {
			return err
		}
		// A place in an utterance means nothing in another text: the first one stays.
		if err := tx.exec(ctx, "INSERT INTO utterances VALUES ($1,$2,$3,$4,$5,$6) ON CONFLICT DO NOTHING",
			c.ID, u.Seq, u.Speaker, u.Text, u.Raw, string(masks)); err != nil {
			return err
		}
	}
	return nil
}

// introduce adds a call that only its readings tell of: its text is gone, or has not arrived yet.
func (s *Store) introduce(ctx context.Context, tx runner, c *review.Call) error {
	c.ID = storableText(c.ID)
	return s.insert(ctx, tx, c, unseen, false, "NOTHING")
}

// insert adds the row of a call. If there is one already, it runs otherwise, the action of ON CONFLICT.
func (s *Store) insert(ctx context.Context, tx runner, c *review.Call, addedMS int64, ended bool, otherwise string) error {
	sum := hash(c.ID)
	// Two independent parts of the hash, so that second pass and red team do not coincide.
	share := func(at int) float64 { return float64(binary.BigEndian.Uint64(sum[at:])) / math.MaxUint64 }
	needed, redTeam := 1, share(8) < s.opts.RedTeam && c.Mode == review.Missed
	if share(0) < s.opts.SecondPass {
		needed = 2
	}
	return tx.exec(ctx, `INSERT INTO calls (id, mode, context, tenant, policy, strategy, reason, rate, estimated, missing, timestamp_ms,
			added_ms, ended, place, needed, red_team, expired)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17) ON CONFLICT (id) DO `+otherwise,
		c.ID, c.Mode, c.Context, c.Tenant, c.Policy, c.Strategy, c.Reason, c.Rate, c.Estimated, c.Missing, c.TimestampMS,
		addedMS, ended, int64(binary.BigEndian.Uint64(sum[16:])), needed, redTeam, addedMS == unseen)
}

// Positions returns how far the partitions of a topic have been read.
func (s *Store) Positions(ctx context.Context, topic string) (map[int32]int64, error) {
	all, err := list(ctx, s.db, func(scan func(...any) error) (p Position, err error) {
		err = scan(&p.Partition, &p.Next)
		return p, err
	}, "SELECT partition, next FROM positions WHERE topic = $1", topic)
	out := map[int32]int64{}
	for _, p := range all {
		out[p.Partition] = p.Next
	}
	return out, err
}

const callColumns = "id, mode, context, tenant, policy, strategy, reason, rate, estimated, missing, timestamp_ms"

func scanCall(scan func(...any) error, more ...any) (*review.Call, error) {
	var c review.Call
	err := scan(append([]any{&c.ID, &c.Mode, &c.Context, &c.Tenant, &c.Policy, &c.Strategy, &c.Reason, &c.Rate, &c.Estimated,
		&c.Missing, &c.TimestampMS}, more...)...)
	return &c, err
}

// Call returns a call with its text.
func (s *Store) Call(ctx context.Context, id string) (*review.Call, error) {
	return call(ctx, s.db, id)
}

func call(ctx context.Context, r runner, id string) (*review.Call, error) {
	c, err := scanCall(r.row(ctx, "SELECT "+callColumns+" FROM calls WHERE id = $1 AND NOT expired", id).scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	c.Utterances, err = list(ctx, r, func(scan func(...any) error) (u review.Utterance, err error) {
		var masks []byte
		if err = scan(&u.Seq, &u.Speaker, &u.Text, &u.Raw, &masks); err == nil {
			err = json.Unmarshal(masks, &u.Masks)
		}
		return u, err
	}, "SELECT seq, speaker, text, raw, masks FROM utterances WHERE call_id = $1 ORDER BY seq", id)
	return c, err
}
