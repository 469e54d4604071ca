// Package topic exchanges the store of sotto review with Kafka: sampled calls come from the audit
// topic, and readings go to and come from a compacted topic of their own, from which a lost store is
// rebuilt.
//
// Records of readings hold places, infoTypes, the red team's notes and the metadata of the call, and
// no text of it.
package topic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config/kafka"
	"sotto/review"
	"sotto/review/store"
	"sotto/schemas"
)

// Options configure Run.
type Options struct {
	// Audit and Annotations name the topics.
	Audit, Annotations string
	Codec              *schemas.Codec
	Client             []kgo.Opt
	Log                *slog.Logger
}

// pollTime bounds a poll and the time after which a change is sent.
const (
	pollTime   = 500 * time.Millisecond
	retryTime  = 2 * time.Second
	batchCalls = 500
)

// formatVersion is that of the records. Later ones stop the reader.
const formatVersion = 1

var errLaterVersion = errors.New("use a later version")

type record struct {
	Version int `json:"v"`
	review.Reading
	Call *review.Call `json:"call,omitempty"` // without its text, for the figures when the audit topic no longer has it
	// ErasedMS is set in the record of an erased call, which has no other field.
	ErasedMS int64 `json:"erased_ms,omitempty"`
}

// Run exchanges changes until the context is cancelled. It fails if the brokers cannot be reached when
// it starts; later errors of theirs are retried.
func Run(ctx context.Context, s *store.Store, o Options) error {
	partitions, err := begin(ctx, s, o)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(append(slices.Clone(o.Client), kgo.ConsumePartitions(partitions),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()))...)
	if err != nil {
		return err
	}
	defer kafka.CloseWith(ctx, client)()
	for ctx.Err() == nil {
		err := exchange(ctx, client, s, o)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errLaterVersion):
			return err // no retry heals it
		case err != nil:
			o.Log.Warn("the exchange with Kafka failed and is retried", "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(retryTime):
			}
		}
	}
	return nil
}

// exchange polls once, stores what came and sends what changed.
func exchange(ctx context.Context, client *kgo.Client, s *store.Store, o Options) error {
	polling, cancel := context.WithTimeout(ctx, pollTime)
	fetches := client.PollFetches(polling)
	cancel()
	var problem error
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if p.Err != nil && !errors.Is(p.Err, context.DeadlineExceeded) && !errors.Is(p.Err, context.Canceled) {
			problem = p.Err
		}
		if len(p.Records) == 0 {
			return
		}
		if problem == nil {
			problem = take(ctx, s, o, p)
		}
		if problem != nil {
			// The client has moved on; these records are read again.
			at := kgo.EpochOffset{Epoch: -1, Offset: p.Records[0].Offset}
			client.SetOffsets(map[string]map[int32]kgo.EpochOffset{p.Topic: {p.Partition: at}})
		}
	})
	if problem != nil {
		return problem
	}
	return send(ctx, client, s, o)
}

func take(ctx context.Context, s *store.Store, o Options, p kgo.FetchTopicPartition) error {
	at := store.Position{Topic: p.Topic, Partition: p.Partition, Next: p.Records[len(p.Records)-1].Offset + 1}
	if p.Topic == o.Audit {
		events, err := readable(o, "the audit topic", p.Records, func(r *kgo.Record) (*schemas.AuditEvent, error) { return o.Codec.DecodeAudit(r.Value) })
		if err != nil {
			return err
		}
		return s.AddEvents(ctx, events, at)
	}
	changes, err := readable(o, "the topic of readings", p.Records, decode)
	if err != nil {
		return err
	}
	return s.Take(ctx, changes, at)
}

// readable decodes records, and leaves out those that cannot be read. It fails where that may change.
func readable[T any](o Options, topic string, records []*kgo.Record, decode func(*kgo.Record) (T, error)) (all []T, _ error) {
	for _, r := range records {
		v, err := decode(r)
		switch {
		case errors.Is(err, schemas.ErrUnavailable):
			return nil, err
		case errors.Is(err, errLaterVersion):
			return nil, fmt.Errorf("%s partition %d offset %d: %w", r.Topic, r.Partition, r.Offset, err)
		case err != nil:
			o.Log.Warn("a record of "+topic+" cannot be read and is left out", "partition", r.Partition, "offset", r.Offset)
		default:
			all = append(all, v)
		}
	}
	return all, nil
}

func send(ctx context.Context, client *kgo.Client, s *store.Store, o Options) error {
	changes, err := s.Unsent(ctx, batchCalls)
	if err != nil || len(changes) == 0 {
		return err
	}
	records := make([]*kgo.Record, len(changes))
	for i, c := range changes {
		if records[i], err = encode(o.Annotations, c); err != nil {
			return err
		}
	}
	if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return err
	}
	return s.MarkSent(ctx, changes)
}

// erasedKey starts the key of the record that an erased call leaves behind.
const erasedKey = "erased/"

// encode makes the record of a change. Its key is that of the reading, so that compaction keeps the
// last one.
func encode(topic string, c store.Change) (*kgo.Record, error) {
	if c.ErasedHash != nil {
		value, err := json.Marshal(map[string]any{"v": formatVersion, "erased_ms": c.UpdatedMS})
		return &kgo.Record{Topic: topic, Key: []byte(erasedKey + hex.EncodeToString(c.ErasedHash)), Value: value}, err
	}
	key, err := json.Marshal([]string{c.CallID, string(c.Kind), c.Annotator})
	if err != nil {
		return nil, err
	}
	r := &kgo.Record{Topic: topic, Key: key}
	if !c.Erased {
		r.Value, err = json.Marshal(record{Version: formatVersion, Reading: c.Reading, Call: c.Call})
	}
	return r, err
}

// CallOf returns the call that a record is about, "" for none.
func CallOf(r *kgo.Record) string {
	c, err := decode(&kgo.Record{Key: r.Key})
	if err != nil {
		return ""
	}
	return c.CallID
}

// ErasedRecord is the record of an erased call: wherever the store is rebuilt, the call is not taken over from the
// audit topic. It has a hash of the ID.
func ErasedRecord(topic, callID string, at time.Time) (*kgo.Record, error) {
	hash := sha256.Sum256([]byte(callID))
	return encode(topic, store.Change{ErasedHash: hash[:], Reading: review.Reading{UpdatedMS: at.UnixMilli()}})
}

// decode reads a record. The error quotes nothing of it.
func decode(r *kgo.Record) (c store.Change, err error) {
	var value record
	if r.Value != nil {
		if json.Unmarshal(r.Value, &value) != nil {
			return c, errors.New("not a JSON object")
		}
		if value.Version > formatVersion {
			return c, fmt.Errorf("the record has format %d, and this program reads up to %d: %w", value.Version, formatVersion, errLaterVersion)
		}
	}
	if h, ok := strings.CutPrefix(string(r.Key), erasedKey); ok {
		c.ErasedHash, err = hex.DecodeString(h)
		c.UpdatedMS = value.ErasedMS
		return c, err
	}
	var key []string
	if json.Unmarshal(r.Key, &key) != nil || len(key) != 3 || !slices.Contains(review.Kinds(), review.Kind(key[1])) {
		return c, errors.New("unknown key")
	}
	c.Reading = value.Reading
	c.CallID, c.Kind, c.Annotator = key[0], review.Kind(key[1]), key[2]
	c.Erased = r.Value == nil
	if value.Call != nil && (value.Call.Mode == review.Missed || value.Call.Mode == review.Label) {
		c.Call = value.Call
		c.Call.ID = c.CallID
	}
	return c, nil
}

func ensure(ctx context.Context, admin *kadm.Client, name string) error {
	compact, lag := "compact", "86400000" // a day, after which erased readings are gone
	_, err := admin.CreateTopic(ctx, 1, -1, map[string]*string{"cleanup.policy": &compact, "max.compaction.lag.ms": &lag}, name)
	if err == nil || errors.Is(err, kerr.TopicAlreadyExists) {
		return nil
	}
	if topics, listErr := admin.ListTopics(ctx, name); listErr == nil && topics.Has(name) {
		return nil
	}
	return fmt.Errorf("cannot create the topic %s: %w; create it with cleanup.policy=compact", name, err)
}

// begin returns where each partition of both topics is read from.
func begin(ctx context.Context, s *store.Store, o Options) (map[string]map[int32]kgo.Offset, error) {
	client, err := kgo.NewClient(o.Client...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	if err := ensure(ctx, admin, o.Annotations); err != nil {
		return nil, err
	}
	partitions := map[string]map[int32]kgo.Offset{}
	for _, topic := range []string{o.Audit, o.Annotations} {
		next, err := s.Positions(ctx, topic)
		if err != nil {
			return nil, err
		}
		details, err := admin.ListTopics(ctx, topic)
		if err != nil {
			return nil, err
		}
		if err := details.Error(); err != nil {
			return nil, fmt.Errorf("topic %s: %w; create it with 'sotto topics ensure'", topic, err)
		}
		partitions[topic] = map[int32]kgo.Offset{}
		for p := range details[topic].Partitions {
			partitions[topic][p] = kgo.NewOffset().AtStart()
			if at, ok := next[p]; ok {
				partitions[topic][p] = kgo.NewOffset().At(at)
			}
		}
	}
	return partitions, nil
}
