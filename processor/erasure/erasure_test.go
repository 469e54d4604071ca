package erasure

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/config/kafka"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/postgrestest"
	"sotto/processor"
	"sotto/review"
	"sotto/review/store"
	reviewtopic "sotto/review/topic"
	"sotto/schemas"
	"sotto/training/corpus/export"
	"sotto/training/corpus/transcripts"
)

func TestMain(m *testing.M) { brokertest.Main(m, postgrestest.Stop) }

// openStore opens a database of sotto review.
type openStore func(t *testing.T, dir string) *store.Store

func sqlite(t *testing.T, dir string) *store.Store {
	s, err := store.Open(t.Context(), filepath.Join(dir, "review.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func postgres(t *testing.T, _ string) *store.Store {
	c, err := pgx.ParseConfig(postgrestest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenPostgres(t.Context(), c, func() (string, error) { return "", nil }, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	victim = "call-of-the-victim"
	canary = "lantern umbrella zebra" // stays in the clean text
	// patience is long, because other tests may keep the machine busy.
	patience = 90 * time.Second
)

// rig is a stream with all topics, a database of sotto review and an export.
type rig struct {
	t       *testing.T
	cluster brokertest.Cluster
	set     config.Settings
	dir     string
	review  *store.Store
}

func newRig(t *testing.T, open openStore, environ map[string]string) *rig {
	t.Helper()
	r := &rig{t: t, cluster: brokertest.Open(t), dir: t.TempDir()}
	keys := filepath.Join(r.dir, "keys")
	if err := os.WriteFile(keys, []byte("1 "+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"SOTTO_CODEC": "json", "SOTTO_STATE_KEY_FILE": keys, "SOTTO_KAFKA_GROUP": r.cluster.Name("group"), "SOTTO_HTTP_ADDR": "off",
		"SOTTO_TOPIC_RAW": r.cluster.Name("raw"), "SOTTO_TOPIC_CLEAN": r.cluster.Name("clean"), "SOTTO_TOPIC_AUDIT": r.cluster.Name("audit"),
		"SOTTO_TOPIC_STATE": r.cluster.Name("state"), "SOTTO_TOPIC_FINAL": r.cluster.Name("final"), "SOTTO_TOPIC_DEAD_LETTER": r.cluster.Name("dead"),
		"SOTTO_TOPIC_ANNOTATIONS": r.cluster.Name("annotations"), "SOTTO_AUDIT_RATE": "1", "SOTTO_CALL_GRACE": "1s", "SOTTO_MAX_SEQ": "1000",
		"SOTTO_COMMIT_INTERVAL": "20ms", "SOTTO_KAFKA_SESSION_TIMEOUT": "6s",
	}
	for k, v := range environ {
		env[k] = v
	}
	var err error
	if r.set, err = config.Load(env); err != nil {
		t.Fatal(err)
	}
	r.set.Brokers = r.cluster.Brokers()
	week := map[string]string{"retention.ms": "604800000", "segment.ms": "86400000"}
	compact := map[string]string{"cleanup.policy": "compact", "max.compaction.lag.ms": "3600000", "delete.retention.ms": "86400000"}
	for _, name := range []string{r.set.TopicRaw, r.set.TopicClean, r.set.TopicAudit, r.set.TopicFinal, r.set.TopicDeadLetter} {
		if err := brokertest.CreateTopic(t.Context(), r.cluster, name, 2, week); err != nil {
			t.Fatal(err)
		}
	}
	for name, n := range map[string]int32{r.set.TopicState: 2, r.set.TopicAnnotations: 1} {
		if err := brokertest.CreateTopic(t.Context(), r.cluster, name, n, compact); err != nil {
			t.Fatal(err)
		}
	}
	r.review = open(t, r.dir)
	t.Cleanup(func() { r.review.Close() })
	return r
}

// background runs a function until stop is called.
func (r *rig) background(run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			r.t.Error(err)
		}
	}
}

func (r *rig) stream() (stop func()) {
	p, err := processor.New(r.t.Context(), r.set, processor.WithLogger(slog.New(slog.DiscardHandler)), processor.WithRegistry(prometheus.NewRegistry()))
	if err != nil {
		r.t.Fatal(err)
	}
	return r.background(p.Run)
}

func (r *rig) exchange() (stop func()) {
	codec, err := kafka.NewCodec(r.t.Context(), &r.set)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.background(func(ctx context.Context) error {
		return reviewtopic.Run(ctx, r.review, reviewtopic.Options{
			Audit: r.set.TopicAudit, Annotations: r.set.TopicAnnotations, Codec: codec, Log: slog.New(slog.DiscardHandler),
			Client: []kgo.Opt{kgo.SeedBrokers(r.cluster.Brokers()...)},
		})
	})
}

// feed writes raw events of a call into a partition.
func (r *rig) feed(call string, at int64, events ...string) {
	r.t.Helper()
	var records []*kgo.Record
	for _, e := range events {
		records = append(records, &kgo.Record{Topic: r.set.TopicRaw, Partition: 0, Key: []byte(call),
			Value: fmt.Appendf(nil, `{"call_id": %q, "timestamp_ms": %d, %s}`, call, at, e)})
	}
	if err := brokertest.Produce(r.t.Context(), r.cluster, records...); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) await(what string, holds func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func (r *rig) records(topic string) []*kgo.Record {
	r.t.Helper()
	records, err := brokertest.ReadAll(r.t.Context(), r.cluster, topic, brokertest.Committed)
	if err != nil {
		r.t.Fatal(err)
	}
	return records
}

func (r *rig) topics() []string {
	return []string{r.set.TopicRaw, r.set.TopicClean, r.set.TopicFinal, r.set.TopicAudit, r.set.TopicDeadLetter, r.set.TopicState, r.set.TopicAnnotations}
}

func (r *rig) run(o Options) (*Record, error) {
	o.Settings, o.Calls, o.Who, o.Review, o.Now = &r.set, []string{victim}, "ann", r.review, time.Now
	return Run(r.t.Context(), o)
}

// names are the IDs under which the victim's call may be.
func (r *rig) names() []string {
	keys, err := r.set.StateKeys()
	if err != nil {
		r.t.Fatal(err)
	}
	return append(keys.HashCallIDs(victim), victim)
}

const (
	begin = `"seq": 1, "type": "START"`
	says  = `"seq": 2, "type": "UTTERANCE", "text": "` + canary + `"`
	bad   = `"seq": 5000, "type": "UTTERANCE", "text": "` + canary + `"`
	ends  = `"seq": 3, "type": "END"`
)

// TestErase has a call in all topics, in the database and in an export, and erases it. What is found of it afterwards
// is in the record, with the time when it expires.
func TestErase(t *testing.T) {
	for name, c := range map[string]struct {
		mode string
		open openStore
	}{"SQLite": {"keep", sqlite}, "hashed IDs": {"hash", sqlite}, "PostgreSQL": {"keep", postgres}} {
		t.Run(name, func(t *testing.T) { testErase(newRig(t, c.open, map[string]string{"SOTTO_CALL_ID": c.mode}), c.mode) })
	}
}

func testErase(r *rig, mode string) {
	t := r.t
	name := victim
	if mode == "hash" {
		name = r.names()[0]
	}
	stopStream, stopExchange := r.stream(), r.exchange()
	now := time.Now().UnixMilli()
	r.feed(victim, now, begin, says, bad)
	r.feed("other", now, begin)
	r.await("the state of the call", func() bool { return len(r.records(r.set.TopicState)) > 0 && len(r.records(r.set.TopicDeadLetter)) == 1 })
	record, err := r.run(Options{})
	if !errors.Is(err, ErrOpen) || !record.Calls[0].Open {
		t.Fatalf("an open call: %v", err)
	}
	if _, err := r.run(Options{Open: true}); !errors.Is(err, ErrRuns) {
		t.Fatalf("an open call of a stream that runs: %v", err)
	}
	r.feed(victim, now, ends)
	// The clock of the partition ends the time of grace.
	r.await("the state is gone", func() bool {
		now += 10_000
		r.feed("other", now, `"seq": 4, "type": "UTTERANCE", "text": "okay"`)
		return slices.ContainsFunc(r.records(r.set.TopicState), func(x *kgo.Record) bool { return string(x.Key) == name && x.Value == nil })
	})
	r.await("the call in the database", func() bool { c, err := r.review.Call(t.Context(), name); return err == nil && len(c.Utterances) == 1 })
	if _, err := r.review.Save(t.Context(), review.Reading{CallID: name, Kind: review.Annotation, Annotator: "ann", Done: true}); err != nil {
		t.Fatal(err)
	}
	r.await("the reading in its topic", func() bool { return len(r.records(r.set.TopicAnnotations)) > 0 })
	dir := r.export(name)

	before := r.contents()
	record, err = r.run(Options{Dry: true, Exports: []string{dir}})
	if err != nil || !record.Calls[0].Review || record.Calls[0].Exports[0].Rows != 1 {
		t.Fatalf("%+v, %v", record, err)
	}
	if got := r.contents(); got != before {
		t.Error("a dry run changed the topics")
	}
	if _, err := r.review.Call(t.Context(), name); err != nil {
		t.Errorf("a dry run changed the database: %v", err)
	}
	if record, err = r.run(Options{Exports: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	stopExchange()
	stopStream()
	r.checkGone(record, dir)
	if again, err := r.run(Options{Exports: []string{dir}}); err != nil || again.Calls[0].Review || again.Calls[0].Exports[0].Rows != 0 {
		t.Errorf("the second time: %+v, %v", again, err)
	}
}

// export writes an export of the call.
func (r *rig) export(id string) string {
	dir := filepath.Join(r.dir, "data")
	e, err := export.Open(export.Options{Dir: dir, Format: export.JSONL, Form: export.Rows, ShardRows: 9, ShardBytes: 1 << 20, MaxN: 1})
	if err == nil {
		err = e.Add(&transcripts.Transcript{ID: id, Summary: &schemas.CallSummary{Release: true}, Events: []*schemas.CleanEvent{{CallID: id, Text: canary, Policy: "01b469cc5ecd", Strategy: "typed"}}})
	}
	if err == nil {
		err = e.Commit(nil)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return dir
}

func (r *rig) contents() string {
	var b strings.Builder
	for _, topic := range r.topics() {
		for _, x := range r.records(topic) {
			if string(x.Key) != "other" {
				fmt.Fprintf(&b, "%s %d %d\n", topic, x.Partition, x.Offset)
			}
		}
	}
	return b.String()
}

// checkGone searches all that can be read for the call.
func (r *rig) checkGone(record *Record, dir string) {
	t := r.t
	t.Helper()
	if n := record.Unbounded(); n > 0 || record.Unreadable > 0 {
		t.Errorf("%d copies never expire, %d records are unreadable", n, record.Unreadable)
	}
	kinds := map[Kind]int{}
	for _, topic := range r.topics() {
		for _, x := range r.records(topic) {
			ours := slices.ContainsFunc(r.names(), func(id string) bool {
				return strings.Contains(string(x.Key), id) || strings.Contains(string(x.Value), id)
			}) || strings.Contains(string(x.Value), canary)
			if !ours || topic == r.set.TopicAnnotations && x.Value == nil {
				continue
			}
			kind, ok := listed(record, x)
			if kinds[kind]++; !ok {
				t.Errorf("%s partition %d offset %d is not in the record", topic, x.Partition, x.Offset)
			}
		}
	}
	for _, kind := range []Kind{Raw, Clean, Final, Audit, DeadLetter, State, Annotations} {
		if kinds[kind] == 0 {
			t.Errorf("the call was not in the topic of %s: the test shows nothing about it", kind)
		}
	}
	for _, id := range r.names() {
		if _, err := r.review.Call(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the database has the call: %v", err)
		}
	}
	var files []string
	for _, pattern := range []string{filepath.Join(dir, "*"), filepath.Join(r.dir, "review.db*")} {
		more, _ := filepath.Glob(pattern)
		files = append(files, more...)
	}
	for _, path := range files {
		if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte(canary)) {
			t.Errorf("%s has text of the call, or %v", path, err)
		}
	}
	var text bytes.Buffer
	filed, err := json.Marshal(record)
	if err == nil {
		err = record.Write(&text)
	}
	if err != nil || bytes.Contains(filed, []byte("lantern")) || strings.Contains(text.String(), "lantern") || !strings.Contains(text.String(), victim) {
		t.Errorf("%v\n%s\n%s", err, filed, text.String())
	}
}

// listed reports whether the record has a copy with this offset and the time when it expires.
func listed(record *Record, x *kgo.Record) (Kind, bool) {
	for _, c := range record.Calls[0].Copies {
		if c.Topic != x.Topic || c.Partition != x.Partition || c.Expires == nil {
			continue
		}
		for part := range strings.SplitSeq(c.Offsets, ",") {
			var from, to int64
			if n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); n == 1 {
				to = from
			}
			if from <= x.Offset && x.Offset <= to {
				return c.Kind, true
			}
		}
	}
	return "", false
}

// TestEraseAnOpenCall erases the state of a call that stays open, with the stream stopped.
func TestEraseAnOpenCall(t *testing.T) {
	r := newRig(t, sqlite, nil)
	stop := r.stream()
	r.feed(victim, time.Now().UnixMilli(), begin, says)
	r.await("the state of the call", func() bool { return len(r.records(r.set.TopicState)) > 0 })
	stop()
	record, err := r.run(Options{Open: true})
	if err != nil || !record.Calls[0].Open {
		t.Fatalf("%+v, %v", record, err)
	}
	last := map[string][]byte{}
	for _, x := range r.records(r.set.TopicState) {
		last[string(x.Key)] = x.Value
	}
	for key, value := range last {
		if strings.Contains(key, victim) && value != nil {
			t.Errorf("the key %q still has a value", key)
		}
	}
}

func TestExpires(t *testing.T) {
	last := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	const hour = 3_600_000
	for _, c := range []struct {
		topic topicInfo
		want  string
	}{
		{topicInfo{deletes: true, retention: 24 * hour, segment: hour}, "2026-03-02T01:10:00Z"},
		{topicInfo{deletes: true, retention: -1, segment: hour}, "0001-01-01T00:00:00Z"},
		{topicInfo{compacted: true, lag: hour, tombstonesMS: 2 * hour}, "2026-03-01T03:10:00Z"},
		{topicInfo{compacted: true, lag: 1 << 62, tombstonesMS: hour}, "0001-01-01T00:00:00Z"},
		{topicInfo{compacted: true, lag: hour, tombstonesMS: hour, erased: last.Add(5 * time.Hour)}, "2026-03-01T07:10:00Z"},
		{topicInfo{compacted: true, deletes: true, retention: hour, segment: hour, lag: 1 << 62}, "2026-03-01T02:10:00Z"},
	} {
		if got := c.topic.expires(last).Format(time.RFC3339); got != c.want {
			t.Errorf("%+v: %s, want %s", c.topic, got, c.want)
		}
	}
	if got := ranges([]int64{3, 4, 5, 9, 11, 12}); got != "3-5,9,11-12" {
		t.Error(got)
	}
}
