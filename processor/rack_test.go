package processor

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
)

// batches notes which broker sent the batches of the raw topic, and how the others were compressed.
type batches struct {
	raw string

	mu          sync.Mutex
	read        map[int32][]int32 // brokers by partition, in order
	compression map[uint8]int
}

func (b *batches) OnFetchBatchRead(from kgo.BrokerMetadata, topic string, partition int32, _ kgo.FetchBatchMetrics) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if topic == b.raw {
		b.read[partition] = append(b.read[partition], from.NodeID)
	}
}

func (b *batches) OnProduceBatchWritten(_ kgo.BrokerMetadata, _ string, _ int32, m kgo.ProduceBatchMetrics) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.compression[m.CompressionType]++
}

// With SOTTO_KAFKA_RACK, raw records come from the broker in that rack, also those of partitions that
// another broker leads, and from the leaders when that broker is gone. What is written has the
// compression of SOTTO_KAFKA_COMPRESSION.
func TestReadsFromTheClosestReplica(t *testing.T) {
	const partitions, closest = 3, 2
	k := brokertest.OpenReplicatedKafka(t, brokertest.KafkaOptions{Config: map[string]string{"broker.session.timeout.ms": "6000"}})
	r := newRigOn(t, k, partitions)
	r.Set.Rack, r.Set.Compression = brokertest.Rack(closest), "zstd"
	b := &batches{raw: r.Topics.Raw, read: map[int32][]int32{}, compression: map[uint8]int{}}
	in := r.start("a", func(p *Processor) { p.extra = append(p.extra, kgo.WithHooks(b)) })
	fed := 0
	feed := func() {
		var recs []*kgo.Record
		for p := range int32(partitions) {
			for n := range int64(50) {
				recs = append(recs, r.Raw(p, utterance(fmt.Sprint("call-", p), int64(fed)+n, "s1", "Thank you, my name is Ines Quimby, and I have a question about my invoice.")))
			}
		}
		r.Feed(recs...)
		fed += 50
		r.Await(r.Topics.Clean, fed*partitions)
	}
	feed()
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.Brokers()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	topics, err := kadm.NewClient(cl).ListTopics(t.Context(), r.Topics.Raw)
	if err != nil {
		t.Fatal(err)
	}
	far := 0
	b.mu.Lock()
	for p, d := range topics[r.Topics.Raw].Partitions {
		if d.Leader != closest {
			far++
		}
		// A broker that stalls on a busy machine is out of sync for a while, so others may send some.
		if !slices.Contains(b.read[p], closest) {
			t.Errorf("partition %d, led by %d: batches came from brokers %v", p, d.Leader, b.read[p])
		}
	}
	if far == 0 {
		t.Error("the closest broker leads all partitions")
	}
	if b.compression[uint8(kgo.CodecZstd)] == 0 {
		t.Errorf("no batch has the compression: %v", b.compression)
	}
	b.mu.Unlock()

	if err := k.Nodes[closest-1].Kill(); err != nil {
		t.Fatal(err)
	}
	feed()
	if err := in.stop(); err != nil {
		t.Error(err)
	}
	compare(t, "clean", byCall(r.Read(r.Topics.Clean)), newSerial(r, nil).Clean)
}
