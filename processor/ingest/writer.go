package ingest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/config"
	"sotto/config/kafka"
)

// recordOverhead is the room for the key and the framing of a record beside its body.
const recordOverhead = 16 << 10

// maxBuffered bounds what waits for the brokers: requests that are no longer waited for, too.
const (
	maxBufferedBytes   = 128 << 20
	maxBufferedRecords = 20_000
)

// writer writes records to the raw topic: acknowledged by all in-sync replicas, each once and in order, as far as the process knows.
type writer struct {
	cl    *kgo.Client
	topic string
	log   *slog.Logger

	mu       sync.Mutex
	reported time.Time
}

func newWriter(s *config.Settings, log *slog.Logger, opts ...kgo.Opt) (*writer, error) {
	cl, err := kafka.NewClient(s, append([]kgo.Opt{
		kgo.ClientID("sotto-ingest"),
		kgo.RequiredAcks(kgo.AllISRAcks()), // with the idempotent producer, which is the default
		kgo.ProducerLinger(0),
		kgo.ProducerBatchMaxBytes(int32(s.WebhookBytes() + recordOverhead)),
		kgo.MaxBufferedBytes(maxBufferedBytes), kgo.MaxBufferedRecords(maxBufferedRecords),
		kgo.UnknownTopicRetries(2),
		// Requests wait: what has come back is used soon.
		kgo.RetryBackoffFn(func(tries int) time.Duration { return min(50*time.Millisecond<<min(tries, 5), time.Second) }),
		kgo.MetadataMinAge(250 * time.Millisecond),
	}, opts...)...)
	if err != nil {
		return nil, err
	}
	return &writer{cl: cl, topic: s.TopicRaw, log: log}, nil
}

// write returns when a record is acknowledged, cannot be written, or ctx is done. In the last case the record may be written later.
func (w *writer) write(ctx context.Context, key string, value []byte) *refusal {
	rec := &kgo.Record{Topic: w.topic, Value: value}
	if key != "" {
		rec.Key = []byte(key)
	}
	done := make(chan error, 1)
	// A record that was not sent yet is given up with ctx.
	w.cl.TryProduce(ctx, rec, func(_ *kgo.Record, err error) { done <- err })
	select {
	case err := <-done:
		return w.refusal(err)
	case <-ctx.Done():
		return w.refusal(ctx.Err())
	}
}

func (w *writer) refusal(err error) *refusal {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kgo.ErrMaxBuffered):
		return errBusy
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge):
		return errTopic
	}
	w.report("webhooks cannot be written to the raw topic; their senders are told to send them again", err)
	return errBroker
}

// reportEvery bounds how often a trouble with the brokers is logged.
const reportEvery = 10 * time.Second

// report logs what does not work, and why. An error that is not one of Kafka is not shown, since it may quote anything.
func (w *writer) report(what string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.reported) < reportEvery {
		return
	}
	w.reported = time.Now()
	w.log.Error(what, "topic", w.topic, "reason", reasonOf(err))
}

func reasonOf(err error) string {
	var known *kerr.Error
	switch {
	case errors.As(err, &known):
		return known.Message
	case errors.Is(err, context.DeadlineExceeded):
		return "the brokers do not answer in time"
	}
	return "the brokers cannot be reached"
}

var (
	errNoTopic = errors.New("the raw topic does not exist: create it with 'sotto topics ensure'")
	errNoWrite = errors.New("the raw topic may not be written to: the ACL Write is missing (docs/security.md)")
)

// check returns errNoTopic, errNoWrite, as far as that is known without writing, or why the brokers do not tell.
func (w *writer) check(ctx context.Context) error {
	req := kmsg.NewPtrMetadataRequest()
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = &w.topic
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, w.cl)
	if err != nil {
		return err
	}
	if len(resp.Topics) != 1 {
		return kerr.UnknownServerError
	}
	switch err := kerr.ErrorForCode(resp.Topics[0].ErrorCode); {
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return errNoTopic
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return errNoWrite
	default:
		return err
	}
}
