package schemas

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The functions of this file write what encoding/json writes for the same event
// without HTML escaping, byte for byte, with three deliberate differences: the
// text of an utterance is written even when it is empty, and absent entities
// are written as empty ones and not as null. Tests hold the two against each
// other.

// isFinite is false for NaN and the infinities.
func isFinite(f float64) bool { return f-f == 0 }

// finite tells whether every number of the event is.
func finite(e *CleanEvent) bool {
	for i := range e.Entities {
		if !isFinite(e.Entities[i].Score) {
			return false
		}
	}
	return e.Call == nil || e.Call.EstimatedRisk == nil || isFinite(*e.Call.EstimatedRisk)
}

func appendRawJSON(b []byte, e *RawEvent) []byte {
	b = append(b, `{"call_id":`...)
	b = appendQuoted(b, e.CallID)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = append(b, `,"type":`...)
	b = appendQuoted(b, string(e.Type))
	b = appendStringField(b, `,"context":`, e.Context)
	b = appendStringField(b, `,"tenant":`, e.Tenant)
	b = appendSpeakerField(b, e.Speaker)
	if e.Type == Utterance {
		b = append(b, `,"text":`...)
		b = appendQuoted(b, e.Text)
	} else {
		b = appendStringField(b, `,"text":`, e.Text)
	}
	if e.Lexical != nil {
		b = append(b, `,"lexical":`...)
		b = appendQuoted(b, *e.Lexical)
	}
	if e.Final != nil {
		b = append(b, `,"final":`...)
		b = strconv.AppendBool(b, *e.Final)
	}
	b = appendStringField(b, `,"language":`, e.Language)
	b = appendTimes(b, e.StartMS, e.EndMS, e.TimestampMS)
	if len(e.Participants) > 0 {
		b = append(b, `,"participants":[`...)
		for i := range e.Participants {
			p := &e.Participants[i]
			if i > 0 {
				b = append(b, ',')
			}
			start := len(b)
			b = appendStringField(b, `,"speaker_id":`, p.SpeakerID)
			b = appendStringsField(b, `,"names":[`, p.Names)
			b = appendStringField(b, `,"organization":`, p.Organization)
			b = appendStringsField(b, `,"emails":[`, p.Emails)
			b = appendStringsField(b, `,"phones":[`, p.Phones)
			b = appendStringsField(b, `,"other":[`, p.Other)
			b = closeObject(b, start)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendCleanJSON leaves the object open.
func appendCleanJSON(b []byte, e *CleanEvent) []byte {
	b = append(b, `{"call_id":`...)
	b = appendQuoted(b, e.CallID)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = append(b, `,"type":`...)
	b = appendQuoted(b, string(e.Type))
	b = appendStringField(b, `,"context":`, e.Context)
	b = appendStringField(b, `,"tenant":`, e.Tenant)
	b = appendSpeakerField(b, e.Speaker)
	b = append(b, `,"text":`...)
	b = appendQuoted(b, e.Text)
	b = append(b, `,"entities":[`...)
	for i := range e.Entities {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendEntity(b, &e.Entities[i])
	}
	b = append(b, `],"policy":`...)
	b = appendQuoted(b, e.Policy)
	b = append(b, `,"strategy":`...)
	b = appendQuoted(b, e.Strategy)
	b = appendStringField(b, `,"language":`, e.Language)
	if e.Late {
		b = append(b, `,"late":true`...)
	}
	b = appendTimes(b, e.StartMS, e.EndMS, e.TimestampMS)
	if e.Call != nil {
		b = appendCall(append(b, `,"call":`...), e.Call)
	}
	return b
}

func appendEntity(b []byte, x *Entity) []byte {
	b = append(b, `{"start":`...)
	b = strconv.AppendInt(b, int64(x.Start), 10)
	b = append(b, `,"end":`...)
	b = strconv.AppendInt(b, int64(x.End), 10)
	b = append(b, `,"type":`...)
	b = appendQuoted(b, x.Type)
	if x.ID != 0 {
		b = append(b, `,"id":`...)
		b = strconv.AppendInt(b, int64(x.ID), 10)
	}
	if x.RawStart != nil {
		b = append(b, `,"raw_start":`...)
		b = strconv.AppendInt(b, int64(*x.RawStart), 10)
	}
	if x.RawEnd != nil {
		b = append(b, `,"raw_end":`...)
		b = strconv.AppendInt(b, int64(*x.RawEnd), 10)
	}
	b = appendStringField(b, `,"detector":`, x.Detector)
	b = append(b, `,"score":`...)
	b = appendFloat(b, x.Score)
	return append(b, '}')
}

func appendCall(b []byte, s *CallSummary) []byte {
	b = append(b, `{"utterances":`...)
	b = strconv.AppendInt(b, s.Utterances, 10)
	b = append(b, `,"entities":{`...)
	for i, k := range slices.Sorted(maps.Keys(s.Entities)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, k)
		b = append(b, ':')
		b = strconv.AppendInt(b, s.Entities[k], 10)
	}
	b = append(b, '}')
	if s.EstimatedRisk != nil {
		b = append(b, `,"estimated_risk":`...)
		b = appendFloat(b, *s.EstimatedRisk)
	}
	b = append(b, `,"release":`...)
	b = strconv.AppendBool(b, s.Release)
	b = appendStringField(b, `,"reason":`, s.Reason)
	b = appendStringField(b, `,"closed_by":`, string(s.ClosedBy))
	return append(b, '}')
}

func appendAuditJSON(b []byte, e *AuditEvent) []byte {
	b = appendCleanJSON(b, &e.CleanEvent)
	b = append(b, `,"sampling":{"rate":`...)
	b = appendFloat(b, e.Sampling.Rate)
	b = append(b, `,"reason":`...)
	b = appendQuoted(b, e.Sampling.Reason)
	if e.Sampling.EstimatedRisk != nil {
		b = append(b, `,"estimated_risk":`...)
		b = appendFloat(b, *e.Sampling.EstimatedRisk)
	}
	if e.Sampling.Missing != 0 {
		b = append(b, `,"missing":`...)
		b = strconv.AppendInt(b, e.Sampling.Missing, 10)
	}
	return append(b, "}}"...)
}

func appendDeadLetterJSON(b []byte, e *DeadLetter) []byte {
	b = append(b, `{"topic":`...)
	b = appendQuoted(b, e.Topic)
	b = append(b, `,"partition":`...)
	b = strconv.AppendInt(b, int64(e.Partition), 10)
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, e.Offset, 10)
	b = appendStringField(b, `,"call_id":`, e.CallID)
	b = append(b, `,"reason":`...)
	b = appendQuoted(b, e.Reason)
	b = appendStringField(b, `,"detail":`, e.Detail)
	b = append(b, `,"timestamp_ms":`...)
	b = strconv.AppendInt(b, e.TimestampMS, 10)
	return append(b, '}')
}

func appendSpeakerField(b []byte, s *Speaker) []byte {
	if s == nil {
		return b
	}
	b = append(b, `,"speaker":{"id":`...)
	b = appendQuoted(b, s.ID)
	b = appendStringField(b, `,"label":`, s.Label)
	b = appendStringField(b, `,"role":`, string(s.Role))
	return append(b, '}')
}

func appendTimes(b []byte, start, end *int64, timestamp int64) []byte {
	if start != nil {
		b = append(b, `,"start_ms":`...)
		b = strconv.AppendInt(b, *start, 10)
	}
	if end != nil {
		b = append(b, `,"end_ms":`...)
		b = strconv.AppendInt(b, *end, 10)
	}
	if timestamp != 0 {
		b = append(b, `,"timestamp_ms":`...)
		b = strconv.AppendInt(b, timestamp, 10)
	}
	return b
}

// appendStringField writes the field unless it is empty.
func appendStringField(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return appendQuoted(append(b, name...), s)
}

func appendStringsField(b []byte, name string, list []string) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, name...)
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, s)
	}
	return append(b, ']')
}

// closeObject closes an object all of whose fields are optional and begin with
// a comma: the first comma becomes the brace.
func closeObject(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{'
	return append(b, '}')
}

const hexDigits = "0123456789abcdef"

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0 // of what is not yet written
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		var r rune
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			switch {
			case c < ' ':
				b = append(b, `\u00`...)
				b = append(b, hexDigits[c>>4], hexDigits[c&0xF])
			case r == utf8.RuneError:
				b = append(b, `\ufffd`...)
			default:
				// Line and paragraph separator, which end a line in
				// older JavaScript.
				b = append(b, `\u202`...)
				b = append(b, hexDigits[r&0xF])
			}
		}
		i += size
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// appendFloat writes a number as ECMAScript does, which is what encoding/json
// follows.
func appendFloat(b []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		b = strconv.AppendFloat(b, f, 'e', -1, 64)
		// e-09 is written e-9.
		if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
			b[n-2] = b[n-1]
			b = b[:n-1]
		}
		return b
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}
