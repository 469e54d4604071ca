package schemas

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

// The functions of this file write the bodies of our own, current schemas, field
// by field in the order of the .avsc files. Tests hold them against goavro, which
// would want a map built for every record.

func appendRawAvro(b []byte, e *RawEvent) []byte {
	b = appendString(b, e.CallID)
	b = appendLong(b, e.Seq)
	b = appendString(b, string(e.Type))
	b = appendOptString(b, e.Context)
	b = appendOptString(b, e.Tenant)
	b = appendSpeaker(b, e.Speaker)
	if e.Text != "" || e.Type == Utterance {
		// An utterance with empty text is not one without text.
		b = appendString(appendLong(b, 1), e.Text)
	} else {
		b = appendLong(b, 0)
	}
	if e.Lexical == nil {
		b = appendLong(b, 0)
	} else {
		b = appendString(appendLong(b, 1), *e.Lexical)
	}
	if e.Final == nil {
		b = appendLong(b, 0)
	} else {
		b = appendBool(appendLong(b, 1), *e.Final)
	}
	b = appendOptString(b, e.Language)
	b = appendOptLong(b, e.StartMS)
	b = appendOptLong(b, e.EndMS)
	b = appendLongOrNull(b, e.TimestampMS)
	if len(e.Participants) > 0 {
		b = appendLong(b, int64(len(e.Participants)))
		for i := range e.Participants {
			p := &e.Participants[i]
			b = appendOptString(b, p.SpeakerID)
			b = appendStrings(b, p.Names)
			b = appendOptString(b, p.Organization)
			b = appendStrings(b, p.Emails)
			b = appendStrings(b, p.Phones)
			b = appendStrings(b, p.Other)
		}
	}
	return appendLong(b, 0)
}

func appendCleanAvro(b []byte, e *CleanEvent) []byte {
	b = appendString(b, e.CallID)
	b = appendLong(b, e.Seq)
	b = appendString(b, string(e.Type))
	b = appendOptString(b, e.Context)
	b = appendOptString(b, e.Tenant)
	b = appendSpeaker(b, e.Speaker)
	b = appendString(b, e.Text)
	if len(e.Entities) > 0 {
		b = appendLong(b, int64(len(e.Entities)))
		for i := range e.Entities {
			x := &e.Entities[i]
			b = appendLong(b, int64(x.Start))
			b = appendLong(b, int64(x.End))
			b = appendString(b, x.Type)
			b = appendLongOrNull(b, int64(x.ID))
			b = appendOptInt(b, x.RawStart)
			b = appendOptInt(b, x.RawEnd)
			b = appendOptString(b, x.Detector)
			b = appendDouble(b, x.Score)
		}
	}
	b = appendLong(b, 0)
	b = appendString(b, e.Policy)
	b = appendString(b, e.Strategy)
	b = appendOptString(b, e.Language)
	b = appendBool(b, e.Late)
	b = appendOptLong(b, e.StartMS)
	b = appendOptLong(b, e.EndMS)
	b = appendLongOrNull(b, e.TimestampMS)
	if e.Call == nil {
		return appendLong(b, 0)
	}
	b = appendLong(b, 1)
	b = appendLong(b, e.Call.Utterances)
	if len(e.Call.Entities) > 0 {
		b = appendLong(b, int64(len(e.Call.Entities)))
		for _, k := range slices.Sorted(maps.Keys(e.Call.Entities)) {
			b = appendLong(appendString(b, k), e.Call.Entities[k])
		}
	}
	b = appendLong(b, 0)
	if e.Call.EstimatedRisk == nil {
		b = appendLong(b, 0)
	} else {
		b = appendDouble(appendLong(b, 1), *e.Call.EstimatedRisk)
	}
	b = appendBool(b, e.Call.Release)
	b = appendOptString(b, e.Call.Reason)
	return appendOptString(b, string(e.Call.ClosedBy))
}

func appendAuditAvro(b []byte, e *AuditEvent) []byte {
	b = appendCleanAvro(b, &e.CleanEvent)
	b = appendDouble(b, e.Sampling.Rate)
	b = appendString(b, e.Sampling.Reason)
	if e.Sampling.EstimatedRisk == nil {
		b = appendLong(b, 0)
	} else {
		b = appendDouble(appendLong(b, 1), *e.Sampling.EstimatedRisk)
	}
	return appendLong(b, e.Sampling.Missing)
}

func appendDeadLetterAvro(b []byte, e *DeadLetter) []byte {
	b = appendString(b, e.Topic)
	b = appendLong(b, int64(e.Partition))
	b = appendLong(b, e.Offset)
	b = appendOptString(b, e.CallID)
	b = appendString(b, e.Reason)
	b = appendOptString(b, e.Detail)
	return appendLong(b, e.TimestampMS)
}

func appendSpeaker(b []byte, s *Speaker) []byte {
	if s == nil {
		return appendLong(b, 0)
	}
	b = appendString(appendLong(b, 1), s.ID)
	b = appendOptString(b, s.Label)
	return appendOptString(b, string(s.Role))
}

// appendLong writes Avro's int or long: zigzag, then base 128.
func appendLong(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendDouble(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		// As encoding/json does it: one U+FFFD for each bad byte.
		s = string([]rune(s))
	}
	b = appendLong(b, int64(len(s)))
	return append(b, s...)
}

// appendOptString writes ["null", "string"]. Empty is null, since the Go types
// do not tell the two apart.
func appendOptString(b []byte, s string) []byte {
	if s == "" {
		return appendLong(b, 0)
	}
	return appendString(appendLong(b, 1), s)
}

func appendOptLong(b []byte, v *int64) []byte {
	if v == nil {
		return appendLong(b, 0)
	}
	return appendLong(appendLong(b, 1), *v)
}

func appendOptInt(b []byte, v *int) []byte {
	if v == nil {
		return appendLong(b, 0)
	}
	return appendLong(appendLong(b, 1), int64(*v))
}

// appendLongOrNull writes ["null", "long"] with 0 as null.
func appendLongOrNull(b []byte, v int64) []byte {
	if v == 0 {
		return appendLong(b, 0)
	}
	return appendLong(appendLong(b, 1), v)
}

func appendStrings(b []byte, list []string) []byte {
	if len(list) > 0 {
		b = appendLong(b, int64(len(list)))
		for _, s := range list {
			b = appendString(b, s)
		}
	}
	return appendLong(b, 0)
}
