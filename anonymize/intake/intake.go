// Package intake decides which raw events enter the engine, and with which metadata. The stream,
// files and the HTTP server apply the same rules. It looks at the fields around the text only; the
// text is the engine's.
package intake

import (
	"sotto/schemas"
)

// MappingSuffix ends the name of a mapping's file in the policy folder; see package mapping.
const MappingSuffix = ".mapping.yaml"

// Rules are everything that is decided about a raw event before it enters the engine.
type Rules struct {
	// MaxText bounds the bytes of the text and of its unformatted form.
	MaxText int
	// MaxSeq bounds sequence numbers, so that they cannot carry a longer number.
	MaxSeq   int64
	Metadata Metadata
}

// Admit returns the reason why an event is refused, "" if it is not. It normalizes the metadata of an
// event that is not refused for the length of its call ID. See Metadata.Normalize for received.
func (r *Rules) Admit(e *schemas.RawEvent, received int64) (reason string) {
	if reason = r.exceeded(e); reason != CallIDTooLong {
		r.Metadata.Normalize(e, received)
	}
	return reason
}

// The limits of the other free-form fields of a raw event, in bytes unless stated otherwise. An event
// that exceeds one is refused, because what is kept and written of a call grows with them.
const (
	MaxCallID       = 256
	maxContext      = 2 * schemas.MaxContext // of a longer one than MaxContext, nothing passes
	maxTenant       = schemas.MaxTenant
	maxLanguage     = schemas.MaxLanguage
	maxSpeaker      = 256 // a speaker's ID, and the label
	maxParticipants = 64  // participants
	maxValues       = 32  // values of a participant
	maxValue        = 256 // a value, and a participant's speaker ID
)

// Reasons of a refusal: a fixed set, for dead letters and metric labels.
var (
	CallIDTooLong       = schemas.Reason("call_id_too_long", "call_id is longer than %d bytes", MaxCallID)
	ContextTooLong      = schemas.Reason("context_too_long", "context is longer than %d bytes", maxContext)
	TenantTooLong       = schemas.Reason("tenant_too_long", "tenant is longer than %d bytes", maxTenant)
	LanguageTooLong     = schemas.Reason("language_too_long", "language is longer than %d bytes", maxLanguage)
	SpeakerTooLong      = schemas.Reason("speaker_too_long", "the speaker's ID or label is longer than %d bytes", maxSpeaker)
	TooManyParticipants = schemas.Reason("too_many_participants", "the event has more than %d participants", maxParticipants)
	TooManyValues       = schemas.Reason("too_many_participant_values", "a participant has more than %d values", maxValues)
	ValueTooLong        = schemas.Reason("participant_value_too_long", "a value of a participant is longer than %d bytes", maxValue)
	TextTooLong         = schemas.Reason("text_too_long", "the text or its unformatted form is longer than SOTTO_MAX_TEXT_BYTES")
	KeyMismatch         = schemas.Reason("key_mismatch", "the record's key is not its call_id, so the call may be split over partitions; see SOTTO_KEY_MISMATCH")
	RecordTooLarge      = schemas.Reason("record_too_large", "the record is larger than any event whose text has SOTTO_MAX_TEXT_BYTES")
	SeqOutOfRange       = schemas.Reason("seq_out_of_range", "seq is out of the range of SOTTO_MAX_SEQ")
)

func (r *Rules) exceeded(e *schemas.RawEvent) string {
	switch {
	case len(e.CallID) > MaxCallID:
		return CallIDTooLong
	case len(e.Context) > maxContext:
		return ContextTooLong
	case len(e.Tenant) > maxTenant:
		return TenantTooLong
	case len(e.Language) > maxLanguage:
		return LanguageTooLong
	case e.Speaker != nil && (len(e.Speaker.ID) > maxSpeaker || len(e.Speaker.Label) > maxSpeaker):
		return SpeakerTooLong
	case len(e.Text) > r.MaxText || e.Lexical != nil && len(*e.Lexical) > r.MaxText:
		return TextTooLong
	case len(e.Participants) > maxParticipants:
		return TooManyParticipants
	}
	for i := range e.Participants {
		if reason := participantExceeds(&e.Participants[i]); reason != "" {
			return reason
		}
	}
	if e.Seq > r.MaxSeq || e.Seq < -r.MaxSeq {
		return SeqOutOfRange
	}
	return ""
}

func participantExceeds(p *schemas.Participant) string {
	if len(p.SpeakerID) > maxValue || len(p.Organization) > maxValue {
		return ValueTooLong
	}
	n := 0
	if p.Organization != "" {
		n = 1
	}
	for _, list := range [][]string{p.Names, p.Emails, p.Phones, p.Other} {
		if n += len(list); n > maxValues {
			return TooManyValues
		}
		for _, v := range list {
			if len(v) > maxValue {
				return ValueTooLong
			}
		}
	}
	return ""
}
