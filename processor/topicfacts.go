package processor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/config"
	"sotto/config/kafka"
)

var errNoTopic = errors.New("does not exist")

type topicFacts struct {
	meta    map[string]kmsg.MetadataResponseTopic
	configs map[string]map[string]string // by topic and setting
	refused map[string]error             // by topic, why there is no configuration
}

// readTopics asks for them. What concerns one topic alone is no error.
func readTopics(ctx context.Context, cl *kgo.Client, s *config.Settings) (*topicFacts, error) {
	var names, there []string
	for _, r := range topicRights(s) {
		names = append(names, r.topic)
	}
	meta, err := topicMetadata(ctx, cl, s, names)
	if err != nil {
		return nil, err
	}
	f := &topicFacts{meta: meta}
	for _, name := range names {
		if err := kerr.ErrorForCode(meta[name].ErrorCode); !errors.Is(err, kerr.UnknownTopicOrPartition) {
			there = append(there, name)
		}
	}
	f.configs, f.refused = topicConfigs(ctx, cl, there...)
	for name, err := range f.refused {
		f.refused[name] = refusalOf(s, err, "DescribeConfigs", "topic", name)
	}
	return f, nil
}

// topicConfigs returns the configurations of topics, and the errors of those that have none.
func topicConfigs(ctx context.Context, cl *kgo.Client, names ...string) (configs map[string]map[string]string, refused map[string]error) {
	configs, refused = map[string]map[string]string{}, map[string]error{}
	req := kmsg.NewPtrDescribeConfigsRequest()
	for _, name := range names {
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, name
		req.Resources = append(req.Resources, r)
		refused[name] = errors.New("the brokers do not say")
	}
	if len(names) == 0 {
		return configs, refused
	}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		for name := range refused {
			refused[name] = err
		}
		return configs, refused
	}
	for _, r := range resp.Resources {
		if refused[r.ResourceName] = kerr.ErrorForCode(r.ErrorCode); r.ErrorCode != 0 {
			continue
		}
		delete(refused, r.ResourceName)
		configs[r.ResourceName] = map[string]string{}
		for _, c := range r.Configs {
			if c.Value != nil {
				configs[r.ResourceName][c.Name] = *c.Value
			}
		}
	}
	return configs, refused
}

func (f *topicFacts) number(name, key string) (int64, bool) {
	n, err := strconv.ParseInt(f.configs[name][key], 10, 64)
	return n, err == nil
}

// problems returns why the stream does not run with a topic, and what it warns of. Without the
// configuration of the topic, only the rest is checked.
func (f *topicFacts) problems(s *config.Settings, name string) (bad, warnings []error) {
	t := f.meta[name]
	switch err := kerr.ErrorForCode(t.ErrorCode); {
	case t.Topic == nil || errors.Is(err, kerr.UnknownTopicOrPartition):
		return []error{fmt.Errorf("topic %s %w: create it with 'sotto topics ensure'", name, errNoTopic)}, nil
	case err != nil:
		return []error{fmt.Errorf("topic %s: %w", name, err)}, nil
	}
	for _, err := range []error{unequal(s, f.meta, name), f.cleanup(s, name), f.sizes(s, name)} {
		if err != nil {
			bad = append(bad, err)
		}
	}
	if n := len(t.Partitions); name == s.TopicRaw && s.Sessions > n {
		warnings = append(warnings, fmt.Errorf("topic %s has %d partitions and SOTTO_SESSIONS is %d: the other sessions have nothing to do", name, n, s.Sessions))
	}
	kept, ok1 := f.number(name, "delete.retention.ms")
	raw, ok2 := f.number(s.TopicRaw, "retention.ms")
	if name == s.TopicState && ok1 && ok2 && (kept < raw || raw < 0 && kept < math.MaxInt64) {
		warnings = append(warnings, fmt.Errorf("topic %s has delete.retention.ms=%d and topic %s has retention.ms=%d: tombstones of calls are removed before their raw events, "+
			"so that a late event may open its call again after a restart; make them equal, as 'sotto topics ensure --apply' does", name, kept, s.TopicRaw, raw))
	}
	return bad, warnings
}

// unequal refuses a topic of states or graphs that does not have as many partitions as the raw topic.
func unequal(s *config.Settings, topics map[string]kmsg.MetadataResponseTopic, name string) error {
	why := map[string]string{
		s.TopicState:    "a call's state is in the partition with the number of its raw partition",
		s.TopicIndirect: "each raw partition has a graph of its own",
	}[name]
	n, raw := len(topics[name].Partitions), len(topics[s.TopicRaw].Partitions)
	if why == "" || n == 0 || raw == 0 || n == raw {
		return nil
	}
	return fmt.Errorf("topic %s has %d partitions and topic %s has %d: %s, so the counts must be equal", name, n, s.TopicRaw, raw, why)
}

// cleanup refuses what the stream loses records by: a topic of states or graphs from which the
// broker deletes old records, or one of events from which it removes all but the last of each call.
func (f *topicFacts) cleanup(s *config.Settings, name string) error {
	want, otherwise := "delete", "only the last event of each call stays"
	switch name {
	case s.TopicState:
		want, otherwise = "compact", "the states of open calls are deleted"
	case s.TopicIndirect:
		want, otherwise = "compact", "the graph loses what it knows"
	case s.TopicRaw:
		otherwise = "only the last event of each call is left to be read again"
	}
	if policy, ok := f.configs[name]["cleanup.policy"]; ok && policy != want {
		return fmt.Errorf("topic %s has cleanup.policy=%s: it must be %s, otherwise %s", name, policy, want, otherwise)
	}
	return nil
}

// sizes refuses an output topic that takes too small records only. The raw topic is its producers' own.
func (f *topicFacts) sizes(s *config.Settings, name string) error {
	most, ok := f.number(name, "max.message.bytes")
	if name == s.TopicRaw || !ok || most >= minMessageBytes {
		return nil
	}
	return fmt.Errorf("topic %s has max.message.bytes=%d: it must be at least %d, and %d for events of any size", name, most, minMessageBytes, maxRecordBytes+batchRoom)
}

// refusal is an error of a broker with what it refused, in the words of an ACL.
type refusal struct {
	principal, operation, resource, name string // such as User:stream, Write, topic, calls.clean
	err                                  error
}

// refusalOf says which operation on which resource gave an error.
func refusalOf(s *config.Settings, err error, operation, resource, name string) error {
	return &refusal{kafka.Principal(s), operation, resource, name, err}
}

func (r *refusal) Error() string {
	if isDenied(r.err) {
		return fmt.Sprintf("%s lacks the ACL for %s on %s %s, see \"Least privilege\" in docs/security.md: %v", r.principal, r.operation, r.resource, r.name, r.err)
	}
	return fmt.Sprintf("%s on %s %s failed: %v", r.operation, r.resource, r.name, r.err)
}

func (r *refusal) Unwrap() error { return r.err }

func isDenied(err error) bool {
	return isAny(err, kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.TransactionalIDAuthorizationFailed)
}

func isAny(err error, of ...error) bool {
	return slices.ContainsFunc(of, func(e error) bool { return errors.Is(err, e) })
}

// topicMetadata returns what the brokers know about topics, by name, with the operations that they
// permit. An error of one topic is in its ErrorCode.
func topicMetadata(ctx context.Context, cl *kgo.Client, s *config.Settings, names []string) (map[string]kmsg.MetadataResponseTopic, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.IncludeTopicAuthorizedOperations = true
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, t)
	}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return nil, fmt.Errorf("cannot reach Kafka at %s: %w", strings.Join(s.Brokers, ","), err)
	}
	topics := map[string]kmsg.MetadataResponseTopic{}
	for _, t := range resp.Topics {
		if t.Topic != nil {
			topics[*t.Topic] = t
		}
	}
	return topics, nil
}

// topicRight is what the stream must be permitted to do with a topic.
type topicRight struct {
	topic string
	ops   []kmsg.ACLOperation
}

const opRead, opWrite = kmsg.ACLOperationRead, kmsg.ACLOperationWrite

func topicRights(s *config.Settings) []topicRight {
	read, write, both := []kmsg.ACLOperation{opRead}, []kmsg.ACLOperation{opWrite}, []kmsg.ACLOperation{opRead, opWrite}
	all := []topicRight{{s.TopicRaw, read}, {s.TopicClean, write}, {s.TopicAudit, write}, {s.TopicState, both}, {s.TopicDeadLetter, write}}
	if s.TopicFinal != "" {
		all = append(all, topicRight{s.TopicFinal, write})
	}
	if s.TopicIndirect != "" {
		all = append(all, topicRight{s.TopicIndirect, both})
	}
	return all
}

// missing returns the operations that the brokers refuse. A broker that does not say which it permits
// refuses none here.
func (r topicRight) missing(t kmsg.MetadataResponseTopic) (ops []kmsg.ACLOperation) {
	denied := errors.Is(kerr.ErrorForCode(t.ErrorCode), kerr.TopicAuthorizationFailed)
	says := t.AuthorizedOperations > 0 && t.AuthorizedOperations&(1<<kmsg.ACLOperationDescribe) != 0
	for _, op := range r.ops {
		if denied || says && t.AuthorizedOperations&(1<<op) == 0 {
			ops = append(ops, op)
		}
	}
	return ops
}

var aclName = map[kmsg.ACLOperation]string{opRead: "Read", opWrite: "Write"}

// groupAccess tries what the stream does with its group: it reads the offsets, which needs Describe, and
// sends a heartbeat of a member that does not exist, which needs Read. An error that is no refusal means that
// the group cannot be asked.
func groupAccess(ctx context.Context, cl *kgo.Client, s *config.Settings) error {
	_, err := kadm.NewClient(cl).FetchOffsets(ctx, s.Group)
	if errors.Is(err, kerr.GroupIDNotFound) { // before the first start
		err = nil
	}
	if err == nil {
		req := kmsg.NewPtrHeartbeatRequest()
		req.Group, req.MemberID = s.Group, "sotto-access"
		var resp *kmsg.HeartbeatResponse
		if resp, err = req.RequestWith(ctx, cl); err == nil && resp.ErrorCode == kerr.GroupAuthorizationFailed.Code {
			err = kerr.GroupAuthorizationFailed
		}
	}
	if isDenied(err) {
		return refusalOf(s, err, "Read", "group", s.Group)
	}
	return err
}
