package processor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
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
	return s.Group + "-" + host + "-" + strings.ToLower(rand.Text()[:8])
}

func (p *Processor) sessionTxnID(n int) string { return fmt.Sprintf("%s-%d", p.txnID, n) }

func (p *Processor) instanceID(n int) string { return fmt.Sprintf("%s-%d", p.settings.InstanceID, n) }

// takeoverTimeout bounds taking over a transactional ID, during which the broker
// may still be ending the old transaction.
const takeoverTimeout = 30 * time.Second

// abortPredecessor fences the previous user of the session's transactional ID and
// aborts its open transaction. The session's own client would do so only with its
// first record, but until then the group waits for the offsets of that
// transaction.
func (p *Processor) abortPredecessor(ctx context.Context, n int) error {
	cl, err := p.client(kgo.TransactionalID(p.sessionTxnID(n)), kgo.TransactionTimeout(p.settings.TransactionTimeout))
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(ctx, takeoverTimeout)
	defer cancel()
	return takeOver(ctx, cl, &p.settings, p.sessionTxnID(n))
}

func takeOver(ctx context.Context, cl *kgo.Client, s *config.Settings, id string) error {
	_, _, err := cl.ProducerID(ctx)
	switch {
	case isDenied(err):
		return refusalOf(s, err, "Write", "transactional-id", id)
	case err != nil:
		return fmt.Errorf("cannot take over the transactional ID %s: %w", id, err)
	}
	return nil
}

// checkTopics fails if an ACL is missing, or if a topic is not as the stream needs it.
func (p *Processor) checkTopics(ctx context.Context, cl *kgo.Client) error {
	facts, bad, warnings, err := p.inspectTopics(ctx, cl)
	if err = errors.Join(append([]error{err}, bad...)...); err != nil {
		return err
	}
	for _, w := range warnings {
		p.log.Warn(w.Error())
	}
	p.setLimits(facts)
	p.outputPartitions.Store(facts.outputPartitions(&p.settings))
	return nil
}

// inspectTopics returns what keeps the stream from running, and what it warns of. The error means that
// the brokers cannot be asked.
func (p *Processor) inspectTopics(ctx context.Context, cl *kgo.Client) (facts *topicFacts, bad, warnings []error, err error) {
	s := &p.settings
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if facts, err = readTopics(ctx, cl, s); err != nil {
		return nil, nil, nil, err
	}
	if err := groupAccess(ctx, cl, s); isDenied(err) {
		bad = append(bad, err)
	}
	for _, r := range topicRights(s) {
		missing := r.missing(facts.meta[r.topic])
		for _, op := range missing {
			bad = append(bad, refusalOf(s, kerr.TopicAuthorizationFailed, aclName[op], "topic", r.topic))
		}
		if len(missing) == 0 {
			wrong, odd := facts.problems(s, r.topic)
			bad, warnings = append(bad, wrong...), append(warnings, odd...)
		}
		if refused := facts.refused[r.topic]; refused != nil {
			warnings = append(warnings, fmt.Errorf("cannot check the configuration of a topic: %w", refused))
		}
	}
	return facts, bad, warnings, nil
}

// topicsInterval is the time between two looks at the topics and ACLs of a running stream. What is
// wrong then may hurt only later, such as when a partition is restored.
const topicsInterval = 10 * time.Second

// watchTopics makes the stream not ready while a topic or an ACL is not as it must be, until ctx is
// done.
func (p *Processor) watchTopics(ctx context.Context) {
	cl, err := p.client(kgo.WithContext(ctx))
	if err != nil {
		p.log.Error("cannot watch the topics", "err", err)
		return
	}
	defer cl.Close()
	for sleep(ctx, p.topicsInterval) {
		facts, bad, _, err := p.inspectTopics(ctx, cl)
		if err != nil {
			continue // the sessions have the same trouble, and report it
		}
		if len(bad) == 0 {
			p.noteOutputPartitions(facts.outputPartitions(&p.settings))
		}
		wrong := errors.Join(bad...)
		before := p.wrongTopics.Swap(&wrong)
		if wrong != nil && (before == nil || *before == nil || (*before).Error() != wrong.Error()) {
			p.log.Error("the topics or ACLs are not as the stream needs them any more", "err", wrong)
		}
	}
}

func (p *Processor) setLimits(facts *topicFacts) {
	s := &p.settings
	for _, r := range topicRights(s) {
		if most, ok := facts.number(r.topic, "max.message.bytes"); ok && slices.Contains(r.ops, opWrite) {
			p.limitRecords(most)
		}
	}
	kept, ok1 := facts.number(s.TopicState, "delete.retention.ms")
	raw, ok2 := facts.number(s.TopicRaw, "retention.ms")
	if ok1 && ok2 && raw >= 0 {
		p.retention.Store(max(kept, raw))
	} else {
		p.retention.Store(0)
	}
}

// isCut reports whether an error says that a broker closed a connection.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

// batchRoom is how much larger a batch may be than the largest record.
const batchRoom = 16 << 10

// minMessageBytes is the least max.message.bytes of an output topic.
const minMessageBytes = 64 << 10

// recordLimit bounds key, value and headers of a record that Sotto writes.
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

// kafkaLogger forwards the client's warnings and errors. The client logs every
// transaction at its info level, which is forwarded at the debug level only.
type kafkaLogger struct {
	log    *slog.Logger
	recent *recent
}

func (l kafkaLogger) Level() kgo.LogLevel {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelInfo
	}
	return kgo.LogLevelWarn
}

func (l kafkaLogger) Log(level kgo.LogLevel, msg string, kv ...any) {
	to := slog.LevelDebug
	switch level {
	case kgo.LogLevelError:
		to = slog.LevelError
	case kgo.LogLevelWarn:
		to = slog.LevelWarn
	}
	if to > slog.LevelDebug && l.recent.repeats(fmt.Sprint(msg, kv), time.Now()) {
		return
	}
	l.log.Log(context.Background(), to, "kafka client: "+msg, kv...)
}

// repeatAfter is how often the same line of the clients is logged. A broker that refuses every
// connection would fill the log with it.
const repeatAfter = 30 * time.Second

// recent has the lines that were logged lately, with their times. It is safe for concurrent use.
type recent struct {
	mu    sync.Mutex
	lines map[string]time.Time
}

// repeats reports whether a line was logged lately, and notes it if not.
func (r *recent) repeats(line string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.lines[line]; ok && now.Sub(at) < repeatAfter {
		return true
	}
	if r.lines == nil || len(r.lines) > 100 { // lines that differ are not the problem
		r.lines = map[string]time.Time{}
	}
	r.lines[line] = now
	return false
}
