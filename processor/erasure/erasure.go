// Package erasure finds what there is of calls in the topics, the database of sotto review and the exports, erases
// what can be erased, and says when the rest expires.
package erasure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/config/kafka"
	"sotto/processor/partition"
	"sotto/processor/topic"
	"sotto/review/store"
	reviewtopic "sotto/review/topic"
	"sotto/schemas"
	"sotto/training/corpus/export"
)

// Options say what to erase.
type Options struct {
	Settings *config.Settings
	// Calls are the raw IDs.
	Calls []string
	// Who erases, for the access log of sotto review.
	Who string
	// Review is the database of sotto review; nil means that there is none.
	Review *store.Store
	// Exports are the folders of 'sotto corpus export'.
	Exports []string
	// Open also erases the states of calls that are open; the stream must not run.
	Open bool
	// Dry changes nothing.
	Dry bool
	Now func() time.Time
}

// ErrOpen means that a call is open, so that nothing was erased.
var ErrOpen = errors.New("a call is open, or has ended less than SOTTO_CALL_GRACE ago: wait until the stream has removed its state, " +
	"or stop the stream and erase it with --open")

// ErrRuns means that the stream runs, and writes the states of open calls again.
var ErrRuns = errors.New("the consumer group has members: stop the stream before you erase the state of an open call")

// Run erases the calls, and returns the record of what it found and did. With ErrOpen and ErrRuns, and every error of
// reading, nothing has been erased. After another error a part may be, and Run can be repeated.
func Run(ctx context.Context, o Options) (*Record, error) {
	opts, err := topic.Client(o.Settings)
	if err != nil {
		return nil, err
	}
	cl, err := kgo.NewClient(append(slices.Clone(opts), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		return nil, err
	}
	defer kafka.CloseWith(ctx, cl)()
	record := &Record{At: o.Now().UTC().Truncate(time.Second), DryRun: o.Dry}
	s := search{record: record, calls: map[string]*Traces{}, raw: map[position]*Traces{}}
	if err := s.name(o.Settings, o.Calls); err != nil {
		return nil, err
	}
	adm := kadm.NewClient(cl)
	topics, err := s.read(ctx, adm, opts, o.Settings)
	if err != nil {
		return nil, err
	}
	if err := s.checkOpen(ctx, adm, &o); err != nil {
		s.finish(topics)
		return record, err
	}
	tombstones, err := s.tombstones(topics, record.At)
	if err != nil {
		return nil, err
	}
	if !o.Dry && len(tombstones) > 0 {
		if err := cl.ProduceSync(ctx, tombstones...).FirstErr(); err != nil {
			return record, fmt.Errorf("cannot write tombstones: %w", err)
		}
	}
	s.finish(topics)
	if err := o.eraseElsewhere(ctx, record); err != nil {
		return record, err
	}
	if o.Dry && !o.Open && s.anyOpen() {
		return record, ErrOpen
	}
	return record, nil
}

func (s *search) read(ctx context.Context, adm *kadm.Client, opts []kgo.Opt, settings *config.Settings) (topics []*topicInfo, err error) {
	if s.codec, err = kafka.NewCodec(ctx, settings); err != nil {
		return nil, err
	}
	if topics, err = describe(ctx, adm, settings); err != nil {
		return nil, err
	}
	for _, t := range topics {
		if err := topic.Records(ctx, opts, t.name, func(r *kgo.Record) error { return s.look(t, r) }); err != nil {
			return nil, err
		}
		s.record.Topics = append(s.record.Topics, t.name)
	}
	for _, c := range s.record.Calls {
		for _, f := range c.found {
			for _, l := range f.latest {
				c.Open = c.Open || l.state && l.live
			}
		}
	}
	return topics, nil
}

func (o *Options) eraseElsewhere(ctx context.Context, record *Record) error {
	for _, c := range record.Calls {
		for _, id := range c.names() {
			if err := o.eraseReview(ctx, c, id); err != nil {
				return err
			}
		}
		for _, dir := range o.Exports {
			rows, err := export.Erase(dir, c.names(), o.Dry)
			if err != nil {
				return err
			}
			c.Exports = append(c.Exports, ExportRows{dir, rows})
		}
	}
	record.ReviewSearched = o.Review != nil
	record.ReviewCopyLeft = o.Review != nil && o.Review.CopyLeft()
	return nil
}

func (o *Options) eraseReview(ctx context.Context, c *Traces, id string) error {
	if o.Review == nil {
		return nil
	}
	_, err := o.Review.Call(ctx, id)
	readings, rerr := o.Review.Readings(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound) && rerr == nil && len(readings) == 0:
		return nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return err
	case rerr != nil:
		return rerr
	case !o.Dry:
		if err := o.Review.Erase(ctx, o.Who, id); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	c.Review = true
	return nil
}

func (s *search) anyOpen() bool {
	return slices.ContainsFunc(s.record.Calls, func(c *Traces) bool { return c.Open })
}

func (s *search) checkOpen(ctx context.Context, adm *kadm.Client, o *Options) error {
	switch {
	case !s.anyOpen() || o.Dry:
		return nil
	case !o.Open:
		return ErrOpen
	}
	groups, err := adm.DescribeGroups(ctx, o.Settings.Group)
	if err != nil {
		return err
	}
	if g := groups[o.Settings.Group]; len(g.Members) > 0 {
		return ErrRuns
	}
	return nil
}

// tombstones are the records that erase the latest values of compacted topics.
func (s *search) tombstones(topics []*topicInfo, at time.Time) (out []*kgo.Record, err error) {
	for _, c := range s.record.Calls {
		for where, f := range c.found {
			for key, l := range f.latest {
				if l.live {
					out = append(out, &kgo.Record{Topic: where.topic.name, Partition: where.partition, Key: []byte(key), Timestamp: at})
					where.topic.erased = at
				}
			}
		}
	}
	for _, t := range topics {
		if t.kind != Annotations {
			continue
		}
		for _, c := range s.record.Calls {
			for _, id := range c.names() {
				r, err := reviewtopic.ErasedRecord(t.name, id, at)
				if err != nil {
					return nil, err
				}
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// name enters the calls under all IDs that they may have.
func (s *search) name(settings *config.Settings, ids []string) error {
	hash := func(string) []string { return nil }
	if settings.StateKeyFile != "" {
		keys, err := settings.StateKeys()
		if err != nil {
			return err
		}
		hash = keys.HashCallIDs
	} else if settings.CallID == "hash" {
		return errors.New("SOTTO_STATE_KEY_FILE is not set: with SOTTO_CALL_ID=hash, the IDs in the outputs depend on the state key")
	}
	for _, id := range ids {
		if s.calls[id] != nil {
			continue
		}
		c := &Traces{ID: id, Hashes: hash(id), found: map[place]*found{}}
		for _, name := range c.names() {
			s.calls[name] = c
		}
		s.record.Calls = append(s.record.Calls, c)
	}
	return nil
}

// look notes a record if it is about one of the calls.
func (s *search) look(t *topicInfo, r *kgo.Record) error {
	key, state := string(r.Key), t.kind == State // a state, rather than a part of a transcript
	if id, _, ok := partition.ParseChunkKey(key); ok && state {
		key, state = id, false // that of a claim is no ID of a call
	}
	c := s.calls[key]
	if c == nil {
		id, err := s.decode(t, r)
		if errors.Is(err, schemas.ErrUnavailable) {
			return err
		}
		if err != nil {
			s.record.Unreadable++
		}
		if c = s.calls[id]; c == nil {
			c = s.raw[position{r.Topic, r.Partition, r.Offset}]
		}
	}
	if c == nil {
		return nil
	}
	if t.kind == Raw {
		s.raw[position{r.Topic, r.Partition, r.Offset}] = c
	}
	where := place{t, r.Partition}
	f := c.found[where]
	if f == nil {
		f = &found{first: r.Timestamp, latest: map[string]latest{}}
		c.found[where] = f
	}
	f.offsets = append(f.offsets, r.Offset)
	if r.Timestamp.Before(f.first) {
		f.first = r.Timestamp
	}
	if r.Timestamp.After(f.last) {
		f.last = r.Timestamp
	}
	if t.compacted {
		f.latest[string(r.Key)] = latest{live: r.Value != nil, state: state}
	}
	return nil
}

// decode returns the call that a record's value names; "" for none.
func (s *search) decode(t *topicInfo, r *kgo.Record) (string, error) {
	if t.kind == Annotations {
		return reviewtopic.CallOf(r), nil
	}
	if r.Value == nil {
		return "", nil
	}
	switch t.kind {
	case Raw:
		return callOf(s.codec.DecodeRaw, r.Value, func(e *schemas.RawEvent) string { return e.CallID })
	case Clean, Final:
		return callOf(s.codec.DecodeClean, r.Value, func(e *schemas.CleanEvent) string { return e.CallID })
	case Audit:
		return callOf(s.codec.DecodeAudit, r.Value, func(e *schemas.AuditEvent) string { return e.CallID })
	case DeadLetter:
		e, err := s.codec.DecodeDeadLetter(r.Value)
		if err != nil {
			return "", err
		}
		if c := s.raw[position{e.Topic, e.Partition, e.Offset}]; c != nil && e.CallID == "" {
			return c.ID, nil
		}
		return e.CallID, nil
	}
	return "", nil
}

func callOf[E any](decode func([]byte) (*E, error), value []byte, id func(*E) string) (string, error) {
	e, err := decode(value)
	if err != nil {
		return "", err
	}
	return id(e), nil
}
