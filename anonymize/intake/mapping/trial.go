package mapping

import (
	"bytes"
	"encoding/base64"

	"sotto/schemas"
)

// Outcome is what became of a message in a stream: an event, a dead letter or nothing.
type Outcome struct {
	Event *schemas.RawEvent
	// Reason is why the message is a dead letter, and Dropped why nothing comes of it, one of Drops.
	Reason, Dropped string
}

// Trial tells calls the messages of records, one after the other, as a stream does.
type Trial struct {
	// Own, unless nil, returns the event of Sotto's own that a record is, nil if it is none.
	Own func(rec Record) *schemas.RawEvent
	// Refuse, unless nil, returns why the event of a record is a dead letter, "" if it is none.
	Refuse func(rec Record, e *schemas.RawEvent) string

	mapping *Mapping
	calls   map[string]*heard
}

// heard is what a call has heard.
type heard struct {
	window Window
	last   int64
}

// NewTrial returns a Trial without calls.
func NewTrial(m *Mapping) *Trial { return &Trial{mapping: m, calls: map[string]*heard{}} }

// Read returns what the messages of a record become.
func (t *Trial) Read(rec Record) (all []Outcome) {
	messages := t.mapping.Read(rec)
	if t.Own != nil && messages[0].MayBeOwn {
		if e := t.Own(rec); e != nil {
			messages = []Message{{Event: e}}
		}
	}
	for _, message := range messages {
		if e := message.Event; e != nil && t.Refuse != nil {
			if reason := t.Refuse(rec, e); reason != "" {
				message = Message{Reason: reason}
			}
		}
		all = append(all, t.judge(&message))
	}
	return all
}

func (t *Trial) judge(m *Message) Outcome {
	e := m.Event
	switch {
	case e == nil:
		return Outcome{Reason: m.Reason, Dropped: m.Dropped}
	case e.Interim():
		return Outcome{Dropped: Interim}
	}
	c := t.calls[e.CallID]
	if c == nil {
		c = &heard{}
		t.calls[e.CallID] = c
	}
	switch c.window.Judge(e, m.Mark, c.last) {
	case Repeated:
		return Outcome{Dropped: Again}
	case RevisedQuietly:
		return Outcome{Dropped: Revision}
	case Revised:
		return Outcome{Reason: ReasonRevised}
	}
	c.window, c.last = c.window.With(e, m.Mark), max(c.last, e.Seq)
	return Outcome{Event: e}
}

// Records returns the records of a file of sample messages: one if the file is one JSON document or a record that
// names its schema by ID, else one a line, perhaps with its key and a tab before it, as console consumers print them: with
// nothing before the tab, the record has no key, and Key is empty. A line may be base64 of a record that names its schema.
// key is that of lines without a tab, of which nobody knows the key if it is "": Key is nil.
func Records(data []byte, key string) (records []Record) {
	var ofOthers []byte
	if key != "" {
		ofOthers = []byte(key)
	}
	if _, ok := parseJSON(data); ok && data[0] != '\t' || len(data) > 0 && data[0] == 0 {
		return []Record{{Value: data, Key: ofOthers}}
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.Trim(line, " ")) == 0 {
			continue
		}
		r := Record{Value: line, Key: ofOthers}
		if before, after, ok := bytes.Cut(line, []byte("\t")); ok && !bytes.ContainsAny(before, "{[") {
			r.Key, r.Value = before, after
		}
		if binary, err := base64.StdEncoding.AppendDecode(nil, bytes.TrimSpace(r.Value)); err == nil && bytes.HasPrefix(binary, []byte{0}) {
			r.Value = binary
		}
		records = append(records, r)
	}
	return records
}

// Source returns the YAML of a mapping that is built in.
func Source(name string) (yaml []byte, ok bool) {
	data, err := builtIn.ReadFile("mappings/" + name + ".yaml")
	return data, err == nil
}
