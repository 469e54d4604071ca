package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"sotto/internal/gold"
	"sotto/schemas"
	"sotto/training/corpus/callgen"
)

type message struct {
	index int           // place in the order of playing, once it is sent
	at    time.Duration // from the start of the demo, in real time
	event *schemas.RawEvent
	line  []byte // produced unchanged if event is nil, because it could not be read
	// gold is what is personal in a generated call.
	gold []gold.Span
	// mentions say who each person in a generated call is, and speaks who talks.
	mentions []gold.PersonMention
	speaks   string
	// stamp means that the event gets the time of playing as its timestamp.
	stamp bool
}

// generated returns the script of generated calls. A few run at once, and an
// interim hypothesis precedes some utterances.
func generated(seed uint64, calls int) []*message {
	const overlap = 4
	g := callgen.New(callgen.Config{Seed: seed, Interim: 0.03})
	var play []*message
	var start int64
	for e := range g.Events(0, calls, overlap) {
		if len(play) == 0 {
			start = e.TimestampMS
		}
		play = append(play, &message{at: time.Duration(e.TimestampMS-start) * time.Millisecond, event: &e.RawEvent,
			gold: e.Gold, mentions: e.Mentions, speaks: e.Speaks, stamp: true})
	}
	return play
}

// maxInput bounds a file to play, which is held in memory.
const maxInput = 256 << 20

// fromEvents reads RawEvent lines. One that cannot be read is played as it is, to see it become a
// dead letter.
func fromEvents(ctx context.Context, in io.Reader, name string) ([]*message, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("%s is longer than the %d MiB that the demo holds in memory: use a part of it, or 'sotto anonymize'", name, maxInput>>20)
	}
	codec, err := schemas.NewCodec(ctx, schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		return nil, err
	}
	var play []*message
	var at time.Duration
	var last int64
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		m := &message{line: line}
		if ev, err := codec.DecodeRaw(line); err == nil {
			m.event = ev
			// Events without times, or out of order, come half a second apart.
			gap := time.Duration(ev.TimestampMS-last) * time.Millisecond
			if last == 0 || gap < 0 || gap > 10*time.Second {
				gap = 500 * time.Millisecond
			}
			last = ev.TimestampMS
			at += gap
		} else if len(play) == 0 {
			return nil, fmt.Errorf("%s has no RawEvent lines: its first line is none", name)
		}
		m.at = at
		play = append(play, m)
	}
	if len(play) == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	return play, nil
}
