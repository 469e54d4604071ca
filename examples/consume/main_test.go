package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/cleantopic"
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
	w := cleantopic.New(t, cluster, "calls.clean", 1, schemas.Options{})
	w.Transact(kgo.TryCommit, cleantopic.Said("c", 2, "Thanks."), cleantopic.Said("c", 1, "before"))
	w.Transact(kgo.TryAbort, cleantopic.Said("c", 3, "never"))
	w.Transact(kgo.TryCommit, cleantopic.Said("c", 1, "Hello."), &schemas.CleanEvent{CallID: "c", Seq: 4, Type: schemas.End})

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := &lines{most: 2, stop: cancel}
	if err := consume(ctx, cluster.Brokers(), w.Topic, cluster.Name("group"), out); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := out.String(); got != "c 1 Hello.\nc 2 Thanks.\n" {
		t.Errorf("got %q", got)
	}
}
