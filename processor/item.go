package processor

import (
	"errors"
	"runtime"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/config"
	"sotto/schemas"
	"sotto/state"
)

// Reasons of dead letters that the stream itself gives; the codec has its own.
const (
	reasonRecordTooLarge = "record_too_large"
	reasonTextTooLong    = "text_too_long"
	reasonPanic          = "panic"
	reasonOpenCalls      = "too_many_open_calls"
	reasonOutputTooLarge = "output_too_large"
)

var reasonDetails = map[string]string{
	reasonRecordTooLarge: "the record is larger than any event with a text of SOTTO_MAX_TEXT_BYTES can be",
	reasonTextTooLong:    "the text or its unformatted form is longer than SOTTO_MAX_TEXT_BYTES",
	reasonPanic:          "the engine failed on this event; please report it with the version",
	reasonOpenCalls:      "the partition has SOTTO_MAX_OPEN_CALLS open calls",
	reasonOutputTooLarge: "the anonymized event does not fit a Kafka message",
}

// item is a raw record after all the work that needs no state.
type item struct {
	rec *kgo.Record
	ev  *schemas.RawEvent // nil when it could not be decoded
	// ids are the call's IDs as they may go out: one, or the keyed hash under
	// each key.
	ids    []string
	prep   *anonymize.Prepared
	engine engine
	// reason is set when the record is to become a dead letter.
	reason, detail string
	// note is set of an event that has waited, of which there is no record here.
	note *state.RecordPosition
	// retry is set when the record cannot be judged now.
	retry error
}

// preparer turns records into items. It is safe for concurrent use.
type preparer struct {
	settings *config.Settings
	codec    *schemas.Codec
	keys     *state.Keyring
	engine   engine
}

func (p *Processor) preparer() *preparer {
	return &preparer{&p.settings, p.codec, p.keys.Load(), p.engine.Load().engine}
}

// chunk is how many records one goroutine prepares at a time.
const chunk = 128

// all prepares the records of a poll in parallel and returns the items in the
// order of the records.
func (p *preparer) all(recs []*kgo.Record, workers int) []item {
	items := make([]item, len(recs))
	if len(recs) <= chunk || workers == 1 {
		for i, r := range recs {
			items[i] = p.one(r)
		}
		return items
	}
	var wg sync.WaitGroup
	next := make(chan int, len(recs)/chunk+1)
	for at := 0; at < len(recs); at += chunk {
		next <- at
	}
	close(next)
	for range min(workers, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for at := range next {
				for i := at; i < min(at+chunk, len(recs)); i++ {
					items[i] = p.one(recs[i])
				}
			}
		})
	}
	wg.Wait()
	return items
}

func (p *preparer) one(rec *kgo.Record) (it item) {
	it = p.decode(rec)
	if it.reason != "" || it.retry != nil || it.ev.Interim() {
		return it
	}
	defer func() {
		if recover() != nil {
			it.reason, it.prep = reasonPanic, nil
		}
	}()
	it.engine = p.engine
	it.prep = p.engine.Prepare(it.ev)
	return it
}

// decode is the part of one that a restore repeats.
func (p *preparer) decode(rec *kgo.Record) (it item) {
	it.rec = rec
	// JSON may write a byte of text as six, and there is the rest of the event.
	if len(rec.Value) > 6*p.settings.MaxTextBytes+256<<10 {
		it.reason = reasonRecordTooLarge
		return it
	}
	ev, err := p.codec.DecodeRaw(rec.Value)
	if err != nil {
		var bad *schemas.DecodeError
		if errors.As(err, &bad) {
			it.reason, it.detail = bad.Reason, bad.Error()
		} else {
			it.retry = err
		}
		return it
	}
	it.ev = ev
	if ev.TimestampMS <= 0 {
		ev.TimestampMS = rec.Timestamp.UnixMilli()
	}
	if p.settings.CallID == "hash" {
		it.ids = p.keys.HashCallIDs(ev.CallID)
	} else {
		it.ids = []string{ev.CallID}
	}
	if len(ev.Text) > p.settings.MaxTextBytes || ev.Lexical != nil && len(*ev.Lexical) > p.settings.MaxTextBytes {
		it.reason = reasonTextTooLong
	}
	return it
}

// callID is the ID under which the partition knows the item's call, else the
// one that a new call gets.
func (p *partition) callID(ids []string) string {
	for _, id := range ids[1:] {
		if p.calls[id] != nil || p.closed.has(id) {
			return id
		}
	}
	return ids[0]
}
