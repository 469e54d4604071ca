// Package chaos has the tests that run the programs of the stream, several of them, on Apache Kafka
// and on Kubernetes, and disturb everything that may fail. They take minutes, so that each needs a
// make target or an environment variable. What they write must be what the oracle writes.
package chaos

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/oracle"
	"sotto/internal/testkit/streamtest"
	_ "sotto/processor" // explains the reasons of dead letters to the oracle
	"sotto/schemas"
)

func TestMain(m *testing.M) { brokertest.Main(m) }

// rig is a cluster with the five topics, and the settings of the processes on it.
type rig struct {
	t       testing.TB
	cluster brokertest.Cluster
	topics  brokertest.Topics
	group   string
	dir     string
	set     config.Settings
	codec   *schemas.Codec
}

func newRigOn(t testing.TB, c brokertest.Cluster, partitions int32) *rig {
	t.Helper()
	topics, err := brokertest.CreateTopics(t.Context(), c, partitions)
	if err != nil {
		t.Fatal(err)
	}
	return newRigWith(t, c, topics, c.Name("group"))
}

// newRigWith is a rig with topics that are created elsewhere.
func newRigWith(t testing.TB, c brokertest.Cluster, topics brokertest.Topics, group string) *rig {
	t.Helper()
	r := &rig{t: t, cluster: c, topics: topics, group: group, dir: t.TempDir()}
	if err := os.WriteFile(r.keyFile(), []byte("1 "+streamtest.Key(1)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.codec, err = schemas.NewCodec(t.Context(), schemas.Options{Format: schemas.FormatJSON}); err != nil {
		t.Fatal(err)
	}
	r.set = streamtest.Settings(t, c, topics, group, r.keyFile())
	return r
}

func (r *rig) keyFile() string { return filepath.Join(r.dir, "state.key") }

// raw returns a record for the raw topic.
func (r *rig) raw(partition int32, e *schemas.RawEvent) *kgo.Record {
	return streamtest.Raw(r.t, r.codec, r.topics.Raw, partition, e)
}

// read returns the committed records of a topic.
func (r *rig) read(topic string) []*kgo.Record {
	r.t.Helper()
	return streamtest.Read(r.t, r.cluster, topic)
}

func (r *rig) clean(recs []*kgo.Record) []*schemas.CleanEvent {
	r.t.Helper()
	return streamtest.Clean(r.t, r.codec, recs)
}

// oracle is the input of the oracle: the current raw topic.
func (r *rig) oracle() oracle.Input {
	r.t.Helper()
	return oracle.Input{Settings: &r.set, Codec: r.codec, Raw: r.read(r.topics.Raw)}
}
