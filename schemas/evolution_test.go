package schemas

import (
	"context"
	"encoding/binary"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"
)

// confluent writes a record with goavro and a schema of the registry.
func confluent(t *testing.T, f *memoryRegistry, text string, datum map[string]any) []byte {
	t.Helper()
	id := f.add(t, text)
	return withID(id, string(goavroBody(t, text, datum)))
}

func goavroBody(t *testing.T, text string, datum map[string]any) []byte {
	t.Helper()
	codec, err := goavro.NewCodec(text)
	if err != nil {
		t.Fatal(err)
	}
	body, err := codec.BinaryFromNative(nil, datum)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func withID(id int, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{magicConfluent}, uint32(id)), body...)
}

func rawSchema(fields ...string) string {
	return `{"type": "record", "name": "RawEvent", "namespace": "sotto.v1", "fields": [` + strings.Join(fields, ",") + `]}`
}

const (
	callIDField = `{"name": "call_id", "type": "string"}`
	seqField    = `{"name": "seq", "type": "long"}`
	typeField   = `{"name": "type", "type": "string"}`
	textField   = `{"name": "text", "type": "string"}`
)

// An older schema: fewer fields, in another order.
var (
	olderSchema = rawSchema(textField, typeField, seqField, callIDField,
		`{"name": "speaker", "type": {"type": "record", "name": "Speaker", "fields": [{"name": "label", "type": "string"}]}}`)
	olderDatum = map[string]any{"call_id": "c-1", "seq": 7, "type": "UTTERANCE", "text": "It's Pam.", "speaker": map[string]any{"label": "Pam"}}
	olderEvent = &RawEvent{CallID: "c-1", Seq: 7, Type: Utterance, Text: "It's Pam.", Speaker: &Speaker{Label: "Pam"}}
)

func TestReadsAnOlderSchemaFromTheRegistry(t *testing.T) {
	f := &memoryRegistry{}
	c := newRegistryCodec(t, f)
	got, err := c.DecodeRaw(confluent(t, f, olderSchema, olderDatum))
	if err != nil || !reflect.DeepEqual(got, olderEvent) {
		t.Errorf("got %+v (%v), want %+v", got, err, olderEvent)
	}
}

func TestReadsAnOlderSchemaFromTheHistory(t *testing.T) {
	older, err := ParseSchema(olderSchema)
	if err != nil {
		t.Fatal(err)
	}
	record := binary.LittleEndian.AppendUint64([]byte{magicSingleObject, singleObjectVersion}, older.fingerprint)
	record = append(record, goavroBody(t, olderSchema, olderDatum)...)

	c := newTestCodec(t, FormatAvro)
	_, err = c.DecodeRaw(record)
	wantReason(t, "a schema that is not in the history", err, ReasonUnknownSchema)

	withHistory := *c.families[rawEvent]
	withHistory.known = maps.Clone(withHistory.known)
	withHistory.known[older.fingerprint] = older
	c.families[rawEvent] = &withHistory
	got, err := c.DecodeRaw(record)
	if err != nil || !reflect.DeepEqual(got, olderEvent) {
		t.Errorf("got %+v (%v), want %+v", got, err, olderEvent)
	}
}

func TestHistoryIsKnown(t *testing.T) {
	for k, name := range recordNames {
		paths, err := files.ReadDir("history")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			if !strings.HasPrefix(p.Name(), name+".") {
				continue
			}
			text, err := files.ReadFile("history/" + p.Name())
			if err != nil {
				t.Fatal(err)
			}
			s, err := ParseSchema(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if families()[k].known[s.fingerprint] == nil {
				t.Errorf("%s: records of this form cannot be read", p.Name())
			}
		}
	}
}

// A newer schema of every event, with added fields of every type, at the start, in the middle and
// nested.
func TestReadsANewerSchema(t *testing.T) {
	f := &memoryRegistry{}
	c := newRegistryCodec(t, f)
	for k := range numKinds {
		t.Run(recordNames[k], func(t *testing.T) {
			const nested = `{"type":"record","name":"Added","fields":[{"name":"x","type":["null","Added"],"default":null},{"name":"text","type":"string"}]}`
			added := []string{
				`{"name":"n0","type":` + nested + `}`,
				`{"name":"n1","type":{"type":"map","values":{"type":"array","items":["null","bytes"]}}}`,
				`{"name":"n2","type":{"type":"fixed","name":"Fx","size":3}}`,
				`{"name":"n3","type":{"type":"enum","name":"En","symbols":["A","B"]}}`,
				`{"name":"n4","type":["null","boolean","int","float","double"]}`,
				`{"name":"n5","type":{"type":"int","logicalType":"date"}}`,
			}
			values := map[string]any{
				"n0": map[string]any{"x": goavro.Union("sotto.v1.Added", map[string]any{"x": nil, "text": "inner"}), "text": "outer"},
				"n1": map[string]any{"k": []any{nil, goavro.Union("bytes", []byte{0xff})}},
				"n2": []byte("abc"),
				"n3": "B",
				"n4": goavro.Union("float", float32(1.5)),
				"n5": nil, // set below: goavro wants a time for a date
			}
			text := families()[k].text
			// Every record gets the last field, the outer one the others before.
			text = strings.ReplaceAll(text, `]}],"default":null}`, `,{"name":"late_field","type":"long"}]}],"default":null}`)
			text = strings.Replace(text, `"fields":[`, `"fields":[`+strings.Join(added[:5], ",")+`,`, 1)
			newer, err := ParseSchema(text)
			if err != nil {
				t.Fatal(err)
			}
			events := [numKinds]any{sampleRaw(), sampleClean(), &AuditEvent{CleanEvent: *sampleClean(), Sampling: Sampling{Rate: 0.1, Reason: "sales"}},
				&DeadLetter{Topic: "calls.raw", Partition: 1, Offset: 2, Reason: ReasonInvalidJSON, TimestampMS: 3}}
			datum := nativeWith(t, newer.root, events[k], values)
			body, err := goavroOf(t, newer).BinaryFromNative(nil, datum)
			if err != nil {
				t.Fatal(err)
			}
			id := f.add(t, text)
			record := withID(id, string(body))
			got, err := decodeKind(c, k, record)
			if err != nil || !reflect.DeepEqual(got, events[k]) {
				t.Errorf("got  %+v (%v)\nwant %+v", got, err, events[k])
			}
		})
	}
}

// nativeWith is native for a schema that has more fields than the Go type: at
// the top they get the values given, in nested records 1.
func nativeWith(t *testing.T, n *node, event any, values map[string]any) map[string]any {
	t.Helper()
	known := *n
	known.fields = nil
	for _, f := range n.fields {
		if _, isNew := values[f.name]; !isNew {
			f.node = without(f.node, "late_field")
			known.fields = append(known.fields, f)
		}
	}
	m := native(t, &known, reflect.ValueOf(event)).(map[string]any)
	for _, f := range n.fields {
		if v, ok := values[f.name]; ok {
			m[f.name] = v
		}
	}
	addLateField(m)
	return m
}

// without is the node without a field in the records of its union.
func without(n *node, name string) *node {
	c := *n
	c.fields, c.branches = nil, nil
	for _, f := range n.fields {
		if f.name != name {
			c.fields = append(c.fields, f)
		}
	}
	for _, b := range n.branches {
		c.branches = append(c.branches, without(b, name))
	}
	return &c
}

func addLateField(m map[string]any) {
	for k, v := range m {
		inner, ok := v.(map[string]any)
		if !ok {
			continue
		}
		if rec, ok := inner[Namespace+".Speaker"].(map[string]any); ok && k == "speaker" {
			rec["late_field"] = 1
		}
		if rec, ok := inner[Namespace+".CallSummary"].(map[string]any); ok && k == "call" {
			rec["late_field"] = 1
		}
	}
}

func decodeKind(c *Codec, k eventKind, record []byte) (any, error) {
	switch k {
	case rawEvent:
		return c.DecodeRaw(record)
	case cleanEvent:
		return c.DecodeClean(record)
	case auditEvent:
		return c.DecodeAudit(record)
	default:
		return c.DecodeDeadLetter(record)
	}
}

// Schemas that other teams would write for the same event.
func TestReadsForeignSchemas(t *testing.T) {
	f := &memoryRegistry{}
	c := newRegistryCodec(t, f)
	least := map[string]any{"call_id": "c", "seq": 1, "type": "END"}
	with := func(more map[string]any) map[string]any {
		m := maps.Clone(least)
		maps.Copy(m, more)
		return m
	}
	for name, test := range map[string]struct {
		schema string
		datum  map[string]any
		want   *RawEvent
		reason string
	}{
		"another name and namespace": {
			schema: `{"type":"record","name":"CallEvent","namespace":"com.example.asr","fields":[` + callIDField + `,` + seqField + `,` + typeField + `]}`,
			datum:  least, want: &RawEvent{CallID: "c", Seq: 1, Type: End}},
		"an int is promoted": {
			schema: rawSchema(callIDField, typeField, `{"name":"seq","type":"int"}`, `{"name":"start_ms","type":"int"}`),
			datum:  with(map[string]any{"start_ms": 5}), want: &RawEvent{CallID: "c", Seq: 1, Type: End, StartMS: ptr(int64(5))}},
		"an enum is its symbol": {
			schema: rawSchema(callIDField, seqField, `{"name":"type","type":{"type":"enum","name":"T","symbols":["START","END"]}}`),
			datum:  least, want: &RawEvent{CallID: "c", Seq: 1, Type: End}},
		"a newer symbol is an unknown type": {
			schema: rawSchema(callIDField, seqField, `{"name":"type","type":{"type":"enum","name":"T","symbols":["START","HOLD"]}}`),
			datum:  with(map[string]any{"type": "HOLD"}), reason: ReasonUnknownType},
		"a newer role is an unknown one": {
			schema: rawSchema(callIDField, seqField, typeField, `{"name":"speaker","type":{"type":"record","name":"S","fields":[{"name":"role","type":{"type":"enum","name":"Ro","symbols":["AGENT","BOSS"]}}]}}`),
			datum:  with(map[string]any{"speaker": map[string]any{"role": "BOSS"}}), want: &RawEvent{CallID: "c", Seq: 1, Type: End, Speaker: &Speaker{Role: RoleUnknown}}},
		"bytes are a string": {
			schema: rawSchema(callIDField, seqField, typeField, `{"name":"text","type":"bytes"}`),
			datum:  with(map[string]any{"text": []byte("Zoë")}), want: &RawEvent{CallID: "c", Seq: 1, Type: End, Text: "Zoë"}},
		"bytes that are no UTF-8": {
			schema: rawSchema(callIDField, seqField, typeField, `{"name":"text","type":"bytes"}`),
			datum:  with(map[string]any{"text": []byte{0xff}}), reason: ReasonInvalidUTF8},
		"a fixed is no string": {
			schema: rawSchema(callIDField, seqField, typeField, `{"name":"text","type":{"type":"fixed","name":"F","size":2}}`),
			datum:  with(map[string]any{"text": []byte("ab")}), reason: ReasonWrongType},
		"unions around everything": {
			schema: rawSchema(`{"name":"call_id","type":["string","null"]}`, `{"name":"seq","type":["null","int","long"]}`, `{"name":"type","type":["string"]}`,
				`{"name":"speaker","type":[{"type":"record","name":"A","fields":[{"name":"x","type":"int"}]},{"type":"record","name":"B","fields":[{"name":"id","type":["int","string"]}]}]}`,
				`{"name":"participants","type":["null",{"type":"array","items":["null",{"type":"record","name":"P","fields":[{"name":"names","type":["null",{"type":"array","items":["null","string"]}]}]}]}]}`),
			datum: map[string]any{"call_id": goavro.Union("string", "c"), "seq": goavro.Union("int", 1), "type": goavro.Union("string", "END"),
				"speaker": goavro.Union("sotto.v1.B", map[string]any{"id": goavro.Union("string", "s1")}),
				"participants": goavro.Union("array", []any{
					goavro.Union("sotto.v1.P", map[string]any{"names": goavro.Union("array", []any{goavro.Union("string", "Pam"), nil})}),
					goavro.Union("sotto.v1.P", map[string]any{"names": nil}), nil})},
			want: &RawEvent{CallID: "c", Seq: 1, Type: End, Speaker: &Speaker{ID: "s1"},
				Participants: []Participant{{Names: []string{"Pam", ""}}, {}, {}}}},
		"a time is its number": {
			schema: rawSchema(callIDField, seqField, typeField, `{"name":"timestamp_ms","type":{"type":"long","logicalType":"timestamp-millis"}}`),
			datum:  least, want: &RawEvent{CallID: "c", Seq: 1, Type: End, TimestampMS: 1763683200000}},
		"a type by its name": {
			schema: rawSchema(callIDField, seqField, typeField, `{"name":"x","type":{"type":"record","name":"Q","fields":[{"name":"id","type":"string"}]}}`, `{"name":"speaker","type":"Q"}`),
			datum:  with(map[string]any{"x": map[string]any{"id": "no"}, "speaker": map[string]any{"id": "s1"}}), want: &RawEvent{CallID: "c", Seq: 1, Type: End, Speaker: &Speaker{ID: "s1"}}},
		"a type outside the namespace": {
			schema: rawSchema(callIDField, seqField, typeField, `{"name":"speaker","type":["null",{"type":"record","name":"Q","namespace":"","fields":[{"name":"id","type":"string"}]}]}`),
			datum:  with(map[string]any{"speaker": goavro.Union("Q", map[string]any{"id": "s1"})}), want: &RawEvent{CallID: "c", Seq: 1, Type: End, Speaker: &Speaker{ID: "s1"}}},
		"an utterance without the field text": {
			schema: rawSchema(callIDField, seqField, typeField), datum: with(map[string]any{"type": "UTTERANCE"}), reason: ReasonMissingText},
		"an utterance with null text": {
			schema: rawSchema(callIDField, seqField, typeField, `{"name":"text","type":["null","string"]}`), datum: with(map[string]any{"type": "UTTERANCE", "text": nil}), reason: ReasonMissingText},
		"no call ID":          {schema: rawSchema(seqField, typeField), datum: least, reason: ReasonMissingCallID},
		"no seq":              {schema: rawSchema(callIDField, typeField), datum: least, reason: ReasonMissingSeq},
		"no type":             {schema: rawSchema(callIDField, seqField), datum: least, reason: ReasonMissingType},
		"text is a number":    {schema: rawSchema(callIDField, seqField, typeField, `{"name":"text","type":"int"}`), datum: with(map[string]any{"text": 1}), reason: ReasonWrongType},
		"seq is a double":     {schema: rawSchema(callIDField, typeField, `{"name":"seq","type":"double"}`), datum: least, reason: ReasonWrongType},
		"final is a string":   {schema: rawSchema(callIDField, seqField, typeField, `{"name":"final","type":"string"}`), datum: with(map[string]any{"final": "no"}), reason: ReasonWrongType},
		"speaker is a string": {schema: rawSchema(callIDField, seqField, typeField, `{"name":"speaker","type":"string"}`), datum: with(map[string]any{"speaker": "Pam"}), reason: ReasonWrongType},
		"speaker is a map":    {schema: rawSchema(callIDField, seqField, typeField, `{"name":"speaker","type":{"type":"map","values":"string"}}`), datum: with(map[string]any{"speaker": map[string]any{"id": "s1"}}), reason: ReasonWrongType},
		"names is a string": {schema: rawSchema(callIDField, seqField, typeField, `{"name":"participants","type":{"type":"array","items":{"type":"record","name":"P","fields":[{"name":"names","type":"string"}]}}}`),
			datum: with(map[string]any{"participants": []any{map[string]any{"names": "Pam"}}}), reason: ReasonWrongType},
	} {
		t.Run(name, func(t *testing.T) {
			// This does not test goavro's own treatment of times and namespaces: the datum is
			// written with what ParseSchema makes of the text.
			s, err := ParseSchema(test.schema)
			if err != nil {
				t.Fatal(err)
			}
			datum := test.datum
			switch name {
			case "a time is its number":
				datum = with(map[string]any{"timestamp_ms": 1763683200000})
			case "a type outside the namespace":
				datum = with(map[string]any{"speaker": goavro.Union("sotto.v1.Q", map[string]any{"id": "s1"})})
			}
			body, err := goavroOf(t, s).BinaryFromNative(nil, datum)
			if err != nil {
				t.Fatal(err)
			}
			id := f.add(t, test.schema)
			got, err := c.DecodeRaw(withID(id, string(body)))
			if test.reason != "" {
				wantReason(t, name, err, test.reason)
				return
			}
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v (%v)\nwant %+v", got, err, test.want)
			}
		})
	}
}

func TestReadsForeignCleanEvents(t *testing.T) {
	f := &memoryRegistry{}
	c := newRegistryCodec(t, f)
	schema := func(call, entity string) string {
		return `{"type":"record","name":"C","fields":[` + callIDField + `,` + typeField + `,
			{"name":"call","type":["null",{"type":"record","name":"Sum","fields":[` + call + `]}]},
			{"name":"entities","type":["null",{"type":"array","items":{"type":"record","name":"En","fields":[` + entity + `]}}]}]}`
	}
	datum := func(call, entity map[string]any) map[string]any {
		return map[string]any{"call_id": "c", "type": "END", "call": goavro.Union("Sum", call), "entities": goavro.Union("array", []any{entity})}
	}
	text := schema(`{"name":"estimated_risk","type":"float"},{"name":"entities","type":{"type":"map","values":["null","int"]}}`,
		`{"name":"score","type":"int"},{"name":"raw_start","type":"int"}`)
	got, err := c.DecodeClean(confluent(t, f, text, datum(map[string]any{"estimated_risk": float32(0.5), "entities": map[string]any{"SSN": goavro.Union("int", 2), "DATE": nil}},
		map[string]any{"score": 1, "raw_start": 3})))
	want := &CleanEvent{CallID: "c", Type: End, Entities: []Entity{{Score: 1, RawStart: ptr(3)}},
		Call: &CallSummary{EstimatedRisk: ptr(0.5), Entities: map[string]int64{"SSN": 2, "DATE": 0}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	for name, test := range map[string]struct {
		call, entity  string
		callV, entryV map[string]any
	}{
		"a risk that is not finite": {`{"name":"estimated_risk","type":"float"}`, ``, map[string]any{"estimated_risk": float32(math.Inf(1))}, map[string]any{}},
		"a score that is no number": {``, `{"name":"score","type":"double"}`, map[string]any{}, map[string]any{"score": math.NaN()}},
		"a score that is a text":    {``, `{"name":"score","type":"string"}`, map[string]any{}, map[string]any{"score": "1"}},
		"counts that are a record":  {`{"name":"entities","type":{"type":"record","name":"X","fields":[]}}`, ``, map[string]any{"entities": map[string]any{}}, map[string]any{}},
		"counts that are texts":     {`{"name":"entities","type":{"type":"map","values":"string"}}`, ``, map[string]any{"entities": map[string]any{"SSN": "2"}}, map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.DecodeClean(confluent(t, f, schema(test.call, test.entity), datum(test.callV, test.entryV)))
			wantReason(t, name, err, ReasonWrongType)
		})
	}
	dead := `{"type":"record","name":"D","fields":[{"name":"partition","type":"long"}]}`
	_, err = c.DecodeDeadLetter(confluent(t, f, dead, map[string]any{"partition": int64(1) << 31}))
	wantReason(t, "a partition out of range", err, ReasonWrongType)
}

// A topic that changes its encoding holds records of both.
func TestEveryCodecReadsEveryEncoding(t *testing.T) {
	f := &memoryRegistry{}
	var records [][]byte
	for _, w := range []Options{{Format: FormatJSON}, {Format: FormatAvro}, {Registry: f, Topics: testTopics}} {
		c, err := NewCodec(context.Background(), w)
		if err != nil {
			t.Fatal(err)
		}
		record, err := c.AppendRaw(nil, sampleRaw())
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	for _, r := range []Options{{Format: FormatJSON, Registry: f}, {Registry: f, Topics: testTopics}, {Format: FormatAvro}} {
		c, err := NewCodec(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for i, record := range records {
			if r.Registry == nil && record[0] == magicConfluent {
				continue // TestDecodeAvroReasons
			}
			got, err := c.DecodeRaw(record)
			if err != nil || !reflect.DeepEqual(got, sampleRaw()) {
				t.Errorf("record %d: %+v, %v", i, got, err)
			}
		}
	}
}
