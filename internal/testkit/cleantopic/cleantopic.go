// Package cleantopic writes topics of clean events for tests of their readers.
package cleantopic

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

// Writer writes transactions of events to a topic, keyed by call as the stream does.
type Writer struct {
	// Topic is the name of the topic.
	Topic string
	// Bare makes it write events without headers, as versions did that had none.
	Bare bool

	t      testing.TB
	client *kgo.Client
	codec  *schemas.Codec
}

// New creates a topic with so many partitions, and a writer of events that is closed with the test. The options are those of its
// codec; the topic of clean events is the new one.
func New(t testing.TB, cluster brokertest.Cluster, name string, partitions int32, o schemas.Options) *Writer {
	t.Helper()
	w := &Writer{Topic: cluster.Name(name), t: t}
	err := brokertest.CreateTopic(t.Context(), cluster, w.Topic, partitions, nil)
	o.Topics = schemas.Topics{Clean: w.Topic}
	if err == nil {
		w.codec, err = schemas.NewCodec(t.Context(), o)
	}
	if err == nil {
		w.client, err = kgo.NewClient(kgo.SeedBrokers(cluster.Brokers()...), kgo.TransactionalID(cluster.Name("txn")), kgo.DefaultProduceTopic(w.Topic))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.client.Close)
	return w
}

// Transact writes events in a transaction that ends in this way.
func (w *Writer) Transact(end kgo.TransactionEndTry, events ...*schemas.CleanEvent) {
	w.t.Helper()
	err := w.client.BeginTransaction()
	for _, e := range events {
		var value []byte
		if err == nil {
			value, err = w.codec.AppendClean(nil, e)
		}
		if err == nil {
			rec := &kgo.Record{Key: []byte(e.CallID), Value: value}
			if !w.Bare {
				rec.Headers = Headers(e)
			}
			err = w.client.ProduceSync(w.t.Context(), rec).FirstErr()
		}
	}
	if err == nil {
		err = w.client.EndTransaction(w.t.Context(), end)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// Said is an utterance of a call.
func Said(call string, seq int64, text string) *schemas.CleanEvent {
	return &schemas.CleanEvent{CallID: call, Seq: seq, Type: schemas.Utterance, Text: text}
}
