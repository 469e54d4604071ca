// Command consume prints the transcript of each call of the clean topic when the call ends. It shows what every
// consumer of that topic must do: read committed records only, since the processor writes in transactions; keep one
// event of each key, since the topic has events twice after a failover or a replay; and commit its offsets after its
// own work.
//
//	go run ./examples/consume localhost:9092 calls.clean my-group
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: consume BROKER,... TOPIC GROUP")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := consume(ctx, strings.Split(os.Args[1], ","), os.Args[2], os.Args[3], os.Stdout); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func consume(ctx context.Context, brokers []string, topic, group string, out io.Writer) error {
	// It reads JSON, and Avro that names its schema by fingerprint. With a Schema Registry:
	// schemas.Options{Format: schemas.FormatJSON, Registry: registry.New(client, true)}.
	codec, err := schemas.NewCodec(ctx, schemas.Options{})
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(topic), kgo.ConsumerGroup(group),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	calls := calls{}
	for {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		for _, record := range fetches.Records() {
			event, err := codec.DecodeClean(record.Value)
			if err != nil {
				return fmt.Errorf("partition %d, offset %d: %w", record.Partition, record.Offset, err)
			}
			if err := calls.add(event, out); err != nil {
				return err
			}
		}
		// A program that must not lose the calls that are open when it ends keeps them in a database, with this key.
		if err := client.CommitUncommittedOffsets(ctx); err != nil {
			return err
		}
	}
}

// calls are the events of the calls that have not ended. Of two events with one key, the later one counts.
type calls map[string]map[schemas.EventKey]*schemas.CleanEvent

func (c calls) add(e *schemas.CleanEvent, out io.Writer) error {
	if c[e.CallID] == nil {
		c[e.CallID] = map[schemas.EventKey]*schemas.CleanEvent{}
	}
	c[e.CallID][e.Key()] = e
	if e.Type != schemas.End {
		return nil
	}
	events := make([]*schemas.CleanEvent, 0, len(c[e.CallID]))
	for _, said := range c[e.CallID] {
		if said.Type == schemas.Utterance {
			events = append(events, said)
		}
	}
	delete(c, e.CallID)
	slices.SortFunc(events, func(a, b *schemas.CleanEvent) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, said := range events {
		if _, err := fmt.Fprintf(out, "%s %d %s\n", said.CallID, said.Seq, said.Text); err != nil {
			return err
		}
	}
	return nil
}
