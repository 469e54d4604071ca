package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

// lines cancels a context when it has a number of lines.
type lines struct {
	strings.Builder
	most int
	stop func()
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.Builder.Write(p)
	if strings.Count(l.String(), "\n") >= l.most {
		l.stop()
	}
	return n, err
}

// The topic has an event twice, and one of a transaction that was aborted.
func TestConsume(t *testing.T) {
	cluster := brokertest.Open(t)
	topic := cluster.Name("calls.clean")
	if err := brokertest.CreateTopic(t.Context(), cluster, topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	codec, err := schemas.NewCodec(t.Context(), schemas.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.Brokers()...), kgo.TransactionalID(cluster.Name("txn")), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	transact := func(end kgo.TransactionEndTry, events ...*schemas.CleanEvent) {
		t.Helper()
		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			value, err := codec.AppendClean(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			if err := client.ProduceSync(t.Context(), &kgo.Record{Key: []byte(e.CallID), Value: value}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		if err := client.EndTransaction(t.Context(), end); err != nil {
			t.Fatal(err)
		}
	}
	said := func(seq int64, text string) *schemas.CleanEvent {
		return &schemas.CleanEvent{CallID: "c", Seq: seq, Type: schemas.Utterance, Text: text}
	}
	transact(kgo.TryCommit, said(2, "Thanks."), said(1, "before"))
	transact(kgo.TryAbort, said(3, "never"))
	transact(kgo.TryCommit, said(1, "Hello."), &schemas.CleanEvent{CallID: "c", Seq: 4, Type: schemas.End})

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := &lines{most: 2, stop: cancel}
	if err := consume(ctx, cluster.Brokers(), topic, cluster.Name("group"), out); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := out.String(); got != "c 1 Hello.\nc 2 Thanks.\n" {
		t.Errorf("got %q", got)
	}
}
