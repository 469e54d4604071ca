package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
)

// upstreamPrefix begins the IDs of calls whose producer has transactions.
const upstreamPrefix = "upstream-"

// upstreamTurns are the events of such a call in one transaction.
const upstreamTurns = 3

// transactions lets a producer of the raw topic write calls in transactions, one of which it aborts, and
// leave the last one open. All that comes after it waits, until the broker ends the transaction or the
// producer is started again. patient waits for the message of the stream, as an operator would.
func (c *campaign) transactions(patient bool) func(context.Context, *rand.Rand) error {
	return func(ctx context.Context, rng *rand.Rand) error {
		c.upstreams++
		producer, err := c.upstream("steady", time.Minute)
		if err != nil {
			return err
		}
		for _, t := range []struct {
			part int64
			how  kgo.TransactionEndTry
		}{{1, kgo.TryCommit}, {2, kgo.TryAbort}, {2, kgo.TryCommit}} {
			if err := c.transact(ctx, rng, producer, t.part, t.how); err != nil {
				return err
			}
		}
		producer.Close()
		return c.hang(ctx, rng, patient)
	}
}

// transact writes a part of the calls in a transaction that takes a while, while a member may be killed.
func (c *campaign) transact(ctx context.Context, rng *rand.Rand, producer *kgo.Client, part int64, how kgo.TransactionEndTry) error {
	kind := "transaction upstream that commits"
	if how == kgo.TryAbort {
		kind = "transaction upstream that aborts"
	}
	c.fault(kind)
	if err := c.write(ctx, producer, part, how == kgo.TryAbort); err != nil {
		return err
	}
	if err := wait(ctx, between(rng, 0, 2*time.Second)); err != nil {
		return err
	}
	if how == kgo.TryAbort && rng.IntN(2) == 0 {
		if err := c.kill(ctx, 0, c.anyMember(rng)); err != nil {
			return err
		}
	}
	return producer.EndTransaction(ctx, how)
}

// hang leaves a transaction open. Then the broker ends it by its timeout, or the producer comes back, as
// docs/runbooks/SottoTransactionOpen.md says.
func (c *campaign) hang(ctx context.Context, rng *rand.Rand, patient bool) error {
	c.fault("transaction upstream that hangs")
	back, timeout := patient || rng.IntN(2) == 0, 4*time.Second
	if back {
		timeout = 5 * time.Minute
	}
	producer, err := c.upstream("hung", timeout)
	if err != nil {
		return err
	}
	err = c.write(ctx, producer, 3, true)
	producer.Close() // without an end
	if err != nil {
		return err
	}
	if patient {
		err = c.awaitLog(ctx, "records wait behind a transaction of a producer that does not end; see docs/runbooks/SottoTransactionOpen.md")
	} else {
		err = wait(ctx, between(rng, time.Second, 3*time.Second))
	}
	if err == nil && back {
		if producer, err = c.upstream("hung", timeout); err == nil {
			defer producer.Close()
			_, _, err = producer.ProducerID(ctx)
		}
	}
	return errors.Join(err, c.awaitTransactionEnd(ctx))
}

// upstream is a producer with transactions of the latest calls.
func (c *campaign) upstream(name string, timeout time.Duration) (*kgo.Client, error) {
	return kgo.NewClient(kgo.SeedBrokers(c.r.Cluster.Brokers()...), kgo.TransactionalID(c.transactionalID(name)), kgo.TransactionTimeout(timeout),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MetadataMinAge(100*time.Millisecond))
}

func (c *campaign) transactionalID(name string) string {
	return c.r.Cluster.Name(fmt.Sprint("upstream-", c.upstreams, "-", name))
}

// write begins a transaction with a part of the calls.
func (c *campaign) write(ctx context.Context, producer *kgo.Client, part int64, aborted bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := producer.BeginTransaction(); err != nil {
		return err
	}
	return producer.ProduceSync(ctx, c.upstreamTurns(part, aborted)...).FirstErr()
}

// upstreamTurns is a part, from 1, of the latest calls, one in each of three partitions. Of a transaction
// that is aborted, the texts are others, and nobody may ever read them.
func (c *campaign) upstreamTurns(part int64, aborted bool) (recs []*kgo.Record) {
	for i := range 3 {
		call := fmt.Sprintf("%s%d-%d", upstreamPrefix, c.upstreams, i)
		for turn := range int64(upstreamTurns) {
			text := "this is Rosa Lindqvist speaking, my number is 604 555 0134"
			if aborted {
				text = "this is Hugo Brandauer speaking, my number is 604 555 0199"
			}
			e := streamtest.Utterance(call, (part-1)*upstreamTurns+turn+1, "x", text)
			e.TimestampMS += int64(c.upstreams) * time.Hour.Milliseconds()
			c.said.add(text)
			recs = append(recs, c.r.Raw(int32((c.upstreams+i)%campaignPartitions), e))
		}
	}
	return recs
}

// awaitTransactionEnd waits until the transaction that hangs is not open any more.
func (c *campaign) awaitTransactionEnd(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	id := c.transactionalID("hung")
	return brokertest.WaitFor(ctx, "the transaction upstream to end", func(ctx context.Context) (bool, error) {
		described, err := c.adm.DescribeTransactions(ctx, id)
		return described[id].State != "Ongoing", cmp.Or(err, described[id].Err)
	})
}
