package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
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
	return s.change(ctx, func(tx *runner) {
		for _, e := range events {
			c := review.Call{ID: e.CallID, Mode: review.Missed}
			c.AddEvent(e)
			s.add(tx, &c, e.Type == schemas.End)
		}
		advance(tx, read)
	})
}

func advance(tx *runner, read []Position) {
	for _, p := range read {
		tx.exec("INSERT INTO positions VALUES ($1,$2,$3) ON CONFLICT (topic, partition) DO UPDATE SET next = excluded.next",
			p.Topic, p.Partition, p.Next)
	}
}

func hash(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// Add adds whole calls. A call that the store has keeps its readings; equal utterances change
// nothing.
func (s *Store) Add(ctx context.Context, calls []review.Call) error {
	return s.change(ctx, func(tx *runner) {
		for i := range calls {
			s.add(tx, &calls[i], true)
		}
	})
}

// unseen is added_ms of a call whose text has not arrived. It counts as expired until then.
const unseen = 0

func (s *Store) add(tx *runner, c *review.Call, ended bool) {
	// The hash must be that of the ID as it is stored.
	c.ID = storableText(c.ID)
	if value[int](tx, `SELECT (SELECT count(*) FROM erased WHERE id_hash = $1) +
		(SELECT count(*) FROM calls WHERE id = $2 AND expired AND added_ms <> $3)`, hash(c.ID), c.ID, unseen) > 0 {
		return
	}
	s.insert(tx, c, s.nowMS(), ended, `UPDATE SET
			rate = CASE WHEN excluded.rate > calls.rate THEN excluded.rate ELSE calls.rate END,
			estimated = coalesce(excluded.estimated, calls.estimated),
			missing = CASE WHEN excluded.missing > calls.missing THEN excluded.missing ELSE calls.missing END,
			ended = calls.ended OR excluded.ended, policy = excluded.policy,
			reason = CASE WHEN excluded.reason = '' THEN calls.reason ELSE excluded.reason END,
			added_ms = CASE WHEN calls.expired THEN excluded.added_ms ELSE calls.added_ms END, expired = excluded.expired`)
	recount(tx, c.ID)
	for _, u := range c.Utterances {
		masks, err := json.Marshal(u.Masks)
		tx.fail(err)
		// A place in an utterance means nothing in another text: the first one stays.
		tx.exec("INSERT INTO utterances VALUES ($1,$2,$3,$4,$5,$6) ON CONFLICT DO NOTHING",
			c.ID, u.Seq, u.Speaker, u.Text, u.Raw, string(masks))
	}
}

// insert adds the row of a call. If there is one already, it runs otherwise, the action of ON CONFLICT.
func (s *Store) insert(tx *runner, c *review.Call, addedMS int64, ended bool, otherwise string) {
	sum := hash(c.ID)
	// Two independent parts of the hash, so that second pass and red team do not coincide.
	share := func(at int) float64 { return float64(binary.BigEndian.Uint64(sum[at:])) / math.MaxUint64 }
	needed, redTeam := 1, share(8) < s.opts.RedTeam && c.Mode == review.Missed
	if share(0) < s.opts.SecondPass {
		needed = 2
	}
	tx.exec(`INSERT INTO calls (id, mode, context, tenant, policy, strategy, reason, rate, estimated, missing, timestamp_ms,
			added_ms, ended, place, needed, red_team, expired)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17) ON CONFLICT (id) DO `+otherwise,
		c.ID, c.Mode, c.Context, c.Tenant, c.Policy, c.Strategy, c.Reason, c.Rate, c.Estimated, c.Missing, c.TimestampMS,
		addedMS, ended, int64(binary.BigEndian.Uint64(sum[16:])), needed, redTeam, addedMS == unseen)
}

// Positions returns how far the partitions of a topic have been read.
func (s *Store) Positions(ctx context.Context, topic string) (map[int32]int64, error) {
	r, out := s.run(ctx), map[int32]int64{}
	for _, p := range list(r, func(r row) (p Position) {
		r.read(&p.Partition, &p.Next)
		return p
	}, "SELECT partition, next FROM positions WHERE topic = $1", topic) {
		out[p.Partition] = p.Next
	}
	return out, r.err
}

const callColumns = "id, mode, context, tenant, policy, strategy, reason, rate, estimated, missing, timestamp_ms"

func callFields(c *review.Call) []any {
	return []any{&c.ID, &c.Mode, &c.Context, &c.Tenant, &c.Policy, &c.Strategy, &c.Reason, &c.Rate, &c.Estimated, &c.Missing, &c.TimestampMS}
}

func scanCall(r row) *review.Call {
	c := &review.Call{}
	r.read(callFields(c)...)
	return c
}

// Call returns a call with its text.
func (s *Store) Call(ctx context.Context, id string) (*review.Call, error) {
	r := s.run(ctx)
	c := call(r, id)
	return c, r.err
}

func call(r *runner, id string) *review.Call {
	c, ok := one(r, scanCall, "SELECT "+callColumns+" FROM calls WHERE id = $1 AND NOT expired", id)
	if !ok {
		r.fail(ErrNotFound)
		return nil
	}
	c.Utterances = list(r, func(r row) (u review.Utterance) {
		var masks []byte
		r.read(&u.Seq, &u.Speaker, &u.Text, &u.Raw, &masks)
		r.fail(json.Unmarshal(masks, &u.Masks))
		return u
	}, "SELECT seq, speaker, text, raw, masks FROM utterances WHERE call_id = $1 ORDER BY seq", id)
	return c
}
