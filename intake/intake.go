// Package intake decides which raw events enter the engine, and with which metadata. The stream,
// files and the HTTP server apply the same rules. It looks at the fields around the text only; the
// text is the engine's.
package intake

import (
	"sotto/schemas"
)

// Rules are everything that is decided about a raw event before it enters the engine.
type Rules struct {
	Limits   Limits
	Metadata Metadata
}

// Admit returns the reason why an event is refused, "" if it is not. It normalizes the metadata of an
// event that is not refused for the length of its call ID. See Metadata.Normalize for received.
func (r *Rules) Admit(e *schemas.RawEvent, received int64) (reason string) {
	if reason = r.Limits.Exceeded(e); reason == "" {
		reason = r.Metadata.Exceeded(e)
	}
	if reason != CallIDTooLong {
		r.Metadata.Normalize(e, received)
	}
	return reason
}

// Limits bound the free-form fields of a raw event, in bytes unless stated otherwise. An event that
// exceeds one is refused, because what is kept and written of a call grows with them.
type Limits struct {
	CallID, Context, Tenant, Language int
	// Speaker bounds the ID and the label of a speaker.
	Speaker int
	// Participants is a number of participants, Values that of the values of one participant,
	// and Value the size of a value or of a participant's speaker ID.
	Participants, Values, Value int
	// Text bounds the text and its unformatted form.
	Text int
}

// Reasons of a refusal: a fixed set, for dead letters and metric labels.
const (
	CallIDTooLong       = "call_id_too_long"
	ContextTooLong      = "context_too_long"
	TenantTooLong       = "tenant_too_long"
	LanguageTooLong     = "language_too_long"
	SpeakerTooLong      = "speaker_too_long"
	TooManyParticipants = "too_many_participants"
	TooManyValues       = "too_many_participant_values"
	ValueTooLong        = "participant_value_too_long"
	TextTooLong         = "text_too_long"
)

// Details explain the reasons. They are constants: nothing of an event gets into them.
var Details = map[string]string{
	CallIDTooLong:       "call_id is longer than SOTTO_MAX_CALL_ID_BYTES",
	ContextTooLong:      "context is longer than SOTTO_MAX_CONTEXT_BYTES",
	TenantTooLong:       "tenant is longer than SOTTO_MAX_TENANT_BYTES",
	LanguageTooLong:     "language is longer than SOTTO_MAX_LANGUAGE_BYTES",
	SpeakerTooLong:      "the speaker's ID or label is longer than SOTTO_MAX_SPEAKER_BYTES",
	TooManyParticipants: "the event has more participants than SOTTO_MAX_PARTICIPANTS",
	TooManyValues:       "a participant has more values than SOTTO_MAX_PARTICIPANT_VALUES",
	ValueTooLong:        "a value of a participant is longer than SOTTO_MAX_PARTICIPANT_VALUE_BYTES",
	SeqOutOfRange:       "seq is out of the range of SOTTO_MAX_SEQ",
	TextTooLong:         "the text or its unformatted form is longer than SOTTO_MAX_TEXT_BYTES",
}

// Exceeded returns the reason why an event is refused, "" if it is within the limits.
func (l *Limits) Exceeded(e *schemas.RawEvent) string {
	switch {
	case len(e.CallID) > l.CallID:
		return CallIDTooLong
	case len(e.Context) > l.Context:
		return ContextTooLong
	case len(e.Tenant) > l.Tenant:
		return TenantTooLong
	case len(e.Language) > l.Language:
		return LanguageTooLong
	case e.Speaker != nil && (len(e.Speaker.ID) > l.Speaker || len(e.Speaker.Label) > l.Speaker):
		return SpeakerTooLong
	case len(e.Text) > l.Text || e.Lexical != nil && len(*e.Lexical) > l.Text:
		return TextTooLong
	case len(e.Participants) > l.Participants:
		return TooManyParticipants
	}
	for i := range e.Participants {
		if reason := l.participant(&e.Participants[i]); reason != "" {
			return reason
		}
	}
	return ""
}

func (l *Limits) participant(p *schemas.Participant) string {
	if len(p.SpeakerID) > l.Value || len(p.Organization) > l.Value {
		return ValueTooLong
	}
	n := 0
	if p.Organization != "" {
		n = 1
	}
	for _, list := range [][]string{p.Names, p.Emails, p.Phones, p.Other} {
		if n += len(list); n > l.Values {
			return TooManyValues
		}
		for _, v := range list {
			if len(v) > l.Value {
				return ValueTooLong
			}
		}
	}
	return ""
}
