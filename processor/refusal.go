package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/config"
)

// refusal is an error of a broker with what it refused, in the words of an ACL.
type refusal struct {
	principal, operation, resource, name string // such as User:stream, Write, topic, calls.clean
	err                                  error
}

// refusalOf says which operation on which resource gave an error.
func refusalOf(s *config.Settings, err error, operation, resource, name string) error {
	return &refusal{s.Principal(), operation, resource, name, err}
}

func (r *refusal) Error() string {
	if isDenied(r.err) {
		return fmt.Sprintf("%s lacks the ACL for %s on %s %s, see \"Least privilege\" in docs/security.md: %v", r.principal, r.operation, r.resource, r.name, r.err)
	}
	return fmt.Sprintf("%s on %s %s failed: %v", r.operation, r.resource, r.name, r.err)
}

func (r *refusal) Unwrap() error { return r.err }

// isDenied reports whether an error says that an ACL is missing.
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

// aclName is an operation as ACLs name it.
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
