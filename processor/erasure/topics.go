package erasure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sotto/config"
	"sotto/schemas"
)

// Kind is what a topic is for.
type Kind string

// The kinds of topics, in the order in which they are searched: dead letters name places of the raw topic.
const (
	Raw         Kind = "raw"
	Clean       Kind = "clean"
	Final       Kind = "final"
	Audit       Kind = "audit"
	DeadLetter  Kind = "dead letters"
	State       Kind = "state"
	Annotations Kind = "annotations"
)

// checkEvery is how much later than due brokers delete and compact, with their usual settings.
const checkEvery = 10 * time.Minute

type topicInfo struct {
	name                                  string
	kind                                  Kind
	compacted, deletes                    bool
	retention, segment, lag, tombstonesMS int64
	erased                                time.Time // when tombstones were written, zero for never
}

// describe returns the topics of the settings that exist.
func describe(ctx context.Context, adm *kadm.Client, s *config.Settings) (topics []*topicInfo, err error) {
	all := []*topicInfo{
		{name: s.TopicRaw, kind: Raw}, {name: s.TopicClean, kind: Clean}, {name: s.TopicFinal, kind: Final}, {name: s.TopicAudit, kind: Audit},
		{name: s.TopicDeadLetter, kind: DeadLetter}, {name: s.TopicState, kind: State}, {name: s.TopicAnnotations, kind: Annotations},
	}
	all = slices.DeleteFunc(all, func(t *topicInfo) bool { return t.name == "" })
	listed, err := adm.ListTopics(ctx, names(all)...)
	if err != nil {
		return nil, fmt.Errorf("cannot reach Kafka: %w", err)
	}
	for _, t := range all {
		switch err := listed[t.name].Err; {
		case err == nil:
			topics = append(topics, t)
		case t.kind != Annotations || listed.Has(t.name):
			return nil, fmt.Errorf("topic %s: %w; is the setting of the topic right?", t.name, err)
		}
	}
	configs, err := adm.DescribeTopicConfigs(ctx, names(topics)...)
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings of the topics: %w", err)
	}
	for _, t := range topics {
		c, err := configs.On(t.name, nil)
		if err == nil {
			err = c.Err
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the settings of the topic %s: %w", t.name, err)
		}
		t.read(c)
	}
	return topics, nil
}

func names(topics []*topicInfo) (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

// read takes the settings of a topic; what the brokers do not tell has the default of Apache Kafka.
func (t *topicInfo) read(c kadm.ResourceConfig) {
	values := map[string]string{}
	for _, v := range c.Configs {
		values[v.Key] = v.MaybeValue()
	}
	number := func(key string, otherwise int64) int64 {
		if n, err := strconv.ParseInt(values[key], 10, 64); err == nil {
			return n
		}
		return otherwise
	}
	policy := strings.Split(cmp.Or(values["cleanup.policy"], "delete"), ",")
	t.compacted, t.deletes = slices.Contains(policy, "compact"), slices.Contains(policy, "delete")
	const day = 24 * 3600 * 1000
	t.retention, t.segment = number("retention.ms", 7*day), number("segment.ms", 7*day)
	t.lag, t.tombstonesMS = number("max.compaction.lag.ms", math.MaxInt64), number("delete.retention.ms", day)
}

// expires returns when the records of a call are gone at the latest, the last of which was written at a time; the
// zero time if there is no bound.
func (t *topicInfo) expires(last time.Time) (at time.Time) {
	if t.deletes && t.retention >= 0 {
		at = after(last, t.retention, t.segment)
	}
	if t.compacted {
		if t.erased.After(last) {
			last = t.erased
		}
		if c := after(last, t.lag, t.tombstonesMS); at.IsZero() || !c.IsZero() && c.Before(at) {
			at = c
		}
	}
	return at
}

// after adds milliseconds and checkEvery; the zero time if that has no end.
func after(at time.Time, ms ...int64) time.Time {
	for _, n := range ms {
		if n > int64(100*365*24*time.Hour/time.Millisecond) {
			return time.Time{}
		}
		at = at.Add(time.Duration(n) * time.Millisecond)
	}
	return at.Add(checkEvery).UTC().Truncate(time.Second)
}

// search is the state of a search for calls.
type search struct {
	codec  *schemas.Codec
	record *Record
	calls  map[string]*Traces   // by each of their IDs
	raw    map[position]*Traces // raw records of calls
}

type position struct {
	topic     string
	partition int32
	offset    int64
}

type place struct {
	topic     *topicInfo
	partition int32
}

type found struct {
	offsets     []int64
	first, last time.Time
	latest      map[string]latest // by key, of a compacted topic
}

// latest describes the last record of a key.
type latest struct {
	live  bool // it has a value
	state bool // of a call
}
