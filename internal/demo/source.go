package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"sotto/corpus/calls"
	"sotto/corpus/gold"
	"sotto/internal/callgen"
	"sotto/schemas"
)

// message is one record to play.
type message struct {
	index int           // place in the order of playing
	at    time.Duration // from the start of the demo, in real time
	key   string        // call ID, empty where it cannot be known
	event *schemas.RawEvent
	line  []byte // produced unchanged if event is nil, because it could not be read
	// labelled means that the personal information of the call is known: gold.
	labelled bool
	gold     []gold.Span
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
		m := &message{
			at:    time.Duration(e.TimestampMS-start) * time.Millisecond,
			key:   e.CallID,
			event: &e.RawEvent,
			stamp: true,

			labelled: true,
		}
		for _, s := range e.Gold {
			// The companies of the two parties belong to them, others do not.
			own := s.Entity == "org" || s.Entity == "custorg" || s.Entity == "clinic"
			m.gold = append(m.gold, gold.Span{Start: s.Start, End: s.End, Type: s.Type, OfSpeaker: own})
		}
		play = append(play, m)
	}
	return number(play)
}

func number(play []*message) []*message {
	for i, m := range play {
		m.index = i
	}
	return play
}

// maxInput bounds a file to play, which is held in memory.
const maxInput = 256 << 20

// fromFile reads what to play: labelled conversations or RawEvent lines, told
// apart by the name and the first line. A RawEvent line that cannot be read is played as it
// is, to see it become a dead letter.
func fromFile(ctx context.Context, in io.Reader, name string) ([]*message, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("%s is longer than the %d MiB that the demo holds in memory: use a part of it, or 'sotto anonymize'", name, maxInput>>20)
	}
	var probe struct {
		Utterances json.RawMessage `json:"utterances"`
		Type       string          `json:"type"`
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	if calls.IsMarkup(name) && len(first) > 0 && first[0] != '{' {
		return fromConversations(data, name)
	}
	if err := json.Unmarshal(first, &probe); err != nil || probe.Utterances == nil && probe.Type == "" {
		return nil, fmt.Errorf("%s holds neither RawEvent lines nor labelled conversations: its first line has neither 'type' nor 'utterances'", name)
	}
	if probe.Utterances != nil {
		return fromConversations(data, name)
	}
	return fromEvents(ctx, data)
}

// roles are the words for speakers that labelled conversations use.
var roles = map[string]schemas.Role{"agent": schemas.RoleAgent, "customer": schemas.RoleCustomer, "user": schemas.RoleCustomer}

func fromConversations(data []byte, name string) ([]*message, error) {
	conversations, err := calls.Read(bytes.NewReader(data), name)
	if err != nil {
		return nil, err
	}
	var play []*message
	var at time.Duration
	for i := range conversations {
		c := &conversations[i]
		seq := int64(0)
		// One file may hold an ID twice; here each conversation is a call.
		id := fmt.Sprintf("%s#%d", c.ID, i+1)
		add := func(t schemas.EventType, took time.Duration) *message {
			seq++
			m := &message{at: at, key: id, stamp: true, labelled: true, event: &schemas.RawEvent{CallID: id, Seq: seq, Type: t, Context: c.Context}}
			play = append(play, m)
			at += took
			return m
		}
		add(schemas.Start, 200*time.Millisecond)
		for _, u := range c.Utterances {
			m := add(schemas.Utterance, 500*time.Millisecond+60*time.Millisecond*time.Duration(len(u.Text)))
			m.event.Speaker = &schemas.Speaker{ID: u.Speaker, Role: roles[u.Speaker]}
			m.event.Text = u.Text
			m.gold = u.Entities
		}
		add(schemas.End, 200*time.Millisecond)
	}
	return number(play), nil
}

func fromEvents(ctx context.Context, data []byte) ([]*message, error) {
	codec, err := schemas.NewCodec(ctx, schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		return nil, err
	}
	var play []*message
	var at time.Duration
	var last int64
	r := bufio.NewReader(bytes.NewReader(data))
	for {
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			m := &message{line: line}
			if ev, derr := codec.DecodeRaw(line); derr == nil {
				m.event, m.line, m.key = ev, nil, ev.CallID
				// Events without times, or out of order, come half a second apart.
				gap := time.Duration(ev.TimestampMS-last) * time.Millisecond
				if last == 0 || gap < 0 || gap > 10*time.Second {
					gap = 500 * time.Millisecond
				}
				last = ev.TimestampMS
				at += gap
			}
			m.at = at
			play = append(play, m)
		}
		if err != nil {
			return number(play), nil
		}
	}
}
