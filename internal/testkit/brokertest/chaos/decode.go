package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

// Decoder decodes the event in a record's value, as the methods of a codec do.
type Decoder[T any] func(value []byte) (*T, error)

// JSON decodes an event in JSON.
func JSON[T any](value []byte) (*T, error) {
	v := new(T)
	if err := json.Unmarshal(value, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Decoders decode the events of the three topics of a history.
type Decoders struct {
	Raw   Decoder[schemas.RawEvent]
	Clean Decoder[schemas.CleanEvent]
	Dead  Decoder[schemas.DeadLetter]
}

// AsJSON are the decoders for events in JSON.
func AsJSON() Decoders {
	return Decoders{JSON[schemas.RawEvent], JSON[schemas.CleanEvent], JSON[schemas.DeadLetter]}
}

// ReadHistory reads the three topics to their ends. It waits for the outcome of open transactions.
func ReadHistory(ctx context.Context, c brokertest.Cluster, t brokertest.Topics, d Decoders) (History, error) {
	var h History
	for _, topic := range []struct {
		name string
		take func([]*kgo.Record) error
	}{
		{t.Raw, func(r []*kgo.Record) error { h.Raw = RawEvents(r, d.Raw); return nil }},
		{t.Clean, func(r []*kgo.Record) (err error) { h.Clean, err = CleanEvents(r, d.Clean); return }},
		{t.DeadLetter, func(r []*kgo.Record) (err error) { h.Dead, err = DeadLetters(r, d.Dead); return }},
	} {
		records, err := brokertest.ReadAll(ctx, c, topic.name, brokertest.Committed)
		if err != nil {
			return History{}, err
		}
		if err := topic.take(records); err != nil {
			return History{}, err
		}
	}
	return h, nil
}

// RawEvents decodes the records of the raw topic. A record that cannot be decoded is Bad.
func RawEvents(records []*kgo.Record, decode Decoder[schemas.RawEvent]) []Raw {
	var all []Raw
	for _, r := range records {
		raw := Raw{Partition: r.Partition, Offset: r.Offset}
		if e, err := decode(r.Value); err != nil {
			raw.Bad = true
		} else {
			raw.CallID, raw.Seq, raw.Dropped, raw.Text = e.CallID, e.Seq, e.Interim(), e.Text
			if e.Speaker != nil {
				raw.Label = e.Speaker.Label
			}
		}
		all = append(all, raw)
	}
	return all
}

// CleanEvents decodes the records of the clean topic. Its error shows nothing of a record.
func CleanEvents(records []*kgo.Record, decode Decoder[schemas.CleanEvent]) ([]Clean, error) {
	var all []Clean
	for _, r := range records {
		e, err := decode(r.Value)
		if err != nil {
			return nil, unreadable(r)
		}
		clean := Clean{
			Partition: r.Partition,
			Offset:    r.Offset,
			CallID:    e.CallID,
			Seq:       e.Seq,
			Extra:     e.Call != nil && e.Call.ClosedBy == schemas.ClosedByIdle,
		}
		body, err := json.Marshal(e)
		if err != nil {
			return nil, unreadable(r)
		}
		clean.Body = string(body)
		for _, entity := range e.Entities {
			tag := Tag{Type: entity.Type, ID: entity.ID}
			if entity.RawStart != nil && entity.RawEnd != nil {
				tag.RawStart, tag.RawEnd = *entity.RawStart, *entity.RawEnd
			}
			clean.Tags = append(clean.Tags, tag)
		}
		if e.Speaker != nil {
			if tag, ok := labelTag(e.Speaker.Label); ok {
				clean.Tags = append(clean.Tags, tag)
			}
		}
		all = append(all, clean)
	}
	return all, nil
}

// DeadLetters decodes the records of the dead-letter topic.
func DeadLetters(records []*kgo.Record, decode Decoder[schemas.DeadLetter]) ([]Dead, error) {
	var all []Dead
	for _, r := range records {
		d, err := decode(r.Value)
		if err != nil {
			return nil, unreadable(r)
		}
		all = append(all, Dead{d.Partition, d.Offset})
	}
	return all, nil
}

func unreadable(r *kgo.Record) error {
	return fmt.Errorf("%s, partition %d, offset %d cannot be decoded", r.Topic, r.Partition, r.Offset)
}

// labelTag parses the label of a speaker if it is one tag, "[PERSON_NAME_1]".
func labelTag(label string) (Tag, bool) {
	inner, ok := strings.CutPrefix(label, "[")
	if !ok {
		return Tag{}, false
	}
	if inner, ok = strings.CutSuffix(inner, "]"); !ok {
		return Tag{}, false
	}
	i := strings.LastIndexByte(inner, '_')
	if i <= 0 {
		return Tag{}, false
	}
	n, err := strconv.Atoi(inner[i+1:])
	if err != nil {
		return Tag{}, false
	}
	return Tag{Type: inner[:i], ID: n, Label: true}, true
}
