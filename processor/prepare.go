package processor

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/anonymize/intake"
	"sotto/anonymize/intake/mapping"
	"sotto/config"
	"sotto/processor/partition"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/sealing"
)

// Reasons of dead letters that the stream gives; the codec and package intake have their own.
var (
	reasonStateTooLarge  = schemas.Reason("state_too_large", "with this event the state of its call does not fit a Kafka message")
	reasonLate           = schemas.Reason("late", "the event arrived after the grace period of its call, whose state is gone; see SOTTO_CALL_GRACE")
	reasonPanic          = schemas.Reason("panic", "the engine failed on this event; please report it with the version")
	reasonOpenCalls      = schemas.Reason("too_many_open_calls", "the partition has SOTTO_MAX_OPEN_CALLS open calls")
	reasonOutputTooLarge = schemas.Reason("output_too_large", "the anonymized event does not fit a Kafka message")
	reasonOtherLanguage  = schemas.Reason("other_language", "the turn is in another language than English, and SOTTO_OTHER_LANGUAGES is hold")
	reasonRemoteRefused  = schemas.Reason("remote_refused", "the remote detection tier gives no usable answer about this event, and SOTTO_REMOTE_OUTAGE is pause")
)

// preparedRecord is a raw record, or one message of it.
type preparedRecord struct {
	rec *kgo.Record
	// part is the number of the message within the record.
	part int
	ev   *schemas.RawEvent // nil if there is none, or if it is not decoded yet
	// mark is what the call needs of a message of others, and dropped is why nothing comes of it.
	mark    mapping.Mark
	dropped string
	// mapped reports that a mapping has read the message.
	mapped bool
	// id is the call's ID in the output: its own, or its hash under the newest key. earlier are its
	// hashes under the other keys, which a call that began before a rotation has.
	id      string
	earlier []string
	engine  engine
	// prep is nil until the worker of the call prepares the event, unless a remote tier must be asked
	// before.
	prep *anonymize.Prepared
	// doubt says whether a remote tier is worth asking, if that depends on it. asked is set if one
	// was asked.
	doubt  anonymize.Doubt
	asked  bool
	reason string
	// field is the field that is wrong, "" if that is not known.
	field string
	// stagedAt is set for an event that was staged, which has no rec.
	stagedAt *state.RecordPosition
	// retry is set if the record cannot be decoded now but perhaps later.
	retry error
}

// failed says that the record cannot be decoded: for good, or now.
func (r *preparedRecord) failed(err error) {
	if bad, ok := errors.AsType[*schemas.DecodeError](err); ok {
		r.reason, r.field = bad.Reason, bad.Field
	} else {
		r.retry = err
	}
}

// time is when an event was, as far as the log says it.
func (r *preparedRecord) time() partition.Time {
	if r.rec.Attrs.TimestampType() == logAppendTime {
		return partition.Time{MS: r.rec.Timestamp.UnixMilli(), Broker: true}
	}
	return partition.Time{MS: r.ev.TimestampMS}
}

// logAppendTime is the type of a timestamp that the broker has set.
const logAppendTime = 1

// preparer decodes raw records and, if a remote tier is asked about them, prepares them. It is safe
// for concurrent use.
type preparer struct {
	settings *config.Settings
	rules    *intake.Rules
	codec    *schemas.Codec
	mapping  *mapping.Mapping // nil for none
	keys     *sealing.Keyring
	engine   engine
	// ahead is set if events are prepared before their workers get them.
	ahead bool
}

func (p *Processor) preparer() *preparer {
	box := p.engine.Load()
	return &preparer{&p.settings, &p.rules, p.codec, box.mapping, p.keys.Load(), box.engine, p.remote != nil}
}

// chunk is the number of records that a goroutine takes at a time.
const chunk = 16

// all returns the records of a poll, or their messages, decoded and in the same order. Each record has at
// least one.
//
// Unless a remote tier is asked, workers prepare the events of their calls. Doing it here in parallel
// is slower: by the time a worker applies an event, the event has left the processor's cache. Only a
// call that alone has more events than a worker can take would gain.
func (p *preparer) all(recs []*kgo.Record, workers int) []preparedRecord {
	prepared := p.messages(recs)
	if !p.ahead || len(prepared) <= chunk || workers == 1 {
		for i := range prepared {
			p.one(&prepared[i])
		}
		return prepared
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(workers, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for at := int(next.Add(chunk)) - chunk; at < len(prepared); at = int(next.Add(chunk)) - chunk {
				for i := at; i < min(at+chunk, len(prepared)); i++ {
					p.one(&prepared[i])
				}
			}
		})
	}
	wg.Wait()
	return prepared
}

// messages returns the records of a poll, or the messages that the mapping finds in them.
func (p *preparer) messages(recs []*kgo.Record) []preparedRecord {
	prepared := make([]preparedRecord, 0, len(recs))
	for _, rec := range recs {
		if p.mapping == nil || p.tooLarge(rec) {
			prepared = append(prepared, preparedRecord{rec: rec})
			continue
		}
		value, schema, err := p.codec.Framed(rec.Value)
		if err != nil {
			pr := preparedRecord{rec: rec, mapped: true}
			pr.failed(err)
			prepared = append(prepared, pr)
			continue
		}
		messages := p.mapping.Read(mapping.Record{
			Value: value, Schema: schema, Key: rec.Key, Header: func(name string) string { return header(rec, name) },
		})
		if own, ok := p.ownEvent(rec, messages); ok {
			prepared = append(prepared, preparedRecord{rec: rec, ev: own})
			continue
		}
		for i, m := range messages {
			prepared = append(prepared, preparedRecord{rec: rec, part: i, ev: m.Event, mark: m.Mark, reason: m.Reason, dropped: m.Dropped, mapped: true})
		}
	}
	return prepared
}

// ownEvent reports whether a record that the mapping has no use for is an event of ours, and returns it: producers may
// write the START and END of a call themselves, and the canary writes whole calls. It returns no event if the schema
// cannot be asked for now.
func (p *preparer) ownEvent(rec *kgo.Record, messages []mapping.Message) (ev *schemas.RawEvent, ok bool) {
	if !messages[0].MayBeOwn {
		return nil, false
	}
	ev, err := p.codec.DecodeRaw(rec.Value)
	_, bad := errors.AsType[*schemas.DecodeError](err)
	return ev, !bad
}

func header(rec *kgo.Record, name string) string {
	for _, h := range rec.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}

func (p *preparer) one(pr *preparedRecord) {
	p.decode(pr)
	if pr.ev == nil || pr.reason != "" || pr.retry != nil || pr.ev.Interim() {
		return
	}
	pr.engine = p.engine
	if !p.ahead {
		return
	}
	defer func() {
		if recover() != nil {
			pr.reason, pr.prep = reasonPanic, nil
		}
	}()
	pr.prep = p.engine.Prepare(pr.ev)
	if p.settings.RemoteMinDoubt > 0 {
		pr.doubt = p.engine.Doubt(pr.prep)
		if pr.doubt.Value(true) < float32(p.settings.RemoteMinDoubt) { // it need not wait, whatever was asked
			pr.prep = p.engine.Prepare(pr.ev)
		}
	}
}

// tooLarge reports whether a record is larger than any event.
func (p *preparer) tooLarge(rec *kgo.Record) bool {
	return len(rec.Value) > p.settings.MaxRawBytes()
}

// decode is the part of preparing that a restore repeats.
func (p *preparer) decode(pr *preparedRecord) {
	rec, ev := pr.rec, pr.ev
	pr.ev = nil
	switch {
	case p.tooLarge(rec):
		pr.reason = intake.RecordTooLarge
		return
	case ev == nil && !pr.mapped:
		var err error
		if ev, err = p.codec.DecodeRaw(rec.Value); err != nil {
			pr.failed(err)
			return
		}
	case ev == nil:
		return
	}
	if pr.reason = p.rules.Admit(ev, rec.Timestamp.UnixMilli()); pr.reason == intake.CallIDTooLong {
		return // an ID of that length is not looked up, kept or written
	}
	pr.ev = ev
	if string(rec.Key) != ev.CallID && pr.reason == "" && p.settings.KeyMismatch != "accept" {
		pr.reason = intake.KeyMismatch
	}
	pr.id = ev.CallID
	if p.settings.CallID == "hash" {
		ids := p.keys.HashCallIDs(ev.CallID)
		pr.id, pr.earlier = ids[0], ids[1:]
	}
}
