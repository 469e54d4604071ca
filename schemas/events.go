// Package schemas holds the events that Sotto reads and writes, their Avro
// schemas and the codecs between the two.
//
// The .avsc files are the contract. The Go types and their fields methods follow them, and the JSON
// names are the Avro field names. A field may be added; none may change its meaning or go away.
package schemas

// Namespace is the Avro namespace of every schema in this package.
const Namespace = "sotto.v1"

// EventType is the type of a raw or clean event.
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

// Check returns an error for a type that no event has.
func (t EventType) Check() error {
	switch t {
	case Start, Utterance, End:
		return nil
	case "":
		return bad(ReasonMissingType)
	}
	return bad(ReasonUnknownType)
}

// Role is the part that a speaker has in a call.
type Role string

// The roles of DESIGN 1.2. Whatever else a producer writes is read as
// RoleUnknown.
const (
	RoleAgent    Role = "AGENT"
	RoleCustomer Role = "CUSTOMER"
	RoleUnknown  Role = "UNKNOWN"
)

// Speaker is who said an utterance. In a RawEvent, ID and Label are personal information; in
// a CleanEvent, ID is s1, s2, ... in order of appearance and Label is anonymized.
type Speaker struct {
	ID string `json:"id"`
	// The name that the recogniser shows.
	Label string `json:"label,omitempty"`
	// AGENT, CUSTOMER or UNKNOWN.
	Role Role `json:"role,omitempty"`
}

// Participant holds values that are known to be personal in a call before anybody says them.
// All of it is personal information.
type Participant struct {
	SpeakerID    string   `json:"speaker_id,omitempty"`
	Names        []string `json:"names,omitempty"`
	Organization string   `json:"organization,omitempty"`
	Emails       []string `json:"emails,omitempty"`
	Phones       []string `json:"phones,omitempty"`
	Other        []string `json:"other,omitempty"`
}

// RawEvent is one record of the raw topic, as the recognizer wrote it. Apart from the times,
// the type and the sequence number, all of it may be personal: no field of it may be logged
// or put into an error.
type RawEvent struct {
	// The call; not empty.
	CallID string `json:"call_id"`
	// Grows within a call.
	Seq int64 `json:"seq"`
	// START, UTTERANCE or END.
	Type EventType `json:"type"`
	// A short word: customer_support, sales, meeting, one_to_one, voicemail.
	Context string   `json:"context,omitempty"`
	Tenant  string   `json:"tenant,omitempty"`
	Speaker *Speaker `json:"speaker,omitempty"`
	// The words; needed for UTTERANCE.
	Text string `json:"text,omitempty"`
	// The recognizer's unformatted form, nil where it gives none.
	Lexical *string `json:"lexical,omitempty"`
	// false for an interim hypothesis; nil means final.
	Final *bool `json:"final,omitempty"`
	// BCP 47, for example en-US.
	Language string `json:"language,omitempty"`
	// From the start of the call.
	StartMS *int64 `json:"start_ms,omitempty"`
	// From the start of the call.
	EndMS *int64 `json:"end_ms,omitempty"`
	// Event time, milliseconds since 1970-01-01 UTC.
	TimestampMS int64 `json:"timestamp_ms,omitempty"`
	// Read on START only.
	Participants []Participant `json:"participants,omitempty"`
}

// Entity is one replaced span. Positions count Unicode code points, end exclusive.
type Entity struct {
	Start int `json:"start"`
	End   int `json:"end"`
	// The infoType.
	Type string `json:"type"`
	// The number within the infoType and the call; 0 where there is none.
	ID int `json:"id,omitempty"`
	// Position in the raw text; nil unless requested, because it reveals how long a name was.
	RawStart *int    `json:"raw_start,omitempty"`
	RawEnd   *int    `json:"raw_end,omitempty"`
	Detector string  `json:"detector,omitempty"`
	Score    float64 `json:"score"`
}

// Span is a part of a text. Positions count Unicode code points, end exclusive.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// MarkedWord is a word of the clean event with this Seq. Positions count Unicode code points,
// end exclusive.
type MarkedWord struct {
	Seq   int64 `json:"seq"`
	Start int   `json:"start"`
	End   int   `json:"end"`
}

// IndirectSummary is what the END event says about the indirect identifiers of the call:
// words that too few calls use.
type IndirectSummary struct {
	// Calls of the partition that were counted before this one.
	Calls int64 `json:"calls"`
	// false: too few calls were counted, so nothing is marked.
	Judged bool `json:"judged"`
	// Marked words in the clean events of the call.
	Count int64 `json:"count"`
	// Where they are, the first 1,000. Empty in the final version, whose events have the marks
	// themselves.
	Words []MarkedWord `json:"words,omitempty"`
}

// CallSummary is what the END event says about the whole call.
type CallSummary struct {
	Utterances int64 `json:"utterances"`
	// Different entities by infoType.
	Entities map[string]int64 `json:"entities"`
	// Expected residual risk; nil when not estimated.
	EstimatedRisk *float64 `json:"estimated_risk,omitempty"`
	// false: not for training data; reason says why.
	Release bool   `json:"release"`
	Reason  string `json:"reason,omitempty"`
	// end or idle.
	ClosedBy ClosedBy `json:"closed_by,omitempty"`
	// nil if the stream keeps no graph of indirect identifiers.
	Indirect *IndirectSummary `json:"indirect,omitempty"`
	// By infoType: numbers of clean events that were replaced by others, later in the call or in its final version, because both are
	// one person's.
	Renumbered map[string]map[string]int64 `json:"renumbered,omitempty"`
}

// CleanEvent is one record of the clean topic.
type CleanEvent struct {
	// The call, as in the raw event or hashed with the deployment's key.
	CallID string `json:"call_id"`
	// As in the raw event.
	Seq int64 `json:"seq"`
	// START, UTTERANCE or END.
	Type EventType `json:"type"`
	// A short word: customer_support, sales, meeting, one_to_one, voicemail.
	Context string   `json:"context,omitempty"`
	Tenant  string   `json:"tenant,omitempty"`
	Speaker *Speaker `json:"speaker,omitempty"`
	// The words, anonymized.
	Text     string   `json:"text"`
	Entities []Entity `json:"entities"`
	// Words that too few calls use, in the final version only.
	Indirect []Span `json:"indirect,omitempty"`
	// Short hash of everything that decided the outcome.
	Policy string `json:"policy"`
	// How entities were replaced.
	Strategy string `json:"strategy"`
	Language string `json:"language,omitempty"`
	// Detection tiers that saw the text: local and the remote one, by name; NAME:unavailable or
	// NAME:refused where it gave no answer. Empty without a remote tier.
	Tiers []string `json:"tiers,omitempty"`
	// The call's memory was gone: tags have no numbers.
	Late    bool   `json:"late,omitempty"`
	StartMS *int64 `json:"start_ms,omitempty"`
	EndMS   *int64 `json:"end_ms,omitempty"`
	// Event time, milliseconds since 1970-01-01 UTC.
	TimestampMS int64 `json:"timestamp_ms,omitempty"`
	// Set on END only.
	Call *CallSummary `json:"call,omitempty"`
}

// Sampling says why a call is in the audit sample.
type Sampling struct {
	// The probability with which the call is in the sample, for whatever reason, as far as is
	// known at this event. It only grows; that of the last END is the one to weight by.
	Rate float64 `json:"rate"`
	// One of the SampledBy words.
	Reason string `json:"reason"`
	// Expected residual risk of the call so far; nil when not estimated.
	EstimatedRisk *float64 `json:"estimated_risk,omitempty"`
	// Utterances of the call from before it was chosen that are in the clean topic only.
	Missing int64 `json:"missing,omitempty"`
}

// AuditEvent is one record of the audit topic: the clean event as it went to the clean topic,
// and how the call was sampled.
type AuditEvent struct {
	CleanEvent
	Sampling Sampling `json:"sampling"`
}

// DeadLetter takes the place of a raw record that could not be processed. It says where and
// why, and never holds anything of the record's content.
type DeadLetter struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	// Empty when it could not be read.
	CallID string `json:"call_id,omitempty"`
	// One of a closed set of words, fit for a metric label.
	Reason string `json:"reason"`
	// Explains the reason; does not depend on the content.
	Detail string `json:"detail,omitempty"`
	// Milliseconds since 1970-01-01 UTC.
	TimestampMS int64 `json:"timestamp_ms"`
}

// Interim reports whether the event is a hypothesis that a later event
// replaces.
func (e *RawEvent) Interim() bool { return e.Final != nil && !*e.Final }

// EventKey identifies a clean event. Of two events with one key, the later one counts: a reader
// that drops duplicates keeps that. The type is a part of it, because the END that the stream
// itself writes for an idle call has the number that the next event of the call may have, too.
type EventKey struct {
	CallID string
	Seq    int64
	Type   EventType
}

// Key returns what identifies the event.
func (e *CleanEvent) Key() EventKey { return EventKey{e.CallID, e.Seq, e.Type} }

// ClosedBy says what closed a call.
type ClosedBy string

const (
	// ClosedByEnd: the call's own END event.
	ClosedByEnd ClosedBy = "end"
	// ClosedByIdle: no event for the idle timeout.
	ClosedByIdle ClosedBy = "idle"
)

// Why a call is in the sample.
const (
	// SampledByContext: by the rate of its context alone.
	SampledByContext = "uniform"
	// SampledByRisk: because the estimated risk of the call is high.
	SampledByRisk = "doubt" // the word of the first release, which readers know
)
