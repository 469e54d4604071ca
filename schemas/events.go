// Package schemas holds the events that Sotto reads and writes, their Avro
// schemas and the codecs between the two.
//
// The Go types are the contract in one place: their JSON names are the Avro
// field names. A field may be added; none may change its meaning or go away.
package schemas

// Namespace is the Avro namespace of every schema in this package.
const Namespace = "sotto.v1"

// EventType says what a raw or clean event tells about its call.
type EventType string

const (
	// Start opens a call and may carry what is known of its participants. A
	// call may also begin without it.
	Start EventType = "START"
	// Utterance carries words that were said.
	Utterance EventType = "UTTERANCE"
	// End closes a call.
	End EventType = "END"
)

// Role is the part that a speaker has in a call.
type Role string

// The roles of DESIGN 1.2. Whatever else a producer writes is read as
// RoleUnknown.
const (
	RoleAgent    Role = "AGENT"
	RoleCustomer Role = "CUSTOMER"
	RoleUnknown  Role = "UNKNOWN"
)

// Speaker is who said an utterance. In a RawEvent, ID and Label are personal
// information; in a CleanEvent ID is s1, s2, ... in order of appearance and
// Label is anonymized.
type Speaker struct {
	ID    string `json:"id"`
	Label string `json:"label,omitempty"`
	Role  Role   `json:"role,omitempty"`
}

// Participant holds values that are known to be personal in a call before
// anybody says them. All of it is personal information.
type Participant struct {
	SpeakerID    string   `json:"speaker_id,omitempty"`
	Names        []string `json:"names,omitempty"`
	Organization string   `json:"organization,omitempty"`
	Emails       []string `json:"emails,omitempty"`
	Phones       []string `json:"phones,omitempty"`
	Other        []string `json:"other,omitempty"`
}

// RawEvent is one record of the raw topic, as the recogniser wrote it. Apart
// from the times, the type and the sequence number all of it may be personal:
// no field of it may be logged or put into an error.
type RawEvent struct {
	CallID  string    `json:"call_id"`
	Seq     int64     `json:"seq"`
	Type    EventType `json:"type"`
	Context string    `json:"context,omitempty"`
	Tenant  string    `json:"tenant,omitempty"`
	Speaker *Speaker  `json:"speaker,omitempty"`
	Text    string    `json:"text,omitempty"`
	// Lexical is the recogniser's unformatted form, nil where it gives none.
	Lexical *string `json:"lexical,omitempty"`
	// Final is false for an interim hypothesis; nil means final.
	Final       *bool  `json:"final,omitempty"`
	Language    string `json:"language,omitempty"`
	StartMS     *int64 `json:"start_ms,omitempty"`
	EndMS       *int64 `json:"end_ms,omitempty"`
	TimestampMS int64  `json:"timestamp_ms,omitempty"`
	// Participants is read on START only.
	Participants []Participant `json:"participants,omitempty"`
}

// Interim reports whether the event is a hypothesis that a later event
// replaces.
func (e *RawEvent) Interim() bool { return e.Final != nil && !*e.Final }

// Entity is one replaced span. Positions count Unicode code points, end
// exclusive.
type Entity struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Type  string `json:"type"`
	// ID is the number within the type and the call, 0 where the strategy (or
	// a late event) gives none.
	ID int `json:"id,omitempty"`
	// RawStart and RawEnd are positions in the raw text. They tell how long a
	// name was and are nil unless asked for.
	RawStart *int    `json:"raw_start,omitempty"`
	RawEnd   *int    `json:"raw_end,omitempty"`
	Detector string  `json:"detector,omitempty"`
	Score    float64 `json:"score"`
}

// ClosedBy says what closed a call.
type ClosedBy string

const (
	// ClosedByEnd: the call's own END event.
	ClosedByEnd ClosedBy = "end"
	// ClosedByIdle: no event for the idle timeout.
	ClosedByIdle ClosedBy = "idle"
)

// CallSummary is what the END event tells of the whole call.
type CallSummary struct {
	Utterances int64 `json:"utterances"`
	// Entities counts the different entities per infoType.
	Entities map[string]int64 `json:"entities"`
	// EstimatedRisk is the expected residual risk; nil when it was not
	// estimated.
	EstimatedRisk *float64 `json:"estimated_risk,omitempty"`
	// Release is false when training-data readers must not take the call;
	// Reason then says why.
	Release  bool     `json:"release"`
	Reason   string   `json:"reason,omitempty"`
	ClosedBy ClosedBy `json:"closed_by,omitempty"`
}

// CleanEvent is one record of the clean topic.
type CleanEvent struct {
	CallID   string    `json:"call_id"`
	Seq      int64     `json:"seq"`
	Type     EventType `json:"type"`
	Context  string    `json:"context,omitempty"`
	Tenant   string    `json:"tenant,omitempty"`
	Speaker  *Speaker  `json:"speaker,omitempty"`
	Text     string    `json:"text"`
	Entities []Entity  `json:"entities"`
	// Policy is a short hash of everything that decided the outcome.
	Policy   string `json:"policy"`
	Strategy string `json:"strategy"`
	Language string `json:"language,omitempty"`
	// Late marks an utterance that came after its call's memory was gone: its
	// tags have no numbers.
	Late        bool   `json:"late,omitempty"`
	StartMS     *int64 `json:"start_ms,omitempty"`
	EndMS       *int64 `json:"end_ms,omitempty"`
	TimestampMS int64  `json:"timestamp_ms,omitempty"`
	// Call is set on END only.
	Call *CallSummary `json:"call,omitempty"`
}

// Sampling tells an auditor why a call is in the sample.
type Sampling struct {
	// Rate is the probability with which the call is in the sample, for
	// whatever reason, as far as is known at this event. It only grows within a
	// call; the last END has the one to weight by.
	Rate float64 `json:"rate"`
	// Reason is one of the SampledBy words.
	Reason string `json:"reason"`
	// EstimatedRisk is the expected residual risk of the call so far; nil when
	// it was not estimated.
	EstimatedRisk *float64 `json:"estimated_risk,omitempty"`
	// Missing counts the utterances of the call from before it was chosen that
	// the clean topic has and the audit topic has not.
	Missing int64 `json:"missing,omitempty"`
}

// Why a call is in the sample.
const (
	// SampledByContext: by the rate of its context alone.
	SampledByContext = "uniform"
	// SampledByDoubt: because the anonymizer itself has doubts about it.
	SampledByDoubt = "doubt"
)

// AuditEvent is one record of the audit topic: the clean event as it went to
// the clean topic, and how the call was sampled.
type AuditEvent struct {
	CleanEvent
	Sampling Sampling `json:"sampling"`
}

// DeadLetter takes the place of a raw record that could not be processed. It
// says where and why and never holds anything of the record's content.
type DeadLetter struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	// CallID is empty when it could not be read.
	CallID string `json:"call_id,omitempty"`
	// Reason is one of a closed set of words, fit for a metric label.
	Reason string `json:"reason"`
	// Detail explains the reason in words that do not depend on the content.
	Detail      string `json:"detail,omitempty"`
	TimestampMS int64  `json:"timestamp_ms"`
}
