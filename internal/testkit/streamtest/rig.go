package streamtest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/oracle"
	"sotto/schemas"
)

// Rig is a cluster with the five topics, and the settings of the processors on it.
type Rig struct {
	T       testing.TB
	Cluster brokertest.Cluster
	Topics  brokertest.Topics
	Group   string
	Dir     string
	Set     config.Settings
	Codec   *schemas.Codec
}

// NewRig creates the topics.
func NewRig(t testing.TB, c brokertest.Cluster, partitions int32) Rig {
	t.Helper()
	topics, err := brokertest.CreateTopics(t.Context(), c, partitions)
	if err != nil {
		t.Fatal(err)
	}
	return RigWith(t, c, topics, c.Name("group"))
}

// RigWith is a rig with topics that are created elsewhere.
func RigWith(t testing.TB, c brokertest.Cluster, topics brokertest.Topics, group string) Rig {
	t.Helper()
	codec, err := schemas.NewCodec(t.Context(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	r := Rig{T: t, Cluster: c, Topics: topics, Group: group, Dir: t.TempDir(), Codec: codec}
	r.WriteKeys("1 " + Key(1))
	r.Set = Settings(t, c, topics, group, r.KeyFile())
	return r
}

// KeyFile is the file with the keys of the states.
func (r *Rig) KeyFile() string { return filepath.Join(r.Dir, "state.key") }

// WriteKeys replaces the keys of the states.
func (r *Rig) WriteKeys(lines string) {
	r.T.Helper()
	if err := os.WriteFile(r.KeyFile(), []byte(lines+"\n"), 0o600); err != nil {
		r.T.Fatal(err)
	}
}

// KeepFinals creates the topic of final versions and enables it.
func (r *Rig) KeepFinals(partitions int32) {
	r.T.Helper()
	r.Set.TopicFinal = FinalTopic(r.T, r.Cluster, partitions)
}

// KeepGraph creates the topic of the graphs of indirect identifiers and enables it.
func (r *Rig) KeepGraph(partitions int32) {
	r.T.Helper()
	r.Set.TopicIndirect = GraphTopic(r.T, r.Cluster, partitions)
}

// Raw returns a record for the raw topic.
func (r *Rig) Raw(partition int32, e *schemas.RawEvent) *kgo.Record {
	r.T.Helper()
	return Raw(r.T, r.Codec, r.Topics.Raw, partition, e)
}

// Feed produces records to the partitions that they name.
func (r *Rig) Feed(recs ...*kgo.Record) {
	r.T.Helper()
	Feed(r.T, r.Cluster, recs...)
}

// Read returns the committed records of a topic, without claims.
func (r *Rig) Read(topic string) []*kgo.Record {
	r.T.Helper()
	recs := Read(r.T, r.Cluster, topic)
	if topic == r.Set.TopicState {
		recs = States(recs)
	}
	return recs
}

// Await waits until n records are committed to a topic and returns them.
func (r *Rig) Await(topic string, n int) []*kgo.Record {
	r.T.Helper()
	var recs []*kgo.Record
	deadline := time.Now().Add(60 * time.Second)
	for {
		if recs = r.Read(topic); len(recs) >= n {
			return recs
		}
		if time.Now().After(deadline) {
			r.T.Fatalf("%s has %d records after a minute, want %d", topic, len(recs), n)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Clean decodes clean events.
func (r *Rig) Clean(recs []*kgo.Record) []*schemas.CleanEvent {
	r.T.Helper()
	return Clean(r.T, r.Codec, recs)
}

// DeadLetters returns the committed dead letters.
func (r *Rig) DeadLetters() []*schemas.DeadLetter {
	r.T.Helper()
	var all []*schemas.DeadLetter
	for _, rec := range r.Read(r.Topics.DeadLetter) {
		d, err := r.Codec.DecodeDeadLetter(rec.Value)
		if err != nil {
			r.T.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// Oracle is the input of the oracle: the current raw topic.
func (r *Rig) Oracle() oracle.Input {
	r.T.Helper()
	return oracle.Input{Settings: &r.Set, Codec: r.Codec, Raw: r.Read(r.Topics.Raw)}
}

// CheckHeaders checks the headers of all that was written, claims and graphs of indirect identifiers too.
func (r *Rig) CheckHeaders() {
	r.T.Helper()
	for _, topic := range []string{r.Topics.Clean, r.Topics.Audit, r.Set.TopicFinal} {
		if topic != "" {
			CheckHeaders(r.T, r.Codec, r.Read(topic))
		}
	}
	for _, topic := range []string{r.Topics.DeadLetter, r.Topics.State, r.Set.TopicIndirect} {
		if topic == "" {
			continue
		}
		for _, rec := range Read(r.T, r.Cluster, topic) {
			if i := slices.IndexFunc(rec.Headers, func(h kgo.RecordHeader) bool { return h.Key != "traceparent" }); i >= 0 {
				r.T.Errorf("a record of %s has the header %q", topic, rec.Headers[i].Key)
			}
		}
	}
}
