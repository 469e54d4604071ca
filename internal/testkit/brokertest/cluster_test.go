package brokertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestMain(m *testing.M) { Main(m) }

func deadline(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func must[T any](t testing.TB) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// values reads the topic and returns its values, sorted.
func values(t testing.TB, c Cluster, topic string, e Extent) []string {
	t.Helper()
	var all []string
	for _, r := range must[[]*kgo.Record](t)(ReadAll(deadline(t, 30*time.Second), c, topic, e)) {
		all = append(all, string(r.Value))
	}
	slices.Sort(all)
	return all
}

// transact produces n records in one transaction and commits or aborts it.
func transact(ctx context.Context, cl *kgo.Client, topic, prefix string, n int, end kgo.TransactionEndTry) error {
	if err := cl.BeginTransaction(); err != nil {
		return err
	}
	// A failed record is not an error of Flush or EndTransaction: a broker that was down may have
	// rolled the transaction back.
	produced := kgo.AbortingFirstErrPromise(cl)
	for i := range n {
		cl.Produce(ctx, &kgo.Record{
			Topic: topic, Key: fmt.Append(nil, i), Value: fmt.Appendf(nil, "%s-%d", prefix, i),
		}, produced.Promise())
	}
	if err := cl.Flush(ctx); err != nil {
		return err
	}
	if err := produced.Err(); err != nil {
		return err
	}
	return cl.EndTransaction(ctx, end)
}

func producer(t testing.TB, c Cluster, id string) *kgo.Client {
	t.Helper()
	cl := must[*kgo.Client](t)(kgo.NewClient(
		kgo.SeedBrokers(c.Brokers()...),
		kgo.TransactionalID(id),
		kgo.TransactionTimeout(10*time.Second),
	))
	t.Cleanup(cl.Close)
	return cl
}

func TestReadAllDistinguishesCommittedRecords(t *testing.T) {
	c := Open(t)
	ctx := deadline(t, 60*time.Second)
	topic := c.Name("transactions")
	if err := CreateTopic(ctx, c, topic, 2, nil); err != nil {
		t.Fatal(err)
	}
	cl := producer(t, c, c.Name("writer"))
	if err := transact(ctx, cl, topic, "kept", 10, kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	// The log ends with aborted records and their marker, after which there is nothing that a
	// reader receives.
	if err := transact(ctx, cl, topic, "undone", 10, kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	var kept, undone []string
	for i := range 10 {
		kept = append(kept, fmt.Sprintf("kept-%d", i))
		undone = append(undone, fmt.Sprintf("undone-%d", i))
	}
	for _, tt := range []struct {
		name   string
		extent Extent
		want   []string
	}{
		{"committed", Committed, kept},
		{"stable", Stable, kept},
		{"uncommitted", Uncommitted, slices.Concat(kept, undone)},
	} {
		if got := values(t, c, topic, tt.extent); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %d records, want %d", tt.name, len(got), len(tt.want))
		}
	}
}

func TestReadAllWaitsForAnOpenTransaction(t *testing.T) {
	c := Open(t)
	ctx := deadline(t, 60*time.Second)
	topic := c.Name("open")
	if err := CreateTopic(ctx, c, topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	cl := producer(t, c, c.Name("writer"))
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("v")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if got := values(t, c, topic, Stable); len(got) != 0 {
		t.Errorf("stable: got %d records of an open transaction", len(got))
	}
	if got := values(t, c, topic, Uncommitted); len(got) != 1 {
		t.Errorf("uncommitted: got %d records, want 1", len(got))
	}
	_, err := ReadAll(deadline(t, time.Second), c, topic, Committed)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "partition 0 of "+topic+" cannot be read to 1") {
		t.Errorf("committed: error is %v", err)
	}
	if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	if got := values(t, c, topic, Committed); len(got) != 1 {
		t.Errorf("committed, after the commit: got %d records, want 1", len(got))
	}
}

func TestReadAllKeepsOrderAndLargeRecords(t *testing.T) {
	c := Open(t)
	ctx := deadline(t, 60*time.Second)
	topics := must[Topics](t)(CreateTopics(ctx, c, 3))
	var records []*kgo.Record
	for i := range 300 {
		records = append(records, &kgo.Record{Topic: topics.Raw, Key: fmt.Append(nil, i%7), Value: fmt.Append(nil, i)})
	}
	large := &kgo.Record{Topic: topics.Raw, Key: []byte("large"), Value: make([]byte, 10<<20)}
	if err := Produce(ctx, c, append(records, large)...); err != nil {
		t.Fatal(err)
	}
	got := must[[]*kgo.Record](t)(ReadAll(ctx, c, topics.Raw, Committed))
	if len(got) != 301 {
		t.Fatalf("got %d records, want 301", len(got))
	}
	for i, r := range got[1:] {
		if p := got[i]; r.Partition < p.Partition || r.Partition == p.Partition && r.Offset <= p.Offset {
			t.Fatalf("record %d is out of order", i+1)
		}
	}
	if !slices.ContainsFunc(got, func(r *kgo.Record) bool { return len(r.Value) == 10<<20 }) {
		t.Error("the large record is missing")
	}
	if got := values(t, c, topics.State, Committed); len(got) != 0 {
		t.Errorf("the state topic holds %d records", len(got))
	}
}

func TestCloseRemovesTopics(t *testing.T) {
	outer := Open(t)
	if _, ok := outer.(*Kfake); ok {
		t.Skip("the embedded broker disappears as a whole")
	}
	ctx := deadline(t, 60*time.Second)
	inner := must[Cluster](t)(open(ctx))
	topics := must[Topics](t)(CreateTopics(ctx, inner, 1))
	if err := inner.Close(); err != nil {
		t.Fatal(err)
	}
	adm := must[*kadm.Client](t)(admin(outer.Brokers()))
	defer adm.Close()
	if err := WaitFor(ctx, "the topics to go", func(ctx context.Context) (bool, error) {
		all, err := adm.ListTopics(ctx)
		return err == nil && !all.Has(topics.Raw) && !all.Has(topics.State), err
	}); err != nil {
		t.Error(err)
	}
}

func TestOpenRefusesAnUnknownBroker(t *testing.T) {
	t.Setenv(EnvBrokers, "")
	t.Setenv(EnvBroker, "rabbit")
	if _, err := open(t.Context()); err == nil || !strings.Contains(err.Error(), "use kfake or kafka") {
		t.Errorf("error is %v", err)
	}
}

func TestExternalBrokersAreAList(t *testing.T) {
	t.Setenv(EnvBrokers, " a:1, b:2 ,")
	c := must[Cluster](t)(open(t.Context()))
	if got := c.Brokers(); !slices.Equal(got, []string{"a:1", "b:2"}) {
		t.Errorf("Brokers() = %q", got)
	}
}

func TestTheEmbeddedBrokerLeavesNothingBehind(t *testing.T) {
	NoLeaks(t)
	k := must[*Kfake](t)(StartKfake())
	ctx := deadline(t, 30*time.Second)
	topics := must[Topics](t)(CreateTopics(ctx, k, 2))
	if err := Produce(ctx, k, &kgo.Record{Topic: topics.Raw, Value: []byte("v")}); err != nil {
		t.Error(err)
	}
	if got := values(t, k, topics.Raw, Committed); len(got) != 1 {
		t.Errorf("got %d records, want 1", len(got))
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

func TestWaitForNamesTheCondition(t *testing.T) {
	broken := errors.New("broken")
	err := WaitFor(deadline(t, 50*time.Millisecond), "rain", func(context.Context) (bool, error) { return true, broken })
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, broken) || !strings.Contains(err.Error(), "for rain") {
		t.Errorf("error is %v", err)
	}
	n := 0
	if err := WaitFor(t.Context(), "three", func(context.Context) (bool, error) { n++; return n == 3, nil }); err != nil || n != 3 {
		t.Errorf("n = %d, error %v", n, err)
	}
}
