package processor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
)

// maxRecordBytes bounds the value of a record that Sotto writes. It leaves room
// for key, headers and framing below the brokers' default message.max.bytes of
// 1,048,588.
const maxRecordBytes = 1_000_000

// transactionalID returns the prefix of the transactional IDs of this process. It
// is stable if the operator gave this instance an identity. Otherwise it is
// random, because two processes with the same ID would fence each other.
func transactionalID(s *config.Settings) string {
	switch {
	case s.TransactionalID != "":
		return s.TransactionalID
	case s.InstanceID != "":
		return s.Group + "-" + s.InstanceID
	}
	host, _ := os.Hostname()
	var random [4]byte
	rand.Read(random[:])
	return s.Group + "-" + host + "-" + hex.EncodeToString(random[:])
}

func (p *Processor) sessionTxnID(n int) string { return fmt.Sprintf("%s-%d", p.txnID, n) }

// takeoverTimeout bounds taking over a transactional ID, during which the broker
// may still be ending the old transaction.
const takeoverTimeout = 30 * time.Second

// abortPredecessor fences the previous user of the session's transactional ID and
// aborts its open transaction. The session's own client would do so only with its
// first record, but until then the group waits for the offsets of that
// transaction.
func (p *Processor) abortPredecessor(ctx context.Context, n int) error {
	opts, err := p.clientOptions()
	if err != nil {
		return err
	}
	cl, err := kgo.NewClient(append(opts, kgo.TransactionalID(p.sessionTxnID(n)), kgo.TransactionTimeout(p.settings.TransactionTimeout))...)
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(ctx, takeoverTimeout)
	defer cancel()
	if _, _, err := cl.ProducerID(ctx); err != nil {
		if isDenied(err) {
			return refusalOf(&p.settings, err, "Write", "transactional-id", p.sessionTxnID(n))
		}
		return fmt.Errorf("cannot take over the transactional ID %s: %w", p.sessionTxnID(n), err)
	}
	return nil
}

var errNoTopic = errors.New("does not exist")

// checkTopics fails if a topic or an ACL is missing, if the topic of the states or of the
// graphs does not have as many partitions as the raw topic, or if it is not
// compacted.
func (p *Processor) checkTopics(ctx context.Context, cl *kgo.Client) error {
	s := &p.settings
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var names []string
	for _, r := range topicRights(s) {
		names = append(names, r.topic)
	}
	topics, err := topicMetadata(ctx, cl, s, names)
	if err != nil {
		return err
	}
	if err := p.checkAccess(ctx, cl, topics); err != nil {
		return err
	}
	raw, st := len(topics[s.TopicRaw].Partitions), len(topics[s.TopicState].Partitions)
	if raw != st {
		return fmt.Errorf("topic %s has %d partitions and topic %s has %d: a call's state is in the partition with the number of its raw partition, so the counts must be equal", s.TopicState, st, s.TopicRaw, raw)
	}
	if s.Sessions > raw {
		p.log.Warn("more sessions than partitions: the other sessions have nothing to do; lower SOTTO_SESSIONS", "sessions", s.Sessions, "partitions", raw)
	}
	if s.TopicIndirect != "" {
		if n := len(topics[s.TopicIndirect].Partitions); n != raw {
			return fmt.Errorf("topic %s has %d partitions and topic %s has %d: each raw partition has a graph of its own, so the counts must be equal", s.TopicIndirect, n, s.TopicRaw, raw)
		}
	}
	configs, err := kadm.NewClient(cl).DescribeTopicConfigs(ctx, names...)
	if err != nil {
		p.log.Warn("cannot check the configuration of the topics", "err", err)
		return nil
	}
	return p.checkTopicConfigs(configs)
}

// isCut reports whether an error says that a broker closed a connection.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

// batchRoom is how much larger a batch may be than the largest record.
const batchRoom = 16 << 10

// minMessageBytes is the least max.message.bytes of an output topic.
const minMessageBytes = 64 << 10

// recordLimit bounds key and value of a record that Sotto writes.
func (p *Processor) recordLimit() int { return int(p.maxRecord.Load()) }

// limitRecords lowers the limit so that batches of so many bytes suffice. It reports
// whether it was higher before.
func (p *Processor) limitRecords(maxMessage int64) bool {
	for {
		limit := p.maxRecord.Load()
		if maxMessage-batchRoom >= limit {
			return false
		}
		if p.maxRecord.CompareAndSwap(limit, maxMessage-batchRoom) {
			p.log.Warn("an output topic permits less than is usual: events whose outputs do not fit become dead letters", "max.message.bytes", maxMessage)
			return true
		}
	}
}

// shrinkRecords is limitRecords for a topic that has refused a batch, and does not say
// what it permits to a user without DescribeConfigs.
func (p *Processor) shrinkRecords() bool {
	return p.limitRecords(max(minMessageBytes, (p.maxRecord.Load()+batchRoom)/2))
}

// checkCleanup refuses what the stream loses records by: a topic of states or graphs from which the
// broker deletes old records, or one of events from which it removes all but the last of each call.
// The raw topic is its producers' own; the policy of a broker that does not say is not checked.
func (p *Processor) checkCleanup(values map[string]string) error {
	s := &p.settings
	var bad []error
	for _, t := range []struct{ name, policy, otherwise string }{
		{s.TopicState, "compact", "the states of open calls are deleted"},
		{s.TopicIndirect, "compact", "the graph loses what it knows"},
		{s.TopicRaw, "delete", "only the last event of each call is left to be read again"},
		{s.TopicClean, "delete", "only the last event of each call stays"},
		{s.TopicAudit, "delete", "only the last event of each call stays"},
		{s.TopicFinal, "delete", "only the last event of each call stays"},
		{s.TopicDeadLetter, "delete", "only the last dead letter of each call stays"},
	} {
		if policy, ok := values[t.name+" cleanup.policy"]; ok && policy != t.policy {
			bad = append(bad, fmt.Errorf("topic %s has cleanup.policy=%s: it must be %s, otherwise %s", t.name, policy, t.policy, t.otherwise))
		}
	}
	return errors.Join(bad...)
}

func (p *Processor) checkTopicConfigs(configs kadm.ResourceConfigs) error {
	s := &p.settings
	values := map[string]string{}
	for _, rc := range configs {
		if rc.Err != nil {
			p.log.Warn("cannot check the configuration of a topic", "err", refusalOf(s, rc.Err, "DescribeConfigs", "topic", rc.Name))
		}
		for _, c := range rc.Configs {
			values[rc.Name+" "+c.Key] = c.MaybeValue()
		}
	}
	if err := p.checkCleanup(values); err != nil {
		return err
	}
	for _, name := range []string{s.TopicClean, s.TopicAudit, s.TopicState, s.TopicDeadLetter, s.TopicFinal, s.TopicIndirect} {
		most, err := strconv.ParseInt(values[name+" max.message.bytes"], 10, 64)
		switch {
		case err != nil: // the topic does not say
		case most < minMessageBytes:
			return fmt.Errorf("topic %s has max.message.bytes=%d: it must be at least %d, and %d for events of any size", name, most, minMessageBytes, maxRecordBytes+batchRoom)
		default:
			p.limitRecords(most)
		}
	}
	kept, err1 := strconv.ParseInt(values[s.TopicState+" delete.retention.ms"], 10, 64)
	raw, err2 := strconv.ParseInt(values[s.TopicRaw+" retention.ms"], 10, 64)
	if err1 == nil && err2 == nil && raw >= 0 {
		p.retention.Store(max(kept, raw))
	} else {
		p.retention.Store(0)
	}
	if err1 == nil && err2 == nil && (kept < raw || raw < 0 && kept < math.MaxInt64) {
		p.log.Warn("tombstones of calls are removed before their raw events: after a restart, a late event may open its call again; set delete.retention.ms of the state topic to the retention of the raw topic, as 'sotto topics ensure --apply' does",
			"topic", s.TopicState, "delete.retention.ms", kept, "raw_retention.ms", raw)
	}
	return nil
}
