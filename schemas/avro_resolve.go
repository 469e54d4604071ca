package schemas

import (
	"math"
	"unicode/utf8"
)

// maxDepth is how deeply the values of one record may be nested, in JSON or in
// Avro. The events need eight levels.
const maxDepth = 64

// value is a value as goavro decodes it, beside the writer's schema of it, which
// is never a union: the branch has been taken. A zero value is one that is not
// there, or null.
type value struct {
	node *node
	v    any
}

// decode reads a body with the writer's schema.
func (s *schema) decode(body []byte) (value, error) {
	if s.root.kind != kindRecord {
		return value{}, bad(ReasonWrongSchema)
	}
	r := avroReader{rest: body}
	budget := 1024 + 8*len(body)
	r.check(s.root, 0, &budget)
	if err := r.end(); err != nil {
		return value{}, err
	}
	v, rest, err := s.codec.NativeFromBinary(body)
	if err != nil || len(rest) > 0 {
		return value{}, bad(ReasonInvalidAvro) // err may quote the body
	}
	return resolve(s.root, v), nil
}

// resolve takes the branch of a union, which goavro gives as a map from the
// name of the branch's type to its value.
func resolve(n *node, v any) value {
	if n.kind == kindUnion {
		m, ok := v.(map[string]any)
		if !ok || len(m) != 1 {
			return value{}
		}
		for name, inner := range m {
			for _, b := range n.branches {
				if b.name == name || b.name == "" && string(b.kind) == name {
					return resolve(b, inner)
				}
			}
		}
		return value{}
	}
	if n.kind == kindNull {
		return value{}
	}
	return value{n, v}
}

func (v value) present() bool { return v.node != nil }

// fieldReader reads the fields of a record by name. The first failure stays. A
// field that is not there or null leaves the zero value, which is the default of
// every optional field.
type fieldReader struct {
	record value
	err    error
}

// fields starts reading v as a record.
func (v value) fields(err error) *fieldReader {
	if v.node.kind != kindRecord && err == nil {
		err = bad(ReasonWrongType)
	}
	return &fieldReader{record: v, err: err}
}

func (f *fieldReader) field(name string) value {
	if f.err != nil {
		return value{}
	}
	m, _ := f.record.v.(map[string]any)
	for i := range f.record.node.fields {
		if x := &f.record.node.fields[i]; x.name == name {
			return resolve(x.node, m[name])
		}
	}
	return value{}
}

func (f *fieldReader) wrong() {
	if f.err == nil {
		f.err = bad(ReasonWrongType)
	}
}

// asString reads a string, bytes (which Avro promotes) or an enum's symbol.
func (f *fieldReader) asString(v value) string {
	if !v.present() {
		return ""
	}
	var s string
	switch x := v.v.(type) {
	case string:
		s = x
	case []byte:
		if v.node.kind == kindFixed {
			f.wrong()
			return ""
		}
		s = string(x)
	default:
		f.wrong()
		return ""
	}
	if !utf8.ValidString(s) {
		if f.err == nil {
			f.err = bad(ReasonInvalidUTF8)
		}
		return ""
	}
	return s
}

func (f *fieldReader) asLong(v value) int64 {
	switch x := v.v.(type) {
	case int32:
		return int64(x)
	case int64:
		return x
	case nil:
	default:
		f.wrong()
	}
	return 0
}

func (f *fieldReader) asDouble(v value) float64 {
	switch x := v.v.(type) {
	case float32:
		return f.finite(float64(x))
	case float64:
		return f.finite(x)
	}
	return float64(f.asLong(v))
}

func (f *fieldReader) finite(x float64) float64 {
	if !isFinite(x) {
		f.wrong()
		return 0
	}
	return x
}

func (f *fieldReader) asBool(v value) bool {
	b, ok := v.v.(bool)
	if !ok && v.present() {
		f.wrong()
	}
	return b
}

// items returns what an array holds, nil for none.
func (f *fieldReader) items(v value) []value {
	if !v.present() {
		return nil
	}
	list, ok := v.v.([]any)
	if !ok {
		f.wrong()
		return nil
	}
	items := make([]value, len(list))
	for i, x := range list {
		items[i] = resolve(v.node.item, x)
	}
	return items
}

func (f *fieldReader) str(name string) string  { return f.asString(f.field(name)) }
func (f *fieldReader) long(name string) int64  { return f.asLong(f.field(name)) }
func (f *fieldReader) bool(name string) bool   { return f.asBool(f.field(name)) }
func (f *fieldReader) num(name string) float64 { return f.asDouble(f.field(name)) }

func (f *fieldReader) int(name string) int {
	v := f.long(name)
	if int64(int(v)) != v {
		f.wrong()
	}
	return int(v)
}

func (f *fieldReader) optLong(name string) *int64 {
	v := f.field(name)
	if !v.present() {
		return nil
	}
	n := f.asLong(v)
	return &n
}

func (f *fieldReader) optInt(name string) *int {
	if !f.field(name).present() {
		return nil
	}
	n := f.int(name)
	return &n
}

func (f *fieldReader) strings(name string) []string {
	var list []string
	for _, v := range f.items(f.field(name)) {
		list = append(list, f.asString(v))
	}
	return list
}

// into reads a nested record with read, if it is there.
func (f *fieldReader) into(name string, read func(*fieldReader)) {
	if v := f.field(name); v.present() {
		f.record1(v, read)
	}
}

func (f *fieldReader) record1(v value, read func(*fieldReader)) {
	if !v.present() {
		return
	}
	inner := v.fields(f.err)
	read(inner)
	f.err = inner.err
}

func (v value) rawEvent(e *RawEvent) (presence, error) {
	f := v.fields(nil)
	has := presence{seq: f.field("seq").present(), text: f.field("text").present()}
	e.CallID = f.str("call_id")
	e.Seq = f.long("seq")
	e.Type = EventType(f.str("type"))
	e.Context = f.str("context")
	e.Tenant = f.str("tenant")
	e.Speaker = f.speaker()
	e.Text = f.str("text")
	if l := f.field("lexical"); l.present() {
		s := f.asString(l)
		e.Lexical = &s
	}
	if x := f.field("final"); x.present() {
		b := f.asBool(x)
		e.Final = &b
	}
	e.Language = f.str("language")
	e.StartMS = f.optLong("start_ms")
	e.EndMS = f.optLong("end_ms")
	e.TimestampMS = f.long("timestamp_ms")
	for _, item := range f.items(f.field("participants")) {
		var p Participant
		f.record1(item, func(f *fieldReader) {
			p = Participant{
				SpeakerID:    f.str("speaker_id"),
				Names:        f.strings("names"),
				Organization: f.str("organization"),
				Emails:       f.strings("emails"),
				Phones:       f.strings("phones"),
				Other:        f.strings("other"),
			}
		})
		e.Participants = append(e.Participants, p)
	}
	return has, f.err
}

func (f *fieldReader) speaker() (s *Speaker) {
	f.into("speaker", func(f *fieldReader) {
		s = &Speaker{ID: f.str("id"), Label: f.str("label"), Role: roleOf(f.str("role"))}
	})
	return s
}

func (v value) cleanEvent(e *CleanEvent) error {
	f := v.fields(nil)
	e.CallID = f.str("call_id")
	e.Seq = f.long("seq")
	e.Type = EventType(f.str("type"))
	e.Context = f.str("context")
	e.Tenant = f.str("tenant")
	e.Speaker = f.speaker()
	e.Text = f.str("text")
	for _, item := range f.items(f.field("entities")) {
		var x Entity
		f.record1(item, func(f *fieldReader) {
			x = Entity{
				Start:    f.int("start"),
				End:      f.int("end"),
				Type:     f.str("type"),
				ID:       f.int("id"),
				RawStart: f.optInt("raw_start"),
				RawEnd:   f.optInt("raw_end"),
				Detector: f.str("detector"),
				Score:    f.num("score"),
			}
		})
		e.Entities = append(e.Entities, x)
	}
	e.Policy = f.str("policy")
	e.Strategy = f.str("strategy")
	e.Language = f.str("language")
	e.Late = f.bool("late")
	e.StartMS = f.optLong("start_ms")
	e.EndMS = f.optLong("end_ms")
	e.TimestampMS = f.long("timestamp_ms")
	f.into("call", func(f *fieldReader) {
		e.Call = &CallSummary{
			Utterances: f.long("utterances"),
			Entities:   f.counts("entities"),
			Release:    f.bool("release"),
			Reason:     f.str("reason"),
			ClosedBy:   ClosedBy(f.str("closed_by")),
		}
		e.Call.EstimatedRisk = f.estimate("estimated_risk")
	})
	return f.err
}

// estimate reads a number that may be absent.
func (f *fieldReader) estimate(name string) *float64 {
	r := f.field(name)
	if !r.present() {
		return nil
	}
	risk := f.asDouble(r)
	return &risk
}

func (f *fieldReader) counts(name string) map[string]int64 {
	v := f.field(name)
	if !v.present() {
		return nil
	}
	m, ok := v.v.(map[string]any)
	if !ok || v.node.kind != kindMap {
		f.wrong()
		return nil
	}
	counts := make(map[string]int64, len(m))
	for k, x := range m {
		counts[f.asString(value{v.node, k})] = f.asLong(resolve(v.node.item, x))
	}
	return counts
}

func (v value) auditEvent(e *AuditEvent) error {
	if err := v.cleanEvent(&e.CleanEvent); err != nil {
		return err
	}
	f := v.fields(nil)
	f.into("sampling", func(f *fieldReader) {
		e.Sampling = Sampling{
			Rate: f.num("rate"), Reason: f.str("reason"),
			EstimatedRisk: f.estimate("estimated_risk"), Missing: f.long("missing"),
		}
	})
	return f.err
}

func (v value) deadLetter(e *DeadLetter) error {
	f := v.fields(nil)
	e.Topic = f.str("topic")
	partition := f.long("partition")
	if partition < math.MinInt32 || partition > math.MaxInt32 {
		f.wrong()
	}
	e.Partition = int32(partition)
	e.Offset = f.long("offset")
	e.CallID = f.str("call_id")
	e.Reason = f.str("reason")
	e.Detail = f.str("detail")
	e.TimestampMS = f.long("timestamp_ms")
	return f.err
}
