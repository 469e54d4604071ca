package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sotto/anonymize/intake"
	"sotto/anonymize/intake/mapping"
	"sotto/schemas"
)

// trial is what the samples of a mapping become.
type trial struct {
	mapping *mapping.Mapping
	kinds   map[string]bool // what becomes of them
	samples []*sample
	cases   []oddCase
	unknown string         // what comes of a message that no rule knows
	said    mapping.Record // the record with the first utterance
	at      int            // the place of the utterance among what becomes of the record
	text    string         // what it says

	orderField string
}

// sample is a record with what it becomes, as far as no sample before it becomes the same.
type sample struct {
	value    []byte
	outcomes []mapping.Outcome
}

// oddCase is something that may happen to messages, and what becomes of them.
type oddCase struct{ what, becomes string }

// newTrial reads the samples of a mapping. orderField is the name of the field by which it orders messages, if it has one.
func newTrial(root, name string, m *mapping.Mapping, orderField string) (*trial, error) {
	data, err := os.ReadFile(filepath.Join(root, mappingFolder, "testdata", name+".txt"))
	if err != nil {
		return nil, err
	}
	x := &trial{mapping: m, kinds: map[string]bool{}, orderField: orderField}
	records := mapping.Records(data, "")
	reader, found := x.reader(), false
	for _, rec := range records {
		s := &sample{value: rec.Value}
		for i, o := range reader.Read(rec) {
			kind := outcomeKind(o)
			if !found && kind == string(schemas.Utterance) {
				found, x.said, x.at, x.text = true, rec, i, o.Event.Text
			}
			// What is of no use or silent has no sample: it looks like the others.
			if !x.kinds[kind] && o.Dropped != mapping.Ignored && o.Dropped != mapping.Silent {
				s.outcomes = append(s.outcomes, o)
			}
			x.kinds[kind] = true
		}
		if len(s.outcomes) > 0 {
			x.samples = append(x.samples, s)
		}
	}
	if !found {
		return nil, errors.New("no sample becomes an utterance")
	}
	x.unknown = x.fate(mapping.Record{Key: x.said.Key, Value: []byte(`{"no rule": "knows it"}`)})
	return x, x.tryCases()
}

// reader reads records as a stream with the default settings does.
func (x *trial) reader() *mapping.Trial {
	r := mapping.NewTrial(x.mapping)
	r.Refuse = func(rec mapping.Record, e *schemas.RawEvent) string {
		if string(rec.Key) != e.CallID {
			return intake.KeyMismatch
		}
		return ""
	}
	return r
}

func outcomeKind(o mapping.Outcome) string {
	if o.Event != nil {
		return string(o.Event.Type)
	}
	return o.Reason + o.Dropped
}

// ownEvent is what becomes of a message that is neither dropped nor a dead letter.
const ownEvent = "an event of its own"

// fate says what becomes of the first utterance in the last of some records.
func (x *trial) fate(records ...mapping.Record) string {
	reader := x.reader()
	var last []mapping.Outcome
	for _, rec := range records {
		last = reader.Read(rec)
	}
	o := last[min(x.at, len(last)-1)]
	if o.Event != nil {
		return ownEvent
	}
	return outcomeText(o)
}

func outcomeText(o mapping.Outcome) string {
	if o.Reason != "" {
		return "dead letter `" + o.Reason + "`"
	}
	return "nothing, counted as `" + o.Dropped + "`: " + mapping.Drops[o.Dropped]
}

// tryCases finds out what becomes of the record of the first utterance if it is sent again, changed or damaged.
func (x *trial) tryCases() error {
	add := func(what, becomes string) { x.cases = append(x.cases, oddCase{what, becomes}) }
	add("the same message is sent again", x.fate(x.said, x.said)+", as long as it is among the latest 64 of the call")
	revised, keyless, other := x.said, x.said, x.said
	if revised.Value = withText(x.said.Value, x.text, "else"); bytes.Equal(revised.Value, x.said.Value) {
		return errors.New("the text of the first utterance is not found in its record")
	}
	becomes := x.fate(x.said, revised)
	if becomes != ownEvent {
		becomes += "; the event that was published stays"
	}
	add("a final result is sent again with another text", becomes)
	keyless.Key, other.Key = nil, []byte("another")
	if becomes := x.fate(other); becomes == x.fate(keyless) {
		add("a record has no key, or another one than the ID in the message", becomes+", unless `SOTTO_KEY_MISMATCH=accept`")
	} else {
		add("a record has no key", x.fate(keyless))
		add("a record has the key of another call", becomes+", in that call")
	}
	if field := x.orderField; field != "" {
		orderless := x.said
		orderless.Value = bytes.ReplaceAll(bytes.ReplaceAll(x.said.Value, []byte(`"`+field+`"`), []byte(`"none"`)), []byte(field+"="), []byte("none="))
		add("a message with a final result has no `"+field+"`", x.fate(orderless))
		add("messages arrive in another order", "events with the same numbers, by which readers sort them")
	} else {
		add("messages arrive in another order", "events are in the order of arrival")
	}
	idle := "it ends when it was idle for `SOTTO_CALL_IDLE_TIMEOUT`"
	if x.kinds[string(schemas.End)] {
		add("the end of a call is not sent", idle)
	} else {
		add("a call ends", "no message says so: "+idle+", or with [an END of yours](../vendors.md#built-in-mappings)")
	}
	return nil
}

// inBase64 is a value of JSON that may be base64.
var inBase64 = regexp.MustCompile(`"[A-Za-z0-9+/]{40,}=*"`)

// withText returns a record with another text in the place of one, which may stand there as in a form, or in base64.
func withText(value []byte, old, text string) []byte {
	value = bytes.ReplaceAll(value, []byte(old), []byte(text))
	value = bytes.ReplaceAll(value, []byte(strings.NewReplacer(" ", "+", ",", "%2C").Replace(old)), []byte(text))
	return inBase64.ReplaceAllFunc(value, func(quoted []byte) []byte {
		inside, err := base64.StdEncoding.DecodeString(string(quoted[1 : len(quoted)-1]))
		if err != nil {
			return quoted
		}
		inside = bytes.ReplaceAll(inside, []byte(old), []byte(text))
		return []byte(`"` + base64.StdEncoding.EncodeToString(inside) + `"`)
	})
}

func (s *sample) write(w io.Writer) {
	var kinds, events []string
	for _, o := range s.outcomes {
		if o.Event == nil {
			kinds = append(kinds, outcomeText(o))
			continue
		}
		kinds = append(kinds, string(o.Event.Type))
		event, err := json.Marshal(o.Event)
		if err != nil {
			panic(err) // an event is plain data
		}
		events = append(events, messageText(event))
	}
	text := messageText(s.value)
	language := "json"
	if !json.Valid(s.value) || strings.Contains(text, insideMark) {
		language = "text"
	}
	title := strings.Join(kinds, ", ")
	fmt.Fprintf(w, "\n**%s**\n\n```%s\n%s\n```\n", strings.ToUpper(title[:1])+title[1:], language, text)
	if len(events) > 0 {
		fmt.Fprintf(w, "\n```json\n%s\n```\n", strings.Join(events, "\n"))
	}
}
