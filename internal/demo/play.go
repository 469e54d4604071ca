package demo

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/schemas"
)

// place is the position of a record in the raw topic.
type place struct {
	partition int32
	offset    int64
}

// player plays messages into the raw topic. The keyed partitioner puts all
// events of a call into one partition.
type player struct {
	client *kgo.Client
	codec  *schemas.Codec
	topic  string
	speed  float64 // 0: as fast as possible
	sent   atomic.Int64

	mu     sync.Mutex
	places map[place]*message
	failed error
}

func newPlayer(s *config.Settings, speed float64) (*player, error) {
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: s.Codec})
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(s.Brokers...), kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)))
	if err != nil {
		return nil, err
	}
	return &player{client: client, codec: codec, topic: s.TopicRaw, speed: speed, places: map[place]*message{}}, nil
}

// play returns when all messages are acknowledged, or when ctx is done: then
// what was sent until then is acknowledged.
func (p *player) play(ctx context.Context, messages []*message) error {
	start := time.Now()
	for _, m := range messages {
		if !p.wait(ctx, start, m.at) {
			break
		}
		r, err := p.record(m)
		if err != nil {
			return err
		}
		p.sent.Add(1)
		// Sending is not bound to ctx: what counts as sent must arrive.
		p.client.Produce(context.Background(), r, func(r *kgo.Record, err error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if err != nil {
				p.failed = err
				return
			}
			p.places[place{r.Partition, r.Offset}] = m
		})
	}
	if err := p.client.Flush(context.Background()); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

func (p *player) wait(ctx context.Context, start time.Time, at time.Duration) bool {
	if p.speed > 0 {
		due := start.Add(time.Duration(float64(at) / p.speed))
		if pause := time.Until(due); pause > 0 {
			t := time.NewTimer(pause)
			defer t.Stop()
			select {
			case <-ctx.Done():
			case <-t.C:
			}
		}
	}
	return ctx.Err() == nil
}

func (p *player) record(m *message) (*kgo.Record, error) {
	if m.event == nil {
		return &kgo.Record{Topic: p.topic, Value: m.line}, nil
	}
	if m.stamp {
		m.event.TimestampMS = time.Now().UnixMilli()
	}
	value, err := p.codec.AppendRaw(nil, m.event)
	return &kgo.Record{Topic: p.topic, Key: []byte(m.key), Value: value}, err
}

// at finds the message that was acknowledged at a place.
func (p *player) at(at place) *message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.places[at]
}
