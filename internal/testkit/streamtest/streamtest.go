// Package streamtest is what the tests of package processor, which run the stream in their own
// process, share with those that run its programs: settings, records, and the comparison with the
// oracle. It uses nothing of package processor.
package streamtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/cleantopic"
	"sotto/processor/partition"
	"sotto/schemas"
)

// Key is a state key, a different one for each byte.
func Key(b byte) string {
	return base64.StdEncoding.EncodeToString(slices.Repeat([]byte{b}, 32))
}

// Settings are those of a stream of events in JSON on the topics, for short tests.
func Settings(t testing.TB, c brokertest.Cluster, topics brokertest.Topics, group, keyFile string) config.Settings {
	t.Helper()
	set, err := config.Load(map[string]string{
		"SOTTO_CODEC": "json", "SOTTO_KAFKA_GROUP": group, "SOTTO_STATE_KEY_FILE": keyFile,
		"SOTTO_TOPIC_RAW": topics.Raw, "SOTTO_TOPIC_CLEAN": topics.Clean, "SOTTO_TOPIC_AUDIT": topics.Audit,
		"SOTTO_TOPIC_STATE": topics.State, "SOTTO_TOPIC_DEAD_LETTER": topics.DeadLetter,
		// Every call becomes dormant after each transaction, and wakes with its next event.
		"SOTTO_CALL_DORMANT_AFTER": "0s",
		// What is found does not matter here, and the encoder takes longer; TestTheEncoderReadsOnAfterACrash has it.
		"SOTTO_READING": "fast",
		"SOTTO_TENANTS": "north,south,east,west", "SOTTO_COMMIT_INTERVAL": "20ms", "SOTTO_KAFKA_SESSION_TIMEOUT": "6s",
	})
	if err != nil {
		t.Fatal(err)
	}
	set.Brokers, set.Workers = c.Brokers(), 3
	return set
}

// FinalTopic creates a topic of final versions and returns its name.
func FinalTopic(t testing.TB, c brokertest.Cluster, partitions int32) string {
	t.Helper()
	return create(t, c, "calls.final", partitions, nil)
}

// GraphTopic creates a topic of the graphs of indirect identifiers and returns its name.
func GraphTopic(t testing.TB, c brokertest.Cluster, partitions int32) string {
	t.Helper()
	return create(t, c, "calls.indirect", partitions, map[string]string{"cleanup.policy": "compact"})
}

func create(t testing.TB, c brokertest.Cluster, base string, partitions int32, settings map[string]string) string {
	t.Helper()
	name := c.Name(base)
	if err := brokertest.CreateTopic(t.Context(), c, name, partitions, settings); err != nil {
		t.Fatal(err)
	}
	return name
}

// Raw returns a record for the raw topic.
func Raw(t testing.TB, codec *schemas.Codec, topic string, partition int32, e *schemas.RawEvent) *kgo.Record {
	v, err := codec.AppendRaw(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	return &kgo.Record{Topic: topic, Partition: partition, Key: []byte(e.CallID), Value: v}
}

// Feed produces records to the partitions that they name.
func Feed(t testing.TB, c brokertest.Cluster, recs ...*kgo.Record) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(brokertest.MaxRecord), kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(t.Context(), recs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// Read returns the committed records of a topic.
func Read(t testing.TB, c brokertest.Cluster, topic string) []*kgo.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	recs, err := brokertest.ReadAll(ctx, c, topic, brokertest.Stable)
	if err != nil {
		t.Fatal(err)
	}
	return recs
}

// States returns the records of a state topic without the claims, which are no states.
func States(recs []*kgo.Record) []*kgo.Record {
	return slices.DeleteFunc(recs, func(rec *kgo.Record) bool {
		_, claim := partition.ParseClaimKey(string(rec.Key))
		return claim
	})
}

// Clean decodes clean events.
func Clean(t testing.TB, codec *schemas.Codec, recs []*kgo.Record) []*schemas.CleanEvent {
	t.Helper()
	events := make([]*schemas.CleanEvent, len(recs))
	for i, rec := range recs {
		e, err := codec.DecodeClean(rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		events[i] = e
	}
	return events
}

// CheckHeaders checks that the records of clean or audit events have the headers that their values tell, in the order of
// docs/consumers.md, and no others but that of a trace, which is the last.
func CheckHeaders(t testing.TB, codec *schemas.Codec, recs []*kgo.Record) {
	t.Helper()
	for _, rec := range recs {
		e, err := codec.DecodeClean(rec.Value)
		if err != nil {
			audit, err := codec.DecodeAudit(rec.Value)
			if err != nil {
				t.Fatal(err)
			}
			e = &audit.CleanEvent
		}
		got := rec.Headers
		if n := len(got); n > 0 && got[n-1].Key == "traceparent" {
			got = got[:n-1]
		}
		if want := cleantopic.Headers(e); !slices.EqualFunc(got, want, sameHeader) {
			t.Errorf("%s %d/%d, %s %d of the call %q: the headers are %q, want %q", rec.Topic, rec.Partition, rec.Offset, e.Type, e.Seq, rec.Key, got, want)
			return
		}
	}
}

func sameHeader(a, b kgo.RecordHeader) bool { return a.Key == b.Key && bytes.Equal(a.Value, b.Value) }

// Utterance returns a raw event of a call; its time advances by 100 ms with seq.
func Utterance(call string, seq int64, speaker, text string) *schemas.RawEvent {
	return &schemas.RawEvent{
		CallID: call, Seq: seq, Type: schemas.Utterance, Context: "customer_support", Text: text,
		Speaker: &schemas.Speaker{ID: speaker, Role: schemas.RoleAgent}, TimestampMS: 1_700_000_000_000 + seq*100,
	}
}

// Ended returns the END of a call, at the time of an utterance with that seq.
func Ended(call string, seq int64) *schemas.RawEvent {
	return &schemas.RawEvent{CallID: call, Seq: seq, Type: schemas.End, TimestampMS: 1_700_000_000_000 + seq*100}
}

// ByCall returns the values of records by key, in order, for comparison.
func ByCall(recs []*kgo.Record) map[string][]string {
	m := map[string][]string{}
	for _, r := range recs {
		m[string(r.Key)] = append(m[string(r.Key)], string(r.Value))
	}
	return m
}
