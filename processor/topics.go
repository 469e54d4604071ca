package processor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/config"
	"sotto/config/kafka"
)

// TopicPlan is the wanted configuration of the topics.
type TopicPlan struct {
	// Partitions of each topic that is created. An existing raw or state topic
	// keeps its partitions: otherwise its calls would change partitions.
	Partitions int32
	// Replication is the replication factor, -1 for the cluster's default.
	Replication int16
	// MinInsync is min.insync.replicas, 0 for the cluster's default.
	MinInsync int
	// Retentions, 0 for the cluster's default. The state topic is compacted
	// and has none.
	Raw, Clean, Audit, DeadLetter time.Duration
	// Review adds the topic in which 'sotto review' keeps what people mark.
	Review bool
}

// EnsureMode says what EnsureTopics may change.
type EnsureMode int

// The modes of EnsureTopics.
const (
	// CreateTopics creates missing topics and only reports how existing ones differ.
	CreateTopics EnsureMode = iota
	// ApplyTopics also sets the configuration of existing topics.
	ApplyTopics
	// DryRun changes nothing.
	DryRun
)

// ErrTopicsDiffer means that a topic cannot be changed to the plan, or, in a dry
// run, that something would change.
var ErrTopicsDiffer = errors.New("the topics differ from the plan")

type topicSpec struct {
	// role is what the topic is for, a word with hyphens.
	role   string
	name   string
	config map[string]string
	// partitions overrides the plan's if it is not 0.
	partitions int32
}

func topicSpecs(s *config.Settings, plan TopicPlan) []topicSpec {
	specs := []topicSpec{
		{"raw", s.TopicRaw, retention(plan.Raw), 0},
		{"clean", s.TopicClean, retention(plan.Clean), 0},
		{"audit", s.TopicAudit, retention(plan.Audit), 0},
		{"dead-letter", s.TopicDeadLetter, retention(plan.DeadLetter), 0},
		{"state", s.TopicState, stateConfig(plan.Raw), 0},
	}
	if s.TopicFinal != "" {
		specs = append(specs, topicSpec{"final", s.TopicFinal, retention(plan.Clean), 0})
	}
	if plan.Review {
		// As 'sotto review' creates it. People write little.
		specs = append(specs, topicSpec{"annotations", s.TopicAnnotations, map[string]string{"cleanup.policy": "compact", "max.compaction.lag.ms": "86400000"}, 1})
	}
	if s.TopicIndirect != "" {
		specs = append(specs, topicSpec{"indirect", s.TopicIndirect, stateConfig(0), 0})
	}
	for _, t := range specs {
		if plan.MinInsync > 0 {
			t.config["min.insync.replicas"] = strconv.Itoa(plan.MinInsync)
		}
	}
	return specs
}

// stateConfig is the configuration of the state topic. The broker compacts only
// segments that are closed, and a restore reads what it has not compacted. So
// segments are small, and a record of a call that is over is gone after an hour.
//
// Tombstones stay for as long as the raw topic may still have events of their
// calls, so that a restart knows that these calls are over; see keepTombstones.
func stateConfig(raw time.Duration) map[string]string {
	c := map[string]string{
		"cleanup.policy": "compact", "segment.bytes": "67108864", "segment.ms": "600000",
		"min.cleanable.dirty.ratio": "0.1", "max.compaction.lag.ms": "3600000",
	}
	if raw > 0 {
		c["delete.retention.ms"] = strconv.FormatInt(raw.Milliseconds(), 10)
	}
	return c
}

func retention(d time.Duration) map[string]string {
	c := map[string]string{"cleanup.policy": "delete"}
	if d > 0 {
		c["retention.ms"] = strconv.FormatInt(d.Milliseconds(), 10)
	}
	return c
}

// EnsureTopics creates missing topics with the configuration of the plan. It calls
// report with a line for each topic that it creates and each difference of an
// existing topic, which it changes with ApplyTopics only: a shorter retention
// would delete records. It may run at any time and any number of times.
func EnsureTopics(ctx context.Context, s config.Settings, plan TopicPlan, mode EnsureMode, report func(string), opts ...kgo.Opt) error {
	cl, err := kafka.NewClient(&s, append(opts, kgo.ClientID("sotto-topics"))...)
	if err != nil {
		return err
	}
	defer cl.Close()
	e := &ensurer{cl: cl, adm: kadm.NewClient(cl), plan: plan, mode: mode, report: report}
	if err := e.run(ctx, &s); err != nil {
		return err
	}
	return e.await(ctx)
}

type ensurer struct {
	cl      *kgo.Client
	adm     *kadm.Client
	plan    TopicPlan
	mode    EnsureMode
	report  func(string)
	changes int
	created []string
}

func (e *ensurer) run(ctx context.Context, s *config.Settings) error {
	specs := topicSpecs(s, e.plan)
	names := make([]string, len(specs))
	for i, t := range specs {
		names[i] = t.name
	}
	there, err := topicMetadata(ctx, e.cl, s, names)
	if err != nil {
		return err
	}
	exists := func(name string) bool {
		t, ok := there[name]
		return ok && t.ErrorCode != kerr.UnknownTopicOrPartition.Code
	}
	// Raw topic, state topic and graphs must have equal partition counts, whatever the plan says.
	paired := map[string]int32{}
	for _, pair := range [][2]string{{s.TopicRaw, s.TopicState}, {s.TopicState, s.TopicRaw}, {s.TopicIndirect, s.TopicState}, {s.TopicIndirect, s.TopicRaw}} {
		if exists(pair[1]) {
			paired[pair[0]] = int32(len(there[pair[1]].Partitions))
		}
	}
	var bad []error
	for _, t := range specs {
		bad = append(bad, e.keepTombstones(ctx, s, t, exists(t.name)))
		if !exists(t.name) {
			bad = append(bad, e.create(ctx, t, cmp.Or(t.partitions, paired[t.name], e.plan.Partitions)))
			continue
		}
		if err := kerr.ErrorForCode(there[t.name].ErrorCode); err != nil {
			bad = append(bad, refusalOf(s, err, "Describe", "topic", t.name))
			continue
		}
		if n := len(there[t.name].Partitions); n != int(e.plan.Partitions) {
			e.report(fmt.Sprintf("%s keeps its %d partitions; the plan has %d", t.name, n, e.plan.Partitions))
		}
		bad = append(bad, e.configure(ctx, t))
	}
	for _, name := range []string{s.TopicState, s.TopicIndirect} {
		if err := unequal(s, there, name); err != nil {
			bad = append(bad, fmt.Errorf("%w: %w", ErrTopicsDiffer, err))
		}
	}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	if e.mode == DryRun && e.changes > 0 {
		return fmt.Errorf("%w: %d changes would be made", ErrTopicsDiffer, e.changes)
	}
	return nil
}

// keepTombstones adds to the configuration of the state topic that it keeps tombstones for as long
// as the raw topic, which exists by now, keeps its events: the plan's retention is in force only if the
// raw topic is new, or changed to it. A topic that keeps them longer may.
func (e *ensurer) keepTombstones(ctx context.Context, s *config.Settings, t topicSpec, exists bool) error {
	if t.name != s.TopicState || e.plan.Raw != 0 && e.mode == ApplyTopics {
		return nil
	}
	raw, err := e.number(ctx, s.TopicRaw, "retention.ms")
	if errors.Is(err, kerr.UnknownTopicOrPartition) && e.mode == DryRun {
		return nil
	}
	if err != nil {
		return err
	}
	if raw < 0 {
		raw = math.MaxInt64
	}
	if raw <= e.plan.Raw.Milliseconds() {
		return nil
	}
	if exists {
		if kept, err := e.number(ctx, s.TopicState, "delete.retention.ms"); err != nil || kept >= raw {
			return err
		}
	}
	t.config["delete.retention.ms"] = strconv.FormatInt(raw, 10)
	return nil
}

// number returns a number from the configuration of a topic, which may just have been created.
func (e *ensurer) number(ctx context.Context, topic, key string) (int64, error) {
	config, err := e.configOf(ctx, topic)
	for until := time.Now().Add(topicPatience); errors.Is(err, kerr.UnknownTopicOrPartition) && e.mode != DryRun && time.Now().Before(until); {
		time.Sleep(topicInterval)
		config, err = e.configOf(ctx, topic)
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(config[key], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("topic %s does not say its %s", topic, key)
	}
	return n, nil
}

func (e *ensurer) configOf(ctx context.Context, topic string) (map[string]string, error) {
	configs, refused := topicConfigs(ctx, e.cl, topic)
	if err := refused[topic]; err != nil {
		return nil, fmt.Errorf("cannot read the configuration of topic %s: %w", topic, err)
	}
	return configs[topic], nil
}

func (e *ensurer) create(ctx context.Context, t topicSpec, partitions int32) error {
	e.changes++
	if e.mode == DryRun {
		e.report(fmt.Sprintf("%s would be created with %d partitions", t.name, partitions))
		return nil
	}
	config := map[string]*string{}
	for k, v := range t.config {
		config[k] = &v
	}
	resp, err := e.adm.CreateTopic(ctx, partitions, e.plan.Replication, config, t.name)
	if err == nil {
		err = resp.Err
	}
	if errors.Is(err, kerr.TopicAlreadyExists) { // by another process
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot create topic %s: %w", t.name, err)
	}
	e.created = append(e.created, t.name)
	e.report(fmt.Sprintf("%s created with %d partitions", t.name, partitions))
	return nil
}

// await returns when every broker knows the topics that were created, so that whatever comes next finds
// them at whichever broker it asks.
func (e *ensurer) await(ctx context.Context) error {
	if len(e.created) == 0 {
		return nil
	}
	cluster, err := e.adm.BrokerMetadata(ctx)
	if err != nil {
		return fmt.Errorf("cannot ask the brokers for the topics that were created: %w", err)
	}
	for until := time.Now().Add(topicPatience); ; {
		unknown := ""
		for _, b := range cluster.Brokers {
			for _, name := range e.created {
				if !knows(ctx, e.cl.Broker(int(b.NodeID)), name) {
					unknown = name
				}
			}
		}
		switch {
		case unknown == "":
			return nil
		case time.Now().After(until):
			return fmt.Errorf("topic %s was created, and not every broker knows it after %s: is a broker down?", unknown, topicPatience)
		case !sleep(ctx, topicInterval):
			return ctx.Err()
		}
	}
}

// knows reports whether a broker knows a topic and the leaders of its partitions.
func knows(ctx context.Context, b *kgo.Broker, topic string) bool {
	req := kmsg.NewPtrMetadataRequest()
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = &topic
	req.Topics = append(req.Topics, t)
	answer, err := b.RetriableRequest(ctx, req)
	if err != nil {
		return false
	}
	resp := answer.(*kmsg.MetadataResponse)
	return len(resp.Topics) == 1 && resp.Topics[0].ErrorCode == 0 && len(resp.Topics[0].Partitions) > 0 &&
		!slices.ContainsFunc(resp.Topics[0].Partitions, func(p kmsg.MetadataResponseTopicPartition) bool { return p.ErrorCode != 0 })
}

func (e *ensurer) configure(ctx context.Context, t topicSpec) error {
	now, err := e.configOf(ctx, t.name)
	if err != nil {
		return err
	}
	var alter []kadm.AlterConfig
	for _, key := range slices.Sorted(maps.Keys(t.config)) {
		want := t.config[key]
		if now[key] == want {
			continue
		}
		e.changes++
		if e.mode == ApplyTopics {
			e.report(fmt.Sprintf("%s: %s is set to %s; it was %q", t.name, key, want, now[key]))
		} else {
			e.report(fmt.Sprintf("%s: %s is %q and the plan has %s; --apply would set it", t.name, key, now[key], want))
		}
		alter = append(alter, kadm.AlterConfig{Op: kadm.SetConfig, Name: key, Value: &want})
	}
	if len(alter) == 0 || e.mode != ApplyTopics {
		return nil
	}
	resp, err := e.adm.AlterTopicConfigs(ctx, alter, t.name)
	if err == nil && len(resp) > 0 {
		err = resp[0].Err
	}
	if err != nil {
		return fmt.Errorf("cannot set the configuration of topic %s: %w", t.name, err)
	}
	return nil
}
