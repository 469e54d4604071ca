package demo

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

// listener reads committed records of the output topics. It also reads control
// records, so that it knows its position.
type listener struct {
	client  *kgo.Client
	codec   *schemas.Codec
	topics  []string
	records chan []*kgo.Record
	next    map[string]map[int32]int64
}

// listen starts to read the outputs. Closing the client ends it.
func (s *stage) listen() (*listener, error) {
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: s.settings.Codec})
	if err != nil {
		return nil, err
	}
	l := &listener{
		codec:   codec,
		topics:  []string{s.settings.TopicClean, s.settings.TopicDeadLetter, s.settings.TopicAudit},
		records: make(chan []*kgo.Record),
		next:    map[string]map[int32]int64{},
	}
	l.client, err = kgo.NewClient(
		kgo.SeedBrokers(s.settings.Brokers...),
		kgo.ConsumeTopics(l.topics...),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(tick),
	)
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			f := l.client.PollFetches(context.Background())
			if f.IsClientClosed() {
				return
			}
			select {
			case l.records <- f.Records():
			case <-l.client.Context().Done():
				return
			}
		}
	}()
	return l, nil
}

// passed records how far a partition has been read.
func (l *listener) passed(r *kgo.Record) {
	if l.next[r.Topic] == nil {
		l.next[r.Topic] = map[int32]int64{}
	}
	l.next[r.Topic][r.Partition] = r.Offset + 1
}

// ends are the ends of the outputs, control records included.
func (l *listener) ends(ctx context.Context) (kadm.ListedOffsets, error) {
	ends, err := kadm.NewClient(l.client).ListEndOffsets(ctx, l.topics...)
	return ends, errors.Join(err, ends.Error())
}

func (l *listener) reached(ends kadm.ListedOffsets) bool {
	all := true
	ends.Each(func(o kadm.ListedOffset) {
		if l.next[o.Topic][o.Partition] < o.Offset {
			all = false
		}
	})
	return all
}
