package schemas

import (
	"reflect"
	"strings"

	"github.com/linkedin/goavro/v2"
	"pgregory.net/rapid"
)

// Generators of events. They make what decoding gives back: an empty list is
// nil, and a role is one that is known.

func genText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "Pam", "Zoë", "\"quoted\" \\ /", "a\u2028b\u2029", "\x00\x1f\x7f", "<&>", "😀", "\ufffd", "line\r\n\tnext\b\f"}),
	)
}

func genWord() *rapid.Generator[string] {
	return rapid.OneOf(genText(), rapid.SampledFrom([]string{"customer_support", "sales", "en-US"}))
}

func genOpt[T any](g *rapid.Generator[T]) *rapid.Generator[*T] { return rapid.Ptr(g, true) }

func genList[T any](g *rapid.Generator[T]) *rapid.Generator[[]T] {
	return rapid.Custom(func(t *rapid.T) []T {
		if list := rapid.SliceOfN(g, 0, 4).Draw(t, "list"); len(list) > 0 {
			return list
		}
		return nil
	})
}

func genSpeaker() *rapid.Generator[*Speaker] {
	return genOpt(rapid.Custom(func(t *rapid.T) Speaker {
		return Speaker{
			ID:    genText().Draw(t, "id"),
			Label: genText().Draw(t, "label"),
			Role:  rapid.SampledFrom([]Role{"", RoleAgent, RoleCustomer, RoleUnknown}).Draw(t, "role"),
		}
	}))
}

func genType() *rapid.Generator[EventType] {
	return rapid.SampledFrom([]EventType{Start, Utterance, End})
}

func genID() *rapid.Generator[string] {
	return genText().Filter(func(s string) bool { return s != "" })
}

func genRaw() *rapid.Generator[*RawEvent] {
	return rapid.Custom(func(t *rapid.T) *RawEvent {
		return &RawEvent{
			CallID:      genID().Draw(t, "call_id"),
			Seq:         rapid.Int64().Draw(t, "seq"),
			Type:        genType().Draw(t, "type"),
			Context:     genWord().Draw(t, "context"),
			Tenant:      genText().Draw(t, "tenant"),
			Speaker:     genSpeaker().Draw(t, "speaker"),
			Text:        genText().Draw(t, "text"),
			Lexical:     genOpt(genText()).Draw(t, "lexical"),
			Final:       genOpt(rapid.Bool()).Draw(t, "final"),
			Language:    genWord().Draw(t, "language"),
			StartMS:     genOpt(rapid.Int64()).Draw(t, "start_ms"),
			EndMS:       genOpt(rapid.Int64()).Draw(t, "end_ms"),
			TimestampMS: rapid.Int64().Draw(t, "timestamp_ms"),
			Participants: genList(rapid.Custom(func(t *rapid.T) Participant {
				return Participant{
					SpeakerID:    genText().Draw(t, "speaker_id"),
					Names:        genList(genText()).Draw(t, "names"),
					Organization: genText().Draw(t, "organization"),
					Emails:       genList(genText()).Draw(t, "emails"),
					Phones:       genList(genText()).Draw(t, "phones"),
					Other:        genList(genText()).Draw(t, "other"),
				}
			})).Draw(t, "participants"),
		}
	})
}

func genFloat() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 0.02, 1e-7, 1e21, 123456789})).
		Filter(isFinite)
}

func genClean() *rapid.Generator[*CleanEvent] {
	return rapid.Custom(func(t *rapid.T) *CleanEvent {
		return &CleanEvent{
			CallID:  genID().Draw(t, "call_id"),
			Seq:     rapid.Int64().Draw(t, "seq"),
			Type:    genType().Draw(t, "type"),
			Context: genWord().Draw(t, "context"),
			Tenant:  genText().Draw(t, "tenant"),
			Speaker: genSpeaker().Draw(t, "speaker"),
			Text:    genText().Draw(t, "text"),
			Entities: genList(rapid.Custom(func(t *rapid.T) Entity {
				return Entity{
					Start:    rapid.Int().Draw(t, "start"),
					End:      rapid.Int().Draw(t, "end"),
					Type:     genText().Draw(t, "type"),
					ID:       rapid.Int().Draw(t, "id"),
					RawStart: genOpt(rapid.Int()).Draw(t, "raw_start"),
					RawEnd:   genOpt(rapid.Int()).Draw(t, "raw_end"),
					Detector: genText().Draw(t, "detector"),
					Score:    genFloat().Draw(t, "score"),
				}
			})).Draw(t, "entities"),
			Policy:      genText().Draw(t, "policy"),
			Strategy:    genText().Draw(t, "strategy"),
			Language:    genWord().Draw(t, "language"),
			Late:        rapid.Bool().Draw(t, "late"),
			StartMS:     genOpt(rapid.Int64()).Draw(t, "start_ms"),
			EndMS:       genOpt(rapid.Int64()).Draw(t, "end_ms"),
			TimestampMS: rapid.Int64().Draw(t, "timestamp_ms"),
			Call: genOpt(rapid.Custom(func(t *rapid.T) CallSummary {
				return CallSummary{
					Utterances:    rapid.Int64().Draw(t, "utterances"),
					Entities:      rapid.MapOfN(genText(), rapid.Int64(), 0, 4).Draw(t, "counts"),
					EstimatedRisk: genOpt(genFloat()).Draw(t, "risk"),
					Release:       rapid.Bool().Draw(t, "release"),
					Reason:        genText().Draw(t, "reason"),
					ClosedBy:      rapid.SampledFrom([]ClosedBy{"", ClosedByEnd, ClosedByIdle}).Draw(t, "closed_by"),
				}
			})).Draw(t, "call"),
		}
	})
}

func genAudit() *rapid.Generator[*AuditEvent] {
	return rapid.Custom(func(t *rapid.T) *AuditEvent {
		return &AuditEvent{
			CleanEvent: *genClean().Draw(t, "clean"),
			Sampling: Sampling{
				Rate: genFloat().Draw(t, "rate"), Reason: genText().Draw(t, "reason"),
				EstimatedRisk: genOpt(genFloat()).Draw(t, "estimated_risk"), Missing: rapid.Int64().Draw(t, "missing"),
			},
		}
	})
}

func genDeadLetter() *rapid.Generator[*DeadLetter] {
	return rapid.Custom(func(t *rapid.T) *DeadLetter {
		return &DeadLetter{
			Topic:       genText().Draw(t, "topic"),
			Partition:   rapid.Int32().Draw(t, "partition"),
			Offset:      rapid.Int64().Draw(t, "offset"),
			CallID:      genText().Draw(t, "call_id"),
			Reason:      genText().Draw(t, "reason"),
			Detail:      genText().Draw(t, "detail"),
			TimestampMS: rapid.Int64().Draw(t, "timestamp_ms"),
		}
	})
}

// normal takes away the difference between an empty list or map and none.
func (e CleanEvent) normal() CleanEvent {
	if len(e.Entities) == 0 {
		e.Entities = nil
	}
	if e.Call != nil && len(e.Call.Entities) == 0 {
		call := *e.Call
		call.Entities = nil
		e.Call = &call
	}
	return e
}

func (e AuditEvent) normal() AuditEvent {
	e.CleanEvent = e.CleanEvent.normal()
	return e
}

// failer is what a helper needs of a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// native turns an event, or a part of one, into what goavro encodes with the
// schema, going by the JSON names. It is written against the schema and knows
// nothing of our encoders.
func native(t failer, n *node, v reflect.Value) any {
	if v.Kind() == reflect.Pointer && n.kind != kindUnion {
		v = v.Elem()
	}
	switch n.kind {
	case kindUnion:
		branch := n.branches[1]
		name := branch.name
		if name == "" {
			name = string(branch.kind)
		}
		if v.IsZero() {
			return nil
		}
		return goavro.Union(name, native(t, branch, v))
	case kindRecord:
		m := map[string]any{}
		for _, f := range n.fields {
			m[f.name] = native(t, f.node, fieldByJSONName(t, v, f.name))
		}
		// The one field whose presence is not in the Go value.
		if e, ok := v.Interface().(RawEvent); ok && e.Type == Utterance {
			m["text"] = goavro.Union("string", e.Text)
		}
		return m
	case kindArray:
		list := []any{}
		for i := range v.Len() {
			list = append(list, native(t, n.item, v.Index(i)))
		}
		return list
	case kindMap:
		m := map[string]any{}
		for _, k := range v.MapKeys() {
			m[k.String()] = native(t, n.item, v.MapIndex(k))
		}
		return m
	case kindString:
		return v.String()
	case kindBoolean:
		return v.Bool()
	case kindDouble:
		return v.Float()
	case kindInt, kindLong:
		return v.Int()
	}
	t.Fatalf("no native form of %s", n.kind)
	return nil
}

func fieldByJSONName(t failer, v reflect.Value, name string) reflect.Value {
	for _, f := range reflect.VisibleFields(v.Type()) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return v.FieldByIndex(f.Index)
		}
	}
	t.Fatalf("%s has no field %s", v.Type(), name)
	return reflect.Value{}
}
